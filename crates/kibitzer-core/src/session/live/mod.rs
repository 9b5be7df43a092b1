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
//!
//! Each event of the reader goes to the [`Memory`] and to the parts below. None of them depends on another one's state, and none
//! sends anything. Then [`send_and_advance`](LiveConnection::send_and_advance) sends, and processes completed replies; the session
//! calls it after every input.
//!
//! | part | events it uses | effect |
//! |---|---|---|
//! | [`Liveness`] | refusal of a line with `$$`; timing mark | another form of probe |
//! | [`Requests`] | marks, prompts, all messages while a reply is awaited | completed requests |
//! | [`BoardRepair`] | changes of games, boards in another style, desyncs | commands |

mod liveness;
mod progress;
mod setup;

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::command::{Command, RequestOptions};
use super::login::CompletedLogin;
use super::machine::state::{AfterClose, SessionState};
use super::options::{SessionOptions, saturating_deadline};
use super::output::Output;
use super::recovery::Memory;
use super::recovery::boards::BoardRepair;
use super::recovery::restore::Restoration;
use super::requests::{Requester, Requests, SendConditions};
use crate::event::{Capabilities, CloseCause, Event, LoginError, LoginStep, RequestError, RequestId, SessionEndReason};
use crate::game::{Desync, Games};

use liveness::{Liveness, LivenessAction};
use setup::SetUpProgress;

/// Command that resets the server's idle timer, as every command does, and has no other effect. FICS logs out after an idle hour.
const KEEP_ALIVE: &str = "date";

/// A connection after its login.
#[derive(Debug)]
pub(super) struct LiveConnection {
    options: Arc<SessionOptions>,
    stage: LiveStage,
    pub(super) requests: Requests,
    liveness: Liveness,
    pub(super) capabilities: Capabilities,
    boards: BoardRepair,
    /// Time at which the set-up was complete.
    pub(super) ready_since: Option<Instant>,
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
    /// Creates the state after a login; [`send_and_advance`](Self::send_and_advance) sends the first commands of the set-up.
    pub(super) fn new(
        login: CompletedLogin,
        memory: &Memory,
        options: Arc<SessionOptions>,
        rng: Rng,
        now: Instant,
    ) -> Self {
        let deadline = saturating_deadline(now, options.timings.set_up);
        Self {
            requests: Requests::new(Arc::clone(&options), login.mode, memory.n_requests, rng, now),
            liveness: Liveness::new(now),
            capabilities: login.capabilities(),
            boards: BoardRepair::default(),
            ready_since: None,
            quitting: None,
            stage: LiveStage::SettingUp(Box::new(SetUpProgress::new(login, &options, deadline))),
            options,
        }
    }

    /// Completes all requests when the connection ends, and passes on what the next connection needs: commands that may have been
    /// executed count as executed.
    pub(super) fn end(&mut self, after_close: &AfterClose, memory: &mut Memory, output: &mut Output) {
        let (sent, queued) = match after_close {
            AfterClose::End(reason) => (RequestError::Ended(reason.clone()), RequestError::Ended(reason.clone())),
            _ => (RequestError::Lost, RequestError::NotConnected),
        };
        self.requests.fail_all(&sent, &queued);
        memory.end_connection(&self.requests.completed);
        for completed in self.requests.completed.drain(..) {
            completed.deliver(output);
        }
        memory.n_requests = self.requests.n_made;
    }

    pub(super) const fn state(&self) -> SessionState {
        match (&self.stage, self.quitting) {
            (_, Some(_)) => SessionState::Closing,
            (LiveStage::SettingUp(_), None) => SessionState::LoggingIn(LoginStep::SetUp),
            (LiveStage::Restoring(restoration), None) if restoration.is_after_loss => SessionState::Restoring,
            (LiveStage::Restoring(_) | LiveStage::Ready, None) => SessionState::Ready,
        }
    }

    /// Returns whether the set-up is complete, and the games, seeks and settings of the last connection are restored. After the
    /// first login, nothing has to be restored.
    pub(super) const fn is_restored(&self) -> bool {
        match &self.stage {
            LiveStage::SettingUp(_) => false,
            LiveStage::Restoring(restoration) => !restoration.is_after_loss,
            LiveStage::Ready => true,
        }
    }

    /// Records that bytes were received.
    pub(super) const fn record_receipt(&mut self, now: Instant) {
        self.liveness.record_receipt(now);
    }

    /// Postpones all deadlines except those of users' requests.
    pub(super) fn postpone_non_user_deadlines(&mut self, by: Duration) {
        self.requests.postpone_non_user_deadlines(by);
        if let LiveStage::SettingUp(set_up) = &mut self.stage {
            set_up.deadline = saturating_deadline(set_up.deadline, by);
        }
    }

