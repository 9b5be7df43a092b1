//! Buffer of one line while it is received: its text, whether another piece of a wrapped line may follow, and the settings and
//! facts of the stream on which that depends.

use crate::scan::find;
use crate::wire::frame::LineTag;
use crate::wire::options::{Family, Limits};
use crate::wire::prompt::{PromptKind, Prompts, guest_name_in_prompt};
use crate::wire::quote::Quote;
use crate::wire::wrap::{CONTINUATION, LastPiece, OutputEnd, Wrapping, cuts_entity, is_cut_board};

/// The line that is being received, with the pieces of a wrapped line joined.
#[derive(Clone, Debug, Default)]
pub(super) struct LineBuffer {
    /// Text without control bytes.
    pub(super) text: Vec<u8>,
    /// Stream position of the first byte.
    first: Option<u64>,
    /// Stream position of the first byte that is not a blank.
    head: Option<u64>,
    /// Number of blanks at the start of `text`.
    indent: usize,
    /// Number of bytes that were received but not stored, because the line exceeds its limit.
    cut: u64,
    /// Index in `text` at which the last piece of a wrapped line starts.
    piece: usize,
    phase: LinePhase,
    /// Whether an inline frame, a prompt or mark, was received on this line: if nothing else follows on it, the line is not
    /// emitted.
    pub(super) has_inline_frame: bool,
    /// The value of `has_inline_frame` after the last frame.
    pub(super) had_inline_frame: bool,
    /// Whether a bell was received since the previous line.
    pub(super) bell: bool,
    /// Whether this line, if indented, is text of a player: then it contains no prompt and no tag. While an emitted line is in
    /// the buffer, [`quote`](Self::quote) returns the state after it.
    pub(super) quote: Quote,
    /// Frame that the text was emitted as; `None` if it was not emitted yet, or was cleared since.
    pub(super) emitted: Option<Emitted>,
}

/// The kind of frame that the buffer's bytes were emitted as.
#[derive(Clone, Copy, Debug)]
pub(super) enum Emitted {
    Line,
    /// A prompt. More may follow on the same line.
    Prompt,
}

/// State of the line in a [`LineBuffer`].
#[derive(Clone, Copy, Debug, Default)]
enum LinePhase {
    /// Bytes of a line are being received.
    #[default]
    Open,
    /// The line has ended at `end`; it is held until the next bytes show whether it continues. `matched` bytes of
    /// [`CONTINUATION`] have been received, the first of them at `mark_at`. `bell` is the bell of this line.
    Held { end: u64, bell: bool, matched: usize, mark_at: u64 },
    /// The line continues after a continuation mark; of the new piece, no byte or only blanks have been received.
    Joining { blank_follows: bool },
    /// The line is a board that the server cut off. `is_ended`: its line end was received.
    CutOff { is_ended: bool },
}

/// The effect of text or a line end on a [`LineBuffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineStep {
    /// Nothing to emit.
    Pending,
    /// Nothing was stored: the collected line has to be emitted first, then the same bytes have to be processed again.
    EmitFirst,
    /// The line is complete and has to be emitted.
    Complete,
    /// The line so far is a prompt.
    Prompt(PromptKind),
    /// The line so far is the prompt that offers a guest name.
    GuestPrompt,
    /// The line is a version 1 ping.
    Ping,
}

