//! The players who are logged in, followed by a session.

use kibitzer_core::hub::{RecvError, Subscription};
use kibitzer_core::{EventKind, Players};

use crate::Client;

/// The players who are logged in, as far as the server has reported them since [`Client::players`] was called.
#[derive(Debug)]
pub struct PlayersWatch {
    events: Subscription,
    players: Players,
}

impl Client {
    /// Starts to follow who is logged in and plays, up to `limit` players; see [`Players`] for the variables and ivars that let a
    /// server report all. A session that does not call this keeps no players.
    ///
    /// ```no_run
    /// # async fn run(client: kibitzer::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// client.enable_ivar(kibitzer::message::Ivar::Pin).await?;
    /// let mut players = client.players(5_000);
    /// client.request("who IbslwBzSLx").await?;
    /// while players.changed().await.is_ok() {
    ///     println!("{} players", players.latest().iter().count());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn players(&self, limit: usize) -> PlayersWatch {
        use EventKind::{Arrived, Connected, Departed, GameCreated, GameEnded, WhoList};
        let filter = crate::Filter::new().kinds([Arrived, Connected, Departed, GameCreated, GameEnded, WhoList]);
        PlayersWatch { events: self.subscribe().only(filter), players: Players::new(limit) }
    }
}

impl PlayersWatch {
    /// Returns the players by the events that [`changed`](Self::changed) has received.
    pub const fn latest(&self) -> &Players {
        &self.players
    }

    /// Waits for the next event about a player, and applies it.
    ///
    /// # Errors
    ///
    /// [`RecvError::Lagged`] after events were overwritten before they were received: players may be missing or out of date, until
    /// `who` lists them again. [`RecvError::Closed`] once the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future before it is ready loses no event.
    pub async fn changed(&mut self) -> Result<(), RecvError> {
        loop {
            let event = self.events.recv().await?;
            if self.players.apply(&event) {
                return Ok(());
            }
        }
    }
}
