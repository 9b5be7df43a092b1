//! `kibitzer completions` and `kibitzer man`: shell completions and manual pages, generated from the arguments.

use std::io::{self, Write as _};
use std::sync::LazyLock;

use clap::builder::StringValueParser;
use clap::{Arg, Command, CommandFactory as _};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::Cli;
use crate::arguments::{SuggestingParser, unknown_word_message};
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
    #[arg(value_name = "COMMAND", value_parser = SuggestingParser::new(StringValueParser::new(), commands_with_page), hide_possible_values = true)]
    command: Option<String>,
}

/// Returns the names of all subcommands; each has a manual page.
fn commands_with_page() -> Vec<&'static str> {
    static PAGES: LazyLock<Vec<String>> =
        LazyLock::new(|| Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect());
    PAGES.iter().map(String::as_str).collect()
}

const MAN_EXAMPLES: &str = "\
Examples:
  kibitzer man | man -l -                          read it
  kibitzer man console > kibitzer-console.1        for a package";

impl CompletionsArgs {
    /// Prints the completion script for the shell.
    pub(crate) fn print_script(&self) -> Result<(), Failure> {
        let mut command = Cli::command();
        let mut script = Vec::new();
        let name = command.get_name().to_owned();
        // Into memory first: clap_complete panics if writing fails.
        generate(self.shell, &mut command, &name, &mut script);
        if self.shell == Shell::Fish {
            script.extend(fish_positional_completions(&command, &name).into_bytes());
        }
        print_to_stdout(&script)
    }
}

impl ManArgs {
    /// Prints the manual page as roff.
    pub(crate) fn print_page(&self) -> Result<(), Failure> {
        print_to_stdout(&render_page(&self.find_command()?).map_err(Failure::stdout)?)
    }

    /// Returns the subcommand whose page is requested; the program itself without an argument.
    ///
    /// # Errors
    ///
    /// [`Failure`] for an unknown name, with a similar one.
    fn find_command(&self) -> Result<Command, Failure> {
        let mut program = Cli::command().disable_help_subcommand(true);
        program.build();
        let Some(name) = &self.command else { return Ok(program) };
        let page = program.find_subcommand(name).cloned();
        page.ok_or_else(|| {
            Failure::new(
                USAGE,
                format!("{} (try --help)", unknown_word_message("command", name, commands_with_page().into_iter())),
            )
        })
    }
}

/// Returns lines of a fish script that complete the positional arguments of subcommands, which `clap_complete` leaves out for
/// fish. `name` is the name of the program.
fn fish_positional_completions(program: &Command, name: &str) -> String {
    let line = |command: &Command| {
        let values = command.get_positionals().flat_map(Arg::get_possible_values);
        let words: Vec<_> = values.map(|value| value.get_name().to_owned()).collect();
        let condition = format!("__fish_{name}_using_subcommand {}", command.get_name());
        (!words.is_empty()).then(|| format!("complete -c {name} -n \"{condition}\" -a \"{}\"\n", words.join(" ")))
    };
    program.get_subcommands().filter_map(line).collect::<Vec<_>>().concat()
}

/// Renders the manual page of a command as roff, section by section, because `clap_mangen` alone would join the lines of the
/// examples into one paragraph.
fn render_page(command: &Command) -> io::Result<Vec<u8>> {
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
        help_to_sections(&help.to_string()).to_writer(&mut page)?;
    }
    Ok(page)
}

/// Converts the paragraphs of a help text that begin with a title, such as `Examples:`, to roff sections that keep their lines.
/// Drops other paragraphs.
fn help_to_sections(help: &str) -> Roff {
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

/// Prints the text and flushes standard output.
fn print_to_stdout(text: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(Failure::stdout)
}
