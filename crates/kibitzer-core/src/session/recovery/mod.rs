//! Recovery: what survives the loss of a connection, and how it is restored.
//!
//! [`Memory`] records games, seeks and settings; [`restore`] restores them after the login and reports that. [`adjourned`] resumes
//! the account's adjourned games, [`boards`] requests boards that are unknown.
//!
//! | input | effect |
//! |---|---|
//! | [`handle_event`](Memory::handle_event) | seeks that are closed; adjourned games |
//! | [`learn_from_success`](Memory::learn_from_success) | new seeks and settings |
//! | [`end_connection`](Memory::end_connection) | commands that may have been executed, or crash the server |
//! | [`note_loss`](Memory::note_loss) | the games to restore |
//!
//! A [`Restoration`](restore::Restoration) restores all of it on the next connection, and reports that.

pub(super) mod adjourned;
pub(super) mod boards;
pub(super) mod restore;

use std::time::Instant;

use self::adjourned::AdjournedTracker;
use crate::event::{Event, RequestError};
use crate::game::{ChangeKind, Game, Games};
use crate::message::{Message, SeekNotice, Style12};
use crate::session::command::Command;
use crate::session::options::Password;
use crate::session::output::Output;
use crate::session::requests::{CompletedRequest, Requester};

/// Maximum number of remembered seeks; the oldest is dropped. Servers permit about three.
const MAX_SEEKS: usize = 16;

/// Maximum number of remembered settings; the oldest is dropped. A server's list of channels has about 20 entries.
const MAX_SETTINGS: usize = 64;

/// Number of successive losses with the same oldest unanswered command after which that command is not sent again.
const MAX_UNANSWERED_LOSSES: u32 = 3;

/// Maximum number of remembered commands that are not sent again; the oldest is dropped, so it would be sent again.
const MAX_GIVEN_UP: usize = 16;

/// Maximum number of remembered commands to observe a game; the oldest is dropped.
const MAX_REQUESTS: usize = 64;

/// State of a session that outlives its connections.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The games in progress at the loss.
    pub(crate) games: Vec<Game>,
    pub(crate) seeks: Vec<OpenSeek>,
    /// Settings that requests have changed, by [key](setting_key_and_has_value), the latest one last.
    pub(crate) settings: Vec<(String, Command)>,
    /// Commands of the user to observe a game that had no reply at the loss.
    pub(crate) requests: Vec<Command>,
    /// The account's adjourned games.
    pub(crate) adjourned: AdjournedTracker,
    /// The oldest command without a reply at the last loss, and the number of losses in a row at which it was the oldest. `None`
    /// once a connection has survived its restoration.
    pub(crate) unanswered_at_loss: Option<Box<(Command, u32)>>,
    /// Commands that are not sent again, because each of several connections ended on them: some servers crash on certain values.
    pub(crate) given_up: Vec<Command>,
    /// Number of requests made in the session.
    pub(crate) n_requests: u32,
    /// The password of the account, if it was changed in the session.
    pub(crate) new_password: Option<Password>,
    /// The loss of the last connection; `None` if nothing has to be restored. Boxed, because idle sessions are to stay small.
    pub(crate) loss: Option<Box<Loss>>,
}

/// The times of a lost connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    pub(crate) last_byte_at: Instant,
    pub(crate) noticed_at: Instant,
}

/// A seek of this login, open as far as the server has reported.
#[derive(Clone, Debug)]
pub(crate) struct OpenSeek {
    pub(crate) command: Command,
    /// Number of the seek on this connection; `None` until the server has reported it.
    pub(crate) index: Option<u32>,
}

impl Memory {
    /// Updates the adjourned games. Forgets seeks that the server reports as removed, and all seeks when a game of this login
    /// begins.
    pub(crate) fn handle_event(&mut self, event: &Event, games: &Games, output: &mut Output) {
        self.adjourned.handle_event(event, games, output);
        let Event::Received { received, change } = event else { return };
        match &received.message {
            Message::SeekNotice(notice) if **notice == SeekNotice::Removed => self.seeks.clear(),
            Message::SeeksRemoved(removed) => removed.indexes.iter().for_each(|&index| self.remove_seek_number(index)),
            _ => {
                // A game whose number was used before replaces the old one.
                let is_new = |kind| matches!(kind, ChangeKind::Opened | ChangeKind::Replaced);
                let opened = change.as_ref().filter(|change| is_new(change.kind));
                let game = opened.and_then(|change| games.get(change.game));
                if game.is_some_and(|game| game.position().relation().is_mine()) {
                    self.seeks.clear();
                }
            }
        }
    }

