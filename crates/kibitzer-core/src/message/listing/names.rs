//! The replies to `showlist`, `handles`, `znotify` and `allobservers`: lists of names.

use std::ops::ControlFlow;

use super::collect::{parse_items, parse_row_count};
use super::{ListedPlayer, Listing};
use crate::message::template::{TemplateTable, match_table, match_template};
use crate::message::{GameId, Handle};
use crate::scan::Cursor;
use crate::text::{Line, ServerText};

/// Lists of names, of channels or of addresses.
///
/// `showlist` prints `-- notify list: 2 names --`, `handles` prints `-- Matches: 1 player --` or `Found 1 names.`, and rows of names
/// follow. `znotify` prints two lists with sentences above them; their entries may have the time that a player has been idle, which is not stored:
/// `MAd(idle:10m)`. Nothing marks the end.
///
/// Source: FICS help files `showlist`, `handles`, `znotify`; transcripts of FatICS; the source code of uhlin-fics; test data of other
/// clients of freechess.org.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameLists {
    /// The lists as received.
    pub lists: Vec<NameList>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One list of [`NameLists`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameList {
    /// The name of the list: `channel`, `notify`, `Matches` for handles; of `znotify` also `notified by`, for the players who have
    /// this login on their lists.
    pub name: ServerText,
    /// Number of entries by the line above them; `None` for `znotify`.
    pub count: Option<u32>,
    /// The entries: names, numbers of channels, or addresses.
    pub entries: Vec<ServerText>,
}

/// The lines above lists, with the name of the list where the line is a sentence; otherwise the line has it.
const HEADS: TemplateTable<&str> = &[
    ("-- @ list: # @ --", ""),
    ("-- @ # @ --", ""),
    ("Found # names.", "Matches"),
    ("Present company on your notify list:", "notify"),
    ("No one from your notify list is logged on.", "notify"),
    ("The following players have you on their notify list:", "notified by"),
    ("No one logged in has you on their notify list.", "notified by"),
];

impl Listing for NameLists {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if let Some((name, found)) = match_table(line, HEADS) {
            let in_line = line.split(|byte| b" :".contains(byte)).nth(1).filter(|_| name.is_empty());
            let name = ServerText::from_wire(in_line.unwrap_or(name.as_bytes()));
            self.lists.push(NameList { name, count: found.number, entries: Vec::new() });
        } else {
            let list = self.lists.last_mut()?;
            list.entries.extend(parse_items(Cursor::new(line), read_entry)?);
        }
        Some(ControlFlow::Continue(()))
    }
}

/// Reads a name, a number or an address, and skips the idle time after it.
fn read_entry(at: &mut Cursor<'_>) -> Option<ServerText> {
    let entry = at.take_while(|byte| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte));
    let _idle = at.between(b"(idle:", b")", |at| Some(at.take_while(|byte| byte.is_ascii_alphanumeric())));
    // A sentence ends in a full stop.
    (!entry.is_empty() && !entry.ends_with(b".")).then(|| ServerText::from_wire(entry))
}

/// The observers and examiners of games.
///
/// Rows look like `Observing 18 [Foo vs. Bar]: Thumper Charity(U) (2 users)` and `Examining 29 (scratch): #Friar, loon`, where `#`
/// marks an examiner. The list ends with `  1 game displayed (of 2 in progress).`, or with `No one is observing game 5.` instead of
/// it.
///
/// Source: FICS help file `allobservers`; transcripts of FatICS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObserverLists {
    /// The games that have observers or examiners.
    pub games: Vec<GameObservers>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One row of [`ObserverLists`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameObservers {
    /// The number of the game.
    pub game: GameId,
    /// White; `None` for a board without a game.
    pub white: Option<Handle>,
    /// Black; `None` for a board without a game.
    pub black: Option<Handle>,
    /// The players who may move the pieces; empty for a game that is played.
    pub examiners: Vec<ListedPlayer>,
    /// The other players who see the game.
    pub observers: Vec<ListedPlayer>,
}

impl Listing for ObserverLists {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if parse_row_count(line, b"game").is_some() || match_template(line, "No one is observing game $.").is_some() {
            return Some(ControlFlow::Break(()));
        }
        self.games.push(GameObservers::parse(line)?);
        Some(ControlFlow::Continue(()))
    }
}

impl GameObservers {
    fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        (at.eat(b"Observing ") || at.eat(b"Examining ")).then_some(())?;
        let game = GameId::read(at.skip_whitespace())?;
        let subject = at.skip_whitespace().take_until_and_skip(b": ")?;
        let players = match_template(subject.get(1..subject.len().checked_sub(1)?)?, "% vs. %");
        let (white, black) = players.map(|found| (found.name, found.second_name)).unwrap_or_default();
        let mut row = Self { game, white, black, examiners: Vec::new(), observers: Vec::new() };
        while let Some(is_examiner) = at.skip_whitespace().peek().filter(|&byte| byte != b'(').map(|byte| byte == b'#')
        {
            let _mark = at.eat(b"#");
            let list = if is_examiner { &mut row.examiners } else { &mut row.observers };
            list.push(ListedPlayer::read(&mut at)?);
            let _comma = at.eat(b",");
        }
        Some(row)
    }
}

#[cfg(test)]
mod tests;
