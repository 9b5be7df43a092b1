//! Names the outcome of each cell, and explains the names.

use kibitzer_core::Event;
use kibitzer_core::event::{
    CloseCause, LoginError, LostCause, RequestError, RestoreOutcome, RestoredGame, SessionEndReason,
};
use kibitzer_core::message::Message;
use kibitzer_core::session::{Reply, SessionState};

/// Returns the outcome of a session that emitted `events`.
pub(crate) fn life(state: &SessionState, events: &[Event]) -> String {
    let causes: Vec<_> = events.iter().filter_map(lost).collect();
    let was_ready = events.iter().any(|event| matches!(event, Event::SessionReady(_)));
    match state {
        SessionState::Ready if causes.is_empty() => "continues".to_owned(),
        SessionState::Ready => format!("restored ({})", distinct(&causes).join(", then ")),
        SessionState::Ended(reason) if was_ready && causes.is_empty() => format!("ended: {}", words(reason)),
        SessionState::Ended(reason) if was_ready => {
            format!("ended: {} ({})", words(reason), distinct(&causes).join(", then "))
        }
        SessionState::Ended(reason) => format!("no session: {}", words(reason)),
        other => panic!("not settled: {other:?}, {events:#?}"),
    }
}

fn lost(event: &Event) -> Option<String> {
    let Event::Lost(loss) = event else { return None };
    Some(match &loss.cause {
        LostCause::Connection(CloseCause::Closed) => "closed".to_owned(),
        LostCause::Connection(CloseCause::Silent) => "silent".to_owned(),
        LostCause::Dial(_) => "not connected".to_owned(),
        LostCause::Login(error) => login(error),
        other => other.to_string(),
    })
}

/// The error without the line that it quotes.
fn login(error: &LoginError) -> String {
    match error {
        LoginError::NoLoginPrompt(_) => "no login prompt".to_owned(),
        other => other.to_string(),
    }
}

fn distinct(causes: &[String]) -> Vec<String> {
    let mut distinct = causes.to_vec();
    distinct.dedup();
    distinct
}

fn words(reason: &SessionEndReason) -> String {
    match reason {
        SessionEndReason::Login(error) => login(error),
        SessionEndReason::Dial(_) => "not connected".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the outcome of a request that was in flight.
pub(crate) fn request(result: &Result<Reply, RequestError>, want: &str) -> String {
    match result {
        Ok(reply) if reply.text().contains(want) => "request answered",
        Ok(reply) => panic!("another's reply: {reply:?}"),
        Err(RequestError::Lost) => "request lost",
        Err(RequestError::Ended(_)) => "request ended",
        Err(RequestError::TimedOut(_)) => "request timed out",
        Err(other) => panic!("{other:?}"),
    }
    .to_owned()
}

/// Returns the outcome of a game after a lost connection.
pub(crate) fn game(events: &[Event]) -> String {
    let restored = events.iter().find_map(|event| match event {
        Event::Restored(restored) => Some(&restored.games[..]),
        _ => None,
    });
    let has_ended = events.iter().any(|event| matches!(event.message(), Some(Message::GameEnded(_))));
    match restored {
        Some([game]) => outcome(game).to_owned(),
        Some([]) if has_ended => "game ended".to_owned(),
        _ => panic!("the game is not reported: {restored:?}"),
    }
}

fn outcome(game: &RestoredGame) -> &'static str {
    match game.outcome {
        RestoreOutcome::Unchanged => "game unchanged",
        RestoreOutcome::Advanced { .. } => "game advanced",
        RestoreOutcome::Interrupted => "game interrupted",
        other => panic!("{other:?}"),
    }
}

/// What each word means for a bot. A word in front of a bracket or a colon stands for all that is in it.
pub(crate) const MEANINGS: [(&str, &str); 13] = [
    (
        "continues",
        "The session is not interrupted and emits no event of its own. Bytes that form no line of the server are emitted as text, an over-long \
         line is cut and marked. Later output is parsed correctly, and requests are answered.",
    ),
    (
        "restored",
        "`Lost` is emitted with the cause in brackets and the delay of the next attempt, then `Connecting`, `Connected`, \
         `LoggedIn`, `SessionReady`, and `Restored` with the outcome of settings, games and seeks. With several causes, each failed \
         attempt emitted a `Lost`. Both have the time since the last byte. Closed: the server closed or reset the connection, which cannot be distinguished in one process; \
         silent: no byte for 15 s, and none for 10 s after a probe; not connected: the server did not accept the connection. From \
         `Lost` to `SessionReady` requests fail with `NotConnected`; nothing is queued. One exception: the embedded server keeps a \
         stalled player logged in, so after a stall, a guest with a name of its own (`guest_as`) is refused with `name is in \
         use`, and tries again, until the server ends the stalled session.",
    ),
    (
        "ended",
        "`Ended` with the reason is the last event; the losses before it are in brackets. All requests fail with `Ended`. \
         The session does not reconnect: the operator of the bot decides what to do. A kick ends the session only if the server \
         closes the connection after it; its line alone is an event.",
    ),
    (
        "no session",
        "`Client::connect` returns the error without a retry: the bot decides whether to repeat the first connection. \
         Subscribers of `Client::builder` get `Ended`. One exception: if a server closes the connection on receiving the login string or a \
         version of timeseal, the session reconnects once at once without it. If the server shut down at that moment, the error \
         is therefore `not connected`.",
    ),
    ("request answered", "The reply is complete and contains only the reply to that command."),
    (
        "request lost",
        "The request fails with `Lost` as soon as the loss is detected; the command may have been executed. \
         It is not sent again, except for requests to observe, to seek or to set a value.",
    ),
    (
        "request ended",
        "The request fails with `Ended`, like the session. Without block mode a reply is complete once the server has answered the \
         fence, which is sent after the reply has arrived: a kick may come in between.",
    ),
    (
        "request timed out",
        "The request fails with `TimedOut` after 30 s, because the end of its reply was damaged. Other requests continue, and none \
         receives this reply.",
    ),
    ("game followed", "The board is received, and so is every later one."),
    ("game unchanged", "`Restored` reports `Unchanged`: no move was missed, and the game is observed again."),
    (
        "game advanced",
        "`Restored` reports the number of plies, and the moves if more than the last one was missed; the game is observed again.",
    ),
    (
        "game ended",
        "The server reports the result before the connection breaks, and an event is emitted: a shutdown adjourns games in progress. \
         `Restored` does not mention the game.",
    ),
    (
        "game interrupted",
        "`Restored` reports `Interrupted`: the server has ended the login's own game, because it stores no games of guests. It reports \
         `Adjourned` for an account's game that the server stores; with `adjourned_games = \"resume\"` the session resumes it.",
    ),
];
