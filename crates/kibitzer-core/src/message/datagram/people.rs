//! Datagrams about players: this login, arrivals and departures, partners.

use super::DatagramMessages;
use super::arguments::NamedArguments;
use super::names_and_offers::DatagramNamesAndOffers;
use crate::message::{
    LoggedIn, MeOrOther, Message, PartnershipUpdate, PresenceChange, PresenceChangeKind, PresenceReportReason, Titles,
};
use crate::text::ServerText;

/// Parses the name of this login to a [`LoggedIn`], and stores it in `known`.
pub(super) fn parse_and_store_own_name(
    arguments: &NamedArguments<'_>,
    known: &mut DatagramNamesAndOffers,
) -> Option<DatagramMessages> {
    let name = arguments.handle("name")?;
    known.me = name.clone();
    let login = LoggedIn { name, titles: arguments.titles("titles"), server: ServerText::from_wire(b"ICC") };
    Some(Message::from(login).into())
}

/// Parses an arrival or a departure, as the kind of datagram determines.
pub(super) fn parse_arrival(
    arguments: &NamedArguments<'_>,
    kind: PresenceChangeKind,
    reason: PresenceReportReason,
) -> Option<Message> {
    let name = arguments.handle("name")?;
    Some(PresenceChange { name, titles: Titles::default(), kind, reason }.into())
}

/// Parses the start or the end of a partnership of this login; `None` for a partnership of other players, for which there is no
/// message.
pub(super) fn parse_partnership(
    arguments: &NamedArguments<'_>,
    known: &mut DatagramNamesAndOffers,
) -> Option<DatagramMessages> {
    let (first, second) = (arguments.handle("first")?, arguments.handle("second")?);
    let name = if known.is_me(&first) {
        second
    } else if known.is_me(&second) {
        first
    } else {
        return None;
    };
    let partner = if arguments.flag("joined")? {
        PartnershipUpdate::Agreed { actor: MeOrOther::Other, name }
    } else {
        PartnershipUpdate::Ended
    };
    Some(Message::from(partner).into())
}
