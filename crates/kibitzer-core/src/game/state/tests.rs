use crate::EventReader;
use crate::message::GameId;

/// What a reader knows once it has read this.
fn reader(input: &[u8]) -> EventReader {
    let (mut reader, mut rest) = (EventReader::default(), input);
    while reader.next(&mut rest).is_some() {}
    reader
}

#[test]
fn whoever_reads_the_lines_knows_the_game() {
    const BOARD: &str = "<12> rnb-kbnr pppp-ppp -------- ----p--- ------Pq -----P-- PPPPP--P RNBQKBNR W 4 1 0 1 1 1 \
            107 gbtami ggbtami 1 5 0 39 39 297338 -917 3 Q/d8-h4 (0:04.237) Qh4# 0 1 304";
    let cases = [
        ("a modern line", BOARD.to_owned()),
        (
            "terms",
            format!("<g1> 107 p=0 t=blitz r=1 u=0,1 it=300,0 i=180,2 pt=0 rt=2009,1500P ts=1,0 m=2 n=0\n\r{BOARD}"),
        ),
        ("terms that leave things out", format!("<g1> 107 t=wild/5 pt=108\n\r{BOARD}")),
        ("reserves", format!("{BOARD}\n\r<b1> game 107 white [PPN] black []")),
        ("no later fields", BOARD.replace(" 0 1 304", "")),
        ("seconds", BOARD.replace("(0:04.237)", "(0:04)").replace("297338 -917", "297 -9")),
        ("no time", BOARD.replace("(0:04.237)", "(soon)").replace("297338 -917", "297 -9")),
        ("the start", BOARD.replace("Q/d8-h4 (0:04.237) Qh4#", "none (0:00) none")),
        ("a drop", BOARD.replace("Q/d8-h4 (0:04.237) Qh4#", "Q/@@-h4 (61:04.237) Q@h4")),
        ("a cut line", BOARD.replace(" Qh4# 0 1 304", " Qh\n\r\\   ")),
        (
            "a line cut before the time",
            BOARD.replace("297338 -917", "297 -9").replace(".237) Qh4# 0 1 304", "\n\r\\   "),
        ),
        ("a cut start", BOARD.replace("Q/d8-h4 (0:04.237) Qh4# 0 1 304", "none (0:00) no\n\r\\   ")),
        ("names with umlauts", BOARD.replace(" gbtami ", " K&#xf6;ln&#x265a; ")),
    ];
    for (name, said) in cases {
        let first = reader(format!("{said}\n\rfics% ").as_bytes());
        let game = first.games().get(GameId(107)).unwrap();
        let lines = game.to_snapshot_lines();
        assert_eq!(lines.len(), 1 + usize::from(said.contains("<g1>")) + usize::from(said.contains("<b1>")), "{name}");
        let again = reader(&[&lines.join(&b"\n\r"[..])[..], b"\n\rfics% "].concat());
        assert_eq!(again.games().get(GameId(107)), Some(game), "{name}");
    }
}

#[test]
fn an_announced_type_is_told_as_terms() {
    let said = "{Game 7 (A vs. B) Creating rated suicide match.}\n\r<12> rnbqkbnr pppppppp -------- -------- -------- \
            -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 A B 0 2 12 39 39 120 120 1 none (0:00) none 0\n\rfics% ";
    let first = reader(said.as_bytes());
    let game = first.games().get(GameId(7)).unwrap();
    assert_eq!(game.to_snapshot_lines()[0], b"<g1> 7 t=suicide r=1 pt=0");
}
