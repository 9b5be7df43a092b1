//! What outlives a connection: games that were followed, seeks that stood, settings.

use std::time::Instant;

use crate::event::Event;
use crate::game::{ChangeKind, Game, Games};
use crate::message::{GameId, Handle, Message, Relation, SeekNotice, Style12};
use crate::session::command::Command;
use crate::session::options::credentials::Password;

use crate::session::recovery::setting::SettingChange;
use crate::session::reply::Reply;

/// Seeks that are remembered; servers allow three or so.
const MAX_SEEKS: usize = 16;

/// Settings that are remembered. A server's list of channels has 20 entries or so.
const MAX_SETTINGS: usize = 64;

/// Losses in a row at which a command is given up that each of them left as the oldest one without a reply.
const MAX_CUT_OFF: u32 = 3;

/// Commands that are remembered because they were given up.
const MAX_GIVEN_UP: usize = 16;

/// Players who are remembered because they declined.
const MAX_DECLINED: usize = 16;

/// What outlives a connection.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) games: Vec<KnownGame>,
    pub(crate) seeks: Vec<KnownSeek>,
    /// What requests have set, the last one last.
    pub(crate) settings: Vec<(String, Command)>,
    /// Requests to observe that the loss left without a reply.
    pub(crate) requests: Vec<Command>,
    /// Players who declined to resume an adjourned game: they are not asked again.
    pub(crate) declined: Vec<Handle>,
    /// The command that the last loss left as the oldest one without a reply, and how many losses in a row did.
    cut_off: Option<(Command, u32)>,
    /// Commands that are not sent again, as the connection broke on each of them: there are servers that fail on a value.
    given_up: Vec<Command>,
    /// Whether there was a session that was set up.
    pub(crate) has_stood: bool,
    /// The password of the account, if it was changed in the session.
    pub(crate) new_password: Option<Password>,
    /// When the connection was lost; `None` while there is nothing to restore.
    pub(crate) lost_at: Option<Instant>,
}

/// A game that was going on.
#[derive(Clone, Debug)]
pub(crate) struct KnownGame {
    pub(crate) position: Style12,
}

/// A seek that stood.
#[derive(Clone, Debug)]
pub(crate) struct KnownSeek {
    pub(crate) command: Command,
    /// Its number on this connection, once it was made there.
    pub(crate) index: Option<u32>,
}

impl KnownGame {
    fn of(game: &Game) -> Option<Self> {
        let position = game.position();
        let is_followed = !position.relation().is_isolated() && !matches!(position.relation(), Relation::Other(_));
        (is_followed && game.is_going_on()).then(|| Self { position: position.clone() })
    }

    pub(crate) const fn relation(&self) -> Relation {
        self.position.relation()
    }

    pub(crate) const fn id(&self) -> GameId {
        self.position.game()
    }

    /// Whether a board is one of this game: the players are the same. The server's spelling may differ.
    pub(crate) fn is_between(&self, board: &Style12) -> bool {
        let is_same = |one: &Handle, other: &Handle| one.is_same_player(other.as_str());
        is_same(&self.position.white(), &board.white()) && is_same(&self.position.black(), &board.black())
    }
}

impl Memory {
    #[cfg(test)]
    pub(crate) fn footprint(&self) -> usize {
        self.games.len()
            + self.seeks.len()
            + self.settings.len()
            + self.requests.len()
            + self.declined.len()
            + self.given_up.len()
    }

    /// Takes down what goes on as the connection is lost.
    pub(crate) fn note_loss(&mut self, games: &Games, now: Instant) {
        self.games = games.iter().filter_map(KnownGame::of).collect();
        self.lost_at = Some(now);
    }

    /// Notes the oldest command that a loss left without a reply.
    pub(crate) fn note_cut_off(&mut self, command: &Command) {
        let n_before = self.cut_off.take().filter(|(known, _)| known == command).map_or(0, |(_, n_losses)| n_losses);
        if n_before + 1 < MAX_CUT_OFF {
            self.cut_off = Some((command.clone(), n_before + 1));
            return;
        }
        self.given_up.retain(|known| known != command);
        if self.given_up.len() >= MAX_GIVEN_UP {
            self.given_up.remove(0);
        }
        self.given_up.push(command.clone());
    }

