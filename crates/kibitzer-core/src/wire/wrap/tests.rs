use super::*;

fn may_continue(line: &str) -> bool {
    let line = line.as_bytes();
    Wrapping::default().may_continue(OutputEnd::Prompt, LineTag::of(line), line, LastPiece::First(line))
}

// Rules: transport W5, bugs 13
#[test]
fn only_lines_that_can_continue_wait() {
    let waits = [
        "Foo tells you: a line as long as the narrowest width",
        "Dripper tells you:",
        "Foo tells you: hi",
        "(told Foo)",
        "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1",
        "<s> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=?",
        "<b1> game 6 white [PNBBB] black",
        "<pf> 7 w=Foo t=match p=Foo (1708) Bar (----) unrated blitz",
        "{Game 1 (Abcdefghijklmnopq vs. Zyxwvutsrqponmlkj) Creating unrated",
        "{Game 107 (Abcdefghijklmnopq vs. Zyxwvutsrqpon) Zyxwvutsrqpon forfeits on time}",
        "<sr> 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34",
        "<b1> game 1 white [PPPPPPPPNNBBRRQ] black [PPPPPPPPNNBBRRQPPPPPPP]",
    ];
    for line in waits {
        assert!(may_continue(line), "{line}");
    }
    let complete = [
        "",
        "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 9 A B 0 2 12 39 39 120 120 1 none (0:00) none 0",
        "<s> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=? rr=0-9999 a=t f=f",
        "<b1> game 6 white [PNBBB] black [PNB] ",
        "<b1> game 52 white [NB] black [N] <- BN",
        "<pf> 7 w=Foo t=match p=Foo (1708) Bar (----) unrated blitz 5 0",
        "<pf> 7 w=Foo t=draw p=#",
        "<d1> 314 5 e3 e2e3 100 59800 563",
        "{Game 107 (Abc vs. Bcd) Creating unrated blitz match.}",
        "{Game 107 (Abc vs. Bcd) Bcd resigns} 1-0",
        "<sr> 10 11",
        "<g1> 1 p=0 t=blitz r=0 u=0,0 it=300,0 i=300,0 pt=0 rt=1882,1558 ts=0,0 m=2 n=0",
    ];
    for line in complete {
        assert!(!may_continue(line), "{line}");
    }
}
