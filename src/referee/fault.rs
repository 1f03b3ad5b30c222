//! What an engine can do wrong.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::protocol::quote;

/// Why an engine has lost a game that was not lost on the board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The program could not be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// The program did not introduce itself.
    #[error("no {expected} within {} s", .within.as_secs_f64())]
    NoAnswer {
        /// What should have come: `uaiok` or `readyok`.
        expected: &'static str,
        /// How long was waited.
        within: Duration,
    },
    /// No move came, not even after being told to stop.
    #[error("no bestmove within {} s", .0.as_secs_f64())]
    Hang(Duration),
    /// The program has ended.
    #[error("crashed: {0}")]
    Crash(String),
    /// The program runs, but has closed its output.
    #[error("closed its output")]
    ClosedOutput,
    /// The program runs, but has closed its input, or leaves too much of it unread.
    #[error("does not read its input")]
    Deaf,
    /// There was no end to what it had to say.
    #[error("flooded its output: more than {0} MiB for one answer")]
    Flood(u64),
    /// The move is none, or not legal.
    #[error("illegal move {}: {reason}", quote(.text))]
    IllegalMove {
        /// The move's text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The move came too late.
    #[error("out of time by {:.1} ms", .0.as_secs_f64() * 1000.0)]
    Time(Duration),
}

impl Fault {
    /// What kind it is.
    pub const fn kind(&self) -> FaultKind {
        match self {
            Self::Start(_) => FaultKind::NoStart,
            Self::NoAnswer { .. } => FaultKind::NoAnswer,
            Self::Hang(_) => FaultKind::Hang,
            Self::Crash(_) => FaultKind::Crash,
            Self::ClosedOutput => FaultKind::ClosedOutput,
            Self::Deaf => FaultKind::Deaf,
            Self::Flood(_) => FaultKind::Flood,
            Self::IllegalMove { .. } => FaultKind::IllegalMove,
            Self::Time(_) => FaultKind::Time,
        }
    }
}

/// The kinds of faults, for counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A move came too late.
    Time,
    /// No move came.
    Hang,
    /// The program ended.
    Crash,
    /// A move was none, or not legal.
    IllegalMove,
    /// The output was closed.
    ClosedOutput,
    /// The input was not read.
    Deaf,
    /// The output had no end.
    Flood,
    /// No `uaiok` or `readyok` came.
    NoAnswer,
    /// The program could not be started.
    NoStart,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Time,
        Self::Hang,
        Self::Crash,
        Self::IllegalMove,
        Self::ClosedOutput,
        Self::Deaf,
        Self::Flood,
        Self::NoAnswer,
        Self::NoStart,
    ];

    /// A word for it in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "out of time",
            Self::Hang => "hung",
            Self::Crash => "crashed",
            Self::IllegalMove => "illegal move",
            Self::ClosedOutput => "closed output",
            Self::Deaf => "deaf",
            Self::Flood => "flooded",
            Self::NoAnswer => "no answer",
            Self::NoStart => "not started",
        }
    }
}
