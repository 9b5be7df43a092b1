//! Golden files: the events of recorded sessions, one per line.

use std::fmt::Write;
use std::path::Path;

use kibitzer_core::Event;
use kibitzer_core::game::Change;
use kibitzer_core::message::{Message, Style12};

use crate::Transcript;

/// Returns whether tests write their golden files, rather than only compare with them (`KIBITZER_BLESS`).
pub fn blessing() -> bool {
    std::env::var_os("KIBITZER_BLESS").is_some()
}

/// Returns the rendered events of a recorded session, and the text of its golden file. With [`blessing`], writes the file first.
pub fn golden(name: &str) -> (String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name).with_extension("txt");
    let rendered = render(&Transcript::named(name).events());
    if blessing() {
        std::fs::write(&path, &rendered).expect("the golden file can be written");
    }
    let kept = std::fs::read_to_string(&path).expect("the golden file is there: run with KIBITZER_BLESS=1 to write it");
    (rendered, kept)
}

/// Formats events, one per line: position in the stream, `*` for a bell, the message, and the change of the game.
pub fn render(events: &[Event]) -> String {
    events.iter().fold(String::new(), |mut text, event| {
        let (bell, what) = match event {
            Event::Received { received, change, .. } => {
                (received.has_bell(), message(&received.message) + &change.as_ref().map(changed).unwrap_or_default())
            }
            other => (false, format!("{other:?}")),
        };
        let bell = if bell { '*' } else { ' ' };
        writeln!(text, "{:>6}{bell} {what}", event.offset().unwrap_or_default()).expect("a string takes all");
        text
    })
}

/// Returns the name of the message's variant in [`Message`].
pub fn kind_of(message: &Message) -> String {
    self::message(message).chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn message(message: &Message) -> String {
    match message {
        Message::Style12(board) => position("Style12", board),
        Message::Style10(board) => position("Style10", board),
        Message::Control(control) => format!("{control:?}"),
        other => format!("{other:?}"),
    }
}

fn changed(change: &Change) -> String {
    let board = change.board.as_ref().map(|board| format!(" {}", board.fen())).unwrap_or_default();
    format!(" => {:?}{board}", change.kind)
}

fn position(name: &str, board: &Style12) -> String {
    let last_move = board.last_move().as_ref().map_or_else(
        || "start".to_owned(),
        |last| {
            format!(
                "{} {} {:?} ms {:?}",
                last.verbose,
                last.san.as_ref().map_or("?", |san| san.as_str()),
                last.elapsed_ms,
                last.played
            )
        },
    );
    format!(
        "{name} game {} {} {}-{} {:?} clocks {} {} of {}+{} material {} {} flip {:?} running {:?} lag {:?}{} after {last_move}",
        board.game(),
        board.fen(),
        board.white(),
        board.black(),
        board.relation(),
        board.white_clock().as_ms(),
        board.black_clock().as_ms(),
        board.initial_min(),
        board.increment_s(),
        board.white_material(),
        board.black_material(),
        board.flip(),
        board.clock_running(),
        board.lag_ms(),
        if board.is_cut() { " cut" } else { "" },
    )
}
