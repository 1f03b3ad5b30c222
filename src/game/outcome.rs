//! The rule sets, and how games end.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Color;

/// After this many halfmoves without a clone a game is drawn under [`Rules::Ataxx`].
pub const HALFMOVE_LIMIT: u16 = 100;

/// A rule set: what happens to a side that cannot move, and to a game of endless jumps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// The game is over as soon as the side to move has no legal move; jumps may go on for ever.
    #[default]
    Assimilation,
    /// A side without a move passes while the other side has one; 100 halfmoves without a clone
    /// are a draw. What every UAI referee enforces.
    Ataxx,
    /// As [`Assimilation`](Self::Assimilation), but the other side gets all empty squares, within
    /// its reach or not, before the stones are counted. What some contests play.
    Fill,
}

impl Rules {
    /// All rule sets.
    pub const ALL: [Self; 3] = [Self::Assimilation, Self::Ataxx, Self::Fill];

    /// The rule set's name as options and records write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assimilation => "Assimilation",
            Self::Ataxx => "Ataxx",
            Self::Fill => "Fill",
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text does not name a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a rule set: Assimilation, Ataxx or Fill is expected")]
pub struct ParseRulesError;

impl FromStr for Rules {
    type Err = ParseRulesError;

    /// Reads a name in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|rules| rules.name().eq_ignore_ascii_case(text))
            .ok_or(ParseRulesError)
    }
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A side has won.
    Win(Color),
    /// Nobody has won.
    Draw,
}

impl fmt::Display for Outcome {
    /// `x wins`, `o wins` or `draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win(color) => write!(f, "{color} wins"),
            Self::Draw => f.write_str("draw"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_in_any_case() {
        assert_eq!("ataxx".parse(), Ok(Rules::Ataxx));
        assert_eq!("ASSIMILATION".parse(), Ok(Rules::Assimilation));
        assert_eq!("chess".parse::<Rules>(), Err(ParseRulesError));
        for rules in Rules::ALL {
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
    }
}
