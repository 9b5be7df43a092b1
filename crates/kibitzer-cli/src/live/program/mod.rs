//! Serves a program that writes requests on standard input and reads events from standard output.
//!
//! | input | output |
//! |---|---|
//! | a line that does not begin with `{` | none; it is sent as it is |
//! | a valid request | `reply` or `failed`, once the server has answered, the request has failed, or the session has ended |
//! | a valid subscription | `subscribed` at once; the filter holds for all later events |
//! | a line that is not a valid request, one too many, or one whose identifier is in use | `failed` at once |

use std::collections::HashSet;
use std::sync::Arc;

use kibitzer::{Client, Reply, RequestError, RequestOptions};
use kibitzer_core::text::{decode_received, error_chain};
use request::{InvalidRequest, ProgramCommand, ProgramId, ProgramRequest};
use serde::Serialize;
use serde_json::json;
use tokio::io::BufReader;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::printer::PrintSender;
use super::typed::{InputLines, LineSender, MAX_LINE_BYTES, TypedInput, UNANSWERED_COMMANDS};
use crate::filter::Expression;
use crate::live::PrintItem;

mod request;

/// Maximum number of requests without an answer; further ones fail.
const MAX_REQUESTS: usize = 64;

/// Spawns a task that sends the lines and requests of `input`, and passes the answers to the printer. It ends once the input or
/// the session has ended and every request is answered. The profile of the client has to
/// [redact](kibitzer::Profile::redact_events) passwords in replies.
pub(crate) fn spawn_program_input(client: &Client, input: TypedInput, output: PrintSender) {
    let program = ProgramInput {
        client: client.clone(),
        output,
        lines: InputLines::new(BufReader::new(input), MAX_LINE_BYTES),
        requests: JoinSet::new(),
        ids: HashSet::new(),
        plain_lines: JoinSet::new(),
        order: Arc::default(),
    };
    tokio::spawn(program.run());
}

/// Sends the command of a program's request, `{"id": 7, "command": "e2e4", "game": 12}`, at once, and waits for its answer. Returns
/// the event `reply` or `failed` as a JSON object.
///
/// # Cancel safety
///
/// The command may have been sent.
#[cfg(feature = "web")]
pub(crate) async fn answer_request(sender: &LineSender, request: &[u8]) -> Vec<u8> {
    let answer = match (ProgramRequest::parse(request), sender) {
        (Err(InvalidRequest { id, text }), _) => failed_item(id.as_ref(), 1, "invalid", &text),
        (Ok(ProgramRequest::Subscribe { id, .. }), _) => failed_item(id.as_ref(), 1, "invalid", "not a command"),
        (Ok(ProgramRequest::Command(it)), LineSender::Own(client)) => {
            let mut options = RequestOptions::new();
            if let Some(game) = it.game {
                options = options.only_during(game);
            }
            answer_item(&it, 1, &client.request_with(&it.command, options).await)
        }
        (Ok(ProgramRequest::Command(it)), LineSender::Attached(_)) => match sender.send(it.command.as_str()).await {
            Ok(()) => reply_item(&it.id, "text", json!({ "lines": [] })),
            Err(error) => failed_item(Some(&it.id), 1, "refused", &error_chain(&error)),
        },
    };
    match answer {
        PrintItem::Object { event, object } => {
            let head = format!("{{\"event\":\"{event}\",\"offset\":null,");
            [head.as_bytes(), object.strip_prefix(b"{").unwrap_or_default()].concat()
        }
        _ => Vec::new(),
    }
}

/// The input of a program: its next lines, its requests without an answer, and its plain lines without a reply.
struct ProgramInput {
    client: Client,
    output: PrintSender,
    lines: InputLines<BufReader<TypedInput>>,
    /// Requests without an answer; each completes with its identifier and the answer.
    requests: JoinSet<(ProgramId, PrintItem)>,
    /// Identifiers of the requests without an answer; no other request may use them.
    ids: HashSet<ProgramId>,
    /// Plain lines without a reply.
    plain_lines: JoinSet<()>,
    /// Lock that keeps lines in their order while they wait for the session to become ready: tasks that wait for a lock are woken
    /// in order, those that wait for the same session state are not.
    order: Arc<Mutex<()>>,
}

