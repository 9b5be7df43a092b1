//! One simulated player: reads the server's output and decides on commands.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use kibitzer_core::MessageReader;
use kibitzer_core::chess::{Color, Hands};
use kibitzer_core::message::{
    GameId, Handle, MeOrOther, Message, PendingOffer, PresenceChangeKind, Relation, SeekNotice, Style12, TalkKind,
};

use super::TalkOccasion;
use super::brain::{self, TurnAction};
use crate::chess::{Position, Variant};

/// Maximum number of received offers that a simulated player remembers; further ones are ignored.
const MAX_OFFERS: usize = 32;

/// The role of a simulated player on the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum SimulatedRole {
    /// Plays against other regulars, and talks.
    #[default]
    Regular,
    /// Waits for a match, accepts any, and never aborts it.
    Opponent,
    /// Plays crazyhouse with the other player of this role.
    Crazyhouse,
    /// Plays bughouse with the three other players of this role.
    Bughouse,
    /// Relays games of absent players.
    Relay,
}

/// An observation of a simulated player to which the population reacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlayerObservation {
    /// An occasion to talk to this player.
    Occasion(TalkOccasion, Handle),
    GameEnded,
    MyTurn,
    NotMyTurn,
    OfferReceived(u32),
    OfferRemoved(u32),
    /// The player's own seek has this number.
    SeekPosted(u32),
}

/// A client without a connection: reads the server's output with the reader of the core, and answers with commands.
#[derive(Debug, Default)]
pub(super) struct SimulatedPlayer {
    pub(super) name: Handle,
    pub(super) role: SimulatedRole,
    reader: MessageReader,
    /// The last board of the player's game.
    pub(super) board: Option<Arc<Style12>>,
    hands: Option<Hands>,
    /// Offers received.
    offers: BTreeMap<u32, PendingOffer>,
    /// Number of plies that the player plays without thinking time, at the start of a game that begins with the server.
    pub(super) n_instant_plies: u32,
    /// Whether the player lets the clock of this game run out.
    loses_on_time: bool,
    /// The player to talk to.
    pub(super) talk_partner: Option<Handle>,
    pub(super) seek: Option<SeekKind>,
    /// Whether the player is about to answer another's seek.
    pub(super) is_reserved: bool,
}

/// Kind of a seek of a simulated player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeekKind {
    /// Another simulated player will answer it.
    Arranged,
    /// No simulated player answers it; it is withdrawn after a while.
    Open,
}

impl SimulatedPlayer {
    pub(super) fn new(name: Handle, role: SimulatedRole, n_instant_plies: u32) -> Self {
        let mut reader = MessageReader::default();
        reader.framer_mut().disable_line_joining();
        Self { name, role, reader, n_instant_plies, ..Self::default() }
    }

