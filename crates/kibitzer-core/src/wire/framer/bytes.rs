//! The slow path of the framer: every layer, with runs of plain text consumed at once and all other bytes one by one.

use super::{Block, Framer, MAX_UNITS, PendingFrame, UnitFrame, Units};
use crate::scan::masks;
use crate::wire::block_code::CommandCode;
use crate::wire::control::{
    BLOCK_END, BLOCK_START, CONTROL_Y, CONTROL_Z, ESCAPE, POSE_START, SequenceState, SequenceStep,
};
use crate::wire::family::Family;
use crate::wire::frame::Control;
use crate::wire::line::{LineContext, LineStep};
use crate::wire::options::Timeseal;
use crate::wire::telnet::{IAC, TelnetByte, TelnetState};

/// The block that complains about a line without a number.
const UNNUMBERED: (u64, CommandCode) = (0, CommandCode::UNNUMBERED);

/// A byte after the telnet layer, with its stream position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Byte {
    pub(super) value: u8,
    /// An escaped byte is text whatever its value.
    pub(super) escaped: bool,
    pub(super) at: u64,
}

/// Result if all of the input was consumed before a frame was complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputConsumed;

impl Framer {
    /// Processes one byte, or a run of plain ones; `None` if no frame is complete yet.
    pub(super) fn process_next(&mut self, input: &mut &[u8]) -> Result<Option<PendingFrame>, InputConsumed> {
        if let SequenceState::Text(_) = self.sequence.state {
            return Ok(self.replay());
        }
        if let Some(byte) = self.pending_bytes.pop_front() {
            return Ok(self.process_byte(byte));
        }
        if self.telnet == TelnetState::Text
            && let Some(out) = self.consume_plain_runs(input)
        {
            return Ok(Some(out));
        }
        let (&value, rest) = input.split_first().ok_or(InputConsumed)?;
        let at = self.position;
        *input = rest;
        self.position += 1;
        if self.telnet == TelnetState::Text {
            self.telnet_start = at;
        }
        Ok(match self.telnet.process(value) {
            TelnetByte::Pending => None,
            TelnetByte::Text(value) => self.process_byte(Byte { value, escaped: false, at }),
            TelnetByte::Escaped => self.process_byte(Byte { value: IAC, escaped: true, at: self.telnet_start }),
            TelnetByte::NotACommand => {
                self.pending_bytes.push_back(Byte { value, escaped: false, at });
                self.process_byte(Byte { value: IAC, escaped: true, at: self.telnet_start })
            }
            TelnetByte::Done { command, option } => {
                Some(PendingFrame::Control { control: Control::Telnet { command, option }, offset: self.telnet_start })
            }
        })
    }

    /// Consumes runs of bytes without a special meaning, until a frame is complete or another byte follows.
    fn consume_plain_runs(&mut self, input: &mut &[u8]) -> Option<PendingFrame> {
        loop {
            let (n_taken, step) = match self.sequence.state {
                SequenceState::None => self.push_text(plain_run(input, self.timeseal), self.position),
                _ => (self.sequence.plain_run(input, self.limits.datagram_bytes), LineStep::Pending),
            };
            *input = input.get(n_taken..).unwrap_or_default();
            self.position += n_taken as u64;
            match step {
                LineStep::Pending if n_taken == 0 => return None,
                LineStep::Pending => {}
                LineStep::EmitFirst => return Some(PendingFrame::Line),
                step => return self.apply(step),
            }
        }
    }

    /// Processes one byte of an aborted sequence as text.
    pub(super) fn replay(&mut self) -> Option<PendingFrame> {
        let SequenceState::Text(index) = self.sequence.state else {
            return None;
        };
        let Some(&value) = self.sequence.bytes.get(index) else {
            return self.end_sequence(None);
        };
        let byte = Byte { value, escaped: true, at: self.sequence.start + index as u64 };
        match self.push_text(&[value], byte.at).1 {
            LineStep::EmitFirst => Some(PendingFrame::Line),
            step => {
                self.sequence.state = SequenceState::Text(index + 1);
                self.apply(step)
            }
        }
    }

