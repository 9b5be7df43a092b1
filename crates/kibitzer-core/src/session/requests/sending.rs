//! What may be sent now, and how.

use std::time::Instant;

use super::{Mode, Requests};
use crate::session::command::Command;
use crate::session::options::{Timings, after};
use crate::session::random::Random;
use crate::session::reply::OpenReply;
use crate::session::requests::fence::Fence;
use crate::session::requests::sent::{InFlight, Mark, Order, Owner};
use crate::session::requests::talk_pacing::Talk;
use crate::session::transmit::Outbox;

/// What sending needs.
pub(crate) struct Sending<'a> {
    pub(crate) out: &'a mut Outbox,
    pub(crate) random: &'a mut Random,
    pub(crate) timings: &'a Timings,
    pub(crate) now: Instant,
}

impl Requests {
    /// Sends what may be sent now. Returns whether some of it ends our idle time.
    pub(crate) fn send(&mut self, cx: &mut Sending<'_>) -> bool {
        let mut resets_idle = false;
        self.pacing.expire(cx.now);
        while self.mode != Mode::Fenced || self.gate.is_open(cx.now) {
            if let Some(fence) = self.pending.send_fence(cx) {
                self.gate.close_until_answer(fence, cx.now);
                continue;
            }
            let Some(order) = self.next_order() else { break };
            resets_idle |= order.command.as_ref().is_some_and(Command::resets_idle);
            self.send_order(order, cx);
        }
        resets_idle
    }

    /// The first command in the queue that has not to wait.
    fn next_order(&mut self) -> Option<Order> {
        if self.queue.is_empty() {
            return None;
        }
        let n_waiting = self.pending.n_waiting();
        if n_waiting >= self.limits.in_flight || self.pending.may_switch_block_mode() {
            return None;
        }
        let at = self.queue.iter().position(|order| !self.waits(order) && self.held_until(order).is_none())?;
        // What follows a switch of block mode, or stands in front of it, is not answered in the same way.
        let switches = self.queue.get(at)?.command.as_ref().is_some_and(Command::may_switch_block_mode);
        if switches && n_waiting > 0 { None } else { self.queue.remove(at) }
    }

    /// Whether it waits until the games are observed again: it may ask for one of them.
    fn waits(&self, order: &Order) -> bool {
        self.is_restoring && order.owner == Owner::User && order.asks_to_observe()
    }

    pub(crate) fn held_until(&self, order: &Order) -> Option<Instant> {
        self.pacing.held_until(Talk::of(order.command.as_ref()?)?)
    }

    fn send_order(&mut self, order: Order, cx: &mut Sending<'_>) {
        let text = order.command.as_ref().map(Command::as_str);
        let owes_fence = self.mode == Mode::Fenced && text.is_some();
        let mark = match self.mode {
            Mode::Numbered | Mode::Tagged => {
                let number = self.pending.free_number();
                let text = text.unwrap_or("$$date");
                let is_tag = self.mode == Mode::Tagged;
                let line = if is_tag { format!("`{number}`{text}") } else { format!("{number} {text}") };
                cx.out.push_command(order.command.as_ref(), line, Some(order.id));
                Mark::Number(number)
            }
            Mode::Fenced => {
                self.pending.make_room();
                self.gate.close_until_prompt(cx.now);
                let fence = Fence::draw(cx.random);
                // `$$` keeps a probe from ending our idle time. A server that has no `$` repeats it with the rest.
                let line = text.map_or_else(|| format!("$${}", fence.as_str()), str::to_owned);
                cx.out.push_command(order.command.as_ref(), line, Some(order.id));
                Mark::Fence(fence)
            }
        };
        let due = after(cx.now, cx.timings.request);
        let reply = OpenReply::default();
        self.pending.push(InFlight { order, mark, owes_fence, sent: cx.now, due, reply, is_given_up: false });
    }
}
