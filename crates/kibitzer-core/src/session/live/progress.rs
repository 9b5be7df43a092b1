//! Progress of a live connection: completed requests, and the next commands that they permit.

use std::sync::Arc;

use super::secrets::learn_and_redact_secrets;
use super::setup::learn_ivar_from_answer;
use super::{LiveConnection, LiveStage};
use crate::event::{Capabilities, Event, RequestError, RestoreOutcome, Restored};
use crate::game::Desync;
use crate::message::Ivar;
use crate::session::command::Command;
use crate::session::context::{AfterClose, Context};
use crate::session::dialect::reply_marks::ReplyMode;
use crate::session::options::choices::AdjournedGames;
use crate::session::options::credentials::Credentials;
use crate::session::options::saturating_deadline;
use crate::session::recovery::restore::Restoration;
use crate::session::requests::{CompletedRequest, Requester};

impl LiveConnection {
    /// Sends what may be sent, and processes completed requests, until the next step needs a message of the server.
    ///
    /// Moves on to the next stage where one is complete, and keeps the block mode of the framer up to date.
    pub(super) fn send_and_advance(&mut self, cx: &mut Context) {
        loop {
            self.requests.send_ready_lines(&mut self.liveness.idle_timer_reset_at, cx);
            while let Some(completed) = self.requests.completed.pop_front() {
                completed.count(&mut cx.counters);
                self.handle_completed(completed, cx);
            }
            if !self.queue_commands_or_enter_stage(cx) {
                break;
            }
        }
        let is_numbered = self.requests.mode == ReplyMode::Numbered;
        cx.reader.framer_mut().set_block_mode(is_numbered);
        if !matches!(self.stage, LiveStage::SettingUp(_)) {
            self.capabilities.set(Ivar::Block, is_numbered);
        }
    }

    /// Queues a request for the board of a game that is out of step, if the session is ready and the game needs one. It is sent
    /// with the next event.
    pub(in crate::session) fn handle_desync(&mut self, desync: &Desync, cx: &mut Context) {
        if self.state().accepts_requests()
            && let Some(refresh) = self.boards.take_refresh_command_after(desync, cx.reader.games())
        {
            self.requests.enqueue(Requester::Upkeep, Some(refresh), cx);
        }
    }

    /// Learns from a completed request, passes it to the part of the session that made it, and queues the reply to the user.
    /// First removes secrets from its error text. A failed `quit` no longer ends the session.
    fn handle_completed(&mut self, mut completed: CompletedRequest, cx: &mut Context) {
        if let Some(command) = &completed.request.command {
            learn_and_redact_secrets(command, &mut completed.result, cx);
        }
        self.learn_from_success(&completed, cx);
        match (&mut self.stage, completed.request.requester) {
            (LiveStage::SettingUp(set_up), Requester::SetUp) => {
                set_up.deadline = saturating_deadline(cx.now, cx.options.timings.set_up);
                set_up.handle_reply(&completed, self.requests.mode);
            }
            (LiveStage::Restoring(restoration), Requester::Restore) => {
                restoration.handle_reply(&completed, cx.reader.games());
            }
            (_, Requester::Adjourned) => {
                let next = self.adjourned.handle_reply_and_withdraw(&completed, cx);
                if next.is_some() {
                    self.requests.enqueue(Requester::Upkeep, next, cx);
                }
            }
            // The connection was silent, so memory that a busy time needed is released.
            (_, Requester::Probe) => self.shrink_to_fit(cx),
            // A refusal or a timeout cancels the `quit`. Its unit on ICC may end before the connection does, so an answer does not.
            (_, Requester::User | Requester::Quit) if completed.result.is_err() && completed.is_quit() => {
                self.cancel_quit_unless_final();
            }
            _ => {}
        }
        if completed.request.requester == Requester::User {
            cx.replies.push_back((completed.request.id, completed.result));
        }
    }

    /// Learns from a command that succeeded: seeks from every one; settings from the user's; the style from all but the set-up's;
    /// ivars from the user's and the restoration's. Ignores a command that failed.
    fn learn_from_success(&mut self, completed: &CompletedRequest, cx: &mut Context) {
        let Some((command, reply)) = completed.command_and_reply() else { return };
        cx.memory.learn_seeks_from_reply(command, reply);
        // The set-up chooses style 13 where boards are sent as moves.
        if completed.request.requester != Requester::SetUp {
            self.boards.note_style_command(command);
        }
        if was_requested_by_user(completed) {
            cx.memory.remember_setting(command);
        }
        if was_requested_by_user(completed) || completed.request.requester == Requester::Restore {
            learn_ivar_from_answer(&mut self.capabilities, completed);
        }
    }

