//! The slow path of the framer, through all layers: consumes runs of plain text at once, and all other bytes one by one.

use super::{BlockPart, Framer, MAX_UNITS, OpenBlock, PendingFrame, SequenceFrame};
use std::sync::Arc;

use crate::scan::masks;
use crate::text::Handle;
use crate::wire::control::{
    BLOCK_END, BLOCK_START, CONTROL_Y, CONTROL_Z, ESCAPE, IAC, POSE_START, SequenceState, SequenceStep, TelnetState,
    TelnetStep,
};
use crate::wire::frame::{CommandCode, Control};
use crate::wire::line::LineStep;
use crate::wire::options::{Family, Timeseal};
use crate::wire::prompt::guest_name_in_prompt;

/// Number and code of the reply that complains about a line without a number.
const UNNUMBERED: (u64, CommandCode) = (0, CommandCode::UNNUMBERED);

/// A byte of the stream without telnet commands, with its stream position.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamByte {
    pub(super) value: u8,
    /// Whether the byte is text whatever its value.
    pub(super) escaped: bool,
    /// Stream position.
    pub(super) at: u64,
}

/// Result of [`Framer::process_next_bytes`] if there is no more input.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputConsumed;

impl Framer {
    /// Consumes and processes runs of plain bytes, or else one byte. `None` if no frame is complete yet.
    ///
    /// # Errors
    ///
    /// [`InputConsumed`] once all of `input` was consumed without completing a frame.
    pub(super) fn process_next_bytes(&mut self, input: &mut &[u8]) -> Result<Option<PendingFrame>, InputConsumed> {
        if let SequenceState::Text(_) = self.sequence.state {
            return Ok(self.replay_byte_as_text());
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
            TelnetStep::Pending => None,
            TelnetStep::Text(value) => self.process_byte(StreamByte { value, escaped: false, at }),
            TelnetStep::Escaped => self.process_byte(StreamByte { value: IAC, escaped: true, at: self.telnet_start }),
            TelnetStep::NotACommand => {
                self.pending_bytes.push_back(StreamByte { value, escaped: false, at });
                self.process_byte(StreamByte { value: IAC, escaped: true, at: self.telnet_start })
            }
            TelnetStep::Done { command, option } => {
                // The command may follow the end of the line of a prompt.
                self.line.had_inline_frame = self.line.has_inline_frame;
                Some(PendingFrame::Control { control: Control::Telnet { command, option }, offset: self.telnet_start })
            }
        })
    }

    /// Consumes bytes without a special meaning until a frame is complete; `None` if another byte or the end of `input` comes
    /// first.
    fn consume_plain_runs(&mut self, input: &mut &[u8]) -> Option<PendingFrame> {
        loop {
            let (n_taken, step) = match self.sequence.state {
                SequenceState::None => {
                    self.line.push(leading_plain_text(input, self.timeseal), self.position, &self.rules)
                }
                _ => (self.sequence.collect_plain_bytes(input, self.rules.limits.datagram_bytes), LineStep::Pending),
            };
            *input = input.get(n_taken..).unwrap_or_default();
            self.position += n_taken as u64;
            match step {
                LineStep::Pending if n_taken == 0 => return None,
                LineStep::Pending => {}
                LineStep::EmitFirst => return Some(PendingFrame::Line),
                step => return self.apply_line_step(step),
            }
        }
    }

    /// Processes one byte of an aborted sequence as text; ends the sequence after its last one. `None` if no frame is complete
    /// yet.
    pub(super) fn replay_byte_as_text(&mut self) -> Option<PendingFrame> {
        let SequenceState::Text(index) = self.sequence.state else { return None };
        let Some(&value) = self.sequence.bytes.get(index) else { return self.end_sequence(None) };
        let byte = StreamByte { value, escaped: true, at: self.sequence.start + index as u64 };
        match self.line.push(&[value], byte.at, &self.rules).1 {
            LineStep::EmitFirst => Some(PendingFrame::Line),
            step => {
                self.sequence.state = SequenceState::Text(index + 1);
                self.apply_line_step(step)
            }
        }
    }

    /// Processes one byte: as text, as a control byte, or as part of the current sequence. `None` if no frame is complete yet.
    pub(super) fn process_byte(&mut self, byte: StreamByte) -> Option<PendingFrame> {
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
            ESCAPE => self.begin_sequence(SequenceState::Escape, Some(ESCAPE), byte.at),
            // Version 1 pings are lines of their own; see `LineBuffer::process_line_end`.
            b'[' if self.timeseal == Timeseal::V2 => self.begin_sequence(SequenceState::Ping, Some(b'['), byte.at),
            // At the start of a line, or inside a block, which it then cuts off.
            BLOCK_START if self.block.is_some() || !self.line.has_open_text() => {
                self.begin_sequence(SequenceState::BlockId, None, byte.at)
            }
            BLOCK_END if self.block.is_some_and(|block| block.part == BlockPart::PosedBlock) => {
                self.enter_block_part(BlockPart::Posed)
            }
            BLOCK_END if self.block.is_some() => self.emit_line_and_requeue(byte).or_else(|| self.end_block(byte.at)),
            POSE_START if self.block.is_some() => self.enter_block_part(BlockPart::Posed),
            CONTROL_Y if self.is_in_posed_output() => self.enter_block_part(BlockPart::Reply),
            CONTROL_Y if self.recognizes_units() => self.begin_sequence(SequenceState::ControlY, None, byte.at),
            CONTROL_Z if self.recognizes_units() => {
                self.emit_line_and_requeue(byte).or_else(|| {
                    // The server dropped the rest of a command's output, and perhaps end marks with it.
                    self.lost_unit_ends = true;
                    Some(PendingFrame::Control { control: Control::Overflow, offset: byte.at })
                })
            }
            // Around a reply to a command that somebody else, such as a bot, executes for this login.
            POSE_START | CONTROL_Y if !self.is_unblocked && !self.line.has_open_text() => None,
            _ => self.push_text_byte(byte),
        }
    }

    /// Returns whether control-Y and control-Z are ICC's framing rather than text.
    pub(super) const fn recognizes_units(&self) -> bool {
        match self.rules.family {
            Family::Icc => true,
            Family::Fics => false,
            Family::Auto => !self.rules.prompts.is_logged_in,
        }
    }

    /// Processes a byte of the current sequence. Returns the frame of a complete sequence, or the line that has to be emitted
    /// first; the bytes of an aborted sequence are queued to be processed again as text.
    fn process_sequence(&mut self, byte: StreamByte) -> Option<PendingFrame> {
        if self.sequence.state == SequenceState::ControlY && self.must_emit_line_before_unit(byte.value) {
            return self.emit_line_and_requeue(byte);
        }
        let start = self.sequence.start;
        if byte.value == CONTROL_Y {
            self.sequence.control_y_at = byte.at;
        }
        match self.sequence.process(byte.value, self.rules.limits.datagram_bytes) {
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
                self.line.record_inline_frame();
                self.end_sequence(Some(PendingFrame::Unit { kind: SequenceFrame::Datagram, offset: start }))
            }
            SequenceStep::UnitStart => {
                self.lost_unit_ends |= self.unit_depth >= MAX_UNITS;
                if self.lost_unit_ends
                    && let Some(out) = self.end_unit(start)
                {
                    self.pending_bytes.push_front(byte);
                    return Some(out);
                }
                self.line.record_inline_frame();
                (self.unit_depth, self.lost_unit_ends) = (self.unit_depth + 1, false);
                self.end_sequence(Some(PendingFrame::Unit { kind: SequenceFrame::Start, offset: start }))
            }
            SequenceStep::UnitEnd => {
                self.line.record_inline_frame();
                let out = self.end_unit(start);
                self.end_sequence(out)
            }
            SequenceStep::BrokenDatagram { restart } => {
                self.pending_bytes.push_front(byte);
                self.sequence.state = if restart { SequenceState::ControlY } else { SequenceState::None };
                self.sequence.start = self.sequence.control_y_at;
                Some(PendingFrame::Unit { kind: SequenceFrame::Broken, offset: start })
            }
        }
    }

    /// Starts a sequence at the stream position `at`; `first` is stored as its first byte. Returns `None`, as no frame is
    /// complete.
    fn begin_sequence(&mut self, state: SequenceState, first: Option<u8>, at: u64) -> Option<PendingFrame> {
        self.sequence.begin(state, first, at);
        None
    }

    /// Ends the current sequence, and returns `out`, the frame that the caller made of it.
    pub(super) fn end_sequence(&mut self, out: Option<PendingFrame>) -> Option<PendingFrame> {
        self.sequence.state = SequenceState::None;
        out
    }

    /// Returns whether the collected line has to be emitted before the ICC mark that ends with `byte`: a level-1 bracket ends the
    /// line around it, a level-2 unit only a line that is complete.
    fn must_emit_line_before_unit(&self, byte: u8) -> bool {
        match byte {
            b'[' | b']' => self.line.has_line_to_emit(),
            b'(' => self.line.is_held(),
            _ => false,
        }
    }

    /// Returns the frame of the line collected so far, and queues `byte` to be processed again; `None`, and `byte` is not queued,
    /// if there is no line to emit.
    fn emit_line_and_requeue(&mut self, byte: StreamByte) -> Option<PendingFrame> {
        self.line.has_line_to_emit().then(|| {
            self.pending_bytes.push_front(byte);
            PendingFrame::Line
        })
    }

    /// Ends the innermost level-1 unit, and returns the frame of its end; `None` if none is open. A server that disconnects sends
    /// one end too many.
    pub(super) fn end_unit(&mut self, at: u64) -> Option<PendingFrame> {
        self.unit_depth = self.unit_depth.checked_sub(1)?;
        Some(PendingFrame::Control { control: Control::UnitEnd, offset: at })
    }

    /// Records the part of the open block that begins. Returns `None`, as no frame is complete.
    fn enter_block_part(&mut self, part: BlockPart) -> Option<PendingFrame> {
        if let Some(block) = &mut self.block {
            block.part = part;
        }
        None
    }

    /// Returns whether the stream is in the output of a posed command.
    pub(super) fn is_in_posed_output(&self) -> bool {
        self.block.is_some_and(|block| block.part != BlockPart::Reply)
    }

    /// Starts a block-mode reply, and returns the frame of its start. If a line or an open block has to end first, only returns
    /// the frame of that, and queues `byte` to be processed again.
    fn begin_block(&mut self, byte: StreamByte, id: u64, code: u32) -> Option<PendingFrame> {
        let start = self.sequence.start;
        if let Some(out) = self.emit_line_and_requeue(byte) {
            return Some(out);
        }
        if self.is_in_posed_output() {
            let out = self.enter_block_part(BlockPart::PosedBlock);
            return self.end_sequence(out);
        }
        if let Some(out) = self.cut_block(start) {
            self.pending_bytes.push_front(byte);
            return Some(out);
        }
        self.line.record_inline_frame();
        self.block = Some(OpenBlock { id, start, part: BlockPart::Reply, over_at: None });
        self.end_sequence(Some(PendingFrame::Control {
            control: Control::BlockStart { id, code: CommandCode(code) },
            offset: start,
        }))
    }

    /// Ends the open block, and returns the frame of its end; `None` if none is open.
    fn end_block(&mut self, at: u64) -> Option<PendingFrame> {
        let id = self.block.take()?.id;
        self.line.record_inline_frame();
        Some(PendingFrame::Control { control: Control::BlockEnd { id, complete: true }, offset: at })
    }

    /// Ends the open block, which the server did not end, at this stream position. Returns the frame of its end; `None` if none
    /// is open.
    pub(super) fn cut_block(&mut self, at: u64) -> Option<PendingFrame> {
        let id = self.block.take()?.id;
        Some(PendingFrame::BlockCut { id, at })
    }

    /// Records whether the open block exceeds its limit with a line that ends at `end`;
    /// [`cut_block_over_limit`](Self::cut_block_over_limit) then ends it.
    pub(super) fn record_block_excess(&mut self, end: u64) {
        if let Some(block) = &mut self.block
            && end - block.start > self.rules.limits.block_bytes
        {
            block.over_at = block.over_at.or(Some(end));
        }
    }

    /// Ends the open block if it exceeds its limit and its last line was emitted. Returns the frame of its end.
    pub(super) fn cut_block_over_limit(&mut self) -> Option<PendingFrame> {
        let at = self.block?.over_at?;
        // After the last line of the block, the first bytes of the next line may be buffered already: they were needed
        // to see whether the line continues.
        if self.line.is_empty() || self.line.offset(false) >= at { self.cut_block(at) } else { None }
    }

    /// Adds one byte of text to the line. Returns the frame that it completes, or the line that has to be emitted first.
    fn push_text_byte(&mut self, byte: StreamByte) -> Option<PendingFrame> {
        let (_, step) = self.line.push(&[byte.value], byte.at, &self.rules);
        self.apply_line_step_or_requeue(step, byte)
    }

    /// Processes a line end. Returns the line if it is complete; `None` if it is held because it may continue.
    fn end_line(&mut self, byte: StreamByte) -> Option<PendingFrame> {
        let step = self.line.process_line_end(byte.at, self.timeseal == Timeseal::V1, &self.rules);
        if step != LineStep::EmitFirst {
            self.record_block_excess(byte.at + 1);
        }
        self.apply_line_step_or_requeue(step, byte)
    }

    /// Converts the effect of `byte` on the line to a frame like [`apply_line_step`](Self::apply_line_step). Queues the byte to
    /// be processed again if the line has to be emitted first.
    fn apply_line_step_or_requeue(&mut self, step: LineStep, byte: StreamByte) -> Option<PendingFrame> {
        if step == LineStep::EmitFirst {
            self.pending_bytes.push_front(byte);
        }
        self.apply_line_step(step)
    }

    /// Marks the line so far as emitted as a control, after which the line may continue. Returns the frame of the control; its
    /// offset is that of the first byte that is not a blank.
    fn emit_line_as_control(&mut self, control: Control) -> PendingFrame {
        let offset = self.line.offset(true);
        self.line.mark_emitted_as_prompt();
        PendingFrame::Control { control, offset }
    }

    /// Converts the effect of a byte on the line to a frame; `None` if no frame is complete. A command prompt completes the
    /// login.
    fn apply_line_step(&mut self, step: LineStep) -> Option<PendingFrame> {
        match step {
            LineStep::Pending => None,
            LineStep::EmitFirst | LineStep::Complete => Some(PendingFrame::Line),
            LineStep::Ping => Some(self.emit_line_as_control(Control::Ping)),
            LineStep::GuestPrompt => {
                let name = Handle::from_wire(guest_name_in_prompt(&self.line.text).unwrap_or_default());
                Some(self.emit_line_as_control(Control::GuestPrompt(Arc::new(name))))
            }
            LineStep::Prompt(kind) => {
                let control = self.record_prompt(kind);
                Some(self.emit_line_as_control(control))
            }
        }
    }
}