    /// Updates seeks from a command that was not refused, and settings from one of the user. A `seek` is remembered only if the
    /// reply contains the number of a posted seek. A command that was given up may be sent again.
    pub(crate) fn learn_from_success(&mut self, completed: &CompletedRequest) {
        let Some((command, reply)) = completed.command_and_reply() else { return };
        self.given_up.retain(|known| known != command);
        match &*command.verb() {
            "seek" => {
                let posted = reply.messages().find_map(|message| match message {
                    Message::SeekNotice(notice) if let SeekNotice::Posted { index } = **notice => Some(index),
                    _ => None,
                });
                if posted.is_some() {
                    self.add_seek(command, posted);
                }
            }
            "unseek" => self.apply_unseek(command),
            _ => {}
        }
        if completed.was_requested_by_user() {
            self.remember_setting(command);
        }
    }

    /// Updates settings, seeks and requests from the user's commands that had no reply at a loss, as if they had been executed.
    /// Forgets what is valid on one connection only: the numbers of the seeks, and the state of the adjourned games.
    ///
    /// Counts the oldest command of the user or of a restoration, and gives it up at the [third](MAX_UNANSWERED_LOSSES) loss in a
    /// row.
    pub(crate) fn end_connection<'a>(&mut self, completed: impl IntoIterator<Item = &'a CompletedRequest>) {
        let mut is_oldest = true;
        for completed in completed {
            let (Some(command), Err(RequestError::Lost)) = (&completed.request.command, &completed.result) else {
                continue;
            };
            let was_requested_by_user = completed.was_requested_by_user();
            if is_oldest && (was_requested_by_user || completed.request.requester == Requester::Restore) {
                self.count_unanswered_at_loss(command);
                is_oldest = false;
            }
            if was_requested_by_user {
                self.remember_as_executed(command);
            }
        }
        self.seeks.iter_mut().for_each(|seek| seek.index = None);
        self.adjourned.forget_connection();
    }

    /// Remembers the games in progress.
    pub(crate) fn note_loss(&mut self, games: &Games, loss: Loss) {
        self.games = games.iter().filter(|game| game.is_followed_and_ongoing()).cloned().collect();
        self.loss = Some(Box::new(loss));
    }

    fn count_unanswered_at_loss(&mut self, command: &Command) {
        let n_before = self.unanswered_at_loss.take().filter(|last| last.0 == *command).map_or(0, |last| last.1);
        if n_before + 1 < MAX_UNANSWERED_LOSSES {
            self.unanswered_at_loss = Some(Box::new((command.clone(), n_before + 1)));
            return;
        }
        self.given_up.retain(|known| known != command);
        push_bounded(&mut self.given_up, command.clone(), MAX_GIVEN_UP);
    }

    /// Remembers a command of the user that changes a setting, in place of an earlier one for the same setting. A command without
    /// a value only removes the earlier one. Forgets the oldest of more than [`MAX_SETTINGS`].
    fn remember_setting(&mut self, command: &Command) {
        let Some((key, has_value)) = setting_key_and_has_value(command) else { return };
        self.settings.retain(|(known, _)| *known != key);
        if has_value {
            push_bounded(&mut self.settings, (key, command.clone()), MAX_SETTINGS);
        }
    }

    fn remember_as_executed(&mut self, command: &Command) {
        self.remember_setting(command);
        match &*command.verb() {
            "seek" => self.add_seek(command, None),
            "unseek" => self.apply_unseek(command),
            _ if command.is_observe() => push_bounded(&mut self.requests, command.clone(), MAX_REQUESTS),
            _ => {}
        }
    }

    /// Returns whether a request to observe names a remembered game that was observed, by its number or a player. The restoration
    /// searches for that game anyway.
    pub(super) fn names_remembered_game(&self, command: &Command) -> bool {
        let Some(name) = command.words().nth(1) else { return false };
        let is_named = |position: &Style12| {
            position.game().to_string() == name
                || [position.white(), position.black()].iter().any(|player| *player == *name)
        };
        self.games.iter().map(Game::position).filter(|position| position.relation().is_observer()).any(is_named)
    }

    fn add_seek(&mut self, command: &Command, index: Option<u32>) {
        self.seeks.retain(|seek| (index.is_none() || seek.index != index) && seek.command != *command);
        push_bounded(&mut self.seeks, OpenSeek { command: command.clone(), index }, MAX_SEEKS);
    }

    fn apply_unseek(&mut self, unseek: &Command) {
        match unseek.words().nth(1).map(str::parse) {
            Some(Ok(index)) => self.remove_seek_number(index),
            Some(Err(_)) => {}
            None => self.seeks.clear(),
        }
    }

    fn remove_seek_number(&mut self, index: u32) {
        self.seeks.retain(|seek| seek.index != Some(index));
    }
}

