//! A connection after its login: set-up, restoration, requests, liveness.
//!
//! | stage | input | next stage |
//! |---|---|---|
//! | `SettingUp` | all replies of the set-up, and something to restore or to send | `Restoring` |
//! | `SettingUp` | all replies of the set-up, and nothing of both | `Ready` |
//! | `Restoring` | all replies of the restoration and of `stored` | `Ready` |
//! | any | `quit` | same, `quitting`: no new requests |
//! | any, `quitting` | a user's `quit` was refused, timed out or withdrawn | same |
//! | any, `quitting` | its timeout; closed connection | the session ends |
//!
//! Users' requests are accepted from `Restoring` on.

mod liveness;
mod progress;
mod secrets;
mod setup;

use std::time::{Duration, Instant};

use super::command::{Command, RequestOptions};
use super::context::{AfterClose, Context};
use super::login::CompletedLogin;
use super::machine::state::SessionState;
use super::options::{SessionOptions, saturating_deadline};
use super::recovery::adjourned::AdjournedTracker;
use super::recovery::boards::BoardRepair;
use super::recovery::memory::SessionMemory;
use super::recovery::restore::Restoration;
use super::requests::{Requester, Requests, SendConditions};
use crate::event::{Capabilities, CloseCause, Event, LoginError, LoginStep, RequestError, RequestId, SessionEndReason};
use crate::message::{Control, Message};
use crate::scan::find;
use crate::wire::TIMING_MARK;

use liveness::{Liveness, LivenessAction};
use setup::SetUpProgress;

/// Command that resets the server's idle timer, as every command does, and has no other effect. FICS logs out after an idle hour.
const KEEP_ALIVE: &str = "date";

/// A connection after its login.
#[derive(Debug)]
pub(super) struct LiveConnection {
    stage: LiveStage,
    pub(super) requests: Requests,
    pub(super) liveness: Liveness,
    pub(super) capabilities: Capabilities,
    boards: BoardRepair,
    adjourned: AdjournedTracker,
    /// The requested `quit`; while it is set, no new requests are accepted.
    quitting: Option<Quitting>,
}

#[derive(Debug)]
enum LiveStage {
    SettingUp(Box<SetUpProgress>),
    Restoring(Box<Restoration>),
    Ready,
}

/// A `quit` that was requested.
#[derive(Clone, Copy, Debug)]
struct Quitting {
    deadline: Instant,
    /// Identifier of the user's request that sent `quit`; `None` if the session itself quits.
    request: Option<RequestId>,
    /// Whether the session ends even if the server refuses the command.
    is_final: bool,
}

impl LiveConnection {
    /// Creates the state after a login, and sends the first commands of the set-up.
    pub(super) fn start_set_up(login: CompletedLogin, cx: &mut Context) -> Self {
        let deadline = saturating_deadline(cx.now, cx.options.timings.set_up);
        let mut live = Self {
            stage: LiveStage::SettingUp(Box::new(SetUpProgress::new(login, &cx.options, deadline))),
            requests: Requests::new(login.mode, cx.now),
            liveness: Liveness::new(cx.now),
            capabilities: login.capabilities(),
            boards: BoardRepair::default(),
            adjourned: AdjournedTracker::default(),
            quitting: None,
        };
        live.send_and_advance(cx);
        live
    }

    pub(super) const fn state(&self) -> SessionState {
        match (&self.stage, self.quitting) {
            (_, Some(_)) => SessionState::Closing,
            (LiveStage::SettingUp(_), None) => SessionState::LoggingIn(LoginStep::SetUp),
            (LiveStage::Restoring(_), None) if self.requests.is_restoring => SessionState::Restoring,
            (LiveStage::Restoring(_) | LiveStage::Ready, None) => SessionState::Ready,
        }
    }

    /// Returns whether the set-up is complete, and the games, seeks and settings of the last connection are restored. After the
    /// first login, nothing has to be restored.
    pub(super) const fn is_restored(&self, memory: &SessionMemory) -> bool {
        match self.stage {
            LiveStage::SettingUp(_) => false,
            LiveStage::Restoring(_) => memory.loss.is_none(),
            LiveStage::Ready => true,
        }
    }

    /// Postpones all deadlines except those of users' requests.
    pub(super) fn postpone_non_user_deadlines(&mut self, by: Duration) {
        self.requests.postpone_non_user_deadlines(by);
        if let LiveStage::SettingUp(set_up) = &mut self.stage {
            set_up.deadline = saturating_deadline(set_up.deadline, by);
        }
    }

    /// Returns the earliest deadline of the stage, `quit`, the requests and the liveness checks.
    pub(super) fn next_deadline(&self, options: &SessionOptions) -> Instant {
        let deadline = match (self.quitting, &self.stage) {
            (Some(quitting), _) => Some(quitting.deadline),
            (None, LiveStage::SettingUp(set_up)) => Some(set_up.deadline),
            (None, LiveStage::Restoring(_) | LiveStage::Ready) => None,
        };
        let due = self.liveness.next_deadline(&options.timings);
        [deadline, self.requests.next_deadline()].into_iter().flatten().fold(due, Instant::min)
    }

