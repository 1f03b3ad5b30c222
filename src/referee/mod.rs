//! Engines against each other, and what their games prove.

mod statistics;

pub use statistics::{
    Decision, Elo, Estimate, GameResult, Games, MAX_SPRT_ELO, Movers, NormalizedElo, Pairs, Played,
    Record, Seat, Sprt, SprtError, SprtModel, SprtStatus, Tally,
};
