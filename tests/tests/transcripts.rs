//! Recorded sessions of two servers, read by the library and by an oracle that shares no code with it.

use kibitzer_core::Event;
use kibitzer_core::MessageReader;
use kibitzer_core::message::{Control, GameEndReason, Message};
use kibitzer_core::wire::Timeseal;
use kibitzer_tests::{CleanedText, HoldingFacts, PositionFacts, Transcript, events_of, holdings_in, positions_in};

#[test]
fn boards_are_those_the_server_drew() {
    let mut n_boards = 0;
    for transcript in Transcript::all() {
        let want = positions_in(&CleanedText::new(&transcript.stream(), transcript.timeseal()));
        let found: Vec<_> = transcript
            .events()
            .iter()
            .filter_map(|event| match event.message() {
                Some(Message::Style12(board)) => Some(PositionFacts::of(event.offset().unwrap_or_default(), board)),
                _ => None,
            })
            .collect();
        compare(&transcript.name, &found, &want);
        n_boards += want.len();
    }
    assert!(n_boards > 5000, "only {n_boards} boards");
}

#[test]
fn holdings_are_those_the_server_listed() {
    let mut n_holdings = 0;
    for transcript in Transcript::all() {
        let want = holdings_in(&CleanedText::new(&transcript.stream(), transcript.timeseal()));
        let found: Vec<_> = transcript
            .events()
            .iter()
            .filter_map(|event| match event.message() {
                Some(Message::Holding(holding)) => Some(HoldingFacts::of(event.offset().unwrap_or_default(), holding)),
                _ => None,
            })
            .collect();
        compare(&transcript.name, &found, &want);
        n_holdings += want.len();
    }
    assert!(n_holdings > 1500, "only {n_holdings} holdings");
}

#[test]
fn every_word_for_a_kind_or_an_ending_is_known() {
    let mut n_kinds = 0;
    for transcript in Transcript::all() {
        for event in transcript.events() {
            let kind = match event.message() {
                Some(Message::GameEnded(ended)) => {
                    assert_ne!(ended.reason, GameEndReason::Unknown, "{}: {event}", transcript.name);
                    continue;
                }
                Some(Message::GameCreated(created)) => created.game_kind(),
                Some(Message::Challenge(challenge)) => challenge.game_kind(),
                Some(Message::Creating(starting)) => starting.game_kind(),
                Some(Message::Seek(seek)) => seek.game_kind(),
                Some(Message::GameInfo(info)) => info.game_kind(),
                _ => continue,
            };
            assert!(kind.variant.is_some(), "{}: {event}", transcript.name);
            n_kinds += 1;
        }
    }
    assert!(n_kinds > 500, "only {n_kinds} kinds");
}

#[test]
fn messages_by_reference_are_the_owned_ones_and_stay_as_they_were_cloned() {
    for transcript in Transcript::all() {
        let stream = transcript.stream();
        let (mut owned, mut rest) = (MessageReader::default(), &stream[..]);
        let (mut lent, mut rest_of_lent) = (MessageReader::default(), &stream[..]);
        let mut clones = Vec::new();
        while let Some(received) = owned.next(&mut rest) {
            let lent = lent.next_ref(&mut rest_of_lent).unwrap();
            assert_eq!((lent, lent.raw()), (&received, received.raw()), "{}", transcript.name);
            if received.offset % 3 == 0 {
                clones.push((lent.clone(), received));
            }
        }
        assert!(lent.next_ref(&mut rest_of_lent).is_none(), "{}", transcript.name);
        for (clone, received) in clones {
            assert_eq!((&clone, clone.raw()), (&received, received.raw()), "{}", transcript.name);
        }
    }
}

/// Compares one to one, and shows the first difference only.
fn compare<T: PartialEq + std::fmt::Debug>(name: &str, found: &[T], want: &[T]) {
    for (index, (found, want)) in found.iter().zip(want).enumerate() {
        assert_eq!(found, want, "{name}, number {index}");
    }
    assert_eq!(found.len(), want.len(), "{name}: number of events");
}