    /// Processes one byte after the telnet layer: as text, as a control byte, or as part of the current sequence.
    pub(super) fn process_byte(&mut self, byte: Byte) -> Option<PendingFrame> {
        if self.sequence.state != SequenceState::None {
            return self.process_sequence(byte);
        }
        if byte.escaped {
            return self.push_text_byte(byte);
        }
        match byte.value {
            b'\n' => self.end_line(byte),
            // Servers send LF CR, CR LF and single CRs. A NUL follows a CR in telnet, and the `[G]` of a version 2
            // ping.
            b'\r' | 0 => None,
            // The bell precedes the line that it belongs to, so it is reported with the next one.
            0x07 => {
                self.line.bell = true;
                None
            }
            ESCAPE => self.begin(SequenceState::Escape, Some(ESCAPE), byte.at),
            // Version 1 pings are lines of their own; see `LineBuffer::process_line_end`.
            b'[' if self.timeseal == Timeseal::V2 => self.begin(SequenceState::Ping, Some(b'['), byte.at),
            BLOCK_START if self.accepts_block_start() => self.begin(SequenceState::BlockId, None, byte.at),
            BLOCK_END if self.block.is_some() => self.emit_line_before(byte).or_else(|| self.end_block(byte.at)),
            POSE_START if self.block.is_some() => self.set_posed(true),
            CONTROL_Y if self.block.is_some_and(|block| block.posed) => self.set_posed(false),
            CONTROL_Y if self.accepts_units() => self.begin(SequenceState::ControlY, None, byte.at),
            CONTROL_Z if self.accepts_units() => self.emit_line_before(byte).or_else(|| Some(self.overflow(byte.at))),
            _ => self.push_text_byte(byte),
        }
    }

    /// Returns whether a start mark of block mode counts here: at the start of a line, or inside a block that was cut off.
    fn accepts_block_start(&self) -> bool {
        self.block.is_some() || !self.line.has_words()
    }

    pub(super) const fn accepts_units(&self) -> bool {
        match self.family {
            Family::Icc => true,
            Family::Fics => false,
            Family::Auto => !self.prompts.is_logged_in(),
        }
    }

    /// Processes a byte of a sequence; emits its frame when it is complete. The bytes of an aborted sequence are processed again
    /// as text.
    fn process_sequence(&mut self, byte: Byte) -> Option<PendingFrame> {
        if self.sequence.state == SequenceState::ControlY && self.must_emit_line_before_unit(byte.value) {
            return self.emit_line_before(byte);
        }
        let start = self.sequence.start;
        if byte.value == CONTROL_Y {
            self.sequence.control_y_at = byte.at;
        }
        match self.sequence.process(byte.value, self.limits.datagram_bytes) {
            SequenceStep::Pending => None,
            SequenceStep::Dropped => self.end_sequence(None),
            // Without block mode these bytes are text, apart from the complaint about a line without a number: it
            // proves that block mode is on after all.
            SequenceStep::BlockStart { id, code } if self.is_unblocked && (id, CommandCode(code)) != UNNUMBERED => {
                self.sequence.abort_to_text();
                self.pending_bytes.push_front(byte);
                None
            }
            SequenceStep::NotASequence => {
                self.sequence.abort_to_text();
                self.pending_bytes.push_front(byte);
                None
            }
            SequenceStep::Ping => {
                self.end_sequence(Some(PendingFrame::Control { control: Control::Ping, offset: start }))
            }
            SequenceStep::BlockStart { id, code } => self.begin_block(byte, id, code),
            SequenceStep::Datagram => {
                self.line.set_marked();
                self.end_sequence(Some(PendingFrame::Unit { kind: UnitFrame::Datagram, offset: start }))
            }
            SequenceStep::UnitStart => {
                self.units.lost_ends |= self.units.depth >= MAX_UNITS;
                if self.units.lost_ends
                    && let Some(out) = self.end_unit(start)
                {
                    self.pending_bytes.push_front(byte);
                    return Some(out);
                }
                self.line.set_marked();
                self.units = Units { depth: self.units.depth + 1, lost_ends: false };
                self.end_sequence(Some(PendingFrame::Unit { kind: UnitFrame::Start, offset: start }))
            }
            SequenceStep::UnitEnd => {
                self.line.set_marked();
                let out = self.end_unit(start);
                self.end_sequence(out)
            }
            SequenceStep::BrokenDatagram { restart } => {
                self.pending_bytes.push_front(byte);
                self.sequence.state = if restart { SequenceState::ControlY } else { SequenceState::None };
                self.sequence.start = self.sequence.control_y_at;
                Some(PendingFrame::Unit { kind: UnitFrame::Broken, offset: start })
            }
        }
    }

