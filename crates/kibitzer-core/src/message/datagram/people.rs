//! Datagrams about players: this login, those who come and go, partners.

use super::Reading;
use super::form::Arguments;
use super::known::Known;
use crate::message::{Actor, Arrival, ArrivalKind, ArrivalReason, LoggedIn, LoginRefusal, Message, Partner};
use crate::text::ServerText;

pub(super) fn who_am_i(arguments: &Arguments<'_>, known: &mut Known) -> Option<Reading> {
    let name = arguments.handle("name")?;
    known.set_me(name.clone());
    let login = LoggedIn { name, titles: arguments.titles("titles"), server: ServerText::from_wire(b"ICC") };
    Some(Message::LoggedIn(login).into())
}

pub(super) fn login_failed(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    Some(Message::LoginRefused(LoginRefusal::from_code(arguments.number("code")?)).into())
}

pub(super) fn player_arrived(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    arrival(arguments, ArrivalKind::Arrived, ArrivalReason::Pin)
}

pub(super) fn player_left(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    arrival(arguments, ArrivalKind::Departed, ArrivalReason::Pin)
}

pub(super) fn notify_arrived(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    arrival(arguments, ArrivalKind::Arrived, ArrivalReason::Notify)
}

pub(super) fn notify_left(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    arrival(arguments, ArrivalKind::Departed, ArrivalReason::Notify)
}

fn arrival(arguments: &Arguments<'_>, kind: ArrivalKind, reason: ArrivalReason) -> Option<Reading> {
    let name = arguments.handle("name")?;
    let titles = crate::message::Titles::default();
    Some(Message::Arrival(Arrival { name, titles, kind, reason }).into())
}

/// Partnerships of others are not told in words, so only those of this login are.
pub(super) fn partnership(arguments: &Arguments<'_>, known: &mut Known) -> Option<Reading> {
    let (first, second) = (arguments.handle("first")?, arguments.handle("second")?);
    let name = if known.is_me(&first) {
        second
    } else if known.is_me(&second) {
        first
    } else {
        return None;
    };
    let partner =
        if arguments.flag("joined")? { Partner::Agreed { actor: Actor::Other, name } } else { Partner::Ended };
    Some(Message::Partner(partner).into())
}
