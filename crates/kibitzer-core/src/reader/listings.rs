//! Recognition of listings in the stream: marks their lines, and returns each listing at the end of its reply.
//!
//! Only replies whose command is known are parsed as listings: in block mode, in an ICC unit, and between a sent command and the
//! answer to the fence after it. In other text, words of a player could look like a row.
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
//! | none, fenced | sent command with a listing | fenced | |
//! | fenced | line of the listing | fenced | |
//! | fenced | answer to the fence that was sent after the command | none | the listing, if it is complete |
//! | fenced | sent command without a listing | none | |

use crate::message::listing::{AnsweredCommand, AnyListing, AnyListingCollector, command_words};
use crate::message::{Control, Message, Received};
use crate::scan::find;
use crate::wire::fence_in_sent_line;

/// The listing that the current reply may contain.
#[derive(Clone, Debug, Default)]
pub(super) struct ListingRecognizer {
    /// Parser of the listing; `None` outside of replies with a listing. Boxed, because most replies have none.
    pub(super) collector: Option<Box<AnyListingCollector>>,
    /// Number of inner units that have begun and not ended.
    depth: u8,
    /// The sent command whose reply ends with the answer to a fence; `None` while marks enclose the reply.
    fenced: Option<FencedCommand>,
}

/// A sent command, and the fence that was sent after it.
#[derive(Clone, Debug)]
struct FencedCommand {
    line: String,
    fence: Option<Box<[u8]>>,
}

impl ListingRecognizer {
    /// Processes a message: marks it if it is a line of a listing, and returns the listing that ends with it.
    pub(super) fn mark_line_or_finish(&mut self, received: &mut Received) -> Option<AnyListing> {
        match &received.message {
            Message::Control(control) => self.handle_control(control),
            // Talk can interrupt a reply, and is not part of it; an overlong line is not a row.
            Message::Talk(_) | Message::OverLong(_) => None,
            _ if self.is_answer_to_fence(received.raw()) => {
                let command = self.fenced.take()?.line;
                let mut listing = self.collector.take()?.finish()?;
                listing.set_game_asked_for(&command);
                Some(listing)
            }
            _ => {
                let collector = self.collector.as_mut().filter(|_| !received.is_datagram())?;
                let is_part = collector.add_line(received.raw()).is_some();
                if matches!(received.message, Message::Text(_)) {
                    received.is_listed = is_part && !received.raw().is_empty() && self.fenced.is_none();
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
            Control::BlockStart { code, .. } => {
                self.start_collecting(AnyListingCollector::new(AnsweredCommand::BlockCode(code.0)));
            }
            Control::UnitStart(_) if self.collector.is_some() => self.depth = self.depth.saturating_add(1),
            Control::UnitStart(header) if header.player.as_str() == "*" => {
                self.start_collecting(AnyListingCollector::new(AnsweredCommand::IccNumber(header.command)));
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
        self.fenced = None;
    }

    /// Processes a sent line: a command, whose reply may be a listing, or the fence after it. A second command before the answer
    /// leaves open which of them a line answers, so it drops the listing.
    pub(super) fn note_sent_line(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        if let Some(fence) = fence_in_sent_line(line) {
            if let Some(command) = &mut self.fenced {
                command.fence.get_or_insert_with(|| fence.into());
            }
            return;
        }
        if self.fenced.is_some() {
            self.start_collecting(None);
        }
        let line = String::from_utf8_lossy(line).into_owned();
        let verb = command_words(&line).next().unwrap_or_default().to_ascii_lowercase();
        if self.collector.is_none()
            && let Some(collector) = AnyListingCollector::new(AnsweredCommand::Name(&verb))
        {
            self.start_collecting(Some(collector));
            self.fenced = Some(FencedCommand { line, fence: None });
        }
    }

    /// Returns whether a received line answers the fence after the sent command.
    fn is_answer_to_fence(&self, line: &[u8]) -> bool {
        let fence = self.fenced.as_ref().and_then(|command| command.fence.as_deref());
        fence.is_some_and(|fence| find(line, fence).is_some())
    }
}
