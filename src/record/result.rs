//! Results as records have them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::game::{Color, Outcome};

/// What came of a game, on the board or otherwise: a player may have overrun the time.
///
/// ```
/// use physarum::game::{Color, Outcome};
/// use physarum::record::GameResult;
///
/// assert_eq!("1-0".parse(), Ok(GameResult::BlackWins));
/// assert_eq!(GameResult::from(Some(Outcome::Win(Color::White))).to_string(), "0-1");
/// assert_eq!(GameResult::from(None), GameResult::Unknown);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`: black (`x`) has won.
    BlackWins,
    /// `0-1`: white (`o`) has won.
    WhiteWins,
    /// `1/2-1/2`.
    Draw,
    /// `*`: the game goes on, was given up, or nobody knows.
    #[default]
    Unknown,
}

impl GameResult {
    /// All results.
    pub const ALL: [Self; 4] = [Self::BlackWins, Self::WhiteWins, Self::Draw, Self::Unknown];

    /// The result as PGN writes it.
    ///
    /// ```
    /// assert_eq!(physarum::record::GameResult::Draw.name(), "1/2-1/2");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::BlackWins => "1-0",
            Self::WhiteWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// Who has won, `None` if that is unknown.
    ///
    /// ```
    /// use physarum::game::{Color, Outcome};
    /// use physarum::record::GameResult;
    ///
    /// assert_eq!(GameResult::BlackWins.outcome(), Some(Outcome::Win(Color::Black)));
    /// assert_eq!(GameResult::Unknown.outcome(), None);
    /// ```
    pub const fn outcome(self) -> Option<Outcome> {
        match self {
            Self::BlackWins => Some(Outcome::Win(Color::Black)),
            Self::WhiteWins => Some(Outcome::Win(Color::White)),
            Self::Draw => Some(Outcome::Draw),
            Self::Unknown => None,
        }
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win(Color::Black) => Self::BlackWins,
            Outcome::Win(Color::White) => Self::WhiteWins,
            Outcome::Draw => Self::Draw,
        }
    }
}

impl From<Option<Outcome>> for GameResult {
    fn from(outcome: Option<Outcome>) -> Self {
        outcome.map_or(Self::Unknown, Self::from)
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a result: 1-0, 0-1, 1/2-1/2 or * is expected")]
pub struct ParseResultError;

impl FromStr for GameResult {
    type Err = ParseResultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|result| result.name() == text).ok_or(ParseResultError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_outcome_round_trip() {
        for result in GameResult::ALL {
            assert_eq!(result.to_string().parse(), Ok(result));
            assert_eq!(GameResult::from(result.outcome()), result);
        }
        for text in ["", "1-1", "0-0", "1/2", "1-0 "] {
            assert_eq!(text.parse::<GameResult>(), Err(ParseResultError), "{text}");
        }
    }
}
