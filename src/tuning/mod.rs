//! Tuning the search's constants by games against ourselves.
//!
//! [`tune`] makes iterations of SPSA: each plays two games from one opening, with colours changed,
//! between two sets of constants on either side of where they are, and moves them a little towards
//! the set that has won. What is known of it stands in a file, from which the same work can be gone
//! on with after any end.
//!
//! Iterations are made side by side; each begins from where the constants are at that time. Its
//! opening and its random signs depend on nothing but the seed and its number. With one thread and
//! a limit of nodes the whole tuning is the same each time, however often it was broken off.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use physarum::eval::Evaluation;
//! use physarum::tuning::{TuneJob, TuneLimit, tune};
//!
//! let folder = tempfile::tempdir()?;
//! let job = TuneJob {
//!     parameters: vec!["lmr_base".parse()?, "rfp_margin=200:10".parse()?],
//!     iterations: 2,
//!     limit: TuneLimit::Nodes(20),
//!     rate: 0.01,
//!     hash: 1,
//!     seed: 1,
//!     book: None,
//!     evaluation: Evaluation::Handcrafted,
//!     threads: 1,
//!     state: folder.path().join("tune.json"),
//! };
//! let tuning = tune(&job, &AtomicBool::new(false), &mut |_| {})?;
//! assert_eq!(tuning.record.games(), Some(4));
//! assert_eq!(tuning.parameters[1].start, 200.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod halt;
mod play;
mod result;
mod spsa;
mod state;

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::iter;
use std::ops::{Add, ControlFlow};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use result::{TunedParameter, Tuning};
pub use spsa::{Tunable, TunableError};
pub use state::{HistoryRow, StateError};

use crate::eval::Evaluation;
use crate::parallel::in_order;
use crate::random::Random;
use crate::referee::{Book, TimeControl};
use crate::search::{ParameterGroup, Parameters, Table, TableError};
use crate::training::{replace, signature};
use halt::Halt;
use play::Players;
use spsa::Perturbation;
use state::{Settings, State};

/// The state is written this often, if there is news.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// What bounds the searches of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TuneLimit {
    /// Positions to visit for each move.
    Nodes(u64),
    /// A clock for each side; who oversteps it has lost.
    #[serde(rename = "tc")]
    Clock(TimeControl),
}

impl TuneLimit {
    /// The constants that are tuned when nothing else is said, as they usually are.
    ///
    /// These are the constants of the search itself and, on a clock, those of the time, which
    /// change nothing where nodes are counted. Those of the table count only where it is too small
    /// for the search, as it is in none of the games that tuning consists of: whoever wants to tune
    /// them names them.
    pub fn usual_parameters(self) -> Vec<Tunable> {
        let is_usual = |group| match group {
            ParameterGroup::Search => true,
            ParameterGroup::Table => false,
            ParameterGroup::Time => matches!(self, Self::Clock(_)),
        };
        let all = Parameters::all().into_iter();
        all.filter(|info| is_usual(info.group)).map(|info| Tunable::usual(&info)).collect()
    }
}

/// How games have ended, as the first player sees them: the one that goes along with the signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuneRecord {
    /// Games that it has won.
    pub wins: u64,
    /// Games that nobody has won.
    pub draws: u64,
    /// Games that the other has won.
    pub losses: u64,
    /// Among the games won and lost, those that the loser's clock has ended.
    pub losses_on_time: u64,
}

impl TuneRecord {
    /// All games; `None` if there are more than can be counted.
    pub fn games(&self) -> Option<u64> {
        self.wins.checked_add(self.draws)?.checked_add(self.losses)
    }

    /// The games won less those lost.
    fn points(&self) -> f64 {
        self.wins as f64 - self.losses as f64
    }
}

impl Add for TuneRecord {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            losses_on_time: self.losses_on_time + other.losses_on_time,
        }
    }
}

