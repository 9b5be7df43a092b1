//! Datagrams of offers: in games, to play, in the seek list.

use smallvec::{SmallVec, smallvec};

use crate::chess::Color;
use crate::message::icc::DatagramMessages;
use crate::message::icc::arguments::NamedArguments;
use crate::message::{
    Challenge, ChallengeChange, ChallengeUpdate, GameId, GameMap, Handle, MeOrOther, Message, OfferKind, OfferNotice,
    Rating, Seek, SeeksRemoved,
};
use crate::text::ServerText;

/// The offer that each argument of datagram 21 stands for, in the order of the arguments after the game.
const OFFERS: [(&str, Color, OfferKind); 8] = [
    ("white_draw", Color::White, OfferKind::Draw),
    ("black_draw", Color::Black, OfferKind::Draw),
    ("white_adjourn", Color::White, OfferKind::Adjourn),
    ("black_adjourn", Color::Black, OfferKind::Adjourn),
    ("white_abort", Color::White, OfferKind::Abort),
    ("black_abort", Color::Black, OfferKind::Abort),
    ("white_takeback", Color::White, OfferKind::Takeback),
    ("black_takeback", Color::Black, OfferKind::Takeback),
];

/// Parses the state of all offers in a game and stores it in `known`. Returns a message for each offer that is new or has
/// changed; `None` if there is no such offer, if the game is not stored, or, without a change of `known`, if an argument is
/// invalid.
pub(super) fn parse_offers(arguments: &NamedArguments<'_>, known: &mut EarlierDatagrams) -> Option<DatagramMessages> {
    let id = arguments.game()?;
    // All arguments are parsed before any is stored: an invalid datagram must not hide a later offer.
    let counts: Option<SmallVec<[u32; 8]>> = OFFERS.iter().map(|(argument, ..)| arguments.number(argument)).collect();
    let mut news = Vec::new();
    let game = known.games.get_mut(id)?;
    for ((open, (_, by, kind)), count) in game.offers.iter_mut().zip(OFFERS).zip(counts?) {
        if open.count != count {
            *open = OpenOffer { count, n_plies: 0 };
            news.extend((count > 0).then_some((by, kind, count)));
        }
    }
    let game = known.games.get(id)?;
    let notice = |(by, kind, count)| Message::from(open_offer_notice(id, game, known, by, kind, count));
    Some(news.into_iter().map(notice).collect()).filter(|notices: &DatagramMessages| !notices.is_empty())
}

/// Creates the same notice of an open offer as for the FICS line about it.
fn open_offer_notice(
    id: GameId,
    game: &GamePlayersAndOffers,
    known: &EarlierDatagrams,
    by: Color,
    kind: OfferKind,
    count: u32,
) -> OfferNotice {
    let name = match by {
        Color::White => &game.white,
        Color::Black => &game.black,
    };
    let is_mine = game.is_mine && known.is_me(name);
    OfferNotice {
        // FICS names the game of an offer only to observers.
        game: (!game.is_mine).then_some(id),
        actor: if is_mine { MeOrOther::Me } else { MeOrOther::Other },
        from: (!is_mine).then(|| name.clone()),
        kind,
        count: (kind == OfferKind::Takeback).then_some(count),
        answer: None,
    }
}

pub(super) fn parse_match_offer(
    arguments: &NamedArguments<'_>,
    known: &mut EarlierDatagrams,
) -> Option<DatagramMessages> {
    let (from, to) = (arguments.handle("from")?, arguments.handle("to")?);
    let from_color = arguments.color("color");
    let clock = |minutes, increment| Some((arguments.number(minutes)?, arguments.number(increment)?));
    let (mut white, mut black): ((u32, u32), (u32, u32)) =
        (clock("from_minutes", "from_increment")?, clock("to_minutes", "to_increment")?);
    // The datagram has the clock of the challenger first, not that of White.
    if from_color == Some(Color::Black) {
        (white, black) = (black, white);
    }
    let (black_initial_min, black_increment_s) = (black != white).then_some(black).unzip();
    let wild = arguments.bytes("wild").filter(|number| *number != b"0");
    let challenge = Challenge {
        actor: if known.is_me(&from) { MeOrOther::Me } else { MeOrOther::Other },
        from,
        from_titles: arguments.titles("from_titles"),
        from_rating: annotated_rating(arguments, "from_rating", "from_provisional")?,
        from_color,
        to,
        to_rating: annotated_rating(arguments, "to_rating", "to_provisional")?,
        rated: arguments.flag("rated")?,
        kind: arguments.server_text("kind").unwrap_or_default(),
        initial_min: Some(white.0),
        increment_s: Some(white.1),
        black_initial_min,
        black_increment_s,
        // As in the server's texts: `w22`, nothing for standard chess.
        loaded_from: wild.map(|number| ServerText::from_wire(&[b"w", number].concat())),
        adjourned: arguments.flag("adjourned")?,
        options: None,
    };
    Some(smallvec![challenge.into()])
}