    /// Commands that every simulated player sends after the login.
    pub(super) const LOGIN_COMMANDS: [&'static str; 6] =
        ["set style 12", "set bell 0", "set seek 0", "iset nowrap 1", "iset defprompt 1", "iset pendinfo 1"];

    /// Parses the server's output, updates the player's state, and returns the observations in order.
    pub(super) fn receive_output(&mut self, mut bytes: &[u8]) -> Vec<PlayerObservation> {
        let mut observations = Vec::new();
        while let Some(received) = self.reader.next(&mut bytes) {
            self.process_message(received.message, &mut observations);
        }
        observations
    }

    /// Updates the player's state according to a message, and appends the observations that it causes.
    fn process_message(&mut self, message: Message, observations: &mut Vec<PlayerObservation>) {
        match message {
            Message::Style12(board) if board.relation().is_mine() => self.receive_board(board, observations),
            Message::Holding(holding) if self.is_in_game(holding.game) => {
                self.hands = Some(Hands { white: holding.white, black: holding.black });
            }
            Message::GameEnded(end) if self.is_in_game(end.game) => {
                self.board = None;
                self.hands = None;
                self.loses_on_time = false;
                self.n_instant_plies = 0;
                observations.push(PlayerObservation::GameEnded);
            }
            Message::Pending(offer) if offer.actor == MeOrOther::Other && self.offers.len() < MAX_OFFERS => {
                observations.push(PlayerObservation::OfferReceived(offer.index));
                self.offers.insert(offer.index, PendingOffer::clone(&offer));
            }
            Message::PendingRemoved(removed) => {
                for &number in &removed.indexes {
                    self.offers.remove(&number);
                    observations.push(PlayerObservation::OfferRemoved(number));
                }
            }
            Message::SeekNotice(notice) if let SeekNotice::Posted { index, .. } = *notice => {
                observations.push(PlayerObservation::SeekPosted(index));
            }
            Message::Talk(talk) if matches!(talk.kind, TalkKind::Tell | TalkKind::Say { .. }) => {
                observations.extend(talk.speaker().map(|by| PlayerObservation::Occasion(TalkOccasion::Told, by)));
            }
            Message::Arrival(arrival) if arrival.kind == PresenceChangeKind::Arrived => {
                observations.push(PlayerObservation::Occasion(TalkOccasion::Arrived, arrival.name.clone()));
            }
            _ => {}
        }
    }

    /// Stores a board of the player's game, and adds the observation of whose turn it is.
    fn receive_board(&mut self, board: Arc<Style12>, observations: &mut Vec<PlayerObservation>) {
        if !self.is_in_game(board.game()) {
            let color = board.my_color().unwrap_or(Color::White);
            observations.push(PlayerObservation::Occasion(TalkOccasion::GameStarted, board.player(color.opponent())));
            self.hands = None;
            self.seek = None;
            self.is_reserved = false;
        }
        let is_my_turn = board.relation() == Relation::MyTurn && !self.loses_on_time;
        observations.push(if is_my_turn { PlayerObservation::MyTurn } else { PlayerObservation::NotMyTurn });
        self.board = Some(board);
    }

    /// Returns whether the last board is that of this game.
    fn is_in_game(&self, game: GameId) -> bool {
        self.board.as_ref().is_some_and(|board| board.game() == game)
    }

    /// Returns whether the player makes the next move without thinking time.
    pub(super) fn plays_instantly(&self) -> bool {
        self.board.as_ref().is_some_and(|board| board.ply() < self.n_instant_plies)
    }

    /// Decides on the player's turn, and returns the commands to execute, in order: a move, also after a draw offer, or the end
    /// of the game. Empty if it is not the player's turn, or the player lets the clock run out from now on.
    pub(super) fn choose_turn_commands(&mut self, random: &mut Rng) -> Vec<String> {
        let Some(board) = self.board.as_deref().filter(|board| board.relation() == Relation::MyTurn) else {
            return Vec::new();
        };
        let action = if self.plays_instantly() { TurnAction::Move } else { brain::choose_turn_action(board, random) };
        let first = match action {
            // A program that plays its first game against an opponent is to get a result.
            TurnAction::Abort if self.role != SimulatedRole::Opponent => return vec!["abort".to_owned()],
            TurnAction::Resign => return vec!["resign".to_owned()],
            TurnAction::LoseOnTime => {
                self.loses_on_time = true;
                return Vec::new();
            }
            TurnAction::OfferDraw => Some("draw".to_owned()),
            TurnAction::Abort | TurnAction::Move => None,
        };
        // In bughouse too, only the pieces in hand matter for the choice of a move.
        let variant = if self.hands.is_some() { Variant::Crazyhouse } else { Variant::Standard };
        let position = Position::from_fen(variant, &board.fen().with_hands(self.hands));
        let second = brain::choose_move(&position, random).map(|found| position.san(found));
        first.into_iter().chain(second).collect()
    }

    /// Removes a received offer and returns the command that answers it; `None` if it is no longer pending. The player accepts a
    /// draw or an abort depending on the position, a takeback, adjournment or pause always, a match or a partnership depending on
    /// the role.
    pub(super) fn take_offer_answer(&mut self, number: u32, random: &mut Rng) -> Option<String> {
        let offer = self.offers.remove(&number)?;
        let accepts = match (offer.kind.as_str(), self.board.as_deref()) {
            ("draw", Some(board)) => brain::accepts_draw(board),
            ("abort", Some(board)) => board.ply() < 10 || brain::accepts_draw(board),
            ("takeback" | "adjourn" | "pause" | "unpause", _) => true,
            ("match", None) => self.role != SimulatedRole::Regular || (self.seek.is_none() && random.bool()),
            ("partner", None) => matches!(self.role, SimulatedRole::Bughouse | SimulatedRole::Opponent),
            _ => false,
        };
        Some(format!("{} {number}", if accepts { "accept" } else { "decline" }))
    }
}
