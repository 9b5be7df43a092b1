//! Progress of a live connection: completed requests, and the next commands that they permit.

use std::time::Instant;

use super::setup::learn_ivar_from_answer;
use super::{LiveConnection, LiveStage};
use crate::event::{Event, RequestError};
use crate::game::Games;
use crate::message::Ivar;
use crate::reader::EventReader;
use crate::scan::find;
use crate::session::dialect::ReplyMode;
use crate::session::options::{AdjournedGames, Credentials, Password, saturating_deadline};
use crate::session::output::Output;
use crate::session::recovery::Memory;
use crate::session::recovery::adjourned::AdjournedTracker;
use crate::session::recovery::restore::Restoration;
use crate::session::requests::{CompletedRequest, Requester};
use crate::session::secret::{Secret, SecretDetector, mask_secrets_in_line};
use crate::session::{Command, custom_prompt};
use crate::text::{ServerText, encode_ascii};

impl LiveConnection {
    /// Sends what may be sent, and processes completed requests, until the next step needs a message of the server.
    ///
    /// Moves on to the next stage where one is complete, and keeps the block mode of the framer up to date.
    pub(in crate::session) fn send_and_advance(
        &mut self,
        memory: &mut Memory,
        reader: &mut EventReader,
        output: &mut Output,
        now: Instant,
    ) {
        loop {
            if self.requests.send_ready_lines(reader.games(), output, now) {
                self.liveness.idle_timer_reset_at = now;
            }
            while let Some(mut completed) = self.requests.completed.pop_front() {
                self.learn_from_completed(&mut completed, memory, reader, output);
                self.handle_completed(completed, reader, output, now);
            }
            if !self.queue_commands_or_enter_stage(memory, reader, output, now) {
                break;
            }
        }
        let is_numbered = self.requests.mode == ReplyMode::Numbered;
        reader.framer_mut().set_block_mode(is_numbered);
        if !matches!(self.stage, LiveStage::SettingUp(_)) {
            self.capabilities.set(Ivar::Block, is_numbered);
        }
    }

    /// Learns from a completed request: passwords and aliases, the prompt, seeks and settings, adjourned games; the style from every command that
    /// succeeded, except for the set-up's; ivars from the user's and the restoration's. Removes secrets from its error text.
    fn learn_from_completed(
        &mut self,
        completed: &mut CompletedRequest,
        memory: &mut Memory,
        reader: &mut EventReader,
        output: &mut Output,
    ) {
        if let Some(new) = learn_and_redact_secrets(completed, &mut output.detector) {
            memory.new_password = Some(new);
        }
        custom_prompt::apply(completed.new_prompt.as_deref(), reader);
        memory.learn_from_success(completed);
        if completed.request.requester == Requester::Adjourned
            && let Some(withdraw) = memory.adjourned.handle_reply_and_withdraw(completed, output)
        {
            self.requests.enqueue(Requester::Upkeep, Some(withdraw));
        }
        let Some((command, _)) = completed.command_and_reply() else { return };
        // The set-up chooses style 13 where boards are sent as moves.
        if completed.request.requester != Requester::SetUp {
            self.boards.note_style_command(command);
        }
        if completed.was_requested_by_user() || completed.request.requester == Requester::Restore {
            learn_ivar_from_answer(&mut self.capabilities, completed);
        }
    }

    /// Passes a completed request to the part of the session that made it, and queues the reply to the user. A failed `quit` no
    /// longer ends the session.
    fn handle_completed(
        &mut self,
        completed: CompletedRequest,
        reader: &mut EventReader,
        output: &mut Output,
        now: Instant,
    ) {
        match (&mut self.stage, completed.request.requester) {
            (LiveStage::SettingUp(set_up), Requester::SetUp) => {
                set_up.deadline = saturating_deadline(now, self.options.timings.set_up);
                set_up.handle_reply(&completed, self.requests.mode);
            }
            (LiveStage::Restoring(restoration), Requester::Restore) => {
                restoration.handle_reply(&completed, reader.games());
            }
            // The connection was silent, so memory that a busy time needed is released.
            (_, Requester::Probe) => self.shrink_to_fit(reader, output),
            // A refusal or a timeout cancels the `quit`. Its unit on ICC may end before the connection does, so an answer does not.
            (_, Requester::User | Requester::Quit) if completed.result.is_err() && completed.is_quit() => {
                self.cancel_quit_unless_final();
            }
            _ => {}
        }
        completed.deliver(output);
    }

