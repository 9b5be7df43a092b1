use super::*;
use crate::chess::Color;
use crate::message::Message;
use crate::text::Line;

const ROWS: [&str; 8] =
    ["|r b k  r|", "|ppp  pp |", "|  np q p|", "|  b p   |", "|  B P   |", "|   P N  |", "|PPP  PPP|", "|RN Q RK |"];

fn read(lines: &[&str]) -> Style10Progress {
    let text = |line: &str| Received::new(0, 0, false, Message::Text(Line::from(line.as_bytes())));
    let mut earlier = vec![text("<10>")];
    let mut last = Style10Progress::Broken;
    for line in lines {
        last = parse_next_style10_line(&earlier, line.as_bytes());
        earlier.push(text(line));
    }
    last
}

// Rules: style10 block
#[test]
fn a_block_of_a_server_reads_as_a_board() {
    for data in [
        "0 Alice Boris 0 5 0 36 36 290 299 8 Q/d8-f6 (0:00) Qxf6 0",
        "0 Alice Boris 0 5 0 36 36 290 299 8 Q/d8-f6 (0:00) Qxf6",
        "0 Alice Boris 0 5 0 36 36 290 299 8 Q/d8-f6 (0:00) Qxf6>10<",
    ] {
        let mut lines = ROWS.to_vec();
        lines.extend(["W -1 0 0 1 1 0", data]);
        let Style10Progress::Board(board) = read(&lines) else { panic!("{data}") };
        assert_eq!(
            board.fen().to_string(),
            "r1b1k2r/ppp2pp1/2np1q1p/2b1p3/2B1P3/3P1N2/PPP2PPP/RN1Q1RK1 w - - 0 8".replace(" w - -", " w kq -")
        );
        assert_eq!((board.game().0, board.initial_min(), board.side_to_move()), (0, 5, Color::White));
        assert_eq!(board.last_move().map(|last| last.text().to_owned()), Some("Qxf6".to_owned()));
    }
}

// Rules: style10 block
#[test]
fn lines_of_another_form_break_the_block() {
    assert_eq!(read(&["|r b k  |"]), Style10Progress::Broken);
    let mut lines = ROWS.to_vec();
    lines.push("Black to move");
    assert_eq!(read(&lines), Style10Progress::Broken);
    lines.pop();
    lines.extend(["W -1 0 0 1 1 0", "0 Alice Boris 0 5"]);
    assert_eq!(read(&lines), Style10Progress::Broken);
}