    /// Queues the next commands of the current stage, or enters the next one; does nothing after `quit`. Returns whether there
    /// may be something to send.
    fn queue_commands_or_enter_stage(&mut self, cx: &mut Context) -> bool {
        match &mut self.stage {
            _ if self.quitting.is_some() => false,
            LiveStage::SettingUp(set_up) => {
                let Some(commands) = set_up.take_next_batch(&cx.options, self.requests.mode) else {
                    let capabilities = set_up.capabilities;
                    self.finish_set_up(capabilities, cx);
                    return true;
                };
                let has_commands = !commands.is_empty();
                for command in commands {
                    self.requests.enqueue(Requester::SetUp, Some(command), cx);
                }
                has_commands
            }
            LiveStage::Restoring(restoration) => {
                let next = restoration.take_next_commands();
                let has_commands = !next.is_empty();
                for (command, task) in next {
                    let id = self.requests.enqueue(Requester::Restore, Some(command), cx);
                    restoration.pending.push((id, task));
                }
                let is_done = restoration.is_done() && !self.adjourned.awaits_list;
                if is_done {
                    self.finish_restoration(cx);
                }
                has_commands || is_done
            }
            LiveStage::Ready => self.queue_next_challenge(cx),
        }
    }

    /// Queues the next challenge to resume an adjourned game, if the options request that and no challenge is pending. Returns
    /// whether it queued one.
    fn queue_next_challenge(&mut self, cx: &mut Context) -> bool {
        if cx.options.adjourned != AdjournedGames::Resume || self.requests.is_challenging() {
            return false;
        }
        let Some(challenge) = self.adjourned.take_next_challenge(cx.reader.games()) else { return false };
        self.requests.enqueue(Requester::Adjourned, Some(challenge), cx);
        true
    }

    /// Stores the capabilities and emits [`Event::Ready`]. Requests the adjourned games of an account. Enters the restoration if
    /// a connection was lost or there is anything to restore, else the stage `Ready`.
    fn finish_set_up(&mut self, capabilities: Capabilities, cx: &mut Context) {
        self.capabilities = capabilities;
        if capabilities.has(Ivar::NoWrap) {
            cx.reader.framer_mut().disable_line_joining();
        }
        cx.backoff.ready_since = Some(cx.now);
        cx.memory.was_ready = true;
        cx.emit(Event::Ready(capabilities));
        // The set-up sends many commands at once; later bursts are smaller.
        self.shrink_to_fit(cx);
        if matches!(cx.options.credentials, Credentials::Account { .. }) {
            self.adjourned.awaits_list = true;
            self.requests.enqueue(Requester::Adjourned, Command::new("stored").ok(), cx);
        }
        let restoration = Restoration::new(&cx.options.settings, &cx.memory, cx.reader.games(), cx.now);
        self.stage = if cx.memory.loss.is_none() && restoration.is_done() {
            LiveStage::Ready
        } else {
            LiveStage::Restoring(Box::new(restoration))
        };
        self.requests.is_restoring = !self.is_restored(&cx.memory);
        cx.reader.is_restoring = self.requests.is_restoring;
    }

    /// Enters the stage `Ready`, and reports [`Event::Restored`] after a loss.
    fn finish_restoration(&mut self, cx: &mut Context) {
        let LiveStage::Restoring(restoration) = std::mem::replace(&mut self.stage, LiveStage::Ready) else { return };
        self.requests.is_restoring = false;
        cx.reader.is_restoring = false;
        let mut restored = restoration.into_report_and_forget(&mut cx.memory, cx.reader.games_mut());
        for game in restored.games.iter_mut().filter(|game| self.adjourned.contains_game(&game.white, &game.black)) {
            if game.outcome == RestoreOutcome::Interrupted {
                game.outcome = RestoreOutcome::Adjourned;
            }
        }
        // Settings are sent after the first login, too, which restores nothing.
        if let Some(loss) = cx.memory.loss.take() {
            let offline_for = cx.now.saturating_duration_since(loss.last_byte_at);
            let silent_for = loss.noticed_at.saturating_duration_since(loss.last_byte_at);
            cx.emit(Event::Restored(Arc::new(Restored { offline_for, silent_for, ..restored })));
        }
    }

    /// Completes all requests when the connection ends. Remembers commands that may have been executed.
    pub(in crate::session) fn fail_all_requests(&mut self, after_close: &AfterClose, cx: &mut Context) {
        let (sent, queued) = match after_close {
            AfterClose::End(reason) => (RequestError::Ended(reason.clone()), RequestError::Ended(reason.clone())),
            _ => (RequestError::Lost, RequestError::NotConnected),
        };
        self.requests.fail_all(&sent, &queued);
        let mut is_oldest = true;
        while let Some(completed) = self.requests.completed.pop_front() {
            completed.count(&mut cx.counters);
            if let (Some(command), Err(RequestError::Lost)) = (&completed.request.command, &completed.result) {
                let was_requested_by_user = was_requested_by_user(&completed);
                if is_oldest && (was_requested_by_user || completed.request.requester == Requester::Restore) {
                    cx.memory.count_unanswered_at_loss(command);
                    is_oldest = false;
                }
                if was_requested_by_user {
                    cx.memory.remember_as_executed(command);
                }
            }
            if completed.request.requester == Requester::User {
                cx.replies.push_back((completed.request.id, completed.result));
            }
        }
    }

    /// Releases unused memory.
    fn shrink_to_fit(&mut self, cx: &mut Context) {
        self.requests.shrink_to_fit();
        cx.outbox.shrink_to_fit();
        cx.reader.shrink_to_fit();
        cx.events.shrink_to_fit();
    }
}

/// Returns whether a user of the session made the request, even if the user no longer waits for its reply.
fn was_requested_by_user(completed: &CompletedRequest) -> bool {
    matches!(completed.request.requester, Requester::User | Requester::Abandoned)
}
