//! Decoding of bytes to events, with the message reader and the game state.

mod attribution;
mod marks;

use std::sync::Arc;

use self::attribution::Attributor;
pub(crate) use self::attribution::{PROBE, is_caused_by_others};
pub(crate) use self::marks::{ReplyMark, ReplyMarks};
use crate::MessageReader;
use crate::event::Event;
use crate::game::{Desync, GameLimits, Games, MessageEffect, PrecedingReport};
use crate::message::{Attribution, Received};
use crate::wire::{Framer, StreamState};

/// Decoder of received bytes to events: a [`MessageReader`], and the [`Games`] that its messages update.
///
/// ```
/// use kibitzer_core::{Event, EventReader};
///
/// let mut events = EventReader::default();
/// let mut read = &b"\n\r<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 \
///     Newton Einstein 1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0\n\rfics% "[..];
/// while let Some(event) = events.next(&mut read) {
///     if let Some(game) = event.affected_game().and_then(|id| events.games().get(id)) {
///         assert_eq!(game.position().fen().to_string(), "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2");
///     }
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct EventReader {
    reader: MessageReader,
    games: Games,
    attributor: Attributor,
    /// Second event of the last message, if it has two: the message itself after a desync, missed plies or a listing. Boxed,
    /// because few messages have two.
    pending_event: Option<Box<Event>>,
    /// Whether changes of observed games belong to a restoration.
    pub(crate) is_restoring: bool,
}

impl EventReader {
    /// Creates an event reader without games from a message reader, which may have been configured for the stream.
    #[doc(hidden)]
    pub fn new(reader: MessageReader) -> Self {
        Self { reader, ..Self::default() }
    }

    /// Sets the [offset](Event::offset) of the first byte, for a reader that has not read any yet; default 0.
    ///
    /// A recording of several connections is one stream of bytes, and needs one reader for each connection.
    #[must_use]
    pub fn with_start_offset(mut self, offset: u64) -> Self {
        self.reader.framer_mut().position = offset;
        self
    }

    /// Sets the limits on kept games. Default: those of [`GameLimits::default`].
    #[must_use]
    #[doc(hidden)]
    pub const fn with_game_limits(mut self, limits: GameLimits) -> Self {
        self.games.limits = limits;
        self
    }

    /// Returns the position in the stream of the next byte of input.
    pub(crate) const fn position(&self) -> u64 {
        self.reader.position()
    }

    /// Returns whether the server reads UTF-8, and not only entities.
    pub(crate) fn is_utf8_server(&self) -> bool {
        self.reader.is_utf8_server()
    }

    /// Returns the framer, for settings of the stream such as the prompt.
    #[doc(hidden)]
    pub const fn framer_mut(&mut self) -> &mut Framer {
        self.reader.framer_mut()
    }

    /// Records a line that the client sent, unsealed, and returns its attribution, which the [`Event::Sent`] of the line contains.
    ///
    /// `stated` is what the sender or the record of the line says; the default, if it says nothing, is replaced by what the line
    /// shows. Later events are attributed to the line, and the lines of a listing between a command and the answer to the fence
    /// after it lead to an [`Event::Listing`], as they do in block mode.
    ///
    /// A session does this itself. A reader of a recording returns the same events only if it is called for each sent line.
    pub fn note_sent_line(&mut self, line: &[u8], stated: Attribution) -> Attribution {
        self.attributor.note_sent_line(line, stated, self.reader.is_logged_in())
    }

    /// Keeps the memory of an event that is no longer needed for a later one, unless clones of its message exist.
    pub fn recycle(&mut self, event: Event) {
        if let Event::Received { received, .. } = event {
            self.reader.recycle_message(received.message);
        }
    }

