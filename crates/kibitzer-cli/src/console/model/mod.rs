//! What the console knows of the session: rows, bytes, games, delays. Nothing here draws.

pub(in crate::console) mod bytes;
pub(in crate::console) mod card;
pub(in crate::console) mod filter;
pub(in crate::console) mod item;
pub(in crate::console) mod meters;
pub(in crate::console) mod replies;
pub(in crate::console) mod row;
pub(in crate::console) mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kibitzer::core::chess::{Hands, LastMove};
use kibitzer::core::message::{GameId, Message, TalkKind};
use kibitzer::core::{Event, EventKind};

use crate::console::model::bytes::ByteRing;
use crate::console::model::card::{Card, board_of};
use crate::console::model::item::{Item, What};
use crate::console::model::meters::{Latency, Rates};
use crate::console::model::replies::Replies;
use crate::console::model::row::{Body, Row, Sent};
use crate::console::model::rows::Rows;
use crate::output::PasswordPrompt;

/// Games that are kept; one that is over makes room.
const KEPT_GAMES: usize = 256;
/// The first byte of a telnet command.
const IAC: u8 = 0xFF;
/// Names that completion knows.
const KEPT_NAMES: usize = 4_096;

/// A session as far as it has come.
#[derive(Debug, Default)]
pub(in crate::console) struct Model {
    pub(in crate::console) rows: Rows,
    pub(in crate::console) bytes: ByteRing,
    pub(in crate::console) games: BTreeMap<GameId, Tracked>,
    pub(in crate::console) rates: Rates,
    pub(in crate::console) latency: Latency,
    /// Players that were heard of.
    pub(in crate::console) names: BTreeSet<String>,
    pub(in crate::console) channels: BTreeSet<u16>,
    replies: Replies,
    password_prompt: PasswordPrompt,
    /// Where in all bytes the connection begins.
    base: u64,
}

/// A game, and when it became what it is.
#[derive(Clone, Debug)]
pub(in crate::console) struct Tracked {
    pub(in crate::console) card: Box<Card>,
    pub(in crate::console) since: Duration,
}

impl Model {
    /// Takes in what happened; the number of the row it became, if it became one.
    pub(in crate::console) fn take(&mut self, item: Item) -> Option<u64> {
        let at = item.at;
        match item.what {
            What::Bytes(bytes) => {
                self.rates.at(at).bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                self.bytes.push(&bytes);
                None
            }
            What::Event { event, card, decoding } => {
                if matches!(event, Event::Received { .. }) {
                    self.latency.decoding.push(decoding);
                    self.rates.at(at).events += 1;
                }
                Some(self.event(at, event, card))
            }
            What::Snapshot { cards, text } => Some(self.begin(at, cards, text)),
            What::Told(text) => Some(self.mark(at, text)),
            What::Sent { bytes, text, answers_ping, is_secret } => {
                let is_telnet = bytes.first() == Some(&IAC) && !bytes.contains(&b'\n');
                let is_line = !answers_ping && !is_telnet;
                let secret = is_secret || (self.awaits_password() && is_line);
                Some(self.sent(at, bytes, text, is_line, secret))
            }
        }
    }

    /// Puts a mark behind what has come so far.
    pub(in crate::console) fn mark(&mut self, at: Duration, text: String) -> u64 {
        self.push(at, Body::Mark(text))
    }

    /// Whether the last thing the server wanted was a password.
    pub(in crate::console) const fn awaits_password(&self) -> bool {
        self.password_prompt.is_open()
    }

    fn push(&mut self, at: Duration, body: Body) -> u64 {
        let number = self.rows.next_number();
        self.rows.push(Row { number, at, base: self.base, body });
        number
    }

    fn sent(&mut self, at: Duration, bytes: Vec<u8>, text: Vec<u8>, is_line: bool, secret: bool) -> u64 {
        if secret {
            self.password_prompt.sent(&bytes);
        }
        if is_line {
            self.replies.sent(self.rows.next_number(), at, &text);
        }
        let (bytes, text) = if secret { (Vec::new(), Vec::new()) } else { (bytes, text) };
        self.push(at, Body::Sent(Sent { bytes, text, secret, reply: None }))
    }

    fn event(&mut self, at: Duration, event: Event, card: Option<Box<Card>>) -> u64 {
        let number = self.rows.next_number();
        self.answer(number, at, &event);
        self.remember_talk(&event);
        self.password_prompt.event(event.kind());
        match event.kind() {
            EventKind::Connected => self.connected(),
            EventKind::Lost => self.rates.at(at).losses += 1,
            _ => {}
        }
        if let Some(card) = card {
            self.learn_game(at, &event, card);
        }
        self.push(at, Body::Event(event))
    }

    /// Begins with what is told of a session that was going on before.
    fn begin(&mut self, at: Duration, cards: Vec<Card>, text: String) -> u64 {
        self.connected();
        for card in cards {
            self.games.insert(card.id(), Tracked { card: Box::new(card), since: at });
        }
        self.mark(at, text)
    }

    /// A new connection: positions begin anew, nobody answers what was asked before, and no game is followed.
    fn connected(&mut self) {
        self.base = self.bytes.end();
        self.replies = Replies::default();
        self.password_prompt = PasswordPrompt::default();
        for game in self.games.values_mut() {
            game.card.followed = false;
        }
    }

