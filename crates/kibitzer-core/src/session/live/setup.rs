//! What is set behind the login, and what the server makes of it.

use std::time::Instant;

use crate::event::{Capabilities, RequestError};
use crate::message::listing::{Listing as _, Variables};
use crate::message::{Ivar, Refusal};
use crate::session::command::Command;
use crate::session::dialect::levels::{fulfilled, wanted_datagrams};
use crate::session::dialect::login_string::is_for_string;
use crate::session::login::Entrance;
use crate::session::options::SessionOptions;
use crate::session::reply::Reply;
use crate::session::requests::{Done, Mode};

/// What every FICS is told: boards a program can read, nothing that breaks lines or holds them back.
///
/// Source: FICS help file `variables`.
const FICS_VARIABLES: [&str; 5] = ["style 12", "bell 0", "ptime 0", "width 240", "height 240"];

/// The same for ICC; the style comes in front. That `wrap` breaks lines is a guess from its name.
const ICC_VARIABLES: [&str; 4] = ["prompt 0", "bell 0", "wrap 0", "height 0"];

/// A set-up that goes on: some commands at a time, each lot answered before the next.
#[derive(Debug)]
pub(crate) struct SetUp {
    next: Lot,
    n_waiting: usize,
    pub(crate) deadline: Instant,
    capabilities: Capabilities,
    string_understood: bool,
    is_icc: bool,
    /// Whether the server has ivars at all, as far as is known.
    has_ivars: bool,
}

/// Commands that are sent together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lot {
    /// Block mode comes first: it changes how the rest is answered.
    Block,
    /// What the login string has set.
    Listing,
    Rest,
    Done,
}

impl SetUp {
    pub(crate) fn new(
        entrance: &Entrance,
        mut capabilities: Capabilities,
        options: &SessionOptions,
        deadline: Instant,
    ) -> Self {
        if entrance.is_icc && entrance.string_understood {
            fulfilled(options).for_each(|ivar| capabilities.set(ivar, true));
        }
        Self {
            next: Lot::Block,
            n_waiting: 0,
            deadline,
            capabilities,
            string_understood: entrance.string_understood,
            is_icc: entrance.is_icc,
            has_ivars: !entrance.is_icc,
        }
    }

    pub(crate) const fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// What to send once everything sent before was answered; `None` if the set-up is complete.
    pub(crate) fn next_commands(&mut self, options: &SessionOptions, mode: Mode) -> Option<Vec<Command>> {
        if self.n_waiting > 0 {
            return Some(Vec::new());
        }
        let mut lines = Vec::new();
        while lines.is_empty() {
            let (now, next) = match self.next {
                Lot::Block => (self.block(options, mode), Lot::Listing),
                Lot::Listing => (self.listing(), Lot::Rest),
                Lot::Rest => (self.rest(options), Lot::Done),
                Lot::Done => return None,
            };
            (lines, self.next) = (now, next);
        }
        // The interface is free text; one that is no line is not told.
        let commands: Vec<_> = lines.iter().filter_map(|line| Command::new(line).ok()).collect();
        self.n_waiting = commands.len();
        Some(commands)
    }

    fn block(&mut self, options: &SessionOptions, mode: Mode) -> Vec<String> {
        self.capabilities.set(Ivar::Block, mode == Mode::Numbered);
        let is_wanted = self.has_ivars && mode == Mode::Fenced && options.ivars.contains(&Ivar::Block);
        if is_wanted { vec![iset(Ivar::Block)] } else { Vec::new() }
    }

    fn listing(&self) -> Vec<String> {
        let is_wanted = self.string_understood && !self.is_icc;
        if is_wanted { vec!["ivariables".to_owned()] } else { Vec::new() }
    }