pub(super) fn parse_match_removed(
    arguments: &NamedArguments<'_>,
    known: &mut EarlierDatagrams,
) -> Option<DatagramMessages> {
    let (from, to) = (arguments.handle("from")?, arguments.handle("to")?);
    let (actor, name) = if known.is_me(&from) { (MeOrOther::Me, to) } else { (MeOrOther::Other, from) };
    let update = ChallengeUpdate { name: Some(name), actor, change: ChallengeChange::Removed };
    Some(smallvec![update.into()])
}

pub(super) fn parse_seek(arguments: &NamedArguments<'_>) -> Option<Message> {
    let seek = Seek {
        titles: arguments.titles("titles"),
        rating: Some(annotated_rating(arguments, "rating", "provisional")?),
        initial_min: arguments.number("minutes"),
        increment_s: arguments.number("increment"),
        rated: arguments.flag("rated"),
        kind: arguments.server_text("kind"),
        color: arguments.color("color"),
        rating_min: arguments.number("rating_min"),
        rating_max: arguments.number("rating_max"),
        automatic: arguments.flag("automatic"),
        formula: arguments.flag("formula"),
        ..Seek::empty(arguments.number("index")?, arguments.handle("name")?, true)
    };
    Some(seek.into())
}

pub(super) fn parse_seek_removed(arguments: &NamedArguments<'_>) -> Option<Message> {
    Some(SeeksRemoved { indexes: vec![arguments.number("index")?] }.into())
}

/// Parses the argument `value` as a rating whose meaning the argument `annotation` gives: 0 unrated, 1 provisional, any other
/// established. `None` if an argument is missing, or the rating is not a number.
fn annotated_rating(arguments: &NamedArguments<'_>, value: &str, annotation: &str) -> Option<Rating> {
    let value = arguments.number(value)?;
    match arguments.bytes(annotation)? {
        b"0" => Some(Rating::Unrated),
        b"1" => Some(Rating::Provisional(value)),
        _ => Some(Rating::Established(value)),
    }
}

/// Most games that are stored, more than any server has in progress. At the limit, a new game evicts the one with the lowest
/// number that this login neither plays nor examines.
const MAX_GAMES: usize = 2048;

/// The name of this login, and the players and open offers of games, as earlier datagrams reported them.
#[derive(Clone, Debug, Default)]
pub(crate) struct EarlierDatagrams {
    /// The name of this login; empty as long as it is unknown.
    pub(in crate::message) me: Handle,
    /// The games whose start was received, without those that were evicted or removed.
    pub(super) games: GameMap<GamePlayersAndOffers>,
}

/// The players and open offers of a game, and whether this login takes part in it.
#[derive(Clone, Debug)]
pub(super) struct GamePlayersAndOffers {
    pub(super) white: Handle,
    pub(super) black: Handle,
    /// Whether this login plays or examines it.
    pub(super) is_mine: bool,
    /// The open offers, in the order of the arguments of datagram 21.
    pub(super) offers: [OpenOffer; 8],
}

/// The open offer of one kind by one side of a game, if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenOffer {
    /// 0 if no offer is open; the number of plies of an open takeback; any other number for an open offer of another kind.
    pub(super) count: u32,
    /// Plies since the offer was made.
    pub(super) n_plies: u8,
}

/// Number of plies after which an offer is void: one of two is the opponent's move, which declines the offer without a message.
const OFFER_LIFETIME_PLIES: u8 = 2;

impl EarlierDatagrams {
    /// Returns whether `name` is the name of this login; `false` as long as that name is unknown.
    pub(super) fn is_me(&self, name: &Handle) -> bool {
        self.me == *name && !name.as_str().is_empty()
    }

    /// Stores the players of a game, without open offers. Replaces an entry with the same number; evicts another one if there are
    /// [`MAX_GAMES`] already.
    pub(in crate::message) fn add_game(&mut self, game: GameId, white: Handle, black: Handle, is_mine: bool) {
        if self.games.len() >= MAX_GAMES && self.games.get(game).is_none() {
            // Games of this login stay: their offers could not be reported without the names.
            let others = self.games.iter().find(|(_, known)| !known.is_mine);
            if let Some((evicted, _)) = others.or_else(|| self.games.iter().next()) {
                self.games.remove(evicted);
            }
        }
        self.games.insert(game, GamePlayersAndOffers { white, black, is_mine, offers: [OpenOffer::default(); 8] });
    }

    /// Counts a ply for each open offer of a game, and removes the offers that are void after it.
    pub(super) fn count_move_and_expire_offers(&mut self, game: GameId) {
        let Some(game) = self.games.get_mut(game) else { return };
        for offer in game.offers.iter_mut().filter(|offer| offer.count > 0) {
            offer.n_plies = offer.n_plies.saturating_add(1);
            if offer.n_plies >= OFFER_LIFETIME_PLIES {
                *offer = OpenOffer::default();
            }
        }
    }
}
