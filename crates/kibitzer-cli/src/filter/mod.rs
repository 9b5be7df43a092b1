//! The option `--filter`, and the filter expressions of the library.

use std::sync::LazyLock;

use clap::builder::TypedValueParser;
pub(crate) use kibitzer::internal::filter::{
    BOT, DISCONNECTED, EventFilter, Expression, FilterError, GAP, MARK, ReplyMatch, ReplyTimes, ShortDuration, Subject,
    game_of, is_quantity, kinds, term_completions,
};

use crate::arguments::SuggestingParser;

/// Returns the value parser of `--filter`. Shells complete a term `kind:KIND`.
fn expression_parser() -> impl TypedValueParser<Value = Expression> {
    static KINDS: LazyLock<Vec<String>> = LazyLock::new(|| kinds().map(|kind| format!("kind:{kind}")).collect());
    SuggestingParser::new(parse_argument, || KINDS.iter().map(String::as_str).collect())
}

/// Parses the value of `--filter`. Refuses text that starts with `--`, which is another option after a missing value; a single
/// minus sign is part of the language.
fn parse_argument(text: &str) -> Result<Expression, FilterError> {
    if text.starts_with("--") {
        return Err(FilterError::new(text, 0, "an expression is missing before this option"));
    }
    Expression::parse(text)
}

/// The option `--filter`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FilterArgs {
    /// Print only events that match this expression, such as 'kind:tell from:foo' or 'mine and clock<10s'
    #[arg(
        long = "filter",
        value_name = "EXPR",
        value_parser = expression_parser(),
        hide_possible_values = true,
        allow_hyphen_values = true
    )]
    pub(crate) expression: Option<Expression>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_may_start_with_a_minus_sign() {
        #[derive(Debug, clap::Parser)]
        struct Command {
            #[command(flatten)]
            filter: FilterArgs,
        }
        let parse = |value| <Command as clap::Parser>::try_parse_from(["x", "--filter", value]);
        assert_eq!(parse("-kind:tell mine").unwrap().filter.expression.unwrap().to_string(), "-kind:tell mine");
        let error = parse("--json").unwrap_err().to_string();
        assert!(error.contains("an expression is missing before this option (character 1)"), "{error}");
    }
}
