use super::*;

const BANNER: &[u8] = b"Welcome\n\r\n\rlogin: ";

fn write(bytes: &[u8]) -> OutputStep {
    OutputStep::Write(bytes.to_vec())
}

fn steps(at: FaultPoint, fault: Fault, bytes: &[u8]) -> Vec<OutputStep> {
    let mut injector = FaultInjector::new(1);
    assert_eq!(injector.inject(at, fault), None);
    injector.apply_to_output(bytes)
}

#[test]
fn a_fault_is_reported_once_with_the_bytes_before_it() {
    let mut injector = FaultInjector::new(1);
    injector.inject(FaultPoint::Login, Fault::Cut);
    injector.inject(FaultPoint::NextBoard, Fault::Garbage(3));
    assert_eq!(injector.drain_fired(3), []);
    injector.apply_to_output(BANNER);
    let fired = |fault, at, byte| FiredFault { connection: 3, fault, at, byte };
    assert_eq!(injector.drain_fired(3), [fired(Fault::Cut, FaultPoint::Login, 14)]);
    assert_eq!(injector.drain_fired(3), []);
    injector.inject(FaultPoint::Now, Fault::Stall);
    assert_eq!(injector.drain_fired(3), [fired(Fault::Stall, FaultPoint::Now, 14)]);
}

#[test]
fn without_faults_the_output_is_unchanged() {
    assert_eq!(FaultInjector::new(1).apply_to_output(BANNER), [write(BANNER)]);
    assert_eq!(FaultInjector::new(1).apply_to_output(b""), []);
}

#[test]
fn a_cut_is_in_the_middle_of_the_line_with_the_point() {
    assert_eq!(steps(FaultPoint::Connect, Fault::Cut, BANNER), [write(b"Wel"), OutputStep::End(OutputEnd::Close)]);
    assert_eq!(
        steps(FaultPoint::Login, Fault::Cut, BANNER),
        [write(b"Welcome\n\r\n\rlog"), OutputStep::End(OutputEnd::Close)]
    );
    assert_eq!(
        steps(FaultPoint::Login, Fault::Reset, BANNER),
        [write(b"Welcome\n\r\n\rlog"), OutputStep::End(OutputEnd::Reset)]
    );
    assert_eq!(
        steps(FaultPoint::NextBoard, Fault::Stall, b"\n\r<12> rnbq\n\r"),
        [write(b"\n\r<12>"), OutputStep::End(OutputEnd::Stall)]
    );
    let block = b"\x154\x1632\x16Local\n\r\x17";
    assert_eq!(steps(FaultPoint::InBlock, Fault::Cut, block), [write(&block[..6]), OutputStep::End(OutputEnd::Close)]);
    assert_eq!(
        steps(FaultPoint::After(9), Fault::Cut, BANNER),
        [write(b"Welcome\n\r"), OutputStep::End(OutputEnd::Close)]
    );
}

#[test]
fn output_before_the_point_is_unchanged() {
    let mut injector = FaultInjector::new(1);
    injector.inject(FaultPoint::After(10), Fault::OverLong(3));
    assert_eq!(injector.apply_to_output(b"01234"), [write(b"01234")]);
    assert_eq!(injector.apply_to_output(b"56789abc"), [write(b"56789"), write(b"xxx\n\r"), write(b"abc")]);
    assert_eq!(injector.apply_to_output(b"def"), [write(b"def")]);
}

#[test]
fn a_point_that_was_passed_takes_effect_at_once() {
    let mut injector = FaultInjector::new(1);
    injector.apply_to_output(b"01234");
    assert_eq!(injector.inject(FaultPoint::After(4), Fault::Stall), Some(OutputStep::End(OutputEnd::Stall)));
    assert_eq!(
        injector.inject(FaultPoint::After(2), Fault::Kick),
        Some(OutputStep::Forward(StateFault::Kick(KickReason::SecondLogin)))
    );
    assert_eq!(injector.inject(FaultPoint::After(3), Fault::Cut), None);
    assert_eq!(injector.apply_to_output(b"567\n"), [write(b"5"), OutputStep::End(OutputEnd::Close)]);
    assert!(injector.drain_fired(1).iter().all(|fired| fired.at == FaultPoint::Now));
}

#[test]
fn a_reset_or_stall_before_the_first_line_passes_no_byte() {
    for (fault, step) in
        [(Fault::Reset, OutputStep::End(OutputEnd::Reset)), (Fault::Stall, OutputStep::End(OutputEnd::Stall))]
    {
        let mut injector = FaultInjector::new(1);
        injector.pending.push((FaultPoint::Now, fault));
        assert_eq!(injector.apply_to_output(BANNER), [step], "{fault:?}");
    }
}

#[test]
fn a_point_at_the_next_byte_was_not_passed() {
    let mut injector = FaultInjector::new(1);
    injector.apply_to_output(b"01234");
    assert_eq!(injector.inject(FaultPoint::After(5), Fault::Reset), None);
    assert_eq!(injector.apply_to_output(b"5678\n"), [write(b"56"), OutputStep::End(OutputEnd::Reset)]);
}

#[test]
fn writes_are_split_and_delayed_after_the_point() {
    assert_eq!(
        steps(FaultPoint::Login, Fault::Split(3), BANNER),
        [write(b"Welcome\n\r\n\r"), write(b"log"), write(b"in:"), write(b" "),]
    );
    let second = Duration::from_secs(1);
    assert_eq!(steps(FaultPoint::Now, Fault::Delay(second), b"date"), [OutputStep::Wait(second), write(b"date")]);
    let mut random = steps(FaultPoint::Now, Fault::SplitRandomly(4), BANNER);
    assert!(random.len() > 4, "{random:?}");
    let Some(OutputStep::Write(mut all)) = random.drain(..).reduce(|all, piece| match (all, piece) {
        (OutputStep::Write(all), OutputStep::Write(piece)) => OutputStep::Write([all, piece].concat()),
        other => panic!("{other:?}"),
    }) else {
        panic!("nothing was written");
    };
    assert_eq!(std::mem::take(&mut all), BANNER);
}

#[test]
fn some_faults_need_no_bytes() {
    let mut injector = FaultInjector::new(1);
    assert_eq!(injector.inject(FaultPoint::Now, Fault::Stall), Some(OutputStep::End(OutputEnd::Stall)));
    assert_eq!(injector.inject(FaultPoint::Now, Fault::Reset), Some(OutputStep::End(OutputEnd::Reset)));
    assert_eq!(
        injector.inject(FaultPoint::Now, Fault::Kick),
        Some(OutputStep::Forward(StateFault::Kick(KickReason::SecondLogin)))
    );
    assert_eq!(
        steps(FaultPoint::Setup, Fault::Kick, b"**** Starting FICS session as X ****\n\r").first(),
        Some(&OutputStep::Forward(StateFault::Kick(KickReason::SecondLogin)))
    );
}

#[test]
fn garbage_has_the_requested_length() {
    let [OutputStep::Write(garbage), OutputStep::Write(rest)] =
        &steps(FaultPoint::Connect, Fault::Garbage(20), BANNER)[..]
    else {
        panic!("two writes are expected");
    };
    assert_eq!((garbage.len(), &rest[..]), (22, BANNER));
}
