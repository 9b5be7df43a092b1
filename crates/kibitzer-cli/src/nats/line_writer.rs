//! Passes written lines to another task.

use std::io;

use tokio::sync::mpsc;

/// Writer that sends each complete line, without its line end. Blocks while the channel is full.
pub(super) struct ChannelLineWriter {
    lines: mpsc::Sender<Vec<u8>>,
    /// Start of the next line.
    partial: Vec<u8>,
}

impl ChannelLineWriter {
    pub(super) const fn new(lines: mpsc::Sender<Vec<u8>>) -> Self {
        Self { lines, partial: Vec::new() }
    }
}

impl io::Write for ChannelLineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(part.strip_suffix(b"\n").unwrap_or(part));
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.partial);
                self.lines.blocking_send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
