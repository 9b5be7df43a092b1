//! How it ends, in words, and what the words mean.

use std::sync::Arc;

use kibitzer::core::Event;
use kibitzer::core::message::Message;
use kibitzer::core::session::{
    CloseCause, EndReason, LoginError, LostCause, Outcome, Reply, RequestError, RestoredGame, State,
};

/// What the session came to, which told `events` in all.
pub(crate) fn life(state: &State, events: &[Arc<Event>]) -> String {
    let causes: Vec<_> = events.iter().filter_map(|event| lost(event)).collect();
    let was_ready = events.iter().any(|event| matches!(&**event, Event::Ready(_)));
    match state {
        State::Ready if causes.is_empty() => "goes on".to_owned(),
        State::Ready => format!("restored ({})", distinct(&causes).join(", then ")),
        State::Ended(reason) if was_ready && causes.is_empty() => format!("ended: {}", words(reason)),
        State::Ended(reason) if was_ready => {
            format!("ended: {} ({})", words(reason), distinct(&causes).join(", then "))
        }
        State::Ended(reason) => format!("no session: {}", words(reason)),
        other => panic!("not settled: {other:?}, {events:#?}"),
    }
}

fn lost(event: &Event) -> Option<String> {
    let Event::Lost { cause, .. } = event else { return None };
    Some(match cause {
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

fn words(reason: &EndReason) -> String {
    match reason {
        EndReason::Login(error) => login(error),
        EndReason::Dial(_) => "not connected".to_owned(),
        other => other.to_string(),
    }
}

/// What came of a request that was under way.
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

/// What became of a game over a lost connection.
pub(crate) fn game(events: &[Arc<Event>]) -> String {
    let restored = events.iter().find_map(|event| match &**event {
        Event::Restored(restored) => Some(&restored.games[..]),
        _ => None,
    });
    let has_ended = events.iter().any(|event| matches!(event.message(), Some(Message::GameEnded(_))));
    match restored {
        Some([game]) => outcome(game).to_owned(),
        Some([]) if has_ended => "game ended".to_owned(),
        _ => panic!("no word of the game: {restored:?}"),
    }
}

fn outcome(game: &RestoredGame) -> &'static str {
    match game.outcome {
        Outcome::Unchanged => "game as it was",
        Outcome::Advanced { .. } => "game went on",
        Outcome::Interrupted => "game interrupted",
        other => panic!("{other:?}"),
    }
}

/// What each word means for a bot. A word in front of a bracket or a colon stands for all that is in it.
pub(crate) const MEANINGS: [(&str, &str); 13] = [
    (
        "goes on",
        "No event tells of it but those of the lines that came: what is no line of the server comes as text, an over-long \
         line is cut and marked. What the server says next is understood, and requests are answered.",
    ),
    (
        "restored",
        "`Lost` comes with the cause in brackets and with the time of the next attempt, then `Connecting`, `Connected`, \
         `LoggedIn`, `Ready`, and `Restored` with what became of settings, games and seeks; more than one cause: as many attempts \
         failed, each with a `Lost` of its own. Closed: the server hung up, or the line was reset, which is the same in process; \
         silent: no byte for 15 s, and none for 10 s after a probe; not connected: nobody was there. From `Lost` to `Ready` requests fail with `NotConnected`; nothing is queued.",
    ),
    (
        "ended",
        "`Ended` with the reason is the last event, in brackets the losses before it; all requests fail with `Ended`. \
         The session is not made again: that is for whoever runs the bot to decide. A kick ends the session only if the server \
         closes the connection after it; its line alone is an event.",
    ),
    (
        "no session",
        "`Client::connect` returns the error and nothing is tried again: the first connection is the bot's to repeat. \
         Subscribers of `Client::start` get `Ended`. One exception: a server that hangs up when it is sent the login string, or a \
         version of timeseal, is dialed once more at once without it; so where it shut down at that moment the error is that \
         nobody is there.",
    ),
    ("request answered", "The reply is whole, and of that command alone."),
    (
        "request lost",
        "The request fails with `Lost` as soon as the loss is known: the command may or may not have been carried out. \
         It is not sent again, unless it was to observe, to seek or to set something.",
    ),
    (
        "request ended",
        "The request fails with `Ended`, as the session does. Without block mode a reply is whole when the server has answered the \
         line behind the command, which is sent once the reply is there: a kick may come in between.",
    ),
    (
        "request timed out",
        "The request fails with `TimedOut` after its 30 s: what ends its reply was spoilt. Other requests go on, and none \
         gets this one's reply.",
    ),
    ("game followed", "The board is there, and so is every later one."),
    ("game as it was", "`Restored` says `Unchanged`: no move was missed, and the game is observed again."),
    (
        "game went on",
        "`Restored` says by how many plies, and brings the moves if more than the last one was missed; the game is observed \
         again.",
    ),
    (
        "game ended",
        "The server says how, and that comes as an event, before the connection breaks: a shutdown adjourns what is played. \
         `Restored` has nothing to say of it.",
    ),
    (
        "game interrupted",
        "`Restored` says `Interrupted`: the server has adjourned our own game, or ended it. To go on is the bot's decision.",
    ),
];
