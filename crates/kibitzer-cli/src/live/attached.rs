//! Attaches to sessions of other processes, and prints them as lines.

use std::path::Path;

use kibitzer::{Observation, TapItem};
use kibitzer_attach::{AttachAccess, AttachError, AttachEvent, AttachedSession, MissedAmounts};
use kibitzer_core::event::SessionEndReason;
use kibitzer_core::game::Game;
use kibitzer_core::text::error_chain;
use kibitzer_core::{Event, EventKind, EventReader};
use tokio::time::Instant;

use super::{
    EventPrinter, LineSender, PrintItem, PrintedEvents, StopArgs, check_attached_end, send_typed_until_failure,
};
use crate::arguments::FormatArgs;
use crate::failure::{Failure, NO_SESSION, report};
use crate::filter::Expression;

/// Attaches to the session that another process exposes on the socket at `path`.
///
/// # Errors
///
/// [`Failure`] if no session is exposed there, or write access is requested but not granted.
///
/// # Cancel safety
///
/// Cancel safe: dropping the future closes the connection; the session is not affected.
pub(crate) async fn attach(path: &Path, access: AttachAccess) -> Result<AttachedSession, Failure> {
    let attached = AttachedSession::connect(path).await;
    let session = attached.map_err(|error| Failure::new(NO_SESSION, error_chain(&error)))?;
    if access.may_send() && !session.access().may_send() {
        return Err(Failure::local(format!(
            "watchers of the session at {} may only look; its process lets them send with attach_access = \"write\"",
            path.display()
        )));
    }
    Ok(session)
}

/// Attaches to a session and prints its events, starting with the boards of its games, until it ends or the stop signal arrives.
/// With write access, also sends the lines of standard input.
///
/// # Errors
///
/// [`Failure`] if attaching fails, or the session is lost.
///
/// # Cancel safety
///
/// Cancel safe: dropping the future closes the connection; the session is not affected.
pub(crate) async fn run_attached_session(
    path: &Path,
    access: AttachAccess,
    format: FormatArgs,
    filter: Option<Expression>,
    ending: StopArgs,
) -> Result<(), Failure> {
    let mut ending = ending.begin()?;
    let Some(session) = ending.unless_stopped(attach(path, access)).await else { return Ok(()) };
    let mut session = session?;
    let server = session.server().to_owned();
    let first = match ending.unless_stopped(session.recv()).await {
        None => return Ok(()),
        Some(Ok(Some(first))) => first,
        Some(over) => return check_attached_end(&server, over.map(|_| None)),
    };
    let (events, mut printer) =
        EventPrinter::spawn(session.began(), format.format(), PrintedEvents::accepted_by(filter, format.text));
    let sender = LineSender::Attached(session.requests());
    let typing = async {
        if access.may_send() {
            return send_typed_until_failure(sender, tokio::io::stdin()).await;
        }
        std::future::pending().await
    };
    // Owns the sender, whose end the printer waits for.
    let print = move |attached| {
        let events = events.clone();
        async move {
            let (at, happened) = to_events_reporting_missed(attached);
            for event in happened {
                if events.send((at, PrintItem::Event(event))).await.is_err() {
                    return false;
                }
            }
            true
        }
    };
    let printing = async {
        print(first).await;
        forward_attached(&mut session, print).await
    };
    let seen = tokio::select! {
        seen = printing => seen,
        printed = printer.wait_until_printed() => return printed,
        failure = typing => return Err(failure),
        () = ending.wait() => Ok(None),
    };
    printer.wait_for_rest_or_timeout().await?;
    check_attached_end(&server, seen)
}

/// Passes the events of an attached session to `deliver` until the session ends, or `deliver` returns `false`.
///
/// Returns why the session ended; `None` if `deliver` stopped it, or the end was not reported.
///
/// # Errors
///
/// [`AttachError`] if the attachment ended; the session may continue.
///
/// # Cancel safety
///
/// Not cancel safe: an event that was received but not delivered is lost.
pub(crate) async fn forward_attached<D: Future<Output = bool>>(
    session: &mut AttachedSession,
    deliver: impl Fn(AttachEvent) -> D,
) -> Result<Option<SessionEndReason>, AttachError> {
    let mut ended = None;
    while let Some(attached) = session.recv().await? {
        if let AttachEvent::Item(TapItem { observation: Observation::Event { event, .. }, .. }) = &attached
            && let Event::Ended(reason) = event
        {
            ended = Some(reason.clone());
        }
        if !deliver(attached).await {
            break;
        }
    }
    Ok(ended)
}

/// Returns the time of an attach event, and the events to print for it: for a snapshot, those that show its games; none for
/// received bytes and sent lines. If this watcher missed something before a snapshot, reports that on standard error.
fn to_events_reporting_missed(attached: AttachEvent) -> (Instant, Vec<Event>) {
    match attached {
        AttachEvent::Snapshot(snapshot) => {
            let MissedAmounts { received_bytes, sent_lines, notes, .. } = snapshot.missed;
            if !snapshot.missed.is_zero() {
                report(&format!(
                    "missed {received_bytes} bytes, {sent_lines} lines sent, {notes} events of the session"
                ));
            }
            (snapshot.at, snapshot_events(&snapshot.games))
        }
        AttachEvent::Item(TapItem { at, observation: Observation::Event { event, .. }, .. }) => (at, vec![event]),
        _ => (Instant::now(), Vec::new()),
    }
}

/// Returns events that show the boards of these games. Leaves out reports of missed moves, because a snapshot omits moves on
/// purpose.
fn snapshot_events(games: &[Game]) -> Vec<Event> {
    let said: Vec<u8> =
        games.iter().flat_map(Game::to_snapshot_lines).flat_map(|line| [&line[..], b"\n\r"].concat()).collect();
    let (mut reader, mut rest) = (EventReader::default(), &said[..]);
    let events = std::iter::from_fn(|| reader.next(&mut rest).or_else(|| reader.finish()));
    events.filter(|event| event.kind() != EventKind::Missed).collect()
}

#[cfg(test)]
mod tests {
    use kibitzer_core::message::GameId;

    use super::*;

    #[test]
    fn moves_left_out_of_a_snapshot_are_not_missing() {
        let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 A B 0 5 0 39 39 \
            300 300 1 none (0:00) none 0 1 0\n\r";
        let moves = (1..=20).map(|ply| {
            let (from, to) = [("g1", "f3"), ("g8", "f6"), ("f3", "g1"), ("f6", "g8")][(ply - 1) % 4];
            format!("<d1> 7 {ply} N{to} {from}{to} 0 300000\n\r")
        });
        let said: String = std::iter::once(board.to_owned()).chain(moves).collect();
        let (mut reader, mut rest) = (EventReader::default(), said.as_bytes());
        while reader.next(&mut rest).is_some() {}
        let game = reader.games().get(GameId(7)).expect("the game").clone();
        assert_eq!(game.moves().len(), 20);
        let events = snapshot_events(&[game]);
        assert!(events.len() > 5 && events.iter().all(|event| event.kind() == EventKind::Position), "{events:?}");
    }
}
