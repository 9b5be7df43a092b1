//! The session's lines for people.

use std::io::{self, Write};

use kibitzer::core::event::{AdjournedState, Restored};
use kibitzer::core::message::NameKind;

use super::{Life, outcome_name, state_name};
use crate::chain::chain;
use crate::output::Shown;
use crate::output::text::{NEWS, QUIET, TROUBLE, line, name_of};

/// Writes the lines of text.
pub(in crate::output) fn write(out: &mut impl Write, life: &Life<'_>) -> io::Result<()> {
    match *life {
        Life::Connecting { attempt: 1 } => line(out, QUIET, "* connecting"),
        Life::Connecting { attempt } => line(out, QUIET, format_args!("* connecting, attempt {attempt}")),
        Life::Connected => line(out, QUIET, "* connected"),
        Life::LoggedIn(identity) => {
            let kind = if identity.kind == NameKind::Registered { "" } else { ", a guest" };
            let name = identity.handle.as_ref().map_or(Shown("?"), name_of);
            line(out, NEWS, format_args!("* logged in as {name}{kind}"))
        }
        Life::Ready(_) => line(out, NEWS, "* ready"),
        Life::Sent(Some(sent)) => line(out, QUIET, format_args!("> {}", Shown(sent))),
        Life::Sent(None) => line(out, QUIET, "> (password)"),
        Life::Fault(fault) => line(out, TROUBLE, format_args!("* {fault}")),
        Life::Lost { cause, retry_in: None } => line(out, TROUBLE, format_args!("* session lost: {}", chain(cause))),
        Life::Lost { cause, retry_in: Some(delay) } => {
            let delay = delay.as_secs_f64();
            line(out, TROUBLE, format_args!("* session lost: {}; trying again in {delay:.1} s", chain(cause)))
        }
        Life::Restored(restored) => write_restored(out, restored),
        Life::Adjourned(game) => {
            let players = format!("{} - {}", name_of(&game.white), name_of(&game.black));
            let state = state_name(&game.state);
            match &game.state {
                AdjournedState::Refused(error) => {
                    line(out, NEWS, format_args!("* adjourned game {players}: {state}: {}", chain(error)))
                }
                _ => line(out, NEWS, format_args!("* adjourned game {players}: {state}")),
            }
        }
        Life::Ended(reason) => line(out, QUIET, format_args!("* session over: {}", chain(reason))),
    }
}

fn write_restored(out: &mut impl Write, restored: &Restored) -> io::Result<()> {
    let offline = restored.offline_for.as_secs_f64();
    line(out, NEWS, format_args!("* back after {offline:.1} s"))?;
    for game in &restored.games {
        let players = format!("{} - {}", name_of(&game.white), name_of(&game.black));
        let missing = if game.moves_missing { ", moves are missing" } else { "" };
        let outcome = outcome_name(game.outcome);
        line(out, NEWS, format_args!("*   game {}, {players}: {outcome}{missing}", game.now.unwrap_or(game.was)))?;
    }
    for sent in restored.settings.iter().chain(&restored.requests).chain(&restored.seeks) {
        let outcome = sent.error.as_ref().map_or_else(|| "sent again".to_owned(), |error| chain(error));
        line(out, NEWS, format_args!("*   {}: {outcome}", Shown(sent.command.as_str())))?;
    }
    Ok(())
}
