use super::*;

#[test]
fn fences_are_ten_lower_case_letters_and_differ() {
    let mut rng = Rng::with_seed(7);
    let fences: Vec<_> = (0..100).map(|_| Fence::random(&mut rng)).collect();
    assert!(fences.iter().all(|fence| fence.as_str().len() == 10 && fence.as_str().starts_with("zq")));
    assert!(fences.iter().all(|fence| fence.0.iter().all(u8::is_ascii_lowercase)));
    assert!((1..100).all(|at| !fences[..at].contains(&fences[at])));
    assert_ne!(Fence::random(&mut Rng::with_seed(1)), Fence::random(&mut Rng::with_seed(2)));
}

#[test]
fn a_sent_fence_is_recognized_and_no_other_line() {
    let mut rng = Rng::with_seed(7);
    let (fence, other) = (Fence::random(&mut rng), Fence::random(&mut rng));
    let word = fence.as_str();
    for line in [word.to_owned(), format!("$${word}"), format!("`{word}`{word}")] {
        assert_eq!(Fence::in_sent_line(line.as_bytes()), Some(fence), "{line}");
    }
    for line in ["", "zq", "zqabcdefg1", "zqabcdefghi", "tell Foo zqabcdefgh", &format!("`{}`{word}", other.as_str())] {
        assert_eq!(Fence::in_sent_line(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn the_refusal_is_recognized_in_every_wording() {
    let fence = Fence::random(&mut Rng::with_seed(7));
    let cases = [
        ("FICS, FatICS", "zqX: Command not found.", None),
        ("uhlin/fics", "zqX: Command has failed.", None),
        ("ICC", "No such command (zqX).", None),
        ("a prompt the account has set", "chess> zqX: Command has failed.", Some("chess> ")),
        ("it twice", "> > zqX: Command has failed.", Some("> ")),
        ("a line that broke off", "(c-shoutedzqX: Command not found.", None),
        ("on ICC", "? No such command (zqX).", Some("? ")),
        ("on ICC, with its tag", "? No such command (`zqX`zqX).", Some("? ")),
    ];
    for (name, line, want) in cases {
        let line = line.replace("zqX", fence.as_str());
        assert!(fence.is_answered_by(line.as_bytes()), "{name}");
        assert_eq!(fence.prompt_before_answer(line.as_bytes()), want.map(str::as_bytes), "{name}");
        assert_eq!(fence.is_answered_by_icc(line.as_bytes()), name.contains("ICC"), "{name}");
    }
    assert!(!fence.is_answered_by(b"Foo tells you: zqabcdefgh: Command not found."));
}
