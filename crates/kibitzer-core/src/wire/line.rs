//! Buffer of one logical line while it is received: its cleaned bytes, and whether a wrapped piece may follow.

use super::family::Family;
use super::frame::LineTag;
use super::options::Limits;
use super::prompt::{PromptKind, Prompts, guest_prompt};
use super::quote::Quote;
use super::wrap::{CONTINUATION, Wrapping, cuts_entity, is_cut_board};

/// The line being collected.
#[derive(Clone, Debug, Default)]
pub(super) struct LineBuffer {
    text: Vec<u8>,
    /// Stream position of the first byte.
    first: Option<u64>,
    /// Stream position of the first byte that is not a blank.
    head: Option<u64>,
    /// Blanks at the start of `text`.
    indent: usize,
    /// Bytes that were received but not stored.
    cut: u64,
    /// Where the last received piece starts in `text`.
    piece: usize,
    phase: LinePhase,
    /// A prompt or a mark was on this line: if nothing follows, the line is not emitted.
    marked: bool,
    /// The value of `marked` after the last frame.
    was_marked: bool,
    /// The bell rang since the line before.
    pub(super) bell: bool,
    /// Whether this line, if it is indented, is a player's: then it holds no prompt and no tag.
    quote: Quote,
    emitted: Option<Emitted>,
}

/// The kind of frame that the buffer's bytes were emitted as.
#[derive(Clone, Copy, Debug)]
enum Emitted {
    Line,
    /// A prompt. More may follow on the same line.
    Prompt,
}

#[derive(Clone, Copy, Debug, Default)]
enum LinePhase {
    /// Bytes of a line are being received.
    #[default]
    Open,
    /// The line has ended; it is held until the next bytes show whether it continues. `matched` of [`CONTINUATION`]'s
    /// bytes were received, the first of them at `mark_at`.
    Held { end: u64, bell: bool, matched: usize, mark_at: u64 },
    /// The line continues; at most blanks of the new piece were received.
    Joining { blank_follows: bool },
    /// The server cut the line, a board; whether its line end was received.
    CutOff { is_ended: bool },
}

/// The effect of a byte or a line end on the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineStep {
    /// Nothing to emit.
    Pending,
    /// The collected line has to be emitted first; then the same byte has to be pushed again.
    EmitFirst,
    /// The line is complete and can be emitted.
    Complete,
    /// The line so far is a prompt.
    Prompt(PromptKind),
    /// The line so far offers a guest name.
    GuestPrompt,
    /// The line is a version 1 ping.
    Ping,
}

impl LineBuffer {
    /// Returns whether the buffer is empty and no line is held, so that a complete line may be borrowed from the input instead.
    pub(super) fn is_at_line_start(&self) -> bool {
        matches!(self.phase, LinePhase::Open) && self.text.is_empty()
    }

