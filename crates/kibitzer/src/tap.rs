//! All of a session, in the order in which it happened: bytes, and what became of them.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::core::Event;
use crate::core::game::Game;
use crate::core::session::{Transmit, TransmitKind};

/// Pieces that may be untaken. Those that come of the bytes read last may be so besides. An event has its game with it, of
/// 180 KB if all its moves are kept, so this many are 92 MB at the worst.
const UNTAKEN_PIECES: usize = 512;

/// One thing that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TapPiece {
    /// When, by tokio's clock.
    pub at: Instant,
    /// What.
    pub what: Tapped,
}

/// What happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Tapped {
    /// The server sent these bytes; nobody has looked at them yet. What of them is a password that was just sent is
    /// asterisks, one for each byte.
    Received(Vec<u8>),
    /// These bytes were handed out to be written. If they are a line of the user's or of the login, [`Event::Sent`] follows.
    Sent {
        /// As they go, line feed included; nothing if they are secret.
        bytes: Vec<u8>,
        /// What they are.
        kind: TransmitKind,
    },
    /// This was made of bytes that came before, or happened to the connection.
    Event {
        /// The event, as subscribers get it, but for one whose line holds a password that was just sent: that is the text
        /// which is left of it.
        event: Event,
        /// The game it changed, as it is now.
        game: Option<Box<Game>>,
        /// How long it took to make it.
        decoding: Duration,
    },
}

/// Where all of a session can be taken from, piece by piece, for whoever shows or keeps it.
///
/// Nothing is left out: as long as too much is untaken, the session reads nothing from the server. Dropping the tap frees it.
#[derive(Debug)]
pub struct Tap {
    pieces: mpsc::Receiver<TapPiece>,
}

/// Whether there is something to take.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a closed set, taken apart at once")]
#[expect(clippy::large_enum_variant, reason = "nearly every value is a piece")]
pub enum Drip {
    /// The next piece.
    Piece(TapPiece),
    /// None for now.
    Dry,
    /// The session's task is gone, and all it had to tell was taken.
    Over,
}

impl Tap {
    /// The next piece; `None` once the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future before it is ready loses no piece.
    pub async fn next(&mut self) -> Option<TapPiece> {
        self.pieces.recv().await
    }

    /// The next piece, if there is one already.
    pub fn try_next(&mut self) -> Drip {
        match self.pieces.try_recv() {
            Ok(piece) => Drip::Piece(piece),
            Err(mpsc::error::TryRecvError::Empty) => Drip::Dry,
            Err(mpsc::error::TryRecvError::Disconnected) => Drip::Over,
        }
    }
}

/// The session's end of a tap.
#[derive(Debug)]
pub(crate) struct Spout {
    pieces: mpsc::Sender<TapPiece>,
    /// What the tap has no room for. Nothing is read until it has, so what was read last bounds it.
    held: VecDeque<TapPiece>,
}

/// Makes a tap.
pub(crate) fn tap() -> (Spout, Tap) {
    let (sender, pieces) = mpsc::channel(UNTAKEN_PIECES);
    (Spout { pieces: sender, held: VecDeque::new() }, Tap { pieces })
}

impl Spout {
    /// Whether the tap has no room.
    pub(crate) fn is_full(&self) -> bool {
        !self.held.is_empty()
    }

    pub(crate) fn received(&mut self, bytes: &[u8]) {
        self.put(Tapped::Received(bytes.to_vec()));
    }

    pub(crate) fn sent(&mut self, transmit: &Transmit) {
        let bytes = if transmit.is_secret() { Vec::new() } else { transmit.bytes().to_vec() };
        self.put(Tapped::Sent { bytes, kind: transmit.kind() });
    }

    pub(crate) fn event(&mut self, event: &Event, game: Option<&Game>, decoding: Duration) {
        self.put(Tapped::Event { event: event.clone(), game: game.cloned().map(Box::new), decoding });
    }

    fn put(&mut self, what: Tapped) {
        let piece = TapPiece { at: Instant::now(), what };
        if self.is_full() {
            self.held.push_back(piece);
            return;
        }
        // Nobody misses what a tap that was dropped does not get.
        if let Err(mpsc::error::TrySendError::Full(piece)) = self.pieces.try_send(piece) {
            self.held.push_back(piece);
        }
    }

    /// Hands over what is held.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was not handed over is still held.
    pub(crate) async fn flush(&mut self) {
        while !self.held.is_empty() {
            let Ok(room) = self.pieces.reserve().await else {
                self.held.clear();
                break;
            };
            if let Some(piece) = self.held.pop_front() {
                room.send(piece);
            }
        }
        self.held = VecDeque::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(tap: &mut Tap) -> Vec<Vec<u8>> {
        let pieces = std::iter::from_fn(|| if let Drip::Piece(piece) = tap.try_next() { Some(piece) } else { None });
        pieces.filter_map(|piece| if let Tapped::Received(bytes) = piece.what { Some(bytes) } else { None }).collect()
    }

    #[tokio::test]
    async fn nothing_is_lost_where_there_is_no_room() {
        let (mut spout, mut tap) = tap();
        let wanted: Vec<_> = (0..UNTAKEN_PIECES + 3).map(|n| n.to_string().into_bytes()).collect();
        for bytes in &wanted {
            spout.received(bytes);
        }
        assert!(spout.is_full());
        let mut got = taken(&mut tap);
        assert_eq!(got.len(), UNTAKEN_PIECES);
        spout.flush().await;
        assert!(!spout.is_full());
        drop(spout);
        got.extend(taken(&mut tap));
        assert_eq!(got, wanted);
        assert!(matches!(tap.try_next(), Drip::Over));
    }

    #[tokio::test]
    async fn a_tap_that_is_gone_holds_nothing_up() {
        let (mut spout, tap) = tap();
        for _ in 0..=UNTAKEN_PIECES {
            spout.received(b"x");
        }
        drop(tap);
        spout.flush().await;
        spout.received(b"x");
        assert!(!spout.is_full());
    }
}
