//! `kibitzer completions` and `kibitzer man`: shell completions and manual pages, generated from the arguments.

use std::io::{self, Write as _};
use std::sync::LazyLock;

use clap::builder::StringValueParser;
use clap::{Arg, Command, CommandFactory as _};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::Cli;
use crate::arguments::{Completed, unknown};
use crate::failure::{Failure, USAGE};

/// Print a script that lets a shell complete commands, options and their values
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell it is for
    shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  kibitzer completions bash > ~/.local/share/bash-completion/completions/kibitzer
  kibitzer completions zsh > ~/.zfunc/_kibitzer   where ~/.zfunc is in $fpath
  kibitzer completions fish > ~/.config/fish/completions/kibitzer.fish
  eval \"$(kibitzer completions bash)\"             for this shell alone";

/// Print the manual page of the program, or of one of its commands
#[derive(Debug, clap::Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// Print the page of this command
    #[arg(value_name = "COMMAND", value_parser = Completed::new(StringValueParser::new(), pages), hide_possible_values = true)]
    command: Option<String>,
}

/// Returns the commands with a page.
fn pages() -> Vec<&'static str> {
    static PAGES: LazyLock<Vec<String>> =
        LazyLock::new(|| Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect());
    PAGES.iter().map(String::as_str).collect()
}

const MAN_EXAMPLES: &str = "\
Examples:
  kibitzer man | man -l -                          read it
  kibitzer man console > kibitzer-console.1        for a package";

impl CompletionsArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let (mut command, mut script) = (Cli::command(), Vec::new());
        let name = command.get_name().to_owned();
        // Into memory first: clap_complete panics if writing fails.
        generate(self.shell, &mut command, &name, &mut script);
        if self.shell == Shell::Fish {
            script.extend(positional_values_for_fish(&command, &name).into_bytes());
        }
        print(&script)
    }
}

impl ManArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        print(&page_of(&self.command()?).map_err(Failure::stdout)?)
    }

    /// Returns the command of the page.
    fn command(&self) -> Result<Command, Failure> {
        let mut program = Cli::command().disable_help_subcommand(true);
        program.build();
        let Some(name) = &self.command else { return Ok(program) };
        let page = program.find_subcommand(name).cloned();
        page.ok_or_else(|| {
            Failure::new(USAGE, format!("{} (try --help)", unknown("command", name, pages().into_iter())))
        })
    }
}

/// Returns completions of positional arguments, which `clap_complete` leaves out for fish.
fn positional_values_for_fish(program: &Command, name: &str) -> String {
    let line = |command: &Command| {
        let values = command.get_positionals().flat_map(Arg::get_possible_values);
        let words: Vec<_> = values.map(|value| value.get_name().to_owned()).collect();
        let condition = format!("__fish_{name}_using_subcommand {}", command.get_name());
        (!words.is_empty()).then(|| format!("complete -c {name} -n \"{condition}\" -a \"{}\"\n", words.join(" ")))
    };
    program.get_subcommands().filter_map(line).collect::<Vec<_>>().concat()
}

/// Renders the page part by part: `clap_mangen` alone would join the lines of the examples into one paragraph.
fn page_of(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).source(concat!("kibitzer ", env!("CARGO_PKG_VERSION")));
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(help) = command.get_after_help() {
        sections(&help.to_string()).to_writer(&mut page)?;
    }
    Ok(page)
}

/// Converts paragraphs such as `Examples:` to sections that keep their lines.
fn sections(help: &str) -> Roff {
    let mut roff = Roff::new();
    for (title, lines) in help.split("\n\n").filter_map(|paragraph| paragraph.split_once(":\n")) {
        roff.control("SH", [title.to_uppercase().as_str()]).control("nf", []);
        for line in lines.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
    roff
}

fn print(text: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(Failure::stdout)
}