    /// Returns the earliest deadline of the stage, `quit`, the requests and the liveness checks.
    pub(super) fn next_deadline(&self) -> Instant {
        let deadline = match (self.quitting, &self.stage) {
            (Some(quitting), _) => Some(quitting.deadline),
            (None, LiveStage::SettingUp(set_up)) => Some(set_up.deadline),
            (None, LiveStage::Restoring(_) | LiveStage::Ready) => None,
        };
        let due = self.liveness.next_deadline(&self.options.timings);
        [deadline, self.requests.next_deadline()].into_iter().flatten().fold(due, Instant::min)
    }

    /// Passes an event of the reader to the parts.
    pub(super) fn handle_event(&mut self, event: &Event, output: &mut Output, now: Instant) {
        self.liveness.handle_event(event, self.capabilities.timeseal);
        self.requests.handle_event(event, output, now);
        if self.state().accepts_requests() {
            for command in self.boards.handle_event(event, now) {
                self.requests.enqueue(Requester::Upkeep, Command::new(command).ok());
            }
        }
    }

    /// Queues a request for the board of a game that is out of step, if the session is ready and the game needs one. It is sent
    /// with the next event.
    pub(super) fn handle_desync(&mut self, desync: &Desync, games: &Games) {
        if self.state().accepts_requests()
            && let Some(refresh) = self.boards.take_refresh_command_after(desync, games)
        {
            self.requests.enqueue(Requester::Upkeep, Some(refresh));
        }
    }

    /// Performs the actions that are due, and releases unused memory. If the connection has to be closed, does none of the rest
    /// and returns the action after closing; else `None`.
    pub(super) fn handle_timeout(&mut self, output: &mut Output, now: Instant) -> Option<AfterClose> {
        match (self.quitting, &self.stage) {
            (Some(quitting), _) if quitting.deadline <= now => return Some(AfterClose::End(SessionEndReason::Quit)),
            (None, LiveStage::SettingUp(set_up)) if set_up.deadline <= now => {
                return Some(AfterClose::FailLogin(LoginError::TimedOut(LoginStep::SetUp)));
            }
            _ => {}
        }
        while let Some(action) = self.liveness.take_due_action(&self.options.timings, now) {
            match action {
                LivenessAction::Close => return Some(self.action_after_close(CloseCause::Silent)),
                LivenessAction::Probe => {
                    self.requests.enqueue(Requester::Probe, None);
                }
                LivenessAction::TimingMark => output.must_probe = true,
                LivenessAction::KeepAlive => {
                    self.requests.enqueue(Requester::Probe, Command::new(KEEP_ALIVE).ok());
                }
            }
        }
        self.requests.handle_timeout(now);
        self.requests.shrink_to_fit();
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
        games: &Games,
        now: Instant,
    ) -> Result<RequestId, RequestError> {
        if self.quitting.is_some() || matches!(self.stage, LiveStage::SettingUp(_)) {
            return Err(RequestError::NotConnected);
        }
        if self.requests.queue.len() >= self.options.requests.queued {
            return Err(RequestError::Busy);
        }
        let identity = |game| games.identity_in_progress(game).map(|found| (game, found));
        let game = options.game.map(|game| identity(game).ok_or(RequestError::GameOver)).transpose()?;
        let deadline = options.send_within.map(|timeout| saturating_deadline(now, timeout));
        let conditions = SendConditions { deadline, game, is_by_program: options.is_by_program };
        let is_quit = command.is_quit();
        let id = self.requests.enqueue_with(Requester::User, Some(command), conditions);
        if is_quit {
            self.quitting = Some(Quitting { deadline: self.quit_deadline(now), request: Some(id), is_final: false });
        }
        Ok(id)
    }

    /// Stops waiting for the reply to a request; a command that was not sent yet is withdrawn. If `quit` is withdrawn, the
    /// session continues; if it was sent, its reply is still processed, because the server may refuse it.
    pub(super) fn abandon(&mut self, id: RequestId) {
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
    }

    /// Queues `quit`, unless a request of the user has sent it. In both cases the session ends even if the server refuses.
    pub(super) fn quit(&mut self, now: Instant) {
        if let Some(quitting) = &mut self.quitting {
            quitting.is_final = true;
            return;
        }
        self.quitting = Some(Quitting { deadline: self.quit_deadline(now), request: None, is_final: true });
        self.requests.enqueue(Requester::Quit, Command::new("quit").ok());
    }

    fn quit_deadline(&self, now: Instant) -> Instant {
        saturating_deadline(now, self.options.timings.quit)
    }

    fn cancel_quit_unless_final(&mut self) {
        self.quitting = self.quitting.filter(|quitting| quitting.is_final);
    }
}
