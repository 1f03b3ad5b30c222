//! The statistics of a match between two engines, always as the first of them sees it.
//!
//! Games from one opening, played twice with colours changed, are not independent: the opening
//! favours the same colour both times. So the unit of chance is the pair of games, with 0, ½, 1,
//! 1½ or 2 points (the pentanomial model), and only a game without a partner is a unit by itself.
//!
//! A [`Record`] joins the games of a match, in whatever order they end, to a [`Tally`]. That
//! gives the score, the difference in [`Elo`] and [`NormalizedElo`], the likelihood of superiority,
//! and the table of [`Movers`]; a [`Sprt`] decides when it has seen enough.
//!
//! ```
//! use physarum::referee::{Decision, EngineResult, Played, Record, Seat, Sprt};
//!
//! let mut record = Record::default();
//! let win = Played { result: EngineResult::Win, seat: Seat::First };
//! let draw = Played { result: EngineResult::Draw, seat: Seat::Second };
//! for pair in 0..40 {
//!     record.add_to_pair(pair, win);
//!     record.add_to_pair(pair, if pair % 4 == 0 { win } else { draw });
//! }
//! let tally = record.tally();
//! assert_eq!(tally.pairs().counts(), [0, 0, 0, 30, 10]);
//! assert_eq!(tally.elo().unwrap().to_string(), "+254.7 ± 38.6");
//!
//! let sprt: Sprt = "elo0=0,elo1=50".parse().unwrap();
//! assert_eq!(sprt.status(&tally).decision, Decision::AcceptH1);
//! ```
//!
//! Everything is computed with `libm`, so it is the same on every machine.

mod elo;
mod likelihood;
mod sprt;
mod tally;

pub use elo::{Elo, Estimate, NormalizedElo};
pub use sprt::{Decision, MAX_SPRT_ELO, Sprt, SprtError, SprtModel, SprtStatus};
pub use tally::{EngineResult, Games, Movers, Pairs, Played, Record, Seat, Tally};

/// Tallies for tests.
#[cfg(test)]
mod examples {
    use super::{EngineResult, Played, Seat, Tally};

    fn first(result: EngineResult) -> Played {
        Played { result, seat: Seat::First }
    }

    /// Games without partners.
    pub fn games(wins: u64, draws: u64, losses: u64) -> Tally {
        let mut tally = Tally::default();
        for (result, count) in
            [(EngineResult::Win, wins), (EngineResult::Draw, draws), (EngineResult::Loss, losses)]
        {
            (0..count).for_each(|_| tally.add_single(first(result)));
        }
        tally
    }

    /// Pairs of games, so many with 0, ½, 1, 1½ and 2 points.
    pub fn pairs(counts: [u64; 5]) -> Tally {
        use EngineResult::{Draw, Loss, Win};
        let mut tally = Tally::default();
        let pairs = [[Loss, Loss], [Draw, Loss], [Draw, Draw], [Win, Draw], [Win, Win]];
        for (pair, count) in pairs.into_iter().zip(counts) {
            let pair = [first(pair[0]), Played { result: pair[1], seat: Seat::Second }];
            (0..count).for_each(|_| tally.add_pair(pair));
        }
        tally
    }

    /// Whether two numbers agree to `digits` digits after the point.
    pub fn close(left: f64, right: f64, digits: i32) -> bool {
        (left - right).abs() <= 0.5 * 10f64.powi(-digits) * (1.0 + 1e-9)
    }
}
