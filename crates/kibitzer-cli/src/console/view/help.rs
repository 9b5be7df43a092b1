//! The pages of help: tasks, keys and commands of the console; commands of the server.

use ratatui::text::{Line, Span};

use super::draw::{Canvas, LimitedScroll};
use super::theme::Theme;
use crate::console::app::{COMMANDS, KEY_GROUPS, KeyGroup, PAGE_KEY_GROUPS};
use crate::console::input::EDITING_KEYS;

/// A titled part of a page: keys or lines, each with its effect.
type HelpSection = (&'static str, &'static [(&'static str, &'static str)]);

/// The tasks of users, each with its lines and keys.
const TASKS: [HelpSection; 3] = [
    (
        "Play: lines without / are sent to the server",
        &[
            ("match Newton 5 3", "challenge Newton: 5 minutes, 3 seconds a move"),
            ("seek 5 3, play 12", "look for an opponent; accept number 12 of `sought`"),
            ("F5 F6", "accept, decline what another player offers"),
            ("e4 Nf3 exd5 O-O e8=Q", "a move"),
            ("takeback 2, draw, resign", "ask for your move back, offer a draw, give up"),
            ("F9, F7", "answer the newest tell; all talk in tabs"),
        ],
    ),
    (
        "Watch",
        &[
            ("games, observe 12", "list games; follow game 12, until `unobserve 12`"),
            ("B, b F3, f", "all boards, one board alone, turn it"),
            ("[ ] p, /game 12", "choose the game on the board"),
            ("Up Down, End", "look at earlier lines and boards; back to now"),
        ],
    ),
    (
        "Inspect",
        &[
            ("/filter unanswered", "requests without a reply, also lost ones"),
            ("/filter reply>200ms", "slow replies; r goes from a line to its reply"),
            ("W, /break kind:desync", "what went wrong; stop where a board contradicts"),
            ("1 2 3, y", "bytes, frame, event of a line; copy them"),
            ("/record, /export", "write the session, or the listed lines"),
            ("kibitzer diff A B", "in a shell: how two recordings differ"),
            ("console --attach SOCKET", "in a shell, after kibitzer: the session of a bot"),
        ],
    ),
];

/// Commands of the server for players, on FICS and ICC alike. They fit on a screen of 24 lines.
const SERVER_COMMANDS: [HelpSection; 5] = [
    (
        "Find a game",
        &[
            ("seek 5 3, unseek", "offer a game to everyone; withdraw the offer"),
            ("sought, play 12", "list such offers; accept one"),
            ("match NAME 5 3 unrated", "challenge a player"),
            ("accept, decline, pending", "answer an offer; list open offers"),
        ],
    ),
    (
        "In a game",
        &[
            ("draw, resign", "offer or accept a draw; give up"),
            ("takeback N", "ask to take back N half-moves"),
            ("abort, adjourn", "ask to end it without a result, or to go on later"),
            ("flag, rematch", "claim the opponent's time; play again"),
        ],
    ),
    (
        "Games of others",
        &[
            ("games, observe N", "list games; follow one, until unobserve N"),
            ("moves N, history NAME", "moves of a game; last games of a player"),
        ],
    ),
    (
        "Talk",
        &[
            ("tell NAME .., say ..", "to a player; to the opponent"),
            ("+channel N, tell N ..", "join channel N (-channel leaves); talk there"),
            ("kibitz .., shout ..", "about the game (whisper: to observers); to everyone"),
        ],
    ),
    ("Else", &[("who, finger NAME", "players here; about one"), ("help WORD, quit", "the server's own help; leave")]),
];

/// Terms of filter expressions and their meanings.
const EXPRESSIONS: [(&str, &str); 6] = [
    ("kind:tell,say", "of one of these kinds, which Tab completes"),
    ("game:12,14", "about one of these games"),
    ("from:foo", "spoken by foo"),
    ("name:foo", "mentioning foo"),
    ("word text:word", "containing this text"),
    ("\"pattern\"", "matching a regular expression"),
];

/// Draws the help page. Returns the scroll offset, limited to the last line.
pub(super) fn draw(canvas: Canvas<'_>, scroll: usize) -> LimitedScroll {
    let lines = help_lines(canvas.theme);
    draw_page(canvas, ("help", "Tab server's commands"), lines, scroll)
}

/// Draws the page of the server's commands. Returns the scroll offset, limited to the last line.
pub(super) fn draw_server_commands(canvas: Canvas<'_>, scroll: usize) -> LimitedScroll {
    let lines = SERVER_COMMANDS.iter().flat_map(|section| section_lines(canvas.theme, section)).collect();
    draw_page(canvas, ("commands of the server", "Tab help"), lines, scroll)
}

/// Draws a page with its title, a hint about its keys, and which of its lines are visible. Returns the scroll offset, limited to
/// the last line.
fn draw_page(canvas: Canvas<'_>, (title, hint): (&str, &str), lines: Vec<Line<'_>>, scroll: usize) -> LimitedScroll {
    let height = usize::from(canvas.area.height).saturating_sub(1);
    let scroll = scroll.min(lines.len().saturating_sub(height));
    let last = lines.len().min(scroll + height);
    let note = format!("lines {} to {last} of {}, Esc goes back, {hint}", scroll + 1, lines.len());
    canvas.draw_heading(title, &note).draw_lines(lines.into_iter().skip(scroll));
    scroll
}

fn entry_line(theme: Theme, name: &str, about: &'static str) -> Line<'static> {
    Line::from(vec![Span::styled(format!("  {name:<24} "), theme.emphasized()), Span::raw(about)])
}

fn section_lines(theme: Theme, (title, entries): &HelpSection) -> impl Iterator<Item = Line<'static>> {
    let entries = entries.iter().map(move |(name, about)| entry_line(theme, name, about));
    [Line::styled(*title, theme.title())].into_iter().chain(entries)
}

/// Returns all lines of the help page.
fn help_lines(theme: Theme) -> Vec<Line<'static>> {
    let title = |text| Line::styled(text, theme.title());
    let mut lines: Vec<_> = TASKS.iter().flat_map(|section| section_lines(theme, section)).collect();
    let of_group = |group: &KeyGroup| {
        let heading = (!group.title.is_empty()).then(|| title(group.title));
        let entries = group.help_lines().map(|(keys, about)| entry_line(theme, &keys, about));
        heading.into_iter().chain(entries).collect::<Vec<_>>()
    };
    lines.extend(KEY_GROUPS.iter().flat_map(of_group));
    lines.extend(EDITING_KEYS.map(|(keys, about)| entry_line(theme, keys, about)));
    lines.extend(PAGE_KEY_GROUPS.iter().flat_map(of_group));
    lines.push(title("Commands"));
    let command = |word, arguments, help| entry_line(theme, &format!("{word} {arguments}"), help);
    lines.extend(COMMANDS.iter().map(|row| command(row.word, row.arguments.text(), row.help)));
    lines.push(title("Expressions: all terms must match; - negates a term"));
    lines.extend(EXPRESSIONS.map(|(term, about)| entry_line(theme, term, about)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_fit_their_columns_and_the_commands_one_small_screen() {
        let sections = TASKS.iter().chain(&SERVER_COMMANDS);
        for (name, about) in sections.flat_map(|(_, entries)| *entries) {
            assert!(name.len() <= 24 && about.len() <= 53, "{name}: {about}");
        }
        let n_lines: usize = SERVER_COMMANDS.iter().map(|(_, entries)| 1 + entries.len()).sum();
        assert!(n_lines <= 20, "{n_lines}");
    }
}