/// Maximum number of bytes that are searched at once for the end of plain text. The line may accept only a part of it; the rest
/// is searched again.
const RUN_BYTES: usize = 256;

/// Returns the bytes at the start of `input` that are text in any context, at most [`RUN_BYTES`].
fn leading_plain_text(input: &[u8], timeseal: Timeseal) -> &[u8] {
    let input = input.get(..RUN_BYTES).unwrap_or(input);
    let run = input.get(..length_before_control_byte(input)).unwrap_or_default();
    match timeseal {
        Timeseal::V2 => memchr::memchr(b'[', run).and_then(|ping| run.get(..ping)).unwrap_or(run),
        Timeseal::Off | Timeseal::V1 => run,
    }
}

/// Returns the number of bytes before the first control character or telnet command; the length of `input` if it has neither.
fn length_before_control_byte(input: &[u8]) -> usize {
    let (chunks, rest) = input.as_chunks::<64>();
    for (index, chunk) in chunks.iter().enumerate() {
        let controls = masks::mask_of_controls_and_iac(chunk);
        if controls != 0 {
            return index * 64 + controls.trailing_zeros() as usize;
        }
    }
    let mut padded = [0; 64];
    if let Some(start) = padded.get_mut(..rest.len()) {
        start.copy_from_slice(rest);
    }
    chunks.len() * 64 + masks::mask_of_controls_and_iac(&padded).trailing_zeros() as usize
}
