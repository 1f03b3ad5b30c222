//! Making openings.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::balance::{Verdicts, keep_balanced};
use super::listing::list;
use super::walks::Walks;
use crate::game::{Position, Rules};
use crate::random::Random;
use crate::search::TableError;

/// The most positions that are listed where all are wanted; they take
/// one and a half gigabytes of memory.
pub const MAX_LISTED: usize = 10_000_000;

/// The most positions that are listed where a sample of them is wanted; if there are more, the
/// sample comes from random games.
pub const MAX_LISTED_FOR_SAMPLE: usize = 1_000_000;

/// Which positions are wanted.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Where to begin, any of these.
    pub starts: Vec<Position>,
    /// How many plies to play from there.
    pub plies: u32,
    /// The rules to play by.
    pub rules: Rules,
    /// A random sample instead of all.
    pub sample: Option<Sample>,
    /// Only balanced positions.
    pub balance: Option<Balance>,
    /// How many positions are searched at the same time; the result does not depend on it.
    pub threads: usize,
}

/// A random sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How many positions.
    pub count: usize,
    /// Which sample: the same seed gives the same positions, and a larger count more of them.
    pub seed: u64,
}

/// When a position counts as balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance {
    /// How deep to search, in plies.
    pub depth: u32,
    /// The largest advantage of either side, in cp. A game that is won by force is never
    /// balanced.
    pub margin: u32,
}

/// How far the search for balanced positions has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many positions have been searched.
    pub searched: usize,
    /// How many there are; `None` for random games, which have no end.
    pub of: Option<usize>,
    /// How many of them are balanced.
    pub balanced: usize,
}

/// What [`generate`] has found.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The positions: a sample in random order, all of them in a fixed one.
    pub positions: Vec<Position>,
    /// How many there are to choose from, balanced or not; `None` if that was not found out, as
    /// there are more than [`MAX_LISTED_FOR_SAMPLE`]: then the sample comes from random games.
    pub listed: Option<usize>,
    /// How many were searched to find them; 0 if balance does not matter.
    pub searched: usize,
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// Too many to list.
    #[error("more than {MAX_LISTED} positions to list: play fewer plies, or take a sample")]
    TooMany,
    /// Told to stop.
    #[error("interrupted")]
    Interrupted,
    /// No memory to search with.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No thread to search with.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// Makes openings: the positions that can be reached in exactly so many plies, that are not over
/// and, if wanted, balanced. Of those that a turn or reflection of the board makes the same, the
/// clocks apart, there is one, with the clocks of the game with the fewest halfmoves since the last
/// clone.
///
/// A sample is drawn with equal chances for all positions, if there are at most
/// [`MAX_LISTED_FOR_SAMPLE`] at each ply; otherwise random games are played, in which each legal
/// move is as likely as any other, and each position that comes up counts once: positions that can
/// come about in many ways are likelier then. There may be fewer than asked for.
///
/// The same recipe gives the same positions, with any number of threads. Each position is searched
/// by one thread that knows nothing of the others.
///
/// # Errors
///
/// When there are more than [`MAX_LISTED`] positions and no sample is wanted, when `stop` becomes
/// true, and when the system has no memory or no thread to search with.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use physarum::game::{Position, Rules};
/// use physarum::referee::{Recipe, generate};
///
/// let recipe = Recipe {
///     starts: vec![Position::default()],
///     plies: 1,
///     rules: Rules::Ataxx,
///     sample: None,
///     balance: None,
///     threads: 1,
/// };
/// let selection = generate(&recipe, &AtomicBool::new(false), &mut |_| {})?;
/// assert_eq!(selection.positions.len(), 5);
/// # Ok::<(), physarum::referee::GenerateError>(())
/// ```
pub fn generate(
    recipe: &Recipe,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Selection, GenerateError> {
    let limit = recipe.sample.map_or(MAX_LISTED, |_| MAX_LISTED_FOR_SAMPLE);
    let listed = list(recipe, limit, stop)?;
    let count = listed.as_ref().map(Vec::len);
    let (positions, searched) = match (listed, recipe.sample) {
        (None, None) => return Err(GenerateError::TooMany),
        (None, Some(sample)) => {
            let walks = Walks::new(recipe, Random::new(sample.seed));
            choose(walks, None, recipe, stop, progress)?
        }
        (Some(mut positions), sample) => {
            if let Some(sample) = sample {
                Random::new(sample.seed).shuffle(&mut positions);
            }
            choose(positions.into_iter(), count, recipe, stop, progress)?
        }
    };
    Ok(Selection { positions, listed: count, searched })
}

/// The first positions that are good enough, and how many were searched for them.
fn choose(
    candidates: impl Iterator<Item = Position> + Send,
    count: Option<usize>,
    recipe: &Recipe,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Vec<Position>, usize), GenerateError> {
    let wanted = recipe.sample.map_or(usize::MAX, |sample| sample.count);
    let Some(balance) = recipe.balance else {
        let going_on = candidates.take_while(|_| !stop.load(Ordering::Relaxed));
        let positions = going_on.take(wanted).collect();
        return match stop.load(Ordering::Relaxed) {
            true => Err(GenerateError::Interrupted),
            false => Ok((positions, 0)),
        };
    };
    let Verdicts { balanced, searched } =
        keep_balanced(candidates, balance, recipe, wanted, stop, &mut |searched, balanced| {
            progress(Progress { searched, of: count, balanced });
        })?;
    Ok((balanced, searched))
}
