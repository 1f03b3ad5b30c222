//! The protocols that differ only in words.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::{FairyFen, Move, Position};

/// Which words a referee and an engine greet each other with, and begin a game with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The Universal Ataxx Interface.
    #[default]
    Uai,
    /// The Universal Game Interface, which has `query` besides.
    Ugi,
    /// The Universal Chess Interface as Fairy-Stockfish speaks it, where positions, moves and whose
    /// clock is whose are written in another way.
    Uci,
}

/// A word is the name of no dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{}", Self::TEXT)]
pub struct DialectError;

impl DialectError {
    /// What it says.
    pub const TEXT: &str = "uai, ugi or uci is expected";
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Uai, Self::Ugi, Self::Uci];

    /// Its name, which is also the command by which a referee introduces itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uai => "uai",
            Self::Ugi => "ugi",
            Self::Uci => "uci",
        }
    }

    /// By what an engine ends what it says about itself.
    pub const fn ok(self) -> &'static str {
        match self {
            Self::Uai => "uaiok",
            Self::Ugi => "ugiok",
            Self::Uci => "uciok",
        }
    }

    /// The command that begins another game.
    pub const fn new_game(self) -> &'static str {
        match self {
            Self::Uai => "uainewgame",
            Self::Ugi => "uginewgame",
            Self::Uci => "ucinewgame",
        }
    }

    /// What is said instead of a move where the game is over.
    pub const fn no_move(self) -> &'static str {
        match self {
            Self::Uai | Self::Ugi => "0000",
            Self::Uci => "(none)",
        }
    }

    /// The text of a move in a position.
    pub fn move_text(self, mv: Move, before: &Position) -> String {
        match self {
            Self::Uai | Self::Ugi => mv.to_string(),
            Self::Uci => mv.to_fairy(before),
        }
    }

    /// The texts of moves played one after the other.
    pub fn line_texts(self, line: &[Move], start: &Position) -> Vec<String> {
        let mut position = *start;
        let text = |&mv| {
            let text = self.move_text(mv, &position);
            position = position.play(mv);
            text
        };
        line.iter().map(text).collect()
    }

    /// The text of a position.
    pub fn position_text(self, position: &Position) -> String {
        match self {
            Self::Uai | Self::Ugi => position.to_string(),
            Self::Uci => FairyFen(position).to_string(),
        }
    }

    /// Whether `wtime` is the clock of who moves first (black).
    pub(super) const fn first_mover_is_white(self) -> bool {
        matches!(self, Self::Uci)
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
