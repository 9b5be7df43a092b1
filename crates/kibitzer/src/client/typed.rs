//! Commands with typed answers, asked of a live session.

use super::Client;
use crate::command::{Ask, AskError, MoveMade, MoveText, Observe, Observed, Talk, Told, Unobserve};
use crate::core::message::GameId;
use crate::core::session::RequestError;

impl Client {
    /// Sends a command and reads its reply; every command of [`command`](crate::command) goes here.
    ///
    /// ```no_run
    /// use kibitzer::command::SeekOptions;
    ///
    /// # async fn run(client: kibitzer::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// client.ask(&SeekOptions::new().time(3, 2).unrated()).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`AskError`]: there is no reply, the server refuses, or the reply is none to this command.
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn ask<A: Ask>(&self, command: &A) -> Result<A::Answer, AskError> {
        let line = command.command().map_err(RequestError::from)?;
        Ok(command.read(&self.perform(line).await?)?)
    }

    /// Follows a game from now on, across lost connections.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn observe(&self, game: GameId) -> Result<Observed, AskError> {
        self.ask(&Observe::new(game)).await
    }

    /// Follows a game no longer.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn unobserve(&self, game: GameId) -> Result<(), AskError> {
        self.ask(&Unobserve::new(game)).await.map(drop)
    }

    /// Makes a move in the game that is played, or in the one that is examined.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask): a move against the rules is a refusal.
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn make_move(&self, played: &MoveText) -> Result<MoveMade, AskError> {
        self.ask(played).await
    }

    /// Says something, in as many pieces as it takes for the server to deliver it whole, one after the other.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask). The pieces in front of the one that failed were said.
    ///
    /// # Cancel safety
    ///
    /// Some of the pieces may have been said if the future is dropped.
    pub async fn talk(&self, talk: &Talk) -> Result<Vec<Told>, AskError> {
        let mut told = Vec::new();
        for piece in talk.pieces() {
            told.push(self.ask(&piece).await?);
        }
        Ok(told)
    }
}
