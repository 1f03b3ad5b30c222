//! Text to values and back: the commands and messages of UAI, UGI and UCI, the options, the session's loop.
//!
//! What it all means to a user stands in `protocol.md`.

mod changes;
mod command;
mod dialect;
mod io;
mod leaves;
mod message;
mod oneshot;
mod options;
mod session;

pub(crate) use command::play_moves;
pub use command::{Command, CommandError, Go, Query, Start};
pub use dialect::{Dialect, DialectError};
pub use io::{Input, InputError, MAX_LINE};
pub(crate) use leaves::count_leaves;
pub(crate) use message::nodes_per_second;
pub use message::{Info, Message, MessageError};
pub use oneshot::{OneShot, OneShotError};
pub(crate) use options::{ATAXX, HASH_RANGE, THREADS_RANGE, VARIANT};
pub use options::{Config, OptionError, OptionKind, OptionSpec, OptionSpecError};
pub use session::{SessionError, run};

/// The longest text that an error repeats, in characters.
const MAX_QUOTE: usize = 40;

/// A user's text as an error shows it: in quotes, on one line, and not too long.
pub(crate) fn quote(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_QUOTE).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_on_one_line() {
        assert_eq!(quote("a\"b\n"), r#""a\"b\n""#);
        assert_eq!(quote(&"x".repeat(50)), format!("\"{}…\"", "x".repeat(40)));
    }
}
