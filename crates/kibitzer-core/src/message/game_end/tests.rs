use proptest::prelude::*;

use super::*;

fn parsed(line: &str) -> GameEnded {
    GameEnded::parse(line.as_bytes()).unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn every_field() {
    assert_eq!(
        parsed("{Game 1 (Alekhine vs. Bogoljubov) Bogoljubov checkmated} 1-0"),
        GameEnded {
            game: GameId(1),
            white: Handle::from_wire(b"Alekhine"),
            black: Handle::from_wire(b"Bogoljubov"),
            result: GameResult::WhiteWins,
            reason: GameEndReason::Mate,
            text: PlayerText::from_wire(b"Bogoljubov checkmated"),
            lives_on: false,
        }
    );
}

#[test]
fn results_and_reasons() {
    let cases: &[(&str, &str, &str)] = &[
        ("{Game 1 (Alekhine vs. Bogoljubov) Alekhine resigns} 0-1", "0-1", "resign"),
        ("{Game 1 (Alice vs. Boris) Boris forfeits on time} 1-0", "1-0", "time"),
        ("{Game 1 (GuestMVSJ vs. GuestQTFF) GuestMVSJ forfeits by disconnection} 0-1", "0-1", "disconnect"),
        ("{Game 1 (Capablanca vs. Duras) Capablanca wins by having less material (stalemate)} 1-0", "1-0", "variant"),
        ("{Game 1 (Dmitri vs. Erika) Game drawn by repetition} 1/2-1/2", "1/2-1/2", "repetition"),
        ("{Game 1 (Duras vs. Euwe) Game aborted on move 1 by Duras} *", "*", "abort_move1"),
        ("{Game 1 (Dmitri vs. Erika) Game courtesyaborted by Dmitri} * ", "*", "abort_courtesy"),
        ("{Game 5 (A vs. B) White resigns} 0-1", "0-1", "resign"),
        ("{Game 5 (A(GM) vs. B(*)) A resigns} 0-1", "0-1", "resign"),
        ("{Game 5 (A vs. B) anything else (yes). Really} 1/2-1/2", "1/2-1/2", "unknown"),
        ("{Game 5 (A vs. B) } *", "*", "unknown"),
    ];
    for &(line, result, reason) in cases {
        let ended = parsed(line);
        assert_eq!((ended.result.as_str(), ended.reason.as_str()), (result, reason), "{line}");
    }
}

// Rules: text Z1
#[test]
fn the_result_has_the_winner_and_the_text_the_named_player() {
    use Color::{Black, White};
    let cases = [
        ("{Game 1 (A vs. B) A checkmated} 0-1", Some(Black), Some(White)),
        ("{Game 1 (A vs. B) A wins by adjudication} 1-0", Some(White), Some(White)),
        ("{Game 1 (A vs. B) A resigns} 1-0", Some(White), Some(White)),
        ("{Game 1 (A vs. B) Game drawn by repetition} 1/2-1/2", None, None),
        ("{Game 1 (A vs. B) Game aborted by agreement} *", None, None),
        ("{Game 1 (A vs. B) Black resigns} 1-0", Some(White), Some(Black)),
    ];
    for (line, winner, subject) in cases {
        let ended = parsed(line);
        assert_eq!((ended.result.winner(), ended.named_player()), (winner, subject), "{line}");
    }
}

// Rules: text Z2
#[test]
fn an_unfinished_game_is_adjourned_by_its_words() {
    let cases = [
        ("{Game 1 (A vs. B) B lost connection; game adjourned} *", true),
        ("{Game 1 (A vs. B) adjourned} *", true),
        ("{Game 1 (A vs. B) adjourned for lunch} *", true),
        ("{Game 1 (A vs. B) Game courtesyadjourned by A} *", true),
        ("{Game 1 (A vs. B) aborted} *", false),
        ("{Game 1 (A vs. B) A aborts by disconnection} *", false),
        ("{Game 1 (A vs. B) Bughouse game aborted.} *", false),
        ("{Game 1 (A vs. B) an unknown reason} *", false),
        ("{Game 1 (A vs. B) adjourned} 1-0", false),
        ("{Game 1 (adjourned vs. B) adjourned stumbles} *", false),
        ("{Game 1 (adjourned vs. B) Game adjourned by agreement} *", true),
    ];
    for (line, adjourned) in cases {
        let ended = parsed(line);
        assert_eq!(ended.is_adjourned(), adjourned, "{line}");
    }
}

// Rules: text Z5, bugs 52
#[test]
fn cut_texts_have_an_unknown_reason() {
    let cases = [
        ("{Game 5 (A vs. B) adjourned} *", "adjourned", GameEndReason::AdjournDisconnect),
        ("{Game 1 (Alice vs. Vagabond) aborted} *", "aborted", GameEndReason::AbortDisconnect),
        ("{Game 5 (A vs. B) adjourned}", "adjourned", GameEndReason::Unknown),
    ];
    for (line, text, reason) in cases {
        let ended = parsed(line);
        assert_eq!((ended.result, ended.reason), (GameResult::Unfinished, reason), "{line}");
        assert_eq!(ended.text.as_str(), text, "{line}");
    }
}

// Rules: text Z8
#[test]
fn a_rating_line_is_not_part_of_the_result() {
    let lines = [
        "No ratings adjustment done.",
        "Blitz rating adjustment: 1500 --> 1508.",
        "{Game 1 (A vs. B) A resigns} 0-1 Blitz rating adjustment: 1500 --> 1508.",
    ];
    for line in lines {
        assert_eq!(GameEnded::parse(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn the_other_board_of_a_bughouse_match() {
    let cases = [
        ("{Game 79 (A vs. B) A's partner won} 1-0", "1-0", "partner", Some(Color::White)),
        ("{Game 79 (A vs. B) B's partner won} 0-1", "0-1", "partner", Some(Color::Black)),
        ("{Game 52 (Foo vs. Bar) Bar's partner won} 0-1", "0-1", "partner", Some(Color::Black)),
        ("{Game 79 (A vs. B) Partners' game drawn} 1/2-1/2", "1/2-1/2", "partner", None),
        ("{Game 79 (A vs. B) Partners' game aborted} *", "*", "abort_partner", None),
        ("{Game 79 (A vs. B) Partners' game adjourned} *", "*", "adjourn_partner", None),
        ("{Game 79 (A vs. B) Bughouse game aborted.} *", "*", "abort_partner", None),
        ("{Game 79 (A vs. B) Game drawn by mate on both boards} 1/2-1/2", "1/2-1/2", "partner", None),
        ("{Game 79 (A vs. B) A's partner resigns} 0-1", "0-1", "partner", Some(Color::White)),
        ("{Game 79 (A vs. B) A's partner checkmated} 0-1", "0-1", "partner", Some(Color::White)),
        ("{Game 79 (A vs. B) B's partner forfeits on time} 1-0", "1-0", "partner", Some(Color::Black)),
        ("{Game 79 (A vs. B) A's partner disconnected and forfeits} 0-1", "0-1", "partner", Some(Color::White)),
    ];
    for (line, result, reason, subject) in cases {
        let ended = parsed(line);
        assert_eq!((ended.result.as_str(), ended.reason.as_str()), (result, reason), "{line}");
        assert_eq!(ended.named_player(), subject, "{line}");
    }
}

#[test]
fn other_lines_are_not_parsed() {
    let lines = [
        "",
        "{Game 1 (A vs. B) Creating rated blitz match.}",
        "{Game 1 (A vs. B) A resigns}",
        "{Game 1 (A vs. B) A resigns} 2-0",
        "{Game 1 (A vs. B) A resigns}0-1",
        "{Game 1 (A vs. B) A resigns 0-1",
        "{Game 1 (A vs. B)} *",
        " {Game 1 (A vs. B) A resigns} 0-1",
        "Foo tells you: {Game 1 (A vs. B) A resigns} 0-1",
        "{White resigns} 0-1",
        "{Still in progress} *",
        "{Black lost connection, game adjourned} *",
        "Game 1: Bogoljubov resigns 1-0",
    ];
    for line in lines {
        assert_eq!(GameEnded::parse(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn every_reason_of_the_server() {
    let cases: &[(&str, &str)] = &[
        ("Foo resigns", "resign"),
        ("Bar checkmated", "mate"),
        ("Foo and Baz checkmated", "mate"),
        ("Baz and Bar checkmated", "mate"),
        ("Bar forfeits on time", "time"),
        ("Foo forfeits by disconnection", "disconnect"),
        ("White disconnected and forfeits", "disconnect"),
        ("Foo wins by adjudication", "adjudication"),
        ("Foo wins by losing all material", "variant"),
        ("Foo wins by having less material (stalemate)", "variant"),
        ("Foo wins by stalemate", "variant"),
        ("Foo's king exploded", "variant"),
        ("Foo exploded", "variant"),
        ("Foo's king has exploded, sadly", "variant"),
        ("exploded", "unknown"),
        ("Bar's partner won", "partner"),
        ("Game drawn by mutual agreement", "agreement"),
        ("Game drawn by agreement", "agreement"),
        ("Game was drawn by mutual agreement", "agreement"),
        ("Game drawn by stalemate", "stalemate"),
        ("Game drawn by stalemate (equal material)", "stalemate"),
        ("Game drawn by stalemate (opposite color bishops)", "stalemate"),
        ("Game drawn by repetition", "repetition"),
        ("Game drawn by the 50 move rule", "fifty"),
        ("Neither player has mating material", "material"),
        ("Game drawn because both players ran out of time", "both_time"),
        ("Both players ran out of time", "both_time"),
        ("Foo ran out of time and Bar has no material to mate", "time_material"),
        ("Foo ran out of time and Bar lacks mating material", "time_material"),
        ("Game drawn by adjudication", "adjudication"),
        ("Game drawn due to length", "length"),
        ("Game drawn by mate on both boards", "partner"),
        ("Partners' game drawn", "partner"),
        ("Game aborted by mutual agreement", "abort_agreement"),
        ("Game aborted by agreement", "abort_agreement"),
        ("Game aborted by adjudication", "abort_adjudication"),
        ("Game aborted by server shutdown", "abort_shutdown"),
        ("Partners' game aborted", "abort_partner"),
        ("Bughouse game aborted.", "abort_partner"),
        ("Foo aborts by disconnection", "abort_disconnect"),
        ("Foo lost connection; game adjourned", "adjourn_disconnect"),
        ("Black lost connection, game adjourned", "adjourn_disconnect"),
        ("Game adjourned by mutual agreement", "adjourn_agreement"),
        ("Game adjourned by agreement", "adjourn_agreement"),
        ("Game adjourned by server shutdown", "adjourn_shutdown"),
        ("Game adjourned by adjudication", "adjourn_adjudication"),
        ("Game adjourned by simul holder", "adjourn_simul"),
        ("Game courtesyadjourned by Foo", "adjourn_courtesy"),
        ("Game courtesyaborted by Dmitri", "abort_courtesy"),
        ("Partners' game adjourned", "adjourn_partner"),
        ("White resigned", "resign"),
        ("Black ran out of time", "time"),
        ("Stalemate.", "stalemate"),
        ("Draw by the 50 move rule", "fifty"),
        ("Game drawn because neither player has mating material", "material"),
        ("Bughouse game courtesyaborted by Foo.", "abort_courtesy"),
        ("aborted", "abort_disconnect"),
        ("adjourned", "adjourn_disconnect"),
        ("Hmm, the game ended and I don't know why", "unknown"),
        ("Baz resigns", "unknown"),
        ("Foo  resigns", "resign"),
        ("Foo resigns at last", "unknown"),
        ("", "unknown"),
    ];
    for &(text, want) in cases {
        let reason = GameEndReason::from_text(text, "Foo", "Bar");
        assert_eq!(reason.as_str(), want, "{text}");
        assert_eq!(reason.is_abort(), want.starts_with("abort_"), "{text}");
        assert_eq!(reason.is_adjournment(), want.starts_with("adjourn_"), "{text}");
    }
}

// Rules: icc R2
#[test]
fn numbers_and_letters_of_lists_have_the_same_reasons() {
    let letters: [&[(u32, &str)]; 4] = [
        &[(0, "Res"), (1, "Mat"), (2, "Fla"), (3, "Adj"), (4, "BQ"), (6, "BQ"), (11, "BQ")],
        &[(0, "Agr"), (1, "Sta"), (2, "Rep"), (3, "50"), (4, "TM"), (5, "NM"), (6, "NT"), (7, "Adj")],
        &[(0, "Agr"), (1, "BQ"), (2, "SD"), (3, "BA"), (4, "Adj")],
        &[(0, "Agr"), (1, "BQ"), (2, "SD"), (3, "BA"), (4, "Adj"), (5, "Sho"), (7, "Sho")],
    ];
    let results = [GameResult::WhiteWins, GameResult::Draw, GameResult::Unfinished, GameResult::Unfinished];
    for (status, (modes, result)) in (0..).zip(letters.into_iter().zip(results)) {
        for (mode, letters) in modes {
            let reason = GameEndReason::from_icc_list_codes(status, *mode);
            assert_eq!(
                reason,
                GameEndReason::from_icc_result_code(letters.as_bytes(), result, status == 3),
                "{status} {mode}"
            );
            assert_ne!(reason, GameEndReason::Unknown, "{status} {mode}");
            assert_eq!((reason.is_adjournment(), reason.is_abort()), (status == 2, status == 3), "{status} {mode}");
        }
    }
    for (status, modes) in [(0, 7..=10), (1, 8..=9), (3, 6..=6), (3, 8..=8)] {
        for mode in modes {
            let reason = GameEndReason::from_icc_list_codes(status, mode);
            assert!(matches!(reason, GameEndReason::Partner | GameEndReason::AbortPartner), "{status} {mode}");
        }
    }
    for (status, mode) in [(0, 12), (0, 13), (1, 10), (2, 6), (3, 12), (4, 0)] {
        assert_eq!(GameEndReason::from_icc_list_codes(status, mode), GameEndReason::Unknown, "{status} {mode}");
    }
}

// Rules: bugs 51
#[test]
fn too_few_moves_is_a_lost_connection_and_not_move_1() {
    let cases = [
        ("Foo lost connection and too few moves; game aborted", GameEndReason::AbortDisconnect),
        ("Game aborted on move 1", GameEndReason::AbortMove1),
        ("Game aborted on move 1 by Foo", GameEndReason::AbortMove1),
    ];
    for (text, want) in cases {
        assert_eq!(GameEndReason::from_text(text, "Foo", "Bar"), want, "{text}");
    }
}

// Rules: text Z3, bugs 50
#[test]
fn names_are_compared_as_whole_words() {
    let cases = [
        ("Bobby resigns", "Bob", "Bobby", Some(Color::Black)),
        ("Bob resigns", "Bob", "Bobby", Some(Color::White)),
        ("Bobby resigns", "Bobby", "Bob", Some(Color::White)),
        ("bobby resigns", "Bob", "Bobby", None),
        ("Bob's partner won", "Bobby", "Bob", Some(Color::Black)),
        ("Bobs partner won", "Bobby", "Bob", None),
        ("White resigns", "Foo", "Bar", Some(Color::White)),
        ("Black resigns", "Foo", "Bar", Some(Color::Black)),
        ("Black resigns", "Black", "White", Some(Color::White)),
    ];
    for (text, white, black, want) in cases {
        assert_eq!(split_player_name(text, white, black).map(|(color, _)| color), want, "{text}");
    }
}

// Rules: text Z4
#[test]
fn players_may_be_called_like_words_of_a_reason() {
    let cases = [
        ("Time resigns", "Time", "Material", "resign"),
        ("Material ran out of time and Time has no material to mate", "Time", "Material", "time_material"),
        ("Partner's partner won", "Partner", "Game", "partner"),
        ("Game drawn by repetition", "Partner", "Game", "repetition"),
        ("Game resigns", "Partner", "Game", "resign"),
        ("Neither player has mating material", "Neither", "Both", "material"),
        ("Both players ran out of time", "Neither", "Both", "both_time"),
        ("White checkmated", "Black", "White", "mate"),
        ("resigns forfeits on time", "resigns", "Foo", "time"),
    ];
    for (text, white, black, want) in cases {
        assert_eq!(GameEndReason::from_text(text, white, black).as_str(), want, "{text}");
    }
}

#[test]
fn every_reason_is_parsed_from_the_sentences_written_for_it() {
    for (template, (reason, _)) in ENDINGS {
        let parts = SentenceParts { names: &["Foo", "Bar"], text: "x", ..SentenceParts::default() };
        let written = write_template(template, &parts).unwrap();
        assert_eq!(GameEndReason::from_text(&written, "Foo", "Bar"), *reason, "{written}");
    }
    let without_names = SentenceParts::default();
    assert_eq!(GameEndReason::Partner.to_sentence(&without_names), "Partners' game drawn");
    let named = SentenceParts { names: &["Foo"], ..SentenceParts::default() };
    assert_eq!(GameEndReason::Partner.to_sentence(&named), "Foo's partner won");
    assert_eq!((GameEndReason::Resign.to_sentence(&without_names), GameEndReason::Unknown.code()), (String::new(), ""));
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>(), white in "\\PC{0,5}", black in "\\PC{0,5}") {
        let _ = GameEndReason::from_text(&text, &white, &black);
    }
}