    fn rest(&self, options: &SessionOptions) -> Vec<String> {
        if self.is_icc {
            return self.rest_of_icc(options);
        }
        let missing = |ivar: &Ivar| self.has_ivars && !self.capabilities.has(*ivar) && *ivar != Ivar::Block;
        let ivars = options.ivars.iter().copied().filter(missing);
        let (first, mut last): (Vec<_>, Vec<_>) = ivars.partition(|ivar| *ivar == Ivar::Atomic || is_for_string(*ivar));
        last.sort_by_key(|ivar| *ivar == Ivar::Lock);
        let set = set(FICS_VARIABLES, options);
        first.into_iter().map(iset).chain(set).chain(last.into_iter().map(iset)).collect()
    }

    /// ICC's levels were set in front of the name; if it did not understand that, each datagram is asked for by itself.
    fn rest_of_icc(&self, options: &SessionOptions) -> Vec<String> {
        // Style 13 has no boards: they come as moves.
        let style = if options.ivars.contains(&Ivar::CompressMove) { "style 13" } else { "style 12" };
        let [first, rest @ ..] = ICC_VARIABLES;
        let variables = set([style, first].into_iter().chain(rest), options);
        let missing = (!self.string_understood).then(|| wanted_datagrams(options)).into_iter().flatten();
        variables.chain(missing.map(|number| format!("set-2 {number} 1"))).collect()
    }

    /// Takes in what the server made of one of them.
    pub(crate) fn handle(&mut self, done: &Done, mode: Mode) {
        self.n_waiting = self.n_waiting.saturating_sub(1);
        let Some(command) = &done.command else { return };
        if command.may_switch_block_mode() {
            self.block_answered(&done.result, mode);
        } else if command.verb() == "ivariables" {
            self.listed(&done.result);
        } else {
            learn_ivar(&mut self.capabilities, done);
        }
    }

    /// What shows that block mode is on is how the fence was answered.
    fn block_answered(&mut self, result: &Result<Reply, RequestError>, mode: Mode) {
        self.has_ivars = !result.as_ref().is_err_and(|error| error.is_refusal(Refusal::UnknownCommand));
        self.capabilities.set(Ivar::Block, mode == Mode::Numbered);
    }

    fn listed(&mut self, result: &Result<Reply, RequestError>) {
        let Ok(reply) = result else { return };
        let Ok(variables) = Variables::parse(reply.lines()) else { return };
        for &ivar in Ivar::ALL.iter().filter(|&&ivar| ivar != Ivar::Block) {
            self.capabilities.set(ivar, variables.value(ivar.as_str()) == Some("1"));
        }
    }
}

/// Applies the answer to `iset` to the capabilities: `ms set.` turns an ivar on, `ms unset.` turns it off, any other answer changes
/// nothing.
///
/// uhlin/fics answers `com_iset: ms 1` to any name and does nothing. Block mode is detected by the form of the answer instead.
pub(crate) fn learn_ivar(capabilities: &mut Capabilities, done: &Done) {
    let (Some(command), Ok(reply)) = (&done.command, &done.result) else { return };
    let ivar = command.words().nth(1).and_then(|name| name.to_ascii_lowercase().parse::<Ivar>().ok());
    let Some(ivar) = ivar.filter(|ivar| command.verb() == "iset" && *ivar != Ivar::Block) else { return };
    for (answer, on) in [(" set.", true), (" unset.", false)] {
        let answer = format!("{}{answer}", ivar.as_str());
        if reply.lines().any(|line| line == answer.as_bytes()) {
            capabilities.set(ivar, on);
        }
    }
}

/// The commands that set variables, our interface last.
fn set<'a>(variables: impl IntoIterator<Item = &'a str>, options: &SessionOptions) -> impl Iterator<Item = String> {
    let interface = (!options.interface.is_empty()).then(|| format!("set interface {}", options.interface));
    variables.into_iter().map(|variable| format!("set {variable}")).chain(interface)
}

fn iset(ivar: Ivar) -> String {
    format!("iset {} 1", ivar.as_str())
}