    fn begin(&mut self, state: SequenceState, first: Option<u8>, at: u64) -> Option<PendingFrame> {
        self.sequence.begin(state, first, at);
        None
    }

    pub(super) fn end_sequence(&mut self, out: Option<PendingFrame>) -> Option<PendingFrame> {
        self.sequence.state = SequenceState::None;
        out
    }

    /// Returns whether the collected line has to be emitted first: a level-1 bracket ends the line around it, a level-2 unit
    /// does not.
    fn must_emit_line_before_unit(&self, byte: u8) -> bool {
        match byte {
            b'[' | b']' => self.line.has_content(),
            b'(' => self.line.is_held(),
            _ => false,
        }
    }

    /// Returns the frame for the line collected so far, and queues `byte` to be processed again; `None` if the line is empty.
    fn emit_line_before(&mut self, byte: Byte) -> Option<PendingFrame> {
        self.line.has_content().then(|| {
            self.pending_bytes.push_front(byte);
            PendingFrame::Line
        })
    }

    /// Records that the server dropped the rest of a command's output, so that ends of units may be missing.
    const fn overflow(&mut self, at: u64) -> PendingFrame {
        self.units.lost_ends = true;
        PendingFrame::Control { control: Control::Overflow, offset: at }
    }

    /// Ends the innermost unit; `None` without one: when it disconnects, a server sends one end too many.
    pub(super) fn end_unit(&mut self, at: u64) -> Option<PendingFrame> {
        self.units.depth = self.units.depth.checked_sub(1)?;
        Some(PendingFrame::Control { control: Control::UnitEnd, offset: at })
    }

    fn set_posed(&mut self, posed: bool) -> Option<PendingFrame> {
        if let Some(block) = &mut self.block {
            block.posed = posed;
        }
        None
    }

    /// Begins a block-mode reply and returns its start. If a line or an open block must end first, returns the frame for that
    /// instead, and queues `byte` to be processed again.
    fn begin_block(&mut self, byte: Byte, id: u64, code: u32) -> Option<PendingFrame> {
        let start = self.sequence.start;
        if let Some(out) = self.emit_line_before(byte) {
            return Some(out);
        }
        if let Some(out) = self.cut_block(start) {
            self.pending_bytes.push_front(byte);
            return Some(out);
        }
        self.line.set_marked();
        self.block = Some(Block { id, start, posed: false, over_at: None });
        self.end_sequence(Some(PendingFrame::Control {
            control: Control::BlockStart { id, code: CommandCode(code) },
            offset: start,
        }))
    }

    fn end_block(&mut self, at: u64) -> Option<PendingFrame> {
        let id = self.block.take()?.id;
        self.line.set_marked();
        Some(PendingFrame::Control { control: Control::BlockEnd { id, complete: true }, offset: at })
    }

    /// Ends the open block, which the server did not end, at this stream position; `None` without an open block.
    pub(super) fn cut_block(&mut self, at: u64) -> Option<PendingFrame> {
        let id = self.block.take()?.id;
        Some(PendingFrame::BlockCut { id, at })
    }

    /// Records after a line that ends at `end` whether the block exceeds its limit; `end_block_over_limit` then cuts it.
    pub(super) fn check_block_limit(&mut self, end: u64) {
        if let Some(block) = &mut self.block
            && end - block.start > self.limits.block_bytes
        {
            block.over_at = block.over_at.or(Some(end));
        }
    }