/// Some tuning to be done.
#[derive(Clone, Debug)]
pub struct TuneJob {
    /// What to tune, each constant once; all others have their defaults.
    pub parameters: Vec<Tunable>,
    /// How many iterations to make, of two games each. The gains depend on it: a tuning that is made
    /// longer later has had smaller ones than if it had been planned so.
    pub iterations: u64,
    /// What bounds the searches.
    pub limit: TuneLimit,
    /// The rate at the end, a_end / c_end²; 0.002 is what tuners of chess engines begin with.
    pub rate: f64,
    /// The size of each player's table in MiB; each thread has two.
    pub hash: usize,
    /// What all that is random comes from.
    pub seed: u64,
    /// Where the games begin; `None` for random openings that a short search finds balanced.
    pub book: Option<Book>,
    /// The evaluation that plays.
    pub evaluation: Evaluation,
    /// How many iterations are made at the same time.
    pub threads: usize,
    /// The file of the state. It is gone on with if it is there.
    pub state: PathBuf,
}

/// How far a tuning is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TuneNews {
    /// How many iterations were made.
    pub done: u64,
    /// How many of them before this run.
    pub done_before: u64,
    /// How their games ended.
    pub record: TuneRecord,
}

/// Why nothing was tuned.
#[derive(Debug, Error)]
pub enum TuneError {
    /// A setting makes no sense.
    #[error("{0}")]
    Settings(&'static str),
    /// A constant's start, range or perturbation makes no sense.
    #[error(transparent)]
    Tunable(#[from] TunableError),
    /// There is no memory for the tables.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The state cannot be gone on with.
    #[error("cannot go on with {0:?}")]
    State(PathBuf, #[source] StateError),
    /// The state cannot be written.
    #[error("cannot write {0:?}")]
    Write(PathBuf, #[source] io::Error),
}

impl TuneJob {
    /// What decides how the tuning goes.
    fn settings(&self) -> Result<Settings, TuneError> {
        let known = Parameters::default();
        let names: BTreeSet<&str> =
            self.parameters.iter().map(|tunable| tunable.name.as_str()).collect();
        let timeless = matches!(self.limit, TuneLimit::Clock(control) if control.base().is_zero());
        let wrong = if self.parameters.is_empty() {
            "there is nothing to tune"
        } else if names.len() < self.parameters.len() {
            "a parameter can be tuned only once"
        } else if timeless {
            "a clock needs some time to begin with"
        } else if self.limit == TuneLimit::Nodes(0) {
            "a search needs a node at least"
        } else if !(self.rate > 0.0 && self.rate <= 1.0) {
            "a rate is above 0, and at most 1"
        } else {
            ""
        };
        if !wrong.is_empty() {
            return Err(TuneError::Settings(wrong));
        }
        for tunable in &self.parameters {
            tunable.check()?;
            known.get(&tunable.name).ok_or_else(|| TunableError::Unknown(tunable.name.clone()))?;
        }
        Ok(Settings {
            parameters: self.parameters.clone(),
            limit: self.limit,
            openings: self.book.as_ref().map(|book| format!("{:016x}", book.fingerprint())),
            hash: self.hash,
            seed: self.seed,
            rate: self.rate,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            evaluation: self.evaluation.name(),
            signature: signature(&self.evaluation)?,
        })
    }

    /// The state to begin from, and whether it stands so in its file.
    fn begin(&self, path: &Path) -> Result<(State, bool), TuneError> {
        let settings = self.settings()?;
        let failed = |error| TuneError::State(path.to_owned(), error);
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok((State::new(settings, self.iterations), false))
            }
            Err(error) => Err(failed(error.into())),
            Ok(_) => {
                let there = State::open(path).map_err(failed)?;
                let planned = there.iterations;
                let state = there.go_on(&settings, self.iterations).map_err(failed)?;
                let is_same = state.iterations == planned;
                Ok((state, is_same))
            }
        }
    }
}

/// What the threads share.
struct Shared {
    state: State,
    /// The iterations that this run has begun.
    claimed: BTreeSet<u64>,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    // A thread that panics takes the others with it.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tunes constants until as many iterations as are wanted are made, or `interrupted` is set.
///
/// The state is in its file every few seconds and at the end; iterations that are under way when
/// the work is broken off are played again when it is gone on with. `report` is told several times
/// a second how far the work is.
///
/// # Errors
///
/// When the job makes no sense, when the state cannot be read or written or belongs to another
/// tuning, or when memory or threads are missing. A file that cannot be gone on with is left as it
/// is.
pub fn tune(
    job: &TuneJob,
    interrupted: &AtomicBool,
    report: &mut dyn FnMut(&TuneNews),
) -> Result<Tuning, TuneError> {
    // What a link leads to is replaced, and the link stays.
    let path = job.state.canonicalize().unwrap_or_else(|_| job.state.clone());
    let save = |state: &State| {
        replace(&path, &state.to_json()).map_err(|error| TuneError::Write(path.clone(), error))
    };
    let (state, is_saved) = job.begin(&path)?;
    let halt = Halt::new(job.threads.max(1));
    let players = (0..job.threads.max(1)).map(|thread| {
        Ok(Players {
            evaluation: &job.evaluation,
            limit: job.limit,
            halt: &halt,
            thread,
            tables: [Table::new(job.hash)?, Table::new(job.hash)?],
        })
    });
    let players: Vec<Players<'_>> = players.collect::<Result<_, TableError>>()?;
    // A place where nothing can be written is better known before the work than after it.
    if !is_saved {
        save(&state)?;
    }

    let order = job.book.as_ref().map(|book| book.order(Some(job.seed)));
    let opening_of = |players: &mut Players<'_>, iteration: u64, random: &mut Random| {
        let (Some(book), Some(order)) = (&job.book, &order) else { return players.opening(random) };
        // A book has one opening at least.
        let place = (iteration % order.len() as u64) as usize;
        Some(book.openings()[order[place]].position())
    };
    let done_before = state.done;
    let left = state.iterations - done_before;
    let shared = Mutex::new(Shared { state, claimed: BTreeSet::new() });
    let work = |players: &mut Players<'_>, ()| {
        let (iteration, perturbation, values) = {
            let Shared { state, claimed } = &mut *lock(&shared);
            let iteration = state.claim(claimed)?;
            let mut random = Random::of_game(job.seed, iteration);
            let count = job.parameters.len();
            let perturbation = Perturbation::new(state.gains(), iteration, count, &mut random);
            let values = perturbation.values(&job.parameters, &state.theta);
            (iteration, perturbation, values)
        };
        // Another stream: the opening is the same whatever is tuned.
        let mut random = Random::of_game(!job.seed, iteration);
        let opening = opening_of(players, iteration, &mut random)?;
        let games = players.pair(opening, &values.map(|values| set(&job.parameters, &values)))?;
        lock(&shared).state.count(iteration, &perturbation, games);
        Some(())
    };
    let mut written = Ok(());
    // The first news is written at once.
    let mut last_save: Option<Instant> = None;
    let mut saved = done_before;
    let sink = |_: Option<()>| {
        let (news, to_save) = {
            let Shared { state, .. } = &*lock(&shared);
            let news = TuneNews { done: state.done, done_before, record: state.record };
            let is_due = last_save.is_none_or(|last| last.elapsed() >= SAVE_INTERVAL);
            (news, (is_due && state.done > saved).then(|| state.clone()))
        };
        report(&news);
        if let Some(state) = to_save {
            written = save(&state);
            (last_save, saved) = (Some(Instant::now()), state.done);
        }
        if written.is_err() || interrupted.load(Ordering::Relaxed) {
            halt.halt();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    if left > 0 && !interrupted.load(Ordering::Relaxed) {
        in_order(
            players,
            iter::repeat_n((), usize::try_from(left).unwrap_or(usize::MAX)),
            work,
            sink,
        )
        .map_err(TuneError::Thread)?;
    }
    written?;
    let state = shared.into_inner().unwrap_or_else(PoisonError::into_inner).state;
    if state.done > done_before {
        save(&state)?;
    }
    Ok(Tuning::new(&state))
}

/// The constants with values of their own for what is tuned.
fn set(tunables: &[Tunable], values: &[i32]) -> Parameters {
    let mut parameters = Parameters::default();
    for (tunable, &value) in tunables.iter().zip(values) {
        // Known names, and values in their ranges.
        let _ = parameters.set(&tunable.name, value);
    }
    parameters
}

#[cfg(test)]
mod tests;
