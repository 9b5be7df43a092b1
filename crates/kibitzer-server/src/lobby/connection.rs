//! One client's connection, and the player logged in over it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kibitzer_core::message::listing::WhoStatus;
use kibitzer_core::message::{GameId, Handle, Rating, Titles, UserArrived};
use kibitzer_core::wire::{Timeseal, Unsealed};

use super::ConnectionId;
use super::variables::{Ivars, Variables};
use crate::account::Account;
use crate::family::{BoardForm, IccLevelSettings, ImitatedFamily};
use crate::fault::{KickReason, LoginObstacle};
use crate::rating::PlayerRating;
use crate::wire::InputReader;

/// Whether a connection has a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ClientKind {
    #[default]
    Remote,
    /// A simulated player, whose output is read within the server.
    Simulated,
}

/// Stage of the login.
#[derive(Debug, Default)]
pub(crate) enum LoginStage {
    /// Waiting for a name.
    #[default]
    Name,
    /// Waiting for any line, which logs in the guest of this name.
    Return(Handle),
    /// Waiting for the password of this registered name.
    Password(Handle),
    /// The password was wrong; nothing is processed until the pause is over.
    Paused,
    /// The login is done.
    LoggedIn(Box<Player>),
}

/// The state of one client's connection: its login, settings, and bytes to send.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub(crate) input: InputReader,
    /// Bytes queued for the client.
    pub(crate) unsent: Vec<u8>,
    /// Whether the connection is closed once `unsent` is sent.
    pub(crate) is_closing: bool,
    /// Whether a line was received: timeseal is recognized in the first line only.
    pub(crate) has_received_line: bool,
    /// The clock of a client that uses timeseal; `None` for other clients.
    pub(crate) seal: Option<TimesealClock>,
    /// The obstacle that the operator has ordered for this connection.
    pub(crate) obstacle: Option<LoginObstacle>,
    /// A kick that was ordered before the end of the login.
    pub(crate) kick: Option<KickReason>,
    /// Interface variables from the login string; `None` if none was received.
    pub(crate) ivars: Option<Ivars>,
    pub(crate) stage: LoginStage,
    /// Family that the server imitates for this client.
    pub(crate) family: ImitatedFamily,
    /// Format of boards; `None` if they are sent as datagrams, without lines.
    pub(crate) board_form: Option<BoardForm>,
    /// Level settings of an ICC client.
    pub(crate) levels: IccLevelSettings,
    pub(crate) kind: ClientKind,
}

impl Connection {
    pub(crate) fn new(family: ImitatedFamily) -> Self {
        Self { family, board_form: Some(family.default_board_form()), ..Self::default() }
    }

    /// Creates the connection of a simulated player, who knows only the FICS family.
    pub(crate) fn simulated() -> Self {
        Self { kind: ClientKind::Simulated, ..Self::new(ImitatedFamily::Fics) }
    }

    pub(crate) fn player(&self) -> Option<&Player> {
        if let LoginStage::LoggedIn(player) = &self.stage { Some(player) } else { None }
    }

    pub(crate) fn player_mut(&mut self) -> Option<&mut Player> {
        if let LoginStage::LoggedIn(player) = &mut self.stage { Some(player) } else { None }
    }
}

/// Times of pings to a timeseal client and readings of its clock, from which network lag is computed.
#[derive(Debug)]
pub(crate) struct TimesealClock {
    pub(super) version: Timeseal,
    /// Reading of the client's clock at its newest line, in milliseconds.
    pub(crate) time_ms: u64,
    /// When the ping without an answer yet was sent.
    pub(super) pinged: Option<Instant>,
    /// When the newest answered ping was sent, and the reading of the client's clock at the answer.
    answer: Option<(Instant, u64)>,
    /// Time from the newest answered ping to its answer.
    pub(crate) lag: Duration,
    pub(crate) n_answers: u32,
}

impl TimesealClock {
    pub(crate) const fn new(version: Timeseal) -> Self {
        Self { version, time_ms: 0, pinged: None, answer: None, lag: Duration::ZERO, n_answers: 0 }
    }

    /// Records the client's answer to a ping, and with it the lag. Without an unanswered ping, only updates the reading of the
    /// client's clock.
    pub(crate) fn record_answer(&mut self, time_ms: u64, now: Instant) {
        self.time_ms = time_ms;
        if let Some(pinged) = self.pinged.take() {
            self.answer = Some((pinged, time_ms));
            self.lag = now.saturating_duration_since(pinged);
            self.n_answers = self.n_answers.saturating_add(1);
        }
    }

    /// Returns the time since the newest ping; `None` once it is answered.
    pub(crate) fn time_without_answer(&self, now: Instant) -> Option<Duration> {
        Some(now.saturating_duration_since(self.pinged?))
    }

    /// Returns the lag since the newest answered ping: the time from that ping to `now` on the server's clock, minus the time
    /// from the answer to the newest line on the client's clock. `None` before the first answer; zero if the client's time is
    /// longer.
    pub(crate) fn lag_since_answered_ping(&self, now: Instant) -> Option<Duration> {
        // Clients restart their count of milliseconds there.
        const MODULUS: u64 = Unsealed::TIME_MODULUS_MS;
        let (pinged, time_ms) = self.answer?;
        // The client's clock may have wrapped around since.
        let there = (self.time_ms % MODULUS + MODULUS - time_ms % MODULUS) % MODULUS;
        Some(now.saturating_duration_since(pinged).saturating_sub(Duration::from_millis(there)))
    }
}

