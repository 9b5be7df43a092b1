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
fn an_unfinished_game_is_adjourned_or_aborted_by_its_words() {
    let cases = [
        ("{Game 1 (A vs. B) B lost connection; game adjourned} *", true, false),
        ("{Game 1 (A vs. B) adjourned} *", true, false),
        ("{Game 1 (A vs. B) adjourned for lunch} *", true, false),
        ("{Game 1 (A vs. B) Game courtesyadjourned by A} *", true, false),
        ("{Game 1 (A vs. B) aborted} *", false, true),
        ("{Game 1 (A vs. B) A aborts by disconnection} *", false, true),
        ("{Game 1 (A vs. B) Bughouse game aborted.} *", false, true),
        ("{Game 1 (A vs. B) nobody knows} *", false, false),
        ("{Game 1 (A vs. B) adjourned} 1-0", false, false),
        ("{Game 1 (adjourned vs. B) adjourned stumbles} *", false, false),
        ("{Game 1 (adjourned vs. B) Game adjourned by agreement} *", true, false),
    ];
    for (line, adjourned, aborted) in cases {
        let ended = parsed(line);
        assert_eq!((ended.is_adjourned(), ended.is_aborted()), (adjourned, aborted), "{line}");
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
