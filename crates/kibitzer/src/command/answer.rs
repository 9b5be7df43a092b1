//! Finding the answer in a reply.

use kibitzer_core::Event;
use kibitzer_core::message::listing::Listing;
use kibitzer_core::message::{GameCreated, GameEnded, GameId, Handle, Message, Relation, Style12};
use kibitzer_core::session::{Reply, RequestError};
use kibitzer_core::text::PlayerText;

/// The first message that `pick` takes, or the error that tells what the server said instead.
pub(super) fn first<'a, T>(reply: &'a Reply, pick: impl Fn(&'a Message) -> Option<T>) -> Result<T, RequestError> {
    reply.messages().find_map(pick).ok_or_else(|| unexpected(reply))
}

/// The first line that `read` takes, or the error that tells what the server said instead.
pub(super) fn first_line<'a, T>(reply: &'a Reply, read: impl Fn(&'a [u8]) -> Option<T>) -> Result<T, RequestError> {
    reply.answers().map(Event::raw).find_map(read).ok_or_else(|| unexpected(reply))
}

/// The whole reply as a listing, without what came in between.
pub(super) fn listing<L: Listing>(reply: &Reply) -> Result<L, RequestError> {
    L::parse(reply.answers().map(Event::raw)).map_err(|source| RequestError::Listing { source, text: said(reply) })
}

/// The error that tells what the server said. A refusal may stand behind other lines.
pub(super) fn unexpected(reply: &Reply) -> RequestError {
    reply.answers().find_map(RequestError::of_line).unwrap_or_else(|| RequestError::Unexpected { text: said(reply) })
}

/// The last board of a game in which this login moves the pieces.
pub(super) fn own_board(reply: &Reply) -> Option<&Style12> {
    let boards = reply.events.iter().rev().filter_map(|event| board_of(event));
    boards.into_iter().find(|board| board.relation.is_mine() || board.relation == Relation::Examining)
}

/// The last board of this game.
pub(super) fn board_of_game(reply: &Reply, game: GameId) -> Option<&Style12> {
    reply.events.iter().rev().filter_map(|event| board_of(event)).find(|board| board.game == game)
}

/// The board an event brings; none that was printed on request, or drawn in style 10, which numbers games otherwise.
fn board_of(event: &Event) -> Option<&Style12> {
    let Event::Received { received, change } = event else { return None };
    match &received.message {
        Message::Style12(board) if !board.relation.is_isolated() => Some(board),
        Message::Delta(_) => change.as_ref()?.board.as_deref(),
        _ => None,
    }
}

/// The end of a game that this session follows, or else of any: with the variable `gin` on, servers tell of all.
pub(super) fn ended(reply: &Reply) -> Option<&GameEnded> {
    let followed = ends(reply).find(|(game, _)| game.is_some());
    followed.or_else(|| ends(reply).next()).map(|(_, ended)| ended)
}

/// The end of this game.
pub(super) fn end_of_game(reply: &Reply, game: GameId) -> Option<&GameEnded> {
    ends(reply).map(|(_, ended)| ended).find(|ended| ended.game == game)
}

/// The ends of games, each with the game if this session follows it.
fn ends(reply: &Reply) -> impl Iterator<Item = (Option<GameId>, &GameEnded)> {
    reply.events.iter().filter_map(|event| match event.message() {
        Some(Message::GameEnded(ended)) => Some((event.game(), ended)),
        _ => None,
    })
}

/// The game that begins or goes on, with this player in it if one is named.
pub(super) fn created<'a>(reply: &'a Reply, player: Option<&Handle>) -> Option<&'a GameCreated> {
    let has = |created: &GameCreated, player: &Handle| {
        [&created.white, &created.black].iter().any(|name| name.is_same_player(player.as_str()))
    };
    reply.messages().find_map(|message| match message {
        Message::GameCreated(created) if player.is_none_or(|player| has(created, player)) => Some(created),
        _ => None,
    })
}

/// What the server says first; empty if it says nothing but what comes unasked.
pub(super) fn said(reply: &Reply) -> PlayerText {
    PlayerText::from_wire(reply.answer().map_or(&[], |event| event.raw().trim_ascii()))
}