impl ProgramInput {
    /// Runs until the input or the session has ended and every request is answered.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves requests without an answer.
    async fn run(mut self) {
        loop {
            tokio::select! {
                // Answers first: they make room for requests, and free their identifiers.
                biased;
                Some(Ok(answer)) = self.requests.join_next() => self.free_id_and_print(answer).await,
                Some(_) = self.plain_lines.join_next() => {}
                _ = self.client.ended() => break,
                line = self.lines.next_line(), if self.plain_lines.len() < UNANSWERED_COMMANDS => match line {
                    Some(line) => self.start_or_answer(line).await,
                    None => break,
                },
            }
        }
        while let Some(Ok(answer)) = self.requests.join_next().await {
            self.free_id_and_print(answer).await;
        }
        while self.plain_lines.join_next().await.is_some() {}
    }

    /// Spawns a task that sends a plain line or the command of a valid request. Answers a subscription, and a line that is
    /// invalid, at once.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may lose the line.
    async fn start_or_answer(&mut self, line: Result<Vec<u8>, &'static str>) {
        let number = self.lines.number;
        let request = match line {
            Ok(line) if !line.starts_with(b"{") => return self.spawn_plain_line(&line),
            Ok(line) => ProgramRequest::parse(&line),
            Err(error) => Err(InvalidRequest { id: None, text: error.to_owned() }),
        };
        let answer = match request {
            Err(InvalidRequest { id, text }) => failed_item(id.as_ref(), number, "invalid", &text),
            Ok(ProgramRequest::Command(it)) if self.ids.contains(&it.id) => {
                failed_item(Some(&it.id), number, "duplicate_id", "another request with this id has no answer yet")
            }
            Ok(ProgramRequest::Command(it)) if self.ids.len() >= MAX_REQUESTS => {
                failed_item(Some(&it.id), number, "busy", "64 requests have no answer yet")
            }
            Ok(ProgramRequest::Command(it)) => return self.spawn_command(it, number),
            Ok(ProgramRequest::Subscribe { id, filter }) => {
                let members = SubscribedMembers { id: id.as_ref(), filter: filter.as_ref().map(Expression::to_string) };
                let confirmation = PrintItem::object("subscribed", &members);
                self.print(PrintItem::Filter(filter)).await;
                confirmation
            }
        };
        self.print(answer).await;
    }

    /// Spawns a task that sends a plain line once the session is ready, waits for its reply, and reports a failure on standard
    /// error.
    fn spawn_plain_line(&mut self, line: &[u8]) {
        let (client, order) = (self.client.clone(), Arc::clone(&self.order));
        let line = String::from_utf8_lossy(line).into_owned();
        self.plain_lines.spawn(async move {
            wait_for_turn_and_ready(&client, &order).await;
            LineSender::Own(client).send_or_report(&line).await;
        });
    }

    /// Reserves the identifier of a request, and spawns a task that sends its command and completes with the answer.
    fn spawn_command(&mut self, request: ProgramCommand, line: u64) {
        self.ids.insert(request.id.clone());
        let (client, order) = (self.client.clone(), Arc::clone(&self.order));
        // A time beyond the clock's range is no limit.
        let deadline = request.expires_after.and_then(|after| Instant::now().checked_add(after));
        self.requests.spawn(async move {
            let result = send_once_ready(&client, &order, &request, deadline).await;
            let answer = answer_item(&request, line, &result);
            (request.id, answer)
        });
    }

    /// Frees the identifier of a request, then queues its answer for the printer: once the program has read the answer, it may
    /// use the identifier again.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may lose the answer.
    async fn free_id_and_print(&mut self, (id, answer): (ProgramId, PrintItem)) {
        self.ids.remove(&id);
        self.print(answer).await;
    }

