//! Datagrams about players: this login, arrivals and departures, partners.

use super::DatagramMessages;
use super::context::DatagramContext;
use super::kind::Arguments;
use crate::message::{
    Arrival, ArrivalKind, ArrivalReason, LoggedIn, LoginRefusal, MeOrOther, Message, Partner, Titles,
};
use crate::text::ServerText;

pub(super) fn parse_who_am_i(arguments: &Arguments<'_>, context: &mut DatagramContext) -> Option<DatagramMessages> {
    let name = arguments.handle("name")?;
    context.set_login_name(name.clone());
    let login = LoggedIn { name, titles: arguments.titles("titles"), server: ServerText::from_wire(b"ICC") };
    Some(Message::from(login).into())
}

pub(super) fn parse_login_failed(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    Some(Message::from(LoginRefusal::from_code(arguments.number("code")?)).into())
}

pub(super) fn parse_arrival(
    arguments: &Arguments<'_>,
    kind: ArrivalKind,
    reason: ArrivalReason,
) -> Option<DatagramMessages> {
    let name = arguments.handle("name")?;
    Some(Message::from(Arrival { name, titles: Titles::default(), kind, reason }).into())
}

/// Parses the datagram of a partnership. `None` for a partnership of other players, because servers report only this login's own
/// in text.
pub(super) fn parse_partnership(arguments: &Arguments<'_>, context: &mut DatagramContext) -> Option<DatagramMessages> {
    let (first, second) = (arguments.handle("first")?, arguments.handle("second")?);
    let name = if context.is_me(&first) {
        second
    } else if context.is_me(&second) {
        first
    } else {
        return None;
    };
    let partner =
        if arguments.flag("joined")? { Partner::Agreed { actor: MeOrOther::Other, name } } else { Partner::Ended };
    Some(Message::from(partner).into())
}
