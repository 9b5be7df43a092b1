//! The players who are logged in, as far as the server reports them.

use std::collections::BTreeMap;

use crate::event::Event;
use crate::message::listing::{AnyListing, WhoStatus};
use crate::message::{GameEnded, GameId, Handle, Message, PresenceChangeKind, RATINGS, Rating, Titles};

/// A player who is logged in.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Player {
    /// The titles; `U` marks a guest. Empty if they were not reported.
    pub titles: Titles,
    /// The activity by the last report; `None` without one.
    pub status: Option<WhoStatus>,
    /// The ratings in the order of [`UserArrived`](crate::message::UserArrived); `None` for each that was not reported.
    pub ratings: [Option<Rating>; RATINGS],
    /// The game that the player plays, from its start on; `None` if none is known.
    pub game: Option<GameId>,
    /// The end of the player's last game; `None` if none was reported.
    pub last_game: Option<GameEnded>,
}

/// The players who are logged in, by their names.
///
/// `<wa>` lines (variable and ivar `pin`) and the reply to `who IbslwBzSLx` name players with their ratings; with the variable `gin`
/// and the ivar `allresults`, starts and ends of games show who plays. Without these only some players are known.
///
/// ```
/// use kibitzer_core::{EventReader, Players};
///
/// let (mut events, mut players) = (EventReader::default(), Players::new(1_000));
/// let mut read = &b"<wa> Newton^041411E1663P\n\r[Leibniz has connected.]\n\r<wd> Leibniz\n\r"[..];
/// while let Some(event) = events.next(&mut read) {
///     players.apply(&event);
/// }
/// let names: Vec<_> = players.iter().map(|(name, player)| format!("{name}{}", player.titles)).collect();
/// assert_eq!(names, ["Newton(GM)"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Players {
    by_name: BTreeMap<Handle, Player>,
    limit: usize,
}

impl Players {
    /// Creates a list of at most `limit` players. Further ones are not added until others depart.
    pub const fn new(limit: usize) -> Self {
        Self { by_name: BTreeMap::new(), limit }
    }

    /// Returns the player of this name; `None` if the player is not known to be logged in.
    pub fn get(&self, name: &Handle) -> Option<&Player> {
        self.by_name.get(name)
    }

    /// Returns all players in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&Handle, &Player)> {
        self.by_name.iter()
    }

    /// Applies an event, and returns whether it was about a player. A new connection clears the list.
    pub fn apply(&mut self, event: &Event) -> bool {
        match event {
            Event::Connected => self.by_name.clear(),
            Event::Listing { listing, .. } => {
                let AnyListing::Who(who) = &**listing else { return false };
                for row in &who.players {
                    self.update(&row.player.name, |player| {
                        player.titles = row.player.titles.clone();
                        player.status = Some(row.status);
                        // Only the rows of `who I` have these ratings.
                        for (known, listed) in player.ratings.iter_mut().zip(row.ratings) {
                            *known = listed.or(*known);
                        }
                    });
                }
            }
            _ => return event.message().is_some_and(|message| self.apply_message(message)),
        }
        true
    }

    fn apply_message(&mut self, message: &Message) -> bool {
        match message {
            Message::UserArrived(it) => {
                self.update(&it.name, |player| {
                    let titles = it.titles.clone();
                    *player = Player { titles, status: Some(it.status), ratings: it.ratings, ..Player::default() };
                });
            }
            Message::Arrival(it) if it.kind == PresenceChangeKind::Departed => _ = self.by_name.remove(&it.name),
            Message::Arrival(it) => self.update(&it.name, |_| {}),
            Message::GameCreated(it) => {
                for name in [&it.white, &it.black] {
                    self.update(name, |player| {
                        player.game = Some(it.game);
                        player.status = Some(WhoStatus::Playing);
                    });
                }
            }
            Message::GameEnded(it) => {
                // The result may be that of a stored game, whose players are away or play another game.
                for name in [&it.white, &it.black] {
                    let Some(player) = self.by_name.get_mut(name) else { continue };
                    if player.game.is_none_or(|game| game == it.game) {
                        player.game = None;
                        player.status = None;
                    }
                    player.last_game = Some((**it).clone());
                }
            }
            _ => return false,
        }
        true
    }

    /// Changes a player, who is added first if there is room.
    fn update(&mut self, name: &Handle, change: impl FnOnce(&mut Player)) {
        if self.by_name.len() < self.limit || self.by_name.contains_key(name) {
            change(self.by_name.entry(name.clone()).or_default());
        }
    }
}

#[cfg(test)]
mod tests;