    /// Queues an item for the printer; waits while its channel is full. Drops the item if standard output is closed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may lose the item.
    async fn print(&mut self, item: PrintItem) {
        // Fails once standard output is closed, which ends the command.
        let _ = self.output.send((Instant::now(), item)).await;
    }
}

/// Sends the command of a request and waits for its reply. A command without a game is sent once the session is ready, after
/// earlier lines. A command with a game is sent at once or fails, because after a reconnect the number may stand for another
/// game.
///
/// # Errors
///
/// [`RequestError::Expired`] if the session is not ready by the deadline; otherwise as for [`Client::request_with`].
///
/// # Cancel safety
///
/// The command may have been sent.
async fn send_once_ready(
    client: &Client,
    order: &Mutex<()>,
    request: &ProgramCommand,
    deadline: Option<Instant>,
) -> Result<Reply, RequestError> {
    let mut options = RequestOptions::new();
    match (request.game, deadline) {
        (Some(game), _) => options = options.only_during(game),
        (None, None) => wait_for_turn_and_ready(client, order).await,
        (None, Some(deadline)) => {
            timeout_at(deadline, wait_for_turn_and_ready(client, order)).await.map_err(|_| RequestError::Expired)?;
        }
    }
    if let Some(deadline) = deadline {
        options = options.send_within(deadline.saturating_duration_since(Instant::now()));
    }
    client.request_with(&request.command, options).await
}

/// Waits for its turn after all lines that were read earlier, then until the session is ready or over.
///
/// # Cancel safety
///
/// Cancel safe: nothing but waiting happens.
async fn wait_for_turn_and_ready(client: &Client, order: &Mutex<()>) {
    let _turn = order.lock().await;
    // The end of the session is an error of the request.
    let _ = client.ready().await;
}

/// Members of the event `reply`.
#[derive(Serialize)]
struct ReplyMembers<'a, C> {
    id: &'a ProgramId,
    /// Kind of the content: `text`, `refused`, or the kind of event that reports the same listing.
    kind: &'a str,
    content: C,
}

/// Members of the event `subscribed`.
#[derive(Serialize)]
struct SubscribedMembers<'a> {
    id: Option<&'a ProgramId>,
    filter: Option<String>,
}

/// Returns the answer to a request: the event `reply`, also if the server refused the command, otherwise `failed`. `line` is the
/// number of the request's line in the input, counted from 1.
fn answer_item(request: &ProgramCommand, line: u64, result: &Result<Reply, RequestError>) -> PrintItem {
    let id = &request.id;
    let reply = match result {
        Ok(reply) => reply,
        Err(RequestError::Refused { reason, text, .. }) => {
            return reply_item(id, "refused", json!({ "reason": reason.as_ref(), "text": text.as_str() }));
        }
        Err(error) => return failed_item(Some(id), line, error.as_ref(), &error_chain(error)),
    };
    if let Some(listing) = reply.listing() {
        return reply_item(id, listing.kind().as_str(), listing);
    }
    let lines: Vec<_> = reply.answers().map(|event| decode_received(event.raw())).collect();
    reply_item(id, "text", json!({ "lines": lines }))
}

/// Returns the event `reply` with this content.
fn reply_item(id: &ProgramId, kind: &str, content: impl Serialize) -> PrintItem {
    PrintItem::object("reply", &ReplyMembers { id, kind, content })
}

/// Returns the event `failed` for a request that has no reply. `id` is its identifier if it has a valid one; `line` is the number
/// of its line in the input, counted from 1; `reason` is a fixed word, `text` a message.
fn failed_item(id: Option<&ProgramId>, line: u64, reason: &str, text: &str) -> PrintItem {
    PrintItem::object("failed", &json!({ "id": id, "line": line, "reason": reason, "text": text }))
}
