//! Arguments that select the output format of live sessions.

use crate::output::LineFormat;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct FormatArgs {
    /// How to print what happens
    #[arg(long, value_enum, default_value_t = LineFormat::Text)]
    format: LineFormat,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArgs {
    pub(crate) const fn format(self) -> LineFormat {
        if self.json { LineFormat::Jsonl } else { self.format }
    }
}
