//! Searching a reply for the answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use kibitzer_core::Event;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::listing::{AnyListing, Listing};
use kibitzer_core::message::{GameCreated, GameEnded, Handle, Message, Relation, Style12};
use kibitzer_core::session::Reply;
use kibitzer_core::text::PlayerText;

/// Returns the first result of `pick` for the messages of a reply. Fails with [`unexpected_reply`] if it accepts none.
pub(super) fn find_in_messages<'a, T>(
    reply: &'a Reply,
    pick: impl Fn(&'a Message) -> Option<T>,
) -> Result<T, RequestError> {
    reply.messages().find_map(pick).ok_or_else(|| unexpected_reply(reply))
}

/// Returns the first result of `read` for the lines that the command caused. Fails with [`unexpected_reply`] if it accepts none.
pub(super) fn find_in_lines<'a, T>(reply: &'a Reply, read: impl Fn(&'a [u8]) -> Option<T>) -> Result<T, RequestError> {
    reply.answers().map(Event::raw).find_map(read).ok_or_else(|| unexpected_reply(reply))
}

/// Returns the listing in the reply, which the session has parsed. Otherwise parses the lines that the command caused, and fails
/// with [`RequestError::Listing`] if they are not a complete listing.
pub(super) fn parse_listing<L: Listing + Clone + 'static>(reply: &Reply) -> Result<L, RequestError> {
    if let Some(listing) = reply.listing().and_then(AnyListing::downcast_ref::<L>) {
        return Ok(listing.clone());
    }
    L::parse(reply.answers().map(Event::raw))
        .map_err(|source| RequestError::invalid_listing(source, first_answer_line(reply)))
}

/// Returns the error of a reply without an answer: a refusal in any line, otherwise the first line.
pub(super) fn unexpected_reply(reply: &Reply) -> RequestError {
    reply
        .answers()
        .find_map(RequestError::from_refusal)
        .unwrap_or_else(|| RequestError::unexpected(first_answer_line(reply)))
}

/// Returns the last board of a game that this login plays or examines; `None` if there is none.
pub(super) fn last_own_board(reply: &Reply) -> Option<&Arc<Style12>> {
    boards_from_last(reply).find(|board| board.relation().is_mine() || board.relation() == Relation::Examining)
}

/// Returns the boards of a reply, the last one first.
pub(super) fn boards_from_last(reply: &Reply) -> impl Iterator<Item = &Arc<Style12>> {
    reply.events.iter().rev().filter_map(board_in_event)
}

/// Returns the style 12 board in an event, or for another message the board of the game that it changed. `None` without either,
/// for a board that was requested once, and for a board in style 10, whose game numbers differ.
fn board_in_event(event: &Event) -> Option<&Arc<Style12>> {
    let is_style10 = matches!(event.message(), Some(Message::Style10(_)));
    event.board().filter(|board| !is_style10 && !board.relation().is_isolated())
}

/// Returns the end of the game that this login plays; `None` if it has not ended. Other games may end in the same reply: observed
/// ones, and all if the variable `gin` is set.
pub(super) fn own_game_end(reply: &Reply) -> Option<&GameEnded> {
    reply.events.iter().filter(|event| event.attribution().is_own_game()).find_map(Event::game_ended)
}

/// Returns the last game of this login that begins or is resumed, with `player` if one is given. `None` without one; other games may
/// begin in the same reply if the variable `gin` is set. Without a known name of the login, its board has to follow.
pub(super) fn own_game_start<'a>(reply: &'a Reply, player: Option<&Handle>) -> Option<&'a GameCreated> {
    let mut boards = BTreeSet::new();
    reply.events.iter().rev().find_map(|event| {
        boards.extend(board_in_event(event).filter(|board| board.relation().is_mine()).map(|board| board.game()));
        let is_own = |created: &&GameCreated| event.attribution().is_own_game() || boards.contains(&created.game);
        game_start_in(event, player).filter(is_own)
    })
}

/// Returns the game that begins or is resumed by this event; `None` for other events, or if `player` is given and not in the
/// game.
fn game_start_in<'a>(event: &'a Event, player: Option<&Handle>) -> Option<&'a GameCreated> {
    let Some(Message::GameCreated(created)) = event.message() else { return None };
    player.is_none_or(|player| [&created.white, &created.black].contains(&player)).then_some(created)
}

/// Returns the first line that the command caused, without blanks around it; empty if there is none.
pub(super) fn first_answer_line(reply: &Reply) -> PlayerText {
    PlayerText::from_wire(reply.first_answer().map_or(&[], |event| event.raw().trim_ascii()))
}