// Rules: ten 6, transport T2, datagrams BM2, bugs 1, bugs 97
#[test]
fn any_pieces_give_the_same_events() {
    for transcript in Transcript::all() {
        let stream = transcript.stream();
        let whole = transcript.events();
        let name = &transcript.name;
        assert_eq!(events_of(transcript.reader(), stream.chunks(1)), whole, "{name}, byte by byte");
        assert_eq!(events_of(transcript.reader(), stream.chunks(7)), whole, "{name}, in sevens");
        assert_eq!(
            events_of(transcript.reader(), transcript.reads.iter().map(Vec::as_slice)),
            whole,
            "{name}, as recorded"
        );
    }
}

/// So the time of an event, which is that of the piece in which it became known, depends on the bytes alone.
#[test]
fn an_event_is_known_after_the_same_recorded_piece_however_that_is_cut() {
    for transcript in Transcript::all() {
        let events = |size: usize| {
            let mut reader = transcript.reader();
            let mut events = Vec::new();
            for (number, piece) in transcript.reads.iter().enumerate() {
                for mut part in piece.chunks(size) {
                    events.extend(std::iter::from_fn(|| reader.next(&mut part)).map(|event| (number, event)));
                }
            }
            events
        };
        let whole = events(usize::MAX);
        for size in [1, 7] {
            compare(&transcript.name, &events(size), &whole);
        }
    }
}

// Rules: text X9, transport W2
#[test]
fn tells_with_long_words_arrive_whole() {
    let transcript = Transcript::named("uhlinfics-talk-long-words");
    let tells: Vec<String> = transcript
        .events()
        .iter()
        .filter_map(|event| match event.message() {
            Some(Message::Talk(talk)) => Some(talk.text().into_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(tells.len(), 40);
    for text in &tells {
        let (words, address) = text.split_once(" https://lichess.org/study/").unwrap_or_else(|| panic!("cut: {text}"));
        assert!(
            ["here", "this game:", "see", "look at", "analysis"].iter().any(|word| words.ends_with(word)),
            "{text}"
        );
        assert!(
            (20..110).contains(&address.len()) && address.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{text}"
        );
    }
    assert_eq!(tells[32], "here here https://lichess.org/study/ob7nj4gpgfdod0mgkf8bkphm57bhmlmhfjilib6k7dghjof2fhp");
}

// Rules: ten 7
#[test]
fn every_printed_byte_is_in_one_event() {
    for transcript in Transcript::all() {
        let (stream, timeseal) = (transcript.stream(), transcript.timeseal());
        let want = CleanedText::new(&stream, timeseal).printable_bytes(timeseal);
        let found: Vec<u8> = transcript.events().iter().flat_map(|event| ink(event, &stream, timeseal)).collect();
        let same = found.iter().zip(&want).take_while(|(found, want)| found == want).count();
        assert!(
            found == want,
            "{}: after {same} bytes {:?} instead of {:?}",
            transcript.name,
            found.iter().skip(same).take(60).map(|&b| char::from(b)).collect::<String>(),
            want.iter().skip(same).take(60).map(|&b| char::from(b)).collect::<String>(),
        );
    }
}

/// The printable bytes an event stands for: those of its line, or of its place in the stream if it is a prompt.
fn ink(event: &Event, stream: &[u8], timeseal: Timeseal) -> Vec<u8> {
    let Event::Received { received, .. } = event else { return Vec::new() };
    let is_prompt = matches!(
        received.message,
        Message::Control(Control::Prompt | Control::LoginPrompt | Control::PasswordPrompt | Control::GuestPrompt(_))
    );
    let line = if is_prompt {
        let place = usize::try_from(received.offset).unwrap()..usize::try_from(received.end()).unwrap();
        CleanedText::new(&stream[place], timeseal).printable_bytes(timeseal)
    } else {
        received.raw().strip_prefix(b"\\   ").unwrap_or(received.raw()).to_vec()
    };
    line.into_iter().filter(|byte| !byte.is_ascii_whitespace() || *byte == b'\t').collect()
}
