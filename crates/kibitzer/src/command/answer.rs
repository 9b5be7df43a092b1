//! Finding the answer in a reply.

use std::collections::BTreeSet;
use std::sync::Arc;

use kibitzer_core::Event;
use kibitzer_core::event::RequestError;
use kibitzer_core::game::Change;
use kibitzer_core::message::listing::Listing;
use kibitzer_core::message::{GameCreated, GameEnded, GameId, Handle, Message, Relation, Style12};
use kibitzer_core::session::Reply;
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
pub(super) fn own_board(reply: &Reply) -> Option<&Arc<Style12>> {
    let boards = reply.events.iter().rev().filter_map(|event| board_of(event));
    boards.into_iter().find(|board| board.relation().is_mine() || board.relation() == Relation::Examining)
}

/// The last board of this game.
pub(super) fn board_of_game(reply: &Reply, game: GameId) -> Option<&Arc<Style12>> {
    reply.events.iter().rev().filter_map(|event| board_of(event)).find(|board| board.game() == game)
}

/// The board an event brings; none that was printed on request, or drawn in style 10, which numbers games otherwise.
fn board_of(event: &Event) -> Option<&Arc<Style12>> {
    let Event::Received { received, change } = event else { return None };
    match &received.message {
        Message::Style12(board) => Some(board).filter(|board| !board.relation().is_isolated()),
        _ => change.as_ref()?.board.as_ref(),
    }
}

/// The end of the game that this login plays. Others end meanwhile: those it observes, and with the variable `gin` on, all.
pub(super) fn own_end(reply: &Reply) -> Option<&GameEnded> {
    let is_mine = |change: Option<&Change>| change.is_some_and(|change| change.relation.is_mine());
    ends(reply).find(|&(change, _)| is_mine(change)).map(|(_, ended)| ended)
}

/// [`own_end`], or else the end of the only game that may be meant although no board of it could be read.
pub(super) fn likely_end(reply: &Reply) -> Option<&GameEnded> {
    own_end(reply).or_else(|| {
        // Some servers tell an observer twice, and only the first changes anything.
        let known: BTreeSet<_> = ends(reply).filter_map(|(change, _)| change).map(|change| change.game).collect();
        let unknown = ends(reply).map(|(_, ended)| ended).filter(|ended| !known.contains(&ended.game));
        only(reply, unknown, |ended| ended.game)
    })
}

/// What is told of one game and no other, in a reply without a board of this login's.
fn only<'a, T>(reply: &Reply, mut told: impl Iterator<Item = &'a T>, game: impl Fn(&T) -> GameId) -> Option<&'a T> {
    let first = told.next()?;
    (told.all(|other| game(other) == game(first)) && own_board(reply).is_none()).then_some(first)
}

/// The end of this game.
pub(super) fn end_of_game(reply: &Reply, game: GameId) -> Option<&GameEnded> {
    ends(reply).map(|(_, ended)| ended).find(|ended| ended.game == game)
}

/// The ends of games, each with what it changed.
fn ends(reply: &Reply) -> impl Iterator<Item = (Option<&Change>, &GameEnded)> {
    reply.events.iter().filter_map(|event| match event.message() {
        Some(Message::GameEnded(ended)) => Some((event.change(), ended)),
        _ => None,
    })
}

/// The game of this login that begins or goes on, with this player in it if one is named: its first board follows. Others
/// begin meanwhile: with the variable `gin` on, servers tell of all.
pub(super) fn own_start<'a>(reply: &'a Reply, player: Option<&Handle>) -> Option<&'a GameCreated> {
    let mut boards = BTreeSet::new();
    reply.events.iter().rev().find_map(|event| {
        boards.extend(board_of(event).filter(|board| board.relation().is_mine()).map(|board| board.game()));
        created(event, player).filter(|created| boards.contains(&created.game))
    })
}

/// [`own_start`], or else the only game that may be meant although no board of it could be read.
pub(super) fn likely_start<'a>(reply: &'a Reply, player: Option<&Handle>) -> Option<&'a GameCreated> {
    own_start(reply, player)
        .or_else(|| only(reply, reply.events.iter().filter_map(|event| created(event, player)), |created| created.game))
}

/// A game that begins or goes on, with this player in it if one is named.
fn created<'a>(event: &'a Event, player: Option<&Handle>) -> Option<&'a GameCreated> {
    let Some(Message::GameCreated(created)) = event.message() else { return None };
    let players = [&created.white, &created.black];
    let is_in = |player: &Handle| players.iter().any(|name| name.is_same_player(player.as_str()));
    player.is_none_or(is_in).then_some(created)
}

/// What the server says first; empty if it says nothing but what comes unasked.
pub(super) fn said(reply: &Reply) -> PlayerText {
    PlayerText::from_wire(reply.answer().map_or(&[], |event| event.raw().trim_ascii()))
}