    /// Processes an event of the reader: matches it to requests, updates the state, and sends the next commands.
    pub(super) fn handle_event(&mut self, event: &Event, cx: &mut Context) {
        match event.message() {
            Some(Message::Refused(_)) if find(event.raw(), b"$$").is_some() => {
                self.liveness.note_counted_probe(self.capabilities.timeseal);
            }
            Some(Message::Control(Control::Telnet { option: Some(TIMING_MARK), .. })) => {
                self.liveness.note_answered_mark();
            }
            _ => {}
        }
        self.requests.handle_event(event, cx);
        cx.memory.forget_closed_seeks(event, cx.reader.games());
        self.adjourned.handle_event(event, cx);
        self.boards.allow_refresh_after_recovery(event);
        if let Some(message) = event.message().filter(|_| self.state().accepts_requests()) {
            for command in self.boards.take_style_commands_after(message, event.raw(), cx.now) {
                self.requests.enqueue(Requester::Upkeep, Command::new(command).ok(), cx);
            }
        }
        self.send_and_advance(cx);
    }

    /// Performs the actions that are due, releases unused memory, and sends the next commands. If the connection has to be
    /// closed, does none of the rest and returns the action after closing; else `None`.
    pub(super) fn handle_timeout(&mut self, cx: &mut Context) -> Option<AfterClose> {
        match (self.quitting, &self.stage) {
            (Some(quitting), _) if quitting.deadline <= cx.now => return Some(AfterClose::End(SessionEndReason::Quit)),
            (None, LiveStage::SettingUp(set_up)) if set_up.deadline <= cx.now => {
                return Some(AfterClose::FailLogin(LoginError::TimedOut(LoginStep::SetUp)));
            }
            _ => {}
        }
        while let Some(action) = self.liveness.take_due_action(&cx.options.timings, cx.now) {
            match action {
                LivenessAction::Close => return Some(self.action_after_close(CloseCause::Silent)),
                LivenessAction::Probe => {
                    self.requests.enqueue(Requester::Probe, None, cx);
                }
                LivenessAction::TimingMark => cx.outbox.must_probe = true,
                LivenessAction::KeepAlive => {
                    self.requests.enqueue(Requester::Upkeep, Command::new(KEEP_ALIVE).ok(), cx);
                }
            }
        }
        self.requests.handle_timeout(cx);
        self.requests.shrink_to_fit();
        self.send_and_advance(cx);
        None
    }

    /// Returns how to continue after the connection was closed.
    pub(super) fn action_after_close(&self, cause: CloseCause) -> AfterClose {
        match self.stage {
            _ if self.quitting.is_some() => AfterClose::End(SessionEndReason::Quit),
            LiveStage::SettingUp(_) if matches!(cause, CloseCause::Silent | CloseCause::WriteTimedOut) => {
                AfterClose::FailLogin(LoginError::TimedOut(LoginStep::SetUp))
            }
            LiveStage::SettingUp(_) if cause.is_web_socket_failure() => {
                AfterClose::FailLogin(LoginError::WebSocket(cause))
            }
            LiveStage::SettingUp(_) => AfterClose::FailLogin(LoginError::Closed(LoginStep::SetUp)),
            LiveStage::Restoring(_) | LiveStage::Ready => AfterClose::Reconnect(cause),
        }
    }

    /// Queues a request of the user, and sends it if possible. A `quit` begins the end of the session, which continues only if
    /// the server refuses it.
    ///
    /// Fails with [`RequestError::NotConnected`] during the set-up and after `quit`, with [`RequestError::Busy`] if the queue is
    /// full, with [`RequestError::GameOver`] if its game is not in progress.
    pub(super) fn request(
        &mut self,
        command: Command,
        options: RequestOptions,
        cx: &mut Context,
    ) -> Result<RequestId, RequestError> {
        if self.quitting.is_some() || matches!(self.stage, LiveStage::SettingUp(_)) {
            return Err(RequestError::NotConnected);
        }
        if self.requests.queue.len() >= cx.options.requests.queued {
            return Err(RequestError::Busy);
        }
        let identity = |game| cx.reader.games().identity_in_progress(game).map(|found| (game, found));
        let game = options.game.map(|game| identity(game).ok_or(RequestError::GameOver)).transpose()?;
        let conditions = SendConditions { deadline: options.deadline, game };
        let is_quit = command.is_quit();
        let id = self.requests.enqueue_with(Requester::User, Some(command), conditions, cx);
        if is_quit {
            self.quitting = Some(Quitting { request: Some(id), is_final: false, ..Quitting::new(cx) });
        }
        self.send_and_advance(cx);
        Ok(id)
    }

    /// Stops waiting for the reply to a request; a command that was not sent yet is withdrawn. If `quit` is withdrawn, the
    /// session continues; if it was sent, its reply is still processed, because the server may refuse it.
    pub(super) fn abandon(&mut self, id: RequestId, cx: &mut Context) {
        match self.quitting {
            // Its refusal has to be noticed, because the session continues then.
            Some(quitting) if quitting.request == Some(id) => {
                if self.requests.remove_if_queued(id) {
                    self.cancel_quit_unless_final();
                } else {
                    self.requests.set_sent_requester(id, Requester::Quit);
                }
            }
            _ => self.requests.abandon(id),
        }
        self.send_and_advance(cx);
    }

    /// Queues and sends `quit`, unless a request of the user has sent it. In both cases the session ends even if the server
    /// refuses.
    pub(super) fn quit(&mut self, cx: &mut Context) {
        if let Some(quitting) = &mut self.quitting {
            quitting.is_final = true;
            return;
        }
        self.quitting = Some(Quitting::new(cx));
        self.requests.enqueue(Requester::Quit, Command::new("quit").ok(), cx);
        self.send_and_advance(cx);
    }

    fn cancel_quit_unless_final(&mut self) {
        self.quitting = self.quitting.filter(|quitting| quitting.is_final);
    }
}

impl Quitting {
    fn new(cx: &Context) -> Self {
        Self { deadline: saturating_deadline(cx.now, cx.options.timings.quit), request: None, is_final: true }
    }
}
