//! Detection of dead connections, and prevention of the server's idle logout.
//!
//! | state | input | action | next state |
//! |---|---|---|---|
//! | any | bytes received | | heard |
//! | heard | silence of `probe_after` | probe | probed |
//! | probed | silence of `probe_timeout` | close the connection | |
//! | probed by the first timing mark | silence of `probe_timeout` | probe by a command | probed |
//! | any | `keep_alive` without a line that resets the idle timer | keep-alive | same |

use std::time::Instant;

use crate::event::Event;
use crate::message::{Control, Message};
use crate::scan::find;
use crate::session::options::{Timings, saturating_deadline};
use crate::wire::{TIMING_MARK, Timeseal};

/// Action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LivenessAction {
    /// Send a command that the server answers.
    Probe,
    /// Send telnet's timing mark.
    TimingMark,
    /// Send a command that resets the server's idle timer.
    KeepAlive,
    /// Close the connection: the probe was not answered.
    Close,
}

/// How a silent server is probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbeForm {
    /// By a command after `$$`, which the server does not count as activity of the account, as far as is known.
    Command,
    /// By telnet's timing mark, because the server counts the command. It is not known whether it answers the mark.
    UntestedMark,
    /// By the timing mark, which the server answers.
    Mark,
    /// By the command, rarely: the server counts it, and does not answer the mark.
    RareCommand,
}

/// Factor of `probe_after` for a [`ProbeForm::RareCommand`].
const RARE: u32 = 20;

/// Timers of one connection: silence of the server, and time since the last line that resets the idle timer.
#[derive(Debug)]
pub(super) struct Liveness {
    last_heard: Instant,
    /// Time of the last sent line that resets the server's idle timer.
    pub(super) idle_timer_reset_at: Instant,
    /// Time of the unanswered probe; `None` if bytes were received since, or no probe was sent.
    probed: Option<Instant>,
    form: ProbeForm,
}

impl Liveness {
    pub(super) const fn new(now: Instant) -> Self {
        Self { last_heard: now, idle_timer_reset_at: now, probed: None, form: ProbeForm::Command }
    }

    /// Records that bytes were received.
    pub(super) const fn record_receipt(&mut self, now: Instant) {
        self.last_heard = now;
        self.probed = None;
    }

    /// Changes the form of probes after the refusal of a line with `$$`, which a server sends that counts it as activity, and
    /// after the answer to a requested timing mark. A sealed connection has no telnet commands.
    pub(super) fn handle_event(&mut self, event: &Event, timeseal: Timeseal) {
        match event.message() {
            Some(Message::Refused(_)) if self.form == ProbeForm::Command && find(event.raw(), b"$$").is_some() => {
                let is_sealed = timeseal != Timeseal::Off;
                self.form = if is_sealed { ProbeForm::RareCommand } else { ProbeForm::UntestedMark };
            }
            Some(Message::Control(Control::Telnet { option: Some(TIMING_MARK), .. }))
                if self.form == ProbeForm::UntestedMark =>
            {
                self.form = ProbeForm::Mark;
            }
            _ => {}
        }
    }

    /// Returns the time of the next action.
    pub(super) fn next_deadline(&self, timings: &Timings) -> Instant {
        self.silence_deadline(timings).min(saturating_deadline(self.idle_timer_reset_at, timings.keep_alive))
    }

    fn silence_deadline(&self, timings: &Timings) -> Instant {
        if let Some(probed) = self.probed {
            return saturating_deadline(probed, timings.probe_timeout);
        }
        let factor = if self.form == ProbeForm::RareCommand { RARE } else { 1 };
        saturating_deadline(self.last_heard, timings.probe_after.saturating_mul(factor))
    }

    /// Returns an action that is due, and restarts its timer unless it closes the connection; `None` if none is due. The caller
    /// repeats the call until `None`.
    pub(super) fn take_due_action(&mut self, timings: &Timings, now: Instant) -> Option<LivenessAction> {
        if self.silence_deadline(timings) <= now {
            if self.probed.replace(now).is_some() {
                if self.form != ProbeForm::UntestedMark {
                    return Some(LivenessAction::Close);
                }
                self.form = ProbeForm::RareCommand;
            }
            let uses_mark = matches!(self.form, ProbeForm::UntestedMark | ProbeForm::Mark);
            return Some(if uses_mark { LivenessAction::TimingMark } else { LivenessAction::Probe });
        }
        if self.idle_timer_reset_at < now && saturating_deadline(self.idle_timer_reset_at, timings.keep_alive) <= now {
            self.idle_timer_reset_at = now;
            return Some(LivenessAction::KeepAlive);
        }
        None
    }
}
