//! One simulated player: a client that reads the server's output and decides on commands.

use std::collections::BTreeMap;
use std::sync::Arc;

use kibitzer_core::chess::{Color, Hands};
use kibitzer_core::message::{
    ArrivalKind, GameId, Handle, Message, Pending, PendingDirection, Reader, Relation, SeekNotice, Style12, TalkKind,
};

use super::pace;
use super::{brain, phrases};
use crate::chess::{Move, Position, Variant};
use crate::random::Random;

/// Number of offers a simulated player remembers; others are not answered.
const MAX_OFFERS: usize = 32;

/// Role of a simulated player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// Plays against other simulated players.
    Regular,
    /// Waits for a match and accepts any.
    Opponent,
    /// Plays crazyhouse with the other one.
    Crazyhouse,
    /// Plays bughouse with the three others.
    Bughouse,
    /// Relays games.
    Relay,
}

/// An observation of a simulated player that concerns others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Noticed {
    /// A game began; the opponent may not be simulated.
    GameStarted {
        opponent: Handle,
    },
    GameEnded,
    /// The player is on move.
    MyTurn,
    /// It is not, or not any more.
    NotMyTurn,
    /// An offer was received.
    Offered(u32),
    OfferGone(u32),
    /// The player's own seek has this number.
    SeekPosted(u32),
    /// A tell was received.
    Told {
        by: Handle,
    },
    /// A player arrived.
    Arrived {
        who: Handle,
    },
}

/// A simulated player. He is a client like any other: he reads what the server sends and answers with commands.
#[derive(Debug)]
pub(super) struct Simulated {
    pub(super) name: Handle,
    pub(super) part: Part,
    reader: Reader,
    /// The game, as of the last board.
    board: Option<Arc<Style12>>,
    hands: Option<Hands>,
    /// Offers received.
    offers: BTreeMap<u32, Pending>,
    /// Plies played without thinking in a game that starts with the server.
    pub(super) n_hurried_plies: u32,
    /// Whether the player lets the clock run out.
    is_asleep: bool,
    /// The player to talk to.
    pub(super) partner_in_talk: Option<Handle>,
    /// Whether he has an ad, and is about to take another's.
    pub(super) ad: Option<Ad>,
    pub(super) is_promised: bool,
}

/// An ad of a simulated player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ad {
    /// Another simulated player will take it.
    Arranged,
    /// No simulated player answers it; it is withdrawn after a while.
    Open,
}

impl Simulated {
    pub(super) fn new(name: Handle, part: Part, n_hurried_plies: u32) -> Self {
        let mut reader = Reader::default();
        reader.framer_mut().set_unwrapped();
        Self {
            name,
            part,
            reader,
            board: None,
            hands: None,
            offers: BTreeMap::new(),
            n_hurried_plies,
            is_asleep: false,
            partner_in_talk: None,
            ad: None,
            is_promised: false,
        }
    }