    /// Frees unused memory of buffers.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.reader.shrink();
        self.attributor.shrink_to_fit();
    }

    /// Returns the state of the games after all messages read so far.
    ///
    /// After a [`Desync`](Event::Desync) or [`Missed`](Event::Missed) the state
    /// already includes the [`Received`](Event::Received) that follows.
    pub const fn games(&self) -> &Games {
        &self.games
    }

    /// Returns the games, for changes that no message makes.
    pub(crate) const fn games_mut(&mut self) -> &mut Games {
        &mut self.games
    }

    /// Decodes the next event, and advances `input` past the consumed bytes. `None` if all bytes were consumed; an incomplete
    /// line is buffered for the next call.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Event> {
        if let Some(event) = self.pending_event.take() {
            return Some(*event);
        }
        let slot = self.reader.read_to_slot(input)?;
        let received = self.reader.take_from_slot(slot);
        Some(self.apply_and_hold_second_event(received))
    }

    /// Decodes the next event of the buffered bytes after the end of the stream; `None` if none is left. Has to be called until
    /// then.
    pub fn finish(&mut self) -> Option<Event> {
        if let Some(event) = self.pending_event.take() {
            return Some(*event);
        }
        let received = self.reader.finish()?;
        Some(self.apply_and_hold_second_event(received))
    }

    /// Attributes a message, applies it to the games, and returns its first event; the second one, if any, is stored in
    /// `pending_event`.
    #[inline]
    fn apply_and_hold_second_event(&mut self, mut received: Received) -> Event {
        let offset = received.offset;
        let listing = self.attributor.attribute(&mut received);
        self.games.add_earlier_facts(&mut received.message);
        let MessageEffect { mut change, notice, replaced } = self.games.apply(&received.message);
        if let Some(change) = change.as_mut().filter(|change| self.is_restoring && change.relation.is_observer()) {
            change.mark_by_restoration();
        }
        let is_own = match &change {
            Some(change) => change.relation.is_mine(),
            None => self.games.concerns_own_game(&received.message),
        };
        let attribution = received.attribution.with_own_game(is_own);
        received.attribution = attribution;
        let event = Event::Received { received, change };
        let report = match (listing, notice) {
            (Some((listing, attribution)), _) => {
                Some(Event::Listing { offset, listing: Arc::new(listing), attribution })
            }
            (None, Some((game, PrecedingReport::Desync(reason)))) => {
                let desync = self.games.desync(offset, game, reason, replaced.as_ref());
                Some(Event::Desync(Desync { attribution, ..desync }))
            }
            (None, Some((game, PrecedingReport::Missed { from_ply, to_ply }))) => {
                Some(Event::Missed { offset, game, from_ply, to_ply, attribution })
            }
            (None, None) => None,
        };
        if let Some(board) = replaced {
            self.reader.recycle_board(board);
        }
        let Some(report) = report else { return event };
        self.pending_event = Some(Box::new(event));
        report
    }

    /// Returns the decoder state after the last frame. With it and the [`games`](Self::games), another reader can
    /// [`resume`](Self::resume) there.
    ///
    /// It does not contain an incomplete message of several lines or an incomplete listing; a resumed reader returns the
    /// remaining lines of a listing as text.
    #[doc(hidden)]
    pub fn stream_state(&self) -> StreamState {
        let mut state = self.reader.stream_state();
        state.me.clone_from(&self.games.me);
        state.loaded.clone_from(&self.games.loaded);
        state.is_restoring = self.is_restoring;
        state
    }

    /// Returns whether no listing and no refusal is incomplete, and no event is pending. A reader that
    /// [resumes](Self::resume) here then returns the same events, unless a message of several lines is incomplete.
    #[doc(hidden)]
    pub fn is_resume_point(&self) -> bool {
        self.pending_event.is_none() && self.attributor.is_between_listings() && !self.reader.has_pending_message()
    }

    /// Creates a reader that continues from the state of another one, with the games at that point. Offsets start at 0.
    ///
    /// ```
    /// use kibitzer_core::EventReader;
    /// use kibitzer_core::game::Games;
    /// use kibitzer_core::message::{Control, Message};
    ///
    /// let mut first = EventReader::default();
    /// let mut read = &b"\x1512\x1637\x16Finger of Newton:\n\r"[..];
    /// while first.next(&mut read).is_some() {}
    /// let mut second = EventReader::resume(&first.stream_state(), Games::default());
    /// let end = second.next(&mut &b"\x17"[..]).unwrap();
    /// assert_eq!(end.message(), Some(&Message::Control(Control::BlockEnd { id: 12, complete: true })));
    /// ```
    #[doc(hidden)]
    pub fn resume(state: &StreamState, mut games: Games) -> Self {
        let mut framer = Framer::new();
        framer.resume(state);
        let mut reader = MessageReader::new(framer, state.family);
        reader.restore_login_state(state);
        for game in &games {
            reader.add_game_for_datagrams(game.position());
        }
        games.me.clone_from(&state.me);
        games.loaded.clone_from(&state.loaded);
        Self { reader, games, is_restoring: state.is_restoring, ..Self::default() }
    }

    /// Applies the settings in `state` to the rest of the stream: family, block mode, timeseal, prompt, line wrapping and restoration.
    /// Ignores all other fields.
    #[doc(hidden)]
    pub fn apply_settings(&mut self, state: &StreamState) {
        self.reader.framer_mut().apply_settings(state);
        self.is_restoring = state.is_restoring;
    }

    /// Consumes the reader, and returns the games.
    pub fn into_games(self) -> Games {
        self.games
    }
}

#[cfg(test)]
mod tests;