/// Maximum number of entries of each list of a player.
pub(crate) const MAX_LIST_ENTRIES: usize = 200;

/// The lists of a player: of names, or of channels.
pub(crate) const LISTS: [&str; 5] = ["censor", "channel", "gnotify", "noplay", "notify"];

/// Settings of a registered player, kept between logins.
#[derive(Clone, Debug, Default)]
pub(crate) struct SavedSettings {
    pub(crate) variables: Variables,
    /// By the name of the list: names in the spelling of their players, or numbers of channels.
    pub(crate) lists: BTreeMap<&'static str, Vec<String>>,
}

impl SavedSettings {
    /// Returns whether a list has this entry; case is ignored.
    pub(crate) fn is_on_list(&self, list: &str, name: &str) -> bool {
        self.list(list).iter().any(|entry| entry.eq_ignore_ascii_case(name))
    }

    /// Returns the entries of a list; none if there is no such list.
    pub(crate) fn list(&self, list: &str) -> &[String] {
        self.lists.get(list).map_or(&[], Vec::as_slice)
    }
}

/// A player who is logged in.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    pub(crate) handle: Handle,
    /// `(GM)(*)`, as shown after the name; `(U)` for a guest.
    pub(crate) titles: Titles,
    pub(crate) is_registered: bool,
    pub(crate) ratings: BTreeMap<String, PlayerRating>,
    pub(crate) saved: SavedSettings,
    pub(crate) ivars: Ivars,
    /// Time of the login.
    pub(crate) since: Instant,
    /// Time of the last command, except those marked with `$$`; that of the login before the first one.
    pub(crate) last_command: Instant,
    /// Receiver of the last tell, which `tell .` repeats.
    pub(crate) last_told: Option<Handle>,
    /// Channel of the last tell to a channel, which `tell ,` repeats.
    pub(crate) last_channel: Option<String>,
    /// The game that is played or examined.
    pub(crate) game: Option<GameId>,
    /// Number of proposals by simulated players since the client's last game; none of them led to a game.
    pub(crate) n_fruitless_proposals: u32,
    /// The games of the simul that the player gives; `game` is the current board.
    pub(crate) simul: Vec<GameId>,
    pub(crate) is_open_to_simul: bool,
    /// The observed games, the oldest first.
    pub(crate) observing: Vec<GameId>,
    pub(crate) last_opponent: Option<Handle>,
    /// The bughouse partner.
    pub(crate) partner: Option<ConnectionId>,
}

impl Player {
    pub(crate) fn registered(account: &Account, saved: SavedSettings, ivars: Ivars, now: Instant) -> Self {
        let player = Self::guest(account.handle.clone(), account.titles(), ivars, now);
        Self { is_registered: true, ratings: account.ratings.clone(), saved, ..player }
    }

    pub(crate) fn guest(handle: Handle, titles: Titles, ivars: Ivars, now: Instant) -> Self {
        Self {
            handle,
            titles,
            is_registered: false,
            ratings: BTreeMap::new(),
            saved: SavedSettings::default(),
            ivars,
            since: now,
            last_command: now,
            last_told: None,
            last_channel: None,
            game: None,
            n_fruitless_proposals: 0,
            simul: Vec::new(),
            is_open_to_simul: false,
            observing: Vec::new(),
            last_opponent: None,
            partner: None,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.handle.as_str()
    }

    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        self.saved.variables.is_flag_on(flag)
    }

    /// Returns the name followed by the titles, as in talk and lists: `Newton(GM)`.
    pub(crate) fn name_with_titles(&self) -> String {
        format!("{}{}", self.name(), self.titles)
    }

    /// Returns the `<wa>` line of the player, whose text after the tag is a row of `who I`.
    ///
    /// Source: datagrams §6.
    pub(crate) fn arrival_line(&self, status: WhoStatus) -> String {
        const KINDS: [&str; 9] =
            ["blitz", "standard", "lightning", "wild", "bughouse", "crazyhouse", "suicide", "losers", "atomic"];
        let ratings = KINDS.map(|kind| Some(self.rating(kind)));
        UserArrived::new(self.handle.clone(), status, self.titles.clone(), ratings).to_string()
    }

    /// Returns the rating in one kind of game; without one, a guest is [`Rating::Guest`] and a registered player
    /// [`Rating::Unrated`].
    pub(crate) fn rating(&self, kind: &str) -> Rating {
        match self.ratings.get(kind) {
            Some(rating) => Rating::Established(rating.value),
            None if self.is_registered => Rating::Unrated,
            None => Rating::Guest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_is_the_difference_of_two_clocks() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut seal = TimesealClock::new(Timeseal::V2);
        assert_eq!(seal.lag_since_answered_ping(at(0)), None);
        seal.pinged = Some(at(1000));
        // The answer takes 60 ms, the client thinks for two seconds and passes the end of its clock, the move takes 40 ms.
        seal.record_answer(9_999_000, at(1060));
        seal.time_ms = 1_000;
        assert_eq!(seal.lag_since_answered_ping(at(3100)), Some(Duration::from_millis(100)));
        assert_eq!((seal.lag, seal.n_answers), (Duration::from_millis(60), 1));
        seal.record_answer(7, at(9000));
        assert_eq!(seal.n_answers, 1, "an answer without a ping is no sample");
        seal.time_ms = 9_998_999;
        assert_eq!(seal.lag_since_answered_ping(at(3100)), Some(Duration::ZERO));
    }
}