    /// Commands sent after the login.
    pub(super) const HABITS: [&'static str; 6] =
        ["set style 12", "set bell 0", "set seek 0", "iset nowrap 1", "iset defprompt 1", "iset pendinfo 1"];

    /// Whether the player neither plays nor is about to.
    pub(super) const fn is_free(&self) -> bool {
        self.board.is_none() && self.ad.is_none() && !self.is_promised
    }

    /// The number of the player's game.
    pub(super) fn game(&self) -> Option<GameId> {
        self.board.as_ref().map(|board| board.game())
    }

    pub(super) fn board(&self) -> Option<&Style12> {
        self.board.as_deref()
    }

    /// Reads the server's output.
    pub(super) fn hear(&mut self, mut bytes: &[u8]) -> Vec<Noticed> {
        let mut noticed = Vec::new();
        while let Some(received) = self.reader.next(&mut bytes) {
            self.notice(received.message, &mut noticed);
        }
        noticed
    }

    fn notice(&mut self, message: Message, noticed: &mut Vec<Noticed>) {
        match message {
            Message::Style12(board) if board.relation().is_mine() => self.see(board, noticed),
            Message::Holding(holding) if self.game() == Some(holding.game) => {
                self.hands = Some(Hands { white: holding.white, black: holding.black });
            }
            Message::GameEnded(end) if self.game() == Some(end.game) => {
                self.leave_game();
                noticed.push(Noticed::GameEnded);
            }
            Message::Pending(offer) if offer.direction == PendingDirection::From && self.offers.len() < MAX_OFFERS => {
                noticed.push(Noticed::Offered(offer.index));
                self.offers.insert(offer.index, offer);
            }
            Message::PendingRemoved(removed) => {
                for number in removed.indexes {
                    self.offers.remove(&number);
                    noticed.push(Noticed::OfferGone(number));
                }
            }
            Message::SeekNotice(SeekNotice::Posted { index }) => noticed.push(Noticed::SeekPosted(index)),
            Message::Talk(talk) if matches!(talk.kind, TalkKind::Tell | TalkKind::Say { .. }) => {
                noticed.extend(talk.from.map(|by| Noticed::Told { by }));
            }
            Message::Arrival(arrival) if arrival.kind == ArrivalKind::Arrived => {
                noticed.push(Noticed::Arrived { who: arrival.name });
            }
            _ => {}
        }
    }

    fn see(&mut self, board: Arc<Style12>, noticed: &mut Vec<Noticed>) {
        let is_new = self.game() != Some(board.game());
        if is_new {
            let color = board.my_color().unwrap_or(Color::White);
            noticed.push(Noticed::GameStarted { opponent: board.player(color.opponent()) });
            (self.hands, self.ad, self.is_promised) = (None, None, false);
        }
        let is_mine = board.relation() == Relation::MyTurn;
        noticed.push(if is_mine && !self.is_asleep { Noticed::MyTurn } else { Noticed::NotMyTurn });
        self.board = Some(board);
    }

    fn leave_game(&mut self) {
        (self.board, self.hands, self.is_asleep, self.n_hurried_plies) = (None, None, false, 0);
    }

    /// Whether the next move is made at once.
    pub(super) fn is_in_a_hurry(&self) -> bool {
        self.board.as_ref().is_some_and(|board| board.ply() < self.n_hurried_plies)
    }

    /// Commands sent at the player's turn, in order.
    pub(super) fn take_turn(&mut self, random: &mut Random) -> Vec<String> {
        let Some(board) = self.board.as_deref().filter(|board| board.relation() == Relation::MyTurn) else {
            return Vec::new();
        };
        let whim = if self.is_in_a_hurry() { pace::IdleAction::Move } else { pace::whim(board, random) };
        match whim {
            pace::IdleAction::Abort => vec!["abort".to_owned()],
            pace::IdleAction::Resign => vec!["resign".to_owned()],
            pace::IdleAction::DozeOff => {
                self.is_asleep = true;
                Vec::new()
            }
            pace::IdleAction::OfferDraw => ["draw".to_owned()].into_iter().chain(self.find_move(random)).collect(),
            pace::IdleAction::Move => self.find_move(random).into_iter().collect(),
        }
    }

    /// The chosen move, as typed.
    fn find_move(&self, random: &mut Random) -> Option<String> {
        let board = self.board.as_deref()?;
        // Pieces of the partner's come and go; what can be dropped is all that matters here.
        let variant = if self.hands.is_some() { Variant::Crazyhouse } else { Variant::Standard };
        let position = Position::from_fen(variant, &board.fen().with_hands(self.hands));
        brain::choose(&position, random).map(|found| typed(&position, found))
    }

    /// The answer to an offer; `None` if it is gone.
    pub(super) fn answer(&mut self, number: u32, random: &mut Random) -> Option<String> {
        let offer = self.offers.remove(&number)?;
        let answer = if self.accepts(&offer, random) { "accept" } else { "decline" };
        Some(format!("{answer} {number}"))
    }

    fn accepts(&self, offer: &Pending, random: &mut Random) -> bool {
        match (offer.kind.as_str(), self.board.as_deref()) {
            ("draw", Some(board)) => pace::accepts_draw(board),
            ("abort", Some(board)) => board.ply() < 10 || pace::accepts_draw(board),
            ("takeback" | "adjourn" | "pause" | "unpause", _) => true,
            ("match", None) => self.part != Part::Regular || (self.ad.is_none() && random.below(2) == 0),
            ("partner", None) => matches!(self.part, Part::Bughouse | Part::Opponent),
            _ => false,
        }
    }

    /// A remark about the player's game.
    pub(super) fn kibitz(&self, random: &mut Random) -> Option<String> {
        self.board.as_ref()?;
        random.pick(&phrases::KIBITZES).map(|text| format!("kibitz {text}"))
    }
}

/// A move as it is typed: squares, which are never ambiguous.
fn typed(position: &Position, found: Move) -> String {
    match found {
        Move::Normal { from, to, promotion, .. } => {
            let mut text = format!("{from}{to}");
            text.extend(promotion.into_iter().flat_map(|role| ['=', role.letter()]));
            text
        }
        Move::Castle(_) | Move::Drop { .. } => position.san(found),
    }
}