    /// Notes that a connection got over its restoration.
    pub(crate) fn note_restored(&mut self) {
        self.cut_off = None;
    }

    /// Whether the connection broke on this command so often that it is not sent again.
    pub(crate) fn is_given_up(&self, command: &Command) -> bool {
        self.given_up.contains(command)
    }

    /// Learns from a command of the user that was not refused.
    pub(crate) fn learn_setting(&mut self, command: &Command) {
        let Some(change) = SettingChange::of(command) else { return };
        self.settings.retain(|(key, _)| *key != change.key);
        if change.has_value {
            if self.settings.len() >= MAX_SETTINGS {
                self.settings.remove(0);
            }
            self.settings.push((change.key, command.clone()));
        }
    }

    /// Learns from a command of the user whose reply the loss has cut off: it may have been carried out, and counts as if it was.
    pub(crate) fn learn_unanswered(&mut self, command: &Command) {
        self.learn_setting(command);
        match &*command.verb() {
            "seek" => self.remember(command, None),
            "unseek" => self.unseek(command),
            _ if command.is_observe() => self.requests.push(command.clone()),
            _ => {}
        }
    }

    /// Learns from a reply that was no refusal.
    pub(crate) fn learn(&mut self, command: &Command, reply: &Reply) {
        self.given_up.retain(|known| known != command);
        match &*command.verb() {
            "seek" => {
                let posted = reply.messages().find_map(|message| match message {
                    Message::SeekNotice(SeekNotice::Posted { index }) => Some(*index),
                    _ => None,
                });
                if posted.is_some() {
                    self.remember(command, posted);
                }
            }
            "unseek" => self.unseek(command),
            _ => {}
        }
    }

    fn unseek(&mut self, command: &Command) {
        match command.words().nth(1).map(str::parse) {
            Some(Ok(index)) => self.forget(index),
            Some(Err(_)) => {}
            None => self.seeks.clear(),
        }
    }

    /// Whether a request to observe names a known game by its number or a player: that game is looked for anyway.
    pub(crate) fn has_game_of(&self, command: &Command) -> bool {
        let Some(name) = command.words().nth(1) else { return false };
        let is_named = |position: &Style12| {
            position.game().to_string() == name
                || [&position.white(), &position.black()].iter().any(|player| player.is_same_player(name))
        };
        self.games.iter().any(|known| known.relation().is_observer() && is_named(&known.position))
    }

    /// Records that a player declined to resume an adjourned game.
    pub(crate) fn decline(&mut self, name: &Handle) {
        if self.declined.len() >= MAX_DECLINED {
            self.declined.remove(0);
        }
        self.declined.push(name.clone());
    }

    /// A new connection: it has no seek yet, and numbers mean others.
    pub(crate) fn connected(&mut self) {
        self.seeks.iter_mut().for_each(|seek| seek.index = None);
    }

    fn remember(&mut self, command: &Command, index: Option<u32>) {
        self.seeks.retain(|seek| (index.is_none() || seek.index != index) && seek.command != *command);
        if self.seeks.len() >= MAX_SEEKS {
            self.seeks.remove(0);
        }
        self.seeks.push(KnownSeek { command: command.clone(), index });
    }

    fn forget(&mut self, index: u32) {
        self.seeks.retain(|seek| seek.index != Some(index));
    }

    /// A seek that could not be made again.
    pub(crate) fn drop_seek(&mut self, command: &Command) {
        self.seeks.retain(|seek| seek.command != *command);
    }

    /// Learns what happens to the seeks without our doing: a game of ours ends them all.
    pub(crate) fn handle(&mut self, event: &Event, games: &Games) {
        let Event::Received { received, change } = event else { return };
        match &received.message {
            Message::SeekNotice(SeekNotice::Removed) => self.seeks.clear(),
            Message::SeeksRemoved(removed) => removed.indexes.iter().for_each(|&index| self.forget(index)),
            _ => {
                // A game under a number that was used before replaces the old one.
                let is_new = |kind| matches!(kind, ChangeKind::Opened | ChangeKind::Replaced);
                let opened = change.as_ref().filter(|change| is_new(change.kind));
                let game = opened.and_then(|change| games.get(change.game));
                if game.is_some_and(|game| game.position().relation().is_mine()) {
                    self.seeks.clear();
                }
            }
        }
    }
}