/// Appends an item, and removes the oldest one if there are more than `max`.
fn push_bounded<T>(items: &mut Vec<T>, item: T, max: usize) {
    if items.len() >= max {
        items.remove(0);
    }
    items.push(item);
}

/// Returns the key of the setting that a command changes, and whether the command names the value; `None` if it changes no
/// variable, ivar or list, or contains a password.
///
/// A later command with the same key replaces an earlier one. A command without a value toggles (`set gin`), so it cannot be sent
/// again.
fn setting_key_and_has_value(command: &Command) -> Option<(String, bool)> {
    if command.contains_password() {
        return None;
    }
    let verb = command.verb();
    let mut rest = command.words().skip(1);
    let (kind, name) = match &*verb {
        "style" => ("set", Some("style")),
        "set" | "iset" | "set-2" => (&*verb, rest.next()),
        "addlist" | "sublist" | "+" | "-" => ("list", rest.next()),
        _ => ("list", Some(verb.strip_prefix(['+', '-'])?)),
    };
    let (name, value) = (name?.to_ascii_lowercase(), rest.next());
    let key = match value.filter(|_| kind == "list") {
        Some(entry) => format!("{kind} {name} {}", entry.to_ascii_lowercase()),
        None => format!("{kind} {name}"),
    };
    Some((key, value.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(line: &str) -> Option<(String, bool)> {
        setting_key_and_has_value(&Command::new(line).unwrap())
    }

    #[test]
    fn the_oldest_of_too_many_requests_is_dropped() {
        let mut memory = Memory::default();
        for game in 0..=MAX_REQUESTS {
            memory.remember_as_executed(&Command::new(&format!("observe {game}")).unwrap());
        }
        assert_eq!(memory.requests.len(), MAX_REQUESTS);
        assert_eq!(memory.requests.first(), Some(&Command::new("observe 1").unwrap()));
    }

    #[test]
    fn every_spelling_of_a_setting_has_the_same_key() {
        for (line, key, has_value) in [
            ("set gin 1", "set gin", true),
            ("$Set GIN 0", "set gin", true),
            ("set gin", "set gin", false),
            ("set 3 a note of several words", "set 3", true),
            ("style 1", "set style", true),
            ("set style 12", "set style", true),
            ("style", "set style", false),
            ("iset ms 0", "iset ms", true),
            ("set-2 31 1", "set-2 31", true),
            ("+channel 53", "list channel 53", true),
            ("-channel 53", "list channel 53", true),
            ("+ notify Euwe", "list notify euwe", true),
            ("addlist notify Euwe", "list notify euwe", true),
            ("sublist notify euwe", "list notify euwe", true),
        ] {
            assert_eq!(change(line), Some((key.to_owned(), has_value)), "{line}");
        }
        for line in ["", "set", "date", "tell Newton set gin 1", "set password swordfish", "-", "seek 5 0"] {
            assert_eq!(change(line), None, "{line}");
        }
    }
}