    /// Queues the next commands of the current stage, or enters the next one; does nothing after `quit`. Returns whether there
    /// may be something to send.
    fn queue_commands_or_enter_stage(
        &mut self,
        memory: &mut Memory,
        reader: &mut EventReader,
        output: &mut Output,
        now: Instant,
    ) -> bool {
        match &mut self.stage {
            _ if self.quitting.is_some() => false,
            LiveStage::SettingUp(set_up) => {
                let Some(commands) = set_up.take_next_batch(&self.options, self.requests.mode) else {
                    self.capabilities = set_up.capabilities;
                    self.finish_set_up(memory, reader, output, now);
                    return true;
                };
                let has_commands = !commands.is_empty();
                for command in commands {
                    self.requests.enqueue(Requester::SetUp, Some(command));
                }
                has_commands
            }
            LiveStage::Restoring(restoration) => {
                let has_commands = restoration.queue_next_commands(&mut self.requests);
                let is_done = restoration.is_done() && !memory.adjourned.awaits_list;
                if is_done {
                    self.finish_restoration(memory, reader, output, now);
                }
                has_commands || is_done
            }
            LiveStage::Ready => self.queue_next_challenge(&mut memory.adjourned, reader.games()),
        }
    }

    /// Queues the next challenge to resume an adjourned game, if the options request that and no challenge is pending. Returns
    /// whether it queued one.
    fn queue_next_challenge(&mut self, adjourned: &mut AdjournedTracker, games: &Games) -> bool {
        if self.options.adjourned != AdjournedGames::Resume || self.requests.is_challenging() {
            return false;
        }
        let Some(challenge) = adjourned.take_next_challenge(games) else { return false };
        self.requests.enqueue(Requester::Adjourned, Some(challenge));
        true
    }

    /// Emits [`Event::SessionReady`]. Requests the adjourned games of an account. Enters the restoration if
    /// a connection was lost or there is anything to restore, else the stage `Ready`.
    fn finish_set_up(&mut self, memory: &mut Memory, reader: &mut EventReader, output: &mut Output, now: Instant) {
        if self.capabilities.has(Ivar::NoWrap) {
            reader.framer_mut().disable_line_joining();
        }
        self.ready_since = Some(now);
        output.emit(Event::SessionReady(self.capabilities));
        // The set-up sends many commands at once; later bursts are smaller.
        self.shrink_to_fit(reader, output);
        if matches!(self.options.credentials, Credentials::Account { .. }) {
            memory.adjourned.awaits_list = true;
            self.requests.enqueue(Requester::Adjourned, Command::new("stored").ok());
        }
        let restoration = Restoration::new(&self.options.settings, memory, reader.games(), now);
        let is_after_loss = restoration.is_after_loss;
        self.requests.is_restoring = is_after_loss;
        reader.is_restoring = is_after_loss;
        self.stage = if is_after_loss || !restoration.is_done() {
            LiveStage::Restoring(Box::new(restoration))
        } else {
            LiveStage::Ready
        };
    }

    /// Enters the stage `Ready`, and reports [`Event::Restored`] after a loss.
    fn finish_restoration(&mut self, memory: &mut Memory, reader: &mut EventReader, output: &mut Output, now: Instant) {
        let LiveStage::Restoring(restoration) = std::mem::replace(&mut self.stage, LiveStage::Ready) else { return };
        self.requests.is_restoring = false;
        reader.is_restoring = false;
        if let Some(restored) = restoration.finish(memory, reader.games_mut(), now) {
            output.emit(Event::Restored(restored.into()));
        }
    }

    /// Releases unused memory.
    fn shrink_to_fit(&mut self, reader: &mut EventReader, output: &mut Output) {
        self.requests.shrink_to_fit();
        output.shrink_to_fit();
        reader.shrink_to_fit();
    }
}

/// Learns aliases for secret commands from the reply to a command. Removes the command's secrets from the text of a refusal,
/// because errors are logged. Returns the new password of the account if the server has confirmed one.
fn learn_and_redact_secrets(completed: &mut CompletedRequest, detector: &mut SecretDetector) -> Option<Password> {
    let command = completed.request.command.as_ref()?;
    let secrets = detector.secrets(command.as_str());
    match &mut completed.result {
        Ok(reply) => {
            // Both families list aliases in this form.
            let listed = reply.lines().filter(|_| command.verb().starts_with("al"));
            for (name, value) in listed.filter_map(|line| str::from_utf8(line).ok()?.split_once(" -> ")) {
                detector.learn_alias(&format!("alias {name} {value}"));
            }
            let is_confirmed = reply.answers().any(|answer| confirms_password_change(answer.raw()));
            return Password::new(*secrets.last().filter(|_| is_confirmed)?).ok();
        }
        Err(RequestError::Refused { text, .. }) if !secrets.is_empty() => {
            let secrets: Vec<_> = secrets.iter().filter_map(|word| Secret::new(word.as_bytes())).collect();
            let mut line = encode_ascii(text.as_str()).into_owned().into_bytes();
            mask_secrets_in_line(&secrets.iter(), &mut line);
            *text = ServerText::from_wire(&line);
        }
        Err(_) => {}
    }
    None
}

/// Returns whether a line reports a new password: `Password changed to "perch".`
///
/// Source: uhlin-fics, FatICS. The wording of ICC is not known.
fn confirms_password_change(line: &[u8]) -> bool {
    let line = line.to_ascii_lowercase();
    line.starts_with(b"password changed") || find(&line, b"password has been changed").is_some()
}
