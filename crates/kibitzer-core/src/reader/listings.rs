//! Recognition of listings in the stream: marks their lines, and returns each listing at the end of its reply.
//!
//! Only replies that identify their command, in block mode or in an ICC unit, are parsed as listings. In other text, words of a
//! player could look like a row.
//!
//! | state | input | next state | output |
//! |---|---|---|---|
//! | none | start of the reply to a command with a listing | collecting | |
//! | collecting | line of the listing | collecting | the line is marked |
//! | collecting | other line that is text | collecting | the listing stores it as unread |
//! | collecting | any other line | collecting | |
//! | collecting | start of an inner unit | collecting, one level deeper | |
//! | collecting | end of an inner unit | collecting, one level up | |
//! | collecting | end of the reply | none | the listing, if it is complete |
//! | collecting | end of an incomplete reply | none | |

use crate::message::listing::{AnyListing, AnyListingCollector};
use crate::message::{Control, Message, Received};

/// The listing that the current reply may contain.
#[derive(Clone, Debug, Default)]
pub(super) struct ListingRecognizer {
    /// Parser of the listing; `None` outside of replies with a listing. Boxed, because most replies have none.
    pub(super) collector: Option<Box<AnyListingCollector>>,
    /// Number of inner units that have begun and not ended.
    depth: u8,
}

impl ListingRecognizer {
    /// Processes a message: marks it if it is a line of a listing, and returns the listing that ends with it.
    pub(super) fn mark_line_or_finish(&mut self, received: &mut Received) -> Option<AnyListing> {
        match &received.message {
            Message::Control(control) => self.handle_control(control),
            // Talk can interrupt a reply, and is not part of it; an overlong line is not a row.
            Message::Talk(_) | Message::OverLong(_) => None,
            _ => {
                let collector = self.collector.as_mut().filter(|_| !received.is_datagram())?;
                let is_part = collector.add_line(received.raw()).is_some();
                if matches!(received.message, Message::Text(_)) {
                    received.is_listed = is_part && !received.raw().is_empty();
                    // All other messages may be about games and players.
                    if !is_part {
                        collector.store_unread(received.raw());
                    }
                }
                None
            }
        }
    }

    /// Processes the start or end of a reply or unit; returns the listing that ends with it, if it is complete.
    fn handle_control(&mut self, control: &Control) -> Option<AnyListing> {
        match control {
            Control::BlockStart { code, .. } => self.start_collecting(AnyListingCollector::for_block_code(code.0)),
            Control::UnitStart(_) if self.collector.is_some() => self.depth = self.depth.saturating_add(1),
            Control::UnitStart(header) if header.player.as_str() == "*" => {
                self.start_collecting(AnyListingCollector::for_icc_command(header.command));
            }
            Control::BlockEnd { complete: false, .. } => self.collector = None,
            Control::UnitEnd if self.depth > 0 => self.depth -= 1,
            Control::BlockEnd { .. } | Control::UnitEnd => return self.collector.take()?.finish(),
            _ => {}
        }
        None
    }

    /// Collects the lines that follow as a listing, and drops an unfinished one. `None` for a reply without a listing.
    fn start_collecting(&mut self, collector: Option<AnyListingCollector>) {
        self.collector = collector.map(Box::new);
        self.depth = 0;
    }
}
