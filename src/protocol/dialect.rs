//! The protocols that differ only in words.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which words a referee and an engine greet each other with, and begin a game with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The Universal Ataxx Interface.
    #[default]
    Uai,
    /// The Universal Game Interface, which has `query` besides.
    Ugi,
}

/// A word is the name of no dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{}", Self::TEXT)]
pub struct DialectError;

impl DialectError {
    /// What it says.
    pub const TEXT: &str = "uai or ugi is expected";
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Uai, Self::Ugi];

    /// Its name, which is also the command by which a referee introduces itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uai => "uai",
            Self::Ugi => "ugi",
        }
    }

    /// By what an engine ends what it says about itself.
    pub const fn ok(self) -> &'static str {
        match self {
            Self::Uai => "uaiok",
            Self::Ugi => "ugiok",
        }
    }

    /// The command that begins another game.
    pub const fn new_game(self) -> &'static str {
        match self {
            Self::Uai => "uainewgame",
            Self::Ugi => "uginewgame",
        }
    }

    /// The dialect that has a word in the place that `of` says.
    pub(super) fn with(word: &str, of: fn(Self) -> &'static str) -> Option<Self> {
        Self::ALL.into_iter().find(|&dialect| of(dialect) == word)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = DialectError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::with(text, Self::name).ok_or(DialectError)
    }
}
