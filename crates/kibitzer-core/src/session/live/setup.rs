//! Set-up after the login: variables and ivars, and the capabilities that the server grants.
//!
//! | batch | commands | purpose |
//! |---|---|---|
//! | `Block` | `iset block 1`, unless the login showed the mode of replies | changes how the rest is answered |
//! | `Listing` | `ivariables`, if the login string was understood | reads the ivars that it has set |
//! | `Rest` | the other ivars, variables, datagrams | |
//!
//! Each batch is sent when the one before is answered. Batches without commands are skipped.

use std::time::Instant;

use crate::event::{Capabilities, RequestError};
use crate::message::listing::{Listing as _, Variables};
use crate::message::{Ivar, Refusal};
use crate::session::command::Command;
use crate::session::dialect::{ReplyMode, is_in_login_string};
use crate::session::login::CompletedLogin;
use crate::session::options::SessionOptions;
use crate::session::reply::Reply;
use crate::session::requests::CompletedRequest;

/// A set-up in progress.
#[derive(Debug)]
pub(super) struct SetUpProgress {
    next: SetUpBatch,
    n_pending: usize,
    pub(super) deadline: Instant,
    pub(super) capabilities: Capabilities,
    login: CompletedLogin,
    /// Whether the server has ivars; `false` once it refuses `iset` as unknown.
    has_ivars: bool,
}

/// Group of commands that are sent together; the next group waits for all replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SetUpBatch {
    Block,
    Listing,
    Rest,
    Done,
}

impl SetUpProgress {
    pub(super) fn new(login: CompletedLogin, options: &SessionOptions, deadline: Instant) -> Self {
        let mut capabilities = login.capabilities();
        if login.string_understood {
            for ivar in login.dialect.ivars_granted_before_name(options) {
                capabilities.set(ivar, true);
            }
        }
        Self {
            next: SetUpBatch::Block,
            n_pending: 0,
            deadline,
            capabilities,
            has_ivars: login.dialect.has_ivars(),
            login,
        }
    }

    /// Returns the commands of the next batch that has any; empty while the last batch is not answered, `None` once all are.
    /// Leaves out lines that are not valid commands.
    pub(super) fn take_next_batch(&mut self, options: &SessionOptions, mode: ReplyMode) -> Option<Vec<Command>> {
        if self.n_pending > 0 {
            return Some(Vec::new());
        }
        let mut lines = Vec::new();
        while lines.is_empty() {
            (lines, self.next) = match self.next {
                SetUpBatch::Block => {
                    self.capabilities.set(Ivar::Block, mode == ReplyMode::Numbered);
                    let is_missing = mode == ReplyMode::Fenced && options.ivars.contains(&Ivar::Block);
                    let line = (self.has_ivars && is_missing).then(|| iset_line(Ivar::Block));
                    (line.into_iter().collect(), SetUpBatch::Listing)
                }
                SetUpBatch::Listing => {
                    let has_set_ivars = self.login.string_understood && self.login.dialect.has_ivars();
                    let line = has_set_ivars.then(|| "ivariables".to_owned());
                    (line.into_iter().collect(), SetUpBatch::Rest)
                }
                SetUpBatch::Rest => (self.remaining_lines(options), SetUpBatch::Done),
                SetUpBatch::Done => return None,
            };
        }
        // The interface is free text; one that is not a valid line is not sent.
        let commands: Vec<_> = lines.iter().filter_map(|line| Command::new(line).ok()).collect();
        self.n_pending = commands.len();
        Some(commands)
    }

    /// Returns the lines that set the missing ivars, the variables and the interface, and request datagrams; `lock` is last.
    fn remaining_lines(&self, options: &SessionOptions) -> Vec<String> {
        let is_missing = |ivar: &Ivar| self.has_ivars && !self.capabilities.has(*ivar) && *ivar != Ivar::Block;
        let missing = options.ivars.iter().copied().filter(is_missing);
        let (first, mut last): (Vec<_>, Vec<_>) =
            missing.partition(|ivar| *ivar == Ivar::Atomic || is_in_login_string(*ivar));
        // `lock` prevents all further changes.
        last.sort_by_key(|ivar| *ivar == Ivar::Lock);
        let variables =
            self.login.dialect.variables_to_set(options).into_iter().map(|variable| format!("set {variable}"));
        let interface = (!options.interface.is_empty()).then(|| format!("set interface {}", options.interface));
        let datagrams = if self.login.string_understood {
            Vec::new()
        } else {
            self.login.dialect.datagram_request_commands(options)
        };
        let ivars = |ivars: Vec<Ivar>| ivars.into_iter().map(iset_line);
        ivars(first).chain(variables).chain(interface).chain(ivars(last)).chain(datagrams).collect()
    }

    /// Processes the reply to a command of a batch: learns from it which ivars the server has and whether block mode is on.
    pub(super) fn handle_reply(&mut self, completed: &CompletedRequest, mode: ReplyMode) {
        self.n_pending = self.n_pending.saturating_sub(1);
        let Some(command) = &completed.request.command else { return };
        if command.may_switch_block_mode() {
            let is_unknown = |error: &RequestError| error.is_refused_for(Refusal::UnknownCommand);
            self.has_ivars = !completed.result.as_ref().is_err_and(is_unknown);
            // The form of the reply is the proof of block mode, not its text.
            self.capabilities.set(Ivar::Block, mode == ReplyMode::Numbered);
        } else if command.verb() == "ivariables" {
            self.learn_listed_ivars(&completed.result);
        } else {
            learn_ivar_from_answer(&mut self.capabilities, completed);
        }
    }

    fn learn_listed_ivars(&mut self, result: &Result<Reply, RequestError>) {
        let Ok(reply) = result else { return };
        let Ok(variables) = Variables::parse(reply.lines()) else { return };
        for &ivar in Ivar::ALL.iter().filter(|&&ivar| ivar != Ivar::Block) {
            self.capabilities.set(ivar, variables.value(ivar.as_str()) == Some("1"));
        }
    }
}

/// Applies the answer to `iset` to the capabilities: `ms set.` turns an ivar on, `ms unset.` turns it off, any other answer
/// changes nothing.
///
/// uhlin/fics answers `com_iset: ms 1` to any name and does nothing. Block mode is detected by the form of the answer instead.
pub(super) fn learn_ivar_from_answer(capabilities: &mut Capabilities, completed: &CompletedRequest) {
    let Some((command, reply)) = completed.command_and_reply() else { return };
    let ivar = command.words().nth(1).and_then(|name| name.to_ascii_lowercase().parse::<Ivar>().ok());
    let Some(ivar) = ivar.filter(|ivar| command.verb() == "iset" && *ivar != Ivar::Block) else { return };
    for (answer, on) in [(" set.", true), (" unset.", false)] {
        let answer = format!("{}{answer}", ivar.as_str());
        if reply.lines().any(|line| line == answer.as_bytes()) {
            capabilities.set(ivar, on);
        }
    }
}

fn iset_line(ivar: Ivar) -> String {
    format!("iset {} 1", ivar.as_str())
}