    /// Gives the line that was sent the reply that begins.
    fn answer(&mut self, number: u64, at: Duration, event: &Event) {
        let Some((row, reply)) = self.replies.received(number, at, event) else { return };
        self.latency.round_trip.push(reply.after);
        if let Some(Row { body: Body::Sent(sent), .. }) = self.rows.get_mut(row) {
            sent.reply = Some(reply);
        }
    }

    fn learn_game(&mut self, at: Duration, event: &Event, card: Box<Card>) {
        if event.kind() == EventKind::Position
            && let Some(lag) = card.board.lag_ms().and_then(|lag| u64::try_from(lag).ok())
        {
            self.latency.lag.push(Duration::from_millis(lag));
        }
        for name in [&card.board.white(), &card.board.black()] {
            remember(&mut self.names, name.as_str());
        }
        if self.games.len() >= KEPT_GAMES && !self.games.contains_key(&card.id()) {
            let over = self.games.iter().find(|(_, game)| !game.card.followed).or_else(|| self.games.iter().next());
            if let Some(id) = over.map(|(id, _)| *id) {
                self.games.remove(&id);
            }
        }
        // What comes between two boards does not set the clocks.
        let known = self.games.get(&card.id()).filter(|known| known.card.board == card.board);
        let since = known.map_or(at, |known| known.since);
        self.games.insert(card.id(), Tracked { card, since });
    }

    fn remember_talk(&mut self, event: &Event) {
        let Some(message) = event.message() else { return };
        if let Some(speaker) = message.speaker() {
            remember(&mut self.names, speaker.as_str());
        }
        if let Message::Talk(talk) = message
            && let TalkKind::ChannelTell { channel } = talk.kind
        {
            self.channels.insert(channel);
        }
    }

    /// The game as it stood after this row, rather than as it is now.
    pub(in crate::console) fn game_at(&self, game: GameId, row: u64) -> Option<Card> {
        let known = &self.games.get(&game)?.card;
        let mut hands = None;
        for event in self.rows.back_from(row).filter_map(Row::event) {
            match event.message() {
                Some(Message::Holding(holding)) if holding.game == game && hands.is_none() => {
                    hands = Some(Hands { white: holding.white, black: holding.black });
                }
                _ if event.game() != Some(game) => {}
                _ => {
                    let Some(board) = board_of(event) else { continue };
                    return Some(known.at_board(board, played_in(event), hands));
                }
            }
        }
        None
    }
}

/// The move that led to the board of an event.
const fn played_in(event: &Event) -> Option<LastMove> {
    match event {
        Event::Received { change: Some(change), .. } => change.played,
        _ => None,
    }
}

fn remember(names: &mut BTreeSet<String>, name: &str) {
    if names.len() < KEPT_NAMES && !names.contains(name) {
        names.insert(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use kibitzer::core::EventReader;

    use super::*;

    /// A session in which the server said and the client sent this, in order.
    fn session(steps: &[(&str, &[u8])]) -> Model {
        let (mut model, mut reader) = (Model::default(), EventReader::default());
        for (direction, bytes) in steps {
            if *direction == "tx" {
                let what = What::Sent {
                    bytes: bytes.to_vec(),
                    text: bytes.trim_ascii_end().to_vec(),
                    answers_ping: false,
                    is_secret: false,
                };
                model.take(Item { at: Duration::ZERO, what });
                continue;
            }
            let mut input = *bytes;
            while let Some(event) = reader.next(&mut input) {
                let what = What::Event { event, card: None, decoding: Duration::ZERO };
                model.take(Item { at: Duration::ZERO, what });
            }
        }
        model
    }

    fn sent(model: &Model) -> Vec<String> {
        let rows = model.rows.iter().filter_map(|row| if let Body::Sent(sent) = &row.body { Some(sent) } else { None });
        rows.map(Sent::text).collect()
    }

    #[test]
    fn what_answers_the_password_prompt_is_not_kept() {
        let prompt: &[u8] = b"login: \n\rpassword: ";
        let model = session(&[
            ("tx", b"Foo\n"),
            ("rx", prompt),
            ("tx", b"\xff\xfe\x01"),
            ("tx", b"se"),
            ("tx", b"same\n"),
            ("tx", b"who\n"),
        ]);
        assert_eq!(sent(&model), ["Foo", "\u{ff}\u{fe}\u{1}", "********", "********", "who"]);
        assert!(!format!("{:?}", model.rows).contains("same"));
    }

    #[test]
    fn a_password_that_is_not_wanted_any_more_is_a_line() {
        let model = session(&[("rx", b"password: "), ("rx", b"\n\rfics% "), ("tx", b"who\n")]);
        assert_eq!(sent(&model), ["who"]);
    }

    #[test]
    fn names_are_remembered_up_to_a_limit() {
        let said = (0..KEPT_NAMES + 100).map(|n| format!("Foo{n} shouts: x\n\r")).collect::<Vec<_>>().concat();
        let model = session(&[("rx", said.as_bytes())]);
        assert_eq!(model.names.len(), KEPT_NAMES);
        assert!(model.names.contains("Foo7"));
    }
}