impl LineBuffer {
    /// Returns whether no text of a line has been received, so that a complete line may be borrowed from the input.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.phase, LinePhase::Open) && self.text.is_empty()
    }

    /// Clears the text if it was marked as emitted. Bytes that only looked like a continuation mark become the start of the next
    /// line.
    pub(super) fn clear_emitted(&mut self) {
        match (self.emitted, self.phase) {
            (None, _) => {}
            (Some(Emitted::Prompt), _) => self.reset(true, self.bell),
            (Some(Emitted::Line), LinePhase::Open | LinePhase::Joining { .. } | LinePhase::CutOff { .. }) => {
                self.quote = self.quote();
                self.reset(self.had_inline_frame, false);
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

    /// Clears everything except `quote` and `had_inline_frame`, then sets the two flags given.
    fn reset(&mut self, has_inline_frame: bool, bell: bool) {
        self.text.clear();
        let (text, had_inline_frame) = (std::mem::take(&mut self.text), self.had_inline_frame);
        *self = Self { text, has_inline_frame, had_inline_frame, bell, quote: self.quote, ..Self::default() };
    }

    /// Marks the text as emitted as a line.
    pub(super) fn mark_emitted_as_line(&mut self) {
        self.had_inline_frame = matches!(self.phase, LinePhase::CutOff { is_ended: false });
        self.emitted = Some(Emitted::Line);
    }

    /// Marks the text as emitted as a prompt or ping, after which the line may continue.
    pub(super) const fn mark_emitted_as_prompt(&mut self) {
        self.had_inline_frame = true;
        self.emitted = Some(Emitted::Prompt);
    }

    /// Records that an inline frame, a prompt or mark, is on this line. Drops blanks that were received before it.
    pub(super) fn record_inline_frame(&mut self) {
        if self.head.is_none() {
            self.reset(true, self.bell);
        }
        (self.has_inline_frame, self.had_inline_frame) = (true, true);
    }

    /// Stores text, up to the first byte that may complete a prompt. Returns the number of consumed bytes, and the effect. `at`
    /// is the stream position of the first byte.
    pub(super) fn push(&mut self, text: &[u8], at: u64, rules: &LineRules) -> (usize, LineStep) {
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
            self.begin_next_piece(byte, blank_follows, rules);
        }
        if !self.may_become_prompt(&rules.prompts) {
            self.append_within_limits(text, at, &rules.limits);
            return (text.len(), LineStep::Pending);
        }
        let end = memchr::memchr2(b' ', b':', text);
        let run = end.and_then(|end| text.get(..=end)).unwrap_or(text);
        self.append_within_limits(run, at, &rules.limits);
        (run.len(), self.detect_prompt(&rules.prompts))
    }

    /// Appends text up to the limits, and counts the bytes beyond them. `at` is the stream position of the first byte.
    fn append_within_limits(&mut self, run: &[u8], at: u64, limits: &Limits) {
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

    /// Begins the next piece of a wrapped line, whose first byte is `next`. Appends a blank to the previous piece, unless the
    /// server cut a word or an entity between the two.
    fn begin_next_piece(&mut self, next: u8, blank_follows: bool, rules: &LineRules) {
        let piece = self.text.get(self.piece..).unwrap_or_default();
        let mark = if self.piece == 0 { 0 } else { CONTINUATION.len() };
        let is_cut_word = rules.wrapping.is_cut_word(piece, piece.len() + mark, blank_follows);
        if !is_cut_word && !cuts_entity(piece, next) && !piece.ends_with(b" ") && self.cut == 0 {
            if self.text.len() < rules.limits.wrapped_line_bytes {
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
        !prompts.is_logged_in
            || (self.piece == 0 && self.text.len().saturating_sub(self.indent) < prompts.longest_bytes())
    }

    /// Returns the effect of the text so far: a prompt, or nothing. A prompt ends with a blank, the one with a guest name with a
    /// colon.
    fn detect_prompt(&self, prompts: &Prompts) -> LineStep {
        let line = || self.text.get(self.indent..).unwrap_or_default();
        match self.text.last() {
            // A player can write anything in a quoted message, also `fics% `.
            _ if self.quote.quotes_line_indented_by(self.indent) => LineStep::Pending,
            Some(b' ') if self.piece == 0 && self.cut == 0 => match prompts.match_start(line()) {
                Some((kind, _)) => LineStep::Prompt(kind),
                None => LineStep::Pending,
            },
            Some(b':')
                if !prompts.is_logged_in && self.text.ends_with(b"\":") && guest_name_in_prompt(line()).is_some() =>
            {
                LineStep::GuestPrompt
            }
            _ => LineStep::Pending,
        }
    }

    /// Processes a line end at the stream position `at`. A line that may continue is held until the next bytes are received.
    /// `v1_pings`: the line `[G]` is a ping.
    pub(super) fn process_line_end(&mut self, at: u64, v1_pings: bool, rules: &LineRules) -> LineStep {
        if let LinePhase::Held { .. } = self.phase {
            return LineStep::EmitFirst;
        }
        let is_last_piece_empty = matches!(self.phase, LinePhase::Joining { .. });
        self.phase = LinePhase::Open;
        self.first = self.first.or(Some(at));
        if self.has_inline_frame && self.head.is_none() {
            self.reset(false, self.bell);
            return LineStep::Pending;
        }
        if v1_pings && !self.has_inline_frame && self.text == b"[G]" {
            return LineStep::Ping;
        }
        let piece = self.text.get(self.piece..).unwrap_or_default();
        let (tag, line) = self.split_at_tag();
        if is_last_piece_empty && tag == LineTag::Style12 {
            self.phase = LinePhase::CutOff { is_ended: true };
            return LineStep::Complete;
        }
        let last = if self.piece == 0 { LastPiece::First(piece) } else { LastPiece::Later(piece) };
        if self.cut == 0 && rules.wrapping.may_continue(rules.output_end(), tag, line, last) {
            self.phase = LinePhase::Held { end: at + 1, bell: self.bell, matched: 0, mark_at: at };
            self.bell = false;
            return LineStep::Pending;
        }
        LineStep::Complete
    }

    /// Stores a complete line of the input, and holds it because it may continue. `first` and `end` are its stream positions. The
    /// buffer has to be empty.
    pub(super) fn hold_borrowed(&mut self, line: &[u8], first: u64, end: u64) {
        self.text.extend_from_slice(line);
        self.indent = line.iter().take_while(|&&b| b == b' ').count();
        self.first = Some(first);
        self.head = (self.indent < line.len()).then_some(first + self.indent as u64);
        self.phase = LinePhase::Held { end, bell: self.bell, matched: 0, mark_at: end };
        self.bell = false;
    }

    /// Ends a line that is emitted from the input without being stored here, after which the quotation state is `quote`. Returns
    /// whether a bell was received before it, and clears the bell.
    pub(super) const fn end_borrowed_line_and_take_bell(&mut self, quote: Quote) -> bool {
        let bell = self.bell;
        (self.quote, self.has_inline_frame, self.had_inline_frame, self.bell) = (quote, false, false, false);
        bell
    }

    /// Returns the quotation state after the frame that was emitted last.
    pub(super) fn quote(&self) -> Quote {
        match self.emitted {
            Some(Emitted::Line) => self.quote.after_line(&self.text),
            Some(Emitted::Prompt) | None => self.quote,
        }
    }

    /// Returns whether text of an unfinished line has been received, so that the next bytes may be a player's words.
    pub(super) fn has_open_text(&self) -> bool {
        !self.is_held() && (self.head.is_some() || self.quote.quotes_line_indented_by(self.indent))
    }

    /// Returns whether the buffer contains a line, complete or not, that has to be emitted before a frame that is not inline.
    pub(super) fn has_line_to_emit(&self) -> bool {
        matches!(self.phase, LinePhase::Held { .. })
            || self.head.is_some()
            || (!self.has_inline_frame && !self.text.is_empty())
    }

    /// Returns whether the line has ended and is held until the next bytes show whether it continues.
    pub(super) const fn is_held(&self) -> bool {
        matches!(self.phase, LinePhase::Held { .. })
    }

    /// Returns the tag, and the text from its tag on; without a tag, all of the text.
    pub(super) fn split_at_tag(&self) -> (LineTag, &[u8]) {
        match self.quote.split_at_tag(&self.text, self.indent) {
            (LineTag::Style12, line) if matches!(self.phase, LinePhase::CutOff { .. }) => (LineTag::CutStyle12, line),
            tagged => tagged,
        }
    }

    /// Returns the length of a line that exceeded its limit, in bytes, including those not stored; `None` for other lines.
    pub(super) fn length_if_truncated(&self) -> Option<u64> {
        (self.cut > 0).then_some(self.text.len() as u64 + self.cut)
    }

    /// Returns the stream position of the first byte of the line; with `skip_indent`, of the first byte that is not a blank.
    pub(super) fn offset(&self, skip_indent: bool) -> u64 {
        if skip_indent { self.head.or(self.first) } else { self.first }.unwrap_or_default()
    }

    /// Returns the stream position of the end of the line, and whether a bell was received before it. The end is `position`,
    /// unless the line has ended earlier and was held.
    pub(super) fn end_and_bell(&self, position: u64) -> (u64, bool) {
        match self.phase {
            LinePhase::Held { end, bell, .. } => (end, bell),
            LinePhase::Open | LinePhase::Joining { .. } | LinePhase::CutOff { .. } => (position, self.bell),
        }
    }
}

/// Limits, prompts, wrapping and family of a stream: as configured, and as found in it.
#[derive(Clone, Debug, Default)]
pub(super) struct LineRules {
    pub(super) limits: Limits,
    pub(super) prompts: Prompts,
    pub(super) wrapping: Wrapping,
    /// Family of the server, which decides which control bytes are framing. `Auto` until it is set or the login shows it.
    pub(super) family: Family,
}

impl LineRules {
    /// Returns how the end of output shows: by a prompt, but not before the login, nor on ICC, where sessions switch the prompt off.
    pub(super) fn output_end(&self) -> OutputEnd {
        if self.prompts.is_logged_in && !self.family.is_icc() { OutputEnd::Prompt } else { OutputEnd::Unmarked }
    }

    /// Updates prompts and wrapping from a line of the server: the end of the login, FatICS's greeting, or `nowrap`. Other lines
    /// change nothing.
    pub(super) fn apply_server_line(&mut self, line: &[u8]) {
        if !self.prompts.is_logged_in {
            // FICS and its relatives announce the session with this line; ICC sends datagram 0 instead (transport rule P9).
            if line.starts_with(b"**** Starting ") && find(line, b" session as ").is_some() {
                self.prompts.is_logged_in = true;
            }
            // FatICS names itself in its greeting. Only before the login: later, a player may write the word.
            self.wrapping.keeps_blanks |= find(line, b"FatICS").is_some();
        }
        match line {
            b"nowrap set." => self.wrapping.is_unwrapped = true,
            b"nowrap unset." => self.wrapping.is_unwrapped = false,
            _ => {}
        }
    }
}
