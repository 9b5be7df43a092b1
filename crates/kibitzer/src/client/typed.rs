//! Commands with typed answers, asked of a live session.

use super::Client;
use crate::command::{
    Abort, Accept, Accepted, Challenged, Closed, Decline, Draw, Finger, GameOffer, Games, History, MatchOptions,
    MoveMade, MoveText, Moves, Observe, Observed, OfferRef, Resign, SeekAnswer, SeekOptions, Sought, Takeback, Talk,
    Told, Unobserve, Unseek, Who,
};
use crate::core::event::RequestError;
use crate::core::message::{GameEnded, GameId, Handle, listing};

impl Client {
    /// Follows a game from now on, across lost connections.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn observe(&self, game: GameId) -> Result<Observed, RequestError> {
        self.request(&Observe::new(game)).await
    }

    /// Follows a game no longer.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn unobserve(&self, game: GameId) -> Result<(), RequestError> {
        self.request(&Unobserve::new(game)).await.map(drop)
    }

    /// Makes a move in the game that is played, or in the one that is examined.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request): a move against the rules is a refusal.
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn make_move(&self, played: &MoveText) -> Result<MoveMade, RequestError> {
        self.request(played).await
    }

    /// Says something, in as many pieces as it takes for the server to deliver it whole, one after the other.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request). The pieces in front of the one that failed were said.
    ///
    /// # Cancel safety
    ///
    /// Some of the pieces may have been said if the future is dropped.
    pub async fn talk(&self, talk: &Talk) -> Result<Vec<Told>, RequestError> {
        let mut told = Vec::new();
        for piece in talk.pieces() {
            told.push(self.request(&piece).await?);
        }
        Ok(told)
    }
}

/// One line each, for what is typed every day; the types of [`command`](crate::command) say more.
///
/// ```no_run
/// # async fn run(client: kibitzer::Client) -> Result<(), Box<dyn std::error::Error>> {
/// for game in client.games().await?.games {
///     println!("{}", client.moves(game.game).await?.moves.len());
/// }
/// client.tell(&"Newton".parse()?, "hello").await?;
/// # Ok(())
/// # }
/// ```
impl Client {
    /// Tells a player something, in as many pieces as it takes.
    ///
    /// # Errors
    ///
    /// As [`talk`](Self::talk).
    ///
    /// # Cancel safety
    ///
    /// As [`talk`](Self::talk).
    pub async fn tell(&self, player: &Handle, text: impl Into<String>) -> Result<Vec<Told>, RequestError> {
        self.talk(&Talk::tell(player, text)).await
    }

    /// Offers a game to everybody; made again after a lost connection.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn seek(&self, seek: &SeekOptions) -> Result<SeekAnswer, RequestError> {
        self.request(seek).await
    }

    /// Takes back what was offered to everybody, by the number in [`SeekAnswer`].
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn unseek(&self, index: u32) -> Result<(), RequestError> {
        self.request(&Unseek::new(index)).await
    }

    /// Offers a game to one player: `match`.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn challenge(&self, challenge: &MatchOptions) -> Result<Challenged, RequestError> {
        self.request(challenge).await
    }

    /// Says yes to a challenge, or to an offer in the game.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn accept(&self, offer: OfferRef) -> Result<Accepted, RequestError> {
        self.request(&Accept::new(offer)).await
    }

    /// Says no to a challenge, or to an offer in the game.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn decline(&self, offer: OfferRef) -> Result<Closed, RequestError> {
        self.request(&Decline::new(offer)).await
    }

    /// Offers a draw, accepts one, or claims one by the rules.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn draw(&self) -> Result<GameOffer, RequestError> {
        self.request(&Draw::new()).await
    }

    /// Gives the game up.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn resign(&self) -> Result<GameEnded, RequestError> {
        self.request(&Resign::new()).await
    }

    /// Offers to end the game without a result, or accepts that.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn abort(&self) -> Result<GameOffer, RequestError> {
        self.request(&Abort::new()).await
    }

    /// Asks to take back so many plies, from 1 on, or accepts to.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn takeback(&self, plies: u32) -> Result<GameOffer, RequestError> {
        self.request(&Takeback::plies(plies)).await
    }

    /// The games that are played or examined.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn games(&self) -> Result<listing::GameListing, RequestError> {
        self.request(&Games::all()).await
    }

    /// The players who are logged in.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn who(&self) -> Result<listing::WhoList, RequestError> {
        self.request(&Who::all()).await
    }

    /// The open seeks, all of them.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn sought(&self) -> Result<listing::SoughtList, RequestError> {
        self.request(&Sought::all()).await
    }

    /// What is known of a player.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn finger(&self, player: Handle) -> Result<listing::Finger, RequestError> {
        self.request(&Finger::of(player)).await
    }

    /// The last games of a player.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn history(&self, player: Handle) -> Result<listing::History, RequestError> {
        self.request(&History::of(player)).await
    }

    /// The moves of a game so far.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn moves(&self, game: GameId) -> Result<listing::MoveList, RequestError> {
        self.request(&Moves::of(game)).await
    }
}