    /// Releases unused memory.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
    }

    pub(super) const fn is_emitted(&self) -> bool {
        self.emitted.is_some()
    }

    /// Clears the emitted bytes, and restores bytes that only looked like a continuation mark.
    pub(super) fn clear_emitted(&mut self) {
        match (self.emitted, self.phase) {
            (None, _) => {}
            (Some(Emitted::Prompt), _) => self.reset(true, self.bell),
            (Some(Emitted::Line), LinePhase::Open | LinePhase::Joining { .. } | LinePhase::CutOff { .. }) => {
                self.quote = self.quote();
                self.reset(self.was_marked, false);
            }
            (Some(Emitted::Line), LinePhase::Held { matched, mark_at, .. }) => {
                self.quote = self.quote();
                self.reset(false, self.bell);
                if matched > 0 {
                    self.text.extend_from_slice(CONTINUATION.get(..matched).unwrap_or_default());
                    (self.first, self.head) = (Some(mark_at), Some(mark_at));
                }
            }
        }
    }

    fn reset(&mut self, marked: bool, bell: bool) {
        self.text.clear();
        let (text, was_marked) = (std::mem::take(&mut self.text), self.was_marked);
        *self = Self { text, marked, was_marked, bell, quote: self.quote, ..Self::default() };
    }

    /// Marks the buffer's bytes as emitted as a line.
    pub(super) fn emit_line(&mut self) {
        self.was_marked = matches!(self.phase, LinePhase::CutOff { is_ended: false });
        self.emitted = Some(Emitted::Line);
    }

    /// Marks the buffer's bytes as emitted as a prompt or a ping, after which the line may continue.
    pub(super) const fn emit_prompt(&mut self) {
        self.was_marked = true;
        self.emitted = Some(Emitted::Prompt);
    }

    /// Records that a prompt or a mark is on this line. Drops blanks that were collected before it.
    pub(super) fn set_marked(&mut self) {
        if self.head.is_none() {
            self.reset(true, self.bell);
        }
        (self.marked, self.was_marked) = (true, true);
    }

    /// Adds text whose first byte is at `at`, up to the first byte that may complete a prompt; returns the number of
    /// bytes.
    pub(super) fn push(&mut self, text: &[u8], at: u64, context: &LineContext<'_>) -> (usize, LineStep) {
        let Some(&byte) = text.first() else { return (0, LineStep::Pending) };
        if let LinePhase::Held { bell, matched, mark_at, end } = self.phase {
            if CONTINUATION.get(matched) != Some(&byte) {
                return (0, LineStep::EmitFirst);
            }
            let mark_at = if matched == 0 { at } else { mark_at };
            self.phase = LinePhase::Held { bell, matched: matched + 1, mark_at, end };
            if matched + 1 < CONTINUATION.len() {
                return (1, LineStep::Pending);
            }
            self.phase = LinePhase::Joining { blank_follows: false };
            self.bell |= bell;
            let (tag, line) = self.split_at_tag();
            // No text follows the continuation mark after a board that uhlin-fics has cut.
            if self.piece > 0 || tag != LineTag::Style12 || !is_cut_board(line) {
                return (1, LineStep::Pending);
            }
            self.phase = LinePhase::CutOff { is_ended: false };
            return (1, LineStep::Complete);
        }
        if let LinePhase::Joining { blank_follows } = self.phase {
            if byte == b' ' {
                self.phase = LinePhase::Joining { blank_follows: true };
                return (1, LineStep::Pending);
            }
            self.join(byte, blank_follows, context);
        }
        if !self.may_become_prompt(context.prompts) {
            self.append(text, at, context.limits);
            return (text.len(), LineStep::Pending);
        }
        let end = memchr::memchr2(b' ', b':', text);
        let run = end.and_then(|end| text.get(..=end)).unwrap_or(text);
        self.append(run, at, context.limits);
        (run.len(), self.prompt_step(context.prompts))
    }

    /// Appends text, and counts what exceeds the limits instead of storing it.
    fn append(&mut self, run: &[u8], at: u64, limits: &Limits) {
        self.first = self.first.or(Some(at));
        if self.head.is_none() {
            let n_blanks = run.iter().take_while(|&&b| b == b' ').count();
            self.indent += n_blanks;
            self.head = (n_blanks < run.len()).then_some(at + n_blanks as u64);
        }
        let piece_room = limits.line_bytes.saturating_sub(self.text.len() - self.piece);
        let room = piece_room.min(limits.wrapped_line_bytes.saturating_sub(self.text.len()));
        let n_kept = if self.cut == 0 { room.min(run.len()) } else { 0 };
        self.text.extend_from_slice(run.get(..n_kept).unwrap_or_default());
        self.cut += (run.len() - n_kept) as u64;
    }

    /// Begins the next piece of a wrapped line. Appends one blank between the pieces, unless the break cut a word.
    fn join(&mut self, next: u8, blank_follows: bool, context: &LineContext<'_>) {
        let piece = self.text.get(self.piece..).unwrap_or_default();
        let mark = if self.piece == 0 { 0 } else { CONTINUATION.len() };
        let is_cut_word = context.wrapping.is_cut_word(piece, piece.len() + mark, blank_follows);
        if !is_cut_word && !cuts_entity(piece, next) && !piece.ends_with(b" ") && self.cut == 0 {
            if self.text.len() < context.limits.wrapped_line_bytes {
                self.text.push(b' ');
            } else {
                self.cut = 1;
            }
        }
        self.phase = LinePhase::Open;
        self.piece = self.text.len();
    }

    /// Returns whether the next blank or colon may end a prompt.
    fn may_become_prompt(&self, prompts: &Prompts) -> bool {
        !prompts.is_logged_in() || (self.piece == 0 && self.text.len().saturating_sub(self.indent) < prompts.longest())
    }

    /// Returns whether the line so far is a prompt. A prompt ends with a blank, the one for guests with a colon.
    fn prompt_step(&self, prompts: &Prompts) -> LineStep {
        let line = || self.text.get(self.indent..).unwrap_or_default();
        match self.text.last() {
            // A player can write anything in a quoted message, also `fics% `.
            _ if self.quote.covers_indent(self.indent) => LineStep::Pending,
            Some(b' ') if self.piece == 0 && self.cut == 0 => match prompts.at_start(line()) {
                Some((kind, _)) => LineStep::Prompt(kind),
                None => LineStep::Pending,
            },
            Some(b':') if !prompts.is_logged_in() && self.text.ends_with(b"\":") && guest_prompt(line()).is_some() => {
                LineStep::GuestPrompt
            }
            _ => LineStep::Pending,
        }
    }

    /// Processes a line end at the stream position `at`. A line that may continue is held until the next bytes. `v1_pings`: whether the
    /// line `[G]` is a ping.
    pub(super) fn process_line_end(&mut self, at: u64, v1_pings: bool, context: &LineContext<'_>) -> LineStep {
        if let LinePhase::Held { .. } = self.phase {
            return LineStep::EmitFirst;
        }
        let is_last_piece_empty = matches!(self.phase, LinePhase::Joining { .. });
        self.phase = LinePhase::Open;
        self.first = self.first.or(Some(at));
        if self.marked && self.head.is_none() {
            self.reset(false, self.bell);
            return LineStep::Pending;
        }
        if v1_pings && !self.marked && self.text == b"[G]" {
            return LineStep::Ping;
        }
        let piece = self.text.get(self.piece..).unwrap_or_default();
        let (tag, line) = self.split_at_tag();
        if is_last_piece_empty && tag == LineTag::Style12 {
            self.phase = LinePhase::CutOff { is_ended: true };
            return LineStep::Complete;
        }
        let is_prompted = context.is_prompted();
        if self.cut == 0 && context.wrapping.may_continue(is_prompted, tag, line, piece, self.piece > 0) {
            self.phase = LinePhase::Held { end: at + 1, bell: self.bell, matched: 0, mark_at: at };
            self.bell = false;
            return LineStep::Pending;
        }
        LineStep::Complete
    }

    /// Stores a complete line that was borrowed from the input, and holds it because it may continue. The buffer has to be empty.
    pub(super) fn hold_borrowed(&mut self, line: &[u8], first: u64, end: u64) {
        self.text.extend_from_slice(line);
        self.indent = line.iter().take_while(|&&b| b == b' ').count();
        self.first = Some(first);
        self.head = (self.indent < line.len()).then_some(first + self.indent as u64);
        self.phase = LinePhase::Held { end, bell: self.bell, matched: 0, mark_at: end };
        self.bell = false;
    }

    /// Returns whether a prompt or a mark is on this line.
    pub(super) const fn is_marked(&self) -> bool {
        self.marked
    }

    /// Returns the value that [`is_marked`](Self::is_marked) had after the last frame, for readers that resume there.
    pub(super) const fn was_marked(&self) -> bool {
        self.was_marked
    }

    /// Records the end of a line that contained only prompts or marks. A bell on it belongs to the next line.
    pub(super) const fn clear_marked(&mut self) {
        self.marked = false;
    }

    /// Updates the state of quotation and prompts after `line`, which was borrowed from the input and not collected here. Returns
    /// whether a bell precedes the line, and clears the bell.
    pub(super) fn end_borrowed_line(&mut self, line: &[u8]) -> bool {
        self.quote = self.quote.after_line(line);
        self.take_bell_at_line_end()
    }

    /// Does the same as [`end_borrowed_line`](Self::end_borrowed_line) for a line that starts with a tag, which ends any
    /// quotation.
    pub(super) const fn end_borrowed_tagged_line(&mut self) -> bool {
        self.quote = Quote::None;
        self.take_bell_at_line_end()
    }

    /// Clears the marks of the line that ends. Returns whether a bell precedes the line, and clears the bell.
    const fn take_bell_at_line_end(&mut self) -> bool {
        let bell = self.bell;
        (self.marked, self.was_marked, self.bell) = (false, false, false);
        bell
    }

    /// Returns the quotation state after the emitted frame.
    pub(super) fn quote(&self) -> Quote {
        match self.emitted {
            Some(Emitted::Line) => self.quote.after_line(&self.text),
            Some(Emitted::Prompt) | None => self.quote,
        }
    }

    pub(super) const fn set_quote(&mut self, quote: Quote) {
        self.quote = quote;
    }

    /// Returns whether text of the line has been received, so that more of the line may be a player's words; `false` while a complete line
    /// is held.
    pub(super) fn has_words(&self) -> bool {
        !self.is_held() && (self.head.is_some() || self.quote.covers_indent(self.indent))
    }

    /// Returns whether the buffer contains a line that must be emitted before another frame.
    pub(super) fn has_content(&self) -> bool {
        matches!(self.phase, LinePhase::Held { .. }) || self.head.is_some() || (!self.marked && !self.text.is_empty())
    }

    /// Returns whether a complete line is held until the next bytes show whether it continues.
    pub(super) const fn is_held(&self) -> bool {
        matches!(self.phase, LinePhase::Held { .. })
    }

    /// Returns the tag, and the line from its tag on; without a tag, the whole line.
    pub(super) fn split_at_tag(&self) -> (LineTag, &[u8]) {
        match split_at_tag(&self.text, self.indent, self.quote) {
            (LineTag::Style12, line) if matches!(self.phase, LinePhase::CutOff { .. }) => (LineTag::CutStyle12, line),
            tagged => tagged,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// Returns the length that a line over the limit had in the stream, in bytes; `None` if the line was stored completely.
    pub(super) fn whole_length(&self) -> Option<u64> {
        (self.cut > 0).then_some(self.text.len() as u64 + self.cut)
    }

    /// Returns the stream position of the first byte of the line; with `without_blanks`, of the first byte that is not a blank.
    pub(super) fn offset(&self, without_blanks: bool) -> u64 {
        if without_blanks { self.head.or(self.first) } else { self.first }.unwrap_or_default()
    }

    /// Returns the stream position of the end of the line, which is `now` unless the line is held, and whether a bell precedes the line.
    pub(super) fn end_and_bell(&self, now: u64) -> (u64, bool) {
        match self.phase {
            LinePhase::Held { end, bell, .. } => (end, bell),
            LinePhase::Open | LinePhase::Joining { .. } | LinePhase::CutOff { .. } => (now, self.bell),
        }
    }
}

/// The settings of the stream that the buffer depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineContext<'a> {
    pub(super) limits: &'a Limits,
    pub(super) prompts: &'a Prompts,
    pub(super) wrapping: &'a Wrapping,
    pub(super) family: Family,
}

impl LineContext<'_> {
    fn is_prompted(&self) -> bool {
        is_prompted(self.prompts, self.family)
    }
}

/// Returns whether a prompt follows all text, so that a line may wait for the bytes after it. `false` on ICC, where sessions switch the
/// prompt off.
pub(super) fn is_prompted(prompts: &Prompts, family: Family) -> bool {
    prompts.is_logged_in() && family != Family::Icc
}

/// Returns the tag after `indent` blanks, and the line from that tag on. The whole line if it has no tag, or is the indented text of
/// a quoted message ([`LineTag::PlayerText`]).
#[inline]
pub(super) fn split_at_tag(line: &[u8], indent: usize, quote: Quote) -> (LineTag, &[u8]) {
    if quote.covers_indent(indent) {
        return (LineTag::PlayerText, line);
    }
    let head = line.get(indent..).unwrap_or_default();
    match LineTag::of(head) {
        LineTag::None => (LineTag::None, line),
        tag => (tag, head),
    }
}
