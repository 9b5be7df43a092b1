//! Datagrams of offers: in games, to play, in the seek list.

use smallvec::SmallVec;

use super::DatagramMessages;
use super::context::{DatagramContext, GameContext};
use super::kind::Arguments;
use crate::chess::Color;
use crate::message::{
    Challenge, ChallengeChange, ChallengeUpdate, Confidence, GameId, MeOrOther, Message, Offer, OfferKind, Rating,
    Seek, SeeksRemoved,
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

/// Parses the list of all open offers in a game, stores it, and emits the new and changed ones. `None` if there are none, or if
/// the game is not stored.
pub(super) fn parse_game_offers(arguments: &Arguments<'_>, context: &mut DatagramContext) -> Option<DatagramMessages> {
    let id = arguments.game()?;
    // All arguments are parsed before any is stored: a datagram that is emitted as one must not hide a later offer.
    let counts: Option<SmallVec<[u32; 8]>> = OFFERS.iter().map(|(argument, ..)| arguments.number(argument)).collect();
    let mut news = Vec::new();
    let game = context.game_mut(id)?;
    for ((open, (_, by, kind)), count) in game.offers.iter_mut().zip(OFFERS).zip(counts?) {
        if open.update_count(count) {
            news.push((by, kind, count));
        }
    }
    let game = context.game(id)?;
    let mut offers =
        news.into_iter().map(|(by, kind, count)| Message::from(pending_offer_of(id, game, context, by, kind, count)));
    Some(DatagramMessages { first: offers.next()?, more: offers.collect() })
}

/// Creates the message of an open offer, equal to that of the FICS line.
fn pending_offer_of(
    id: GameId,
    game: &GameContext,
    context: &DatagramContext,
    by: Color,
    kind: OfferKind,
    count: u32,
) -> Offer {
    let name = match by {
        Color::White => &game.white,
        Color::Black => &game.black,
    };
    let is_mine = game.is_mine && context.is_me(name);
    Offer {
        // FICS names the game of an offer only to observers; this message is to be equal to that of FICS.
        game: (!game.is_mine).then_some(id),
        actor: if is_mine { MeOrOther::Me } else { MeOrOther::Other },
        from: (!is_mine).then(|| name.clone()),
        kind,
        count: (kind == OfferKind::Takeback).then_some(count),
        answer: None,
    }
}

pub(super) fn parse_match_offer(arguments: &Arguments<'_>, context: &mut DatagramContext) -> Option<DatagramMessages> {
    let (from, to) = (arguments.handle("from")?, arguments.handle("to")?);
    let from_color = read_color(arguments);
    let clock = |minutes, increment| Some((arguments.number(minutes)?, arguments.number(increment)?));
    let (mut white, mut black): ((u32, u32), (u32, u32)) =
        (clock("from_minutes", "from_increment")?, clock("to_minutes", "to_increment")?);
    // The clocks are those of the challenger and of the other player, not of White and Black.
    if from_color == Some(Color::Black) {
        (white, black) = (black, white);
    }
    let (black_initial_min, black_increment_s) = (black != white).then_some(black).unzip();
    let challenge = Challenge {
        actor: if context.is_me(&from) { MeOrOther::Me } else { MeOrOther::Other },
        from,
        from_rating: read_rating(arguments, "from_rating", "from_provisional")?,
        from_color,
        to,
        to_rating: read_rating(arguments, "to_rating", "to_provisional")?,
        rated: arguments.flag("rated")?,
        kind: arguments.word("kind").unwrap_or_default(),
        initial_min: Some(white.0),
        increment_s: Some(white.1),
        black_initial_min,
        black_increment_s,
        loaded_from: read_wild_variant(arguments),
        adjourned: arguments.flag("adjourned")?,
        options: None,
    };
    Some(Message::from(challenge).into())
}

pub(super) fn parse_match_removed(
    arguments: &Arguments<'_>,
    context: &mut DatagramContext,
) -> Option<DatagramMessages> {
    let (from, to) = (arguments.handle("from")?, arguments.handle("to")?);
    let (actor, name) = if context.is_me(&from) { (MeOrOther::Me, to) } else { (MeOrOther::Other, from) };
    let update = ChallengeUpdate { name: Some(name), actor, change: ChallengeChange::Removed };
    Some(Message::from(update).into())
}

pub(super) fn parse_seek(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let seek = Seek {
        titles: arguments.titles("titles"),
        rating: Some(read_rating(arguments, "rating", "provisional")?),
        initial_min: arguments.number("minutes"),
        increment_s: arguments.number("increment"),
        rated: arguments.flag("rated"),
        kind: arguments.word("kind"),
        color: read_color(arguments),
        rating_min: arguments.number("rating_min"),
        rating_max: arguments.number("rating_max"),
        automatic: arguments.flag("automatic"),
        formula: arguments.flag("formula"),
        ..Seek::empty(arguments.number("index")?, arguments.handle("name")?, true)
    };
    Some(Message::from(seek).into())
}

pub(super) fn parse_seek_removed(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    Some(Message::from(SeeksRemoved { indexes: vec![arguments.number("index")?] }).into())
}

/// Parses the requested color: 1 is White, 0 Black; `None` for either color (-1) or a missing argument.
fn read_color(arguments: &Arguments<'_>) -> Option<Color> {
    match arguments.bytes("color")? {
        b"1" => Some(Color::White),
        b"0" => Some(Color::Black),
        _ => None,
    }
}

/// Parses a rating with its annotation: 0 for no rating, 1 provisional, any other established. `None` if an argument is missing
/// or the rating is not a number.
fn read_rating(arguments: &Arguments<'_>, value: &str, annotation: &str) -> Option<Rating> {
    let value = arguments.number(value)?;
    match arguments.bytes(annotation)? {
        b"0" => Some(Rating::Unrated),
        b"1" => Some(Rating::Rated(value, Confidence::Provisional)),
        _ => Some(Rating::Rated(value, Confidence::Established)),
    }
}

/// Returns the number of a variant as the server's texts write it, `w22`; `None` for standard chess.
fn read_wild_variant(arguments: &Arguments<'_>) -> Option<ServerText> {
    let number = arguments.bytes("wild").filter(|number| *number != b"0")?;
    Some(ServerText::from_wire(&[b"w", number].concat()))
}