    pub(super) fn end_block_over_limit(&mut self) -> Option<PendingFrame> {
        let at = self.block?.over_at?;
        // After the last line of the block, the first bytes of the next line may be buffered already: they were needed
        // to see whether the line continues.
        if self.line.is_at_line_start() || self.line.offset(false) >= at { self.cut_block(at) } else { None }
    }

    fn push_text_byte(&mut self, byte: Byte) -> Option<PendingFrame> {
        let (_, step) = self.push_text(&[byte.value], byte.at);
        self.apply_or_requeue(step, byte)
    }

    /// Adds text whose first byte is at `at` to the line; returns the number of bytes that the line accepted.
    fn push_text(&mut self, text: &[u8], at: u64) -> (usize, LineStep) {
        let (limits, prompts, wrapping) = (&self.limits, &self.prompts, &self.wrapping);
        let context = LineContext { limits, prompts, wrapping, family: self.family };
        self.line.push(text, at, &context)
    }

    /// Processes a line end: completes the line, or holds it because it may continue.
    fn end_line(&mut self, byte: Byte) -> Option<PendingFrame> {
        let (limits, prompts, wrapping) = (&self.limits, &self.prompts, &self.wrapping);
        let context = LineContext { limits, prompts, wrapping, family: self.family };
        let step = self.line.process_line_end(byte.at, self.timeseal == Timeseal::V1, &context);
        if step != LineStep::EmitFirst {
            self.check_block_limit(byte.at + 1);
        }
        self.apply_or_requeue(step, byte)
    }

    fn apply_or_requeue(&mut self, step: LineStep, byte: Byte) -> Option<PendingFrame> {
        if step == LineStep::EmitFirst {
            self.pending_bytes.push_front(byte);
        }
        self.apply(step)
    }

    /// Converts the effect of a byte on the line to a frame; `None` if no frame is complete.
    fn apply(&mut self, step: LineStep) -> Option<PendingFrame> {
        match step {
            LineStep::Pending => None,
            LineStep::EmitFirst | LineStep::Complete => Some(PendingFrame::Line),
            LineStep::GuestPrompt => Some(PendingFrame::Guest),
            LineStep::Ping => {
                let offset = self.line.offset(false);
                self.line.emit_prompt();
                Some(PendingFrame::Control { control: Control::Ping, offset })
            }
            LineStep::Prompt(kind) => {
                let offset = self.line.offset(true);
                self.line.emit_prompt();
                Some(PendingFrame::Control { control: self.note_prompt(kind), offset })
            }
        }
    }
}

/// Most bytes that are searched at once for the end of a run. A line may accept less than a whole run, and the rest is
/// searched again.
const RUN_BYTES: usize = 256;

/// Returns the bytes at the start of `input` that are text in any context, as far as they were searched.
fn plain_run(input: &[u8], timeseal: Timeseal) -> &[u8] {
    let input = input.get(..RUN_BYTES).unwrap_or(input);
    let run = input.get(..plain_length(input)).unwrap_or_default();
    match timeseal {
        Timeseal::V2 => memchr::memchr(b'[', run).and_then(|ping| run.get(..ping)).unwrap_or(run),
        Timeseal::Off | Timeseal::V1 => run,
    }
}

/// Returns the number of bytes before the first control byte.
fn plain_length(input: &[u8]) -> usize {
    let (chunks, rest) = input.as_chunks::<64>();
    for (index, chunk) in chunks.iter().enumerate() {
        let controls = masks::mask_of_controls(chunk);
        if controls != 0 {
            return index * 64 + controls.trailing_zeros() as usize;
        }
    }
    let mut padded = [0; 64];
    if let Some(start) = padded.get_mut(..rest.len()) {
        start.copy_from_slice(rest);
    }
    chunks.len() * 64 + masks::mask_of_controls(&padded).trailing_zeros() as usize
}
