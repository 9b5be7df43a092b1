//! A player who is logged in.

use std::collections::BTreeMap;
use std::time::Instant;

use kibitzer_core::message::{GameId, Handle, Rating, Titles};

use super::ConnectionId;
use super::variables::{Ivars, Variables};
use crate::account::Account;

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
    pub(crate) ratings: BTreeMap<String, u16>,
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
        let player = Self::new(account.handle.clone(), account.titles(), true, ivars, now);
        Self { ratings: account.ratings.clone(), saved, ..player }
    }

    pub(crate) fn new(handle: Handle, titles: Titles, is_registered: bool, ivars: Ivars, now: Instant) -> Self {
        Self {
            handle,
            titles,
            is_registered,
            ratings: BTreeMap::new(),
            saved: SavedSettings::default(),
            ivars,
            since: now,
            last_command: now,
            last_told: None,
            last_channel: None,
            game: None,
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

    /// Returns the rating in one kind of game; without one, a guest is [`Rating::Guest`] and a registered player
    /// [`Rating::Unrated`].
    pub(crate) fn rating(&self, kind: &str) -> Rating {
        match self.ratings.get(kind) {
            Some(&rating) => Rating::Established(rating),
            None if self.is_registered => Rating::Unrated,
            None => Rating::Guest,
        }
    }
}
