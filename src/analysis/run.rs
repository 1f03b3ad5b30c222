//! Many positions on several threads.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::single::analyze;
use super::solve::solve;
use super::{BadEntry, Entry, Record};
use crate::eval::Evaluation;
use crate::parallel::in_order;
use crate::search::{self, Control, Limits, Request, Table, TableError};

/// How to analyse positions.
#[derive(Clone, Debug)]
pub struct Settings {
    /// When each search ends.
    pub limits: Limits,
    /// How many positions are searched side by side.
    pub jobs: usize,
    /// How many threads search each position.
    pub threads: usize,
    /// For how many of the best moves a line is wanted.
    pub multi_pv: usize,
    /// The most memory for the transposition tables of all jobs together, in MiB, if there is a limit; each
    /// has one that is as large as its limits make useful, and so the same however many jobs there are,
    /// unless this is too little for that. Proofs take up to 16 MiB for each job besides.
    pub hash: Option<usize>,
    /// How positions are evaluated.
    pub evaluation: Evaluation,
    /// Whether proofs are searched for: see [`solve`].
    pub solve: bool,
    /// Whether records tell how long the search took.
    pub with_time: bool,
}

impl Default for Settings {
    /// One position at a time with one thread, one line, and no limit.
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            jobs: 1,
            threads: 1,
            multi_pv: 1,
            hash: None,
            evaluation: Evaluation::default(),
            solve: false,
            with_time: true,
        }
    }
}

impl Settings {
    /// The size of a search's table in MiB, where memory is no matter.
    ///
    /// A node needs 16 bytes at most; four times that makes collisions rare. What is larger than of use
    /// takes longer to empty before each search.
    pub fn useful_hash(&self) -> usize {
        const BYTES_FOR_NODE: u64 = 64;
        const MOST: u64 = 32;
        // As measured from early to late positions, rounded up.
        const NODES_PER_MS: u64 = 3000;
        const NODES_OF_DEPTH_5: u64 = 6000;
        let Limits { nodes, depth, move_time, .. } = self.limits;
        let of_depth = |depth: u32| NODES_OF_DEPTH_5 << depth.saturating_sub(5).min(32);
        let of_time = |time: Duration| (time.as_millis() as u64).saturating_mul(NODES_PER_MS);
        let estimates = [nodes, depth.map(of_depth), move_time.map(of_time)];
        let most = estimates.into_iter().flatten().min().unwrap_or(u64::MAX);
        let bytes = most.saturating_mul(BYTES_FOR_NODE);
        (bytes >> 20).clamp(1, MOST).next_power_of_two() as usize
    }

    /// The size of a search's table in MiB.
    pub fn table_hash(&self) -> usize {
        let most = self.hash.map_or(usize::MAX, |hash| hash / self.jobs.max(1));
        self.useful_hash().min(most).max(1)
    }
}

/// Why positions could not be analysed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// No memory for a transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

/// What the searching threads have of their own.
struct Worker {
    table: Table,
    /// By which the search that runs can be stopped.
    control: Arc<Mutex<Arc<Control>>>,
}

/// Analyses positions and passes the records to `sink` in the order of the positions, whatever is done
/// first. Each search begins with an empty table, so that a record depends on its position alone.
///
/// `sink` is also called, with `None`, when there is no news for a while. When it breaks, or soon after
/// `interrupted` becomes true, the searches that run are stopped, and nothing more comes of them.
///
/// # Errors
///
/// When there is no memory for the tables, or a thread cannot be started.
pub fn analyze_all(
    entries: impl Iterator<Item = Result<Entry, BadEntry>> + Send,
    settings: &Settings,
    interrupted: &AtomicBool,
    mut sink: impl FnMut(Option<Record>) -> ControlFlow<()>,
) -> Result<(), AnalysisError> {
    let hash = settings.table_hash();
    let new_worker = || {
        let control = Arc::new(Control::new(Instant::now(), false));
        Ok(Worker { table: Table::new(hash)?, control: Arc::new(Mutex::new(control)) })
    };
    let workers =
        (0..settings.jobs.max(1)).map(|_| new_worker()).collect::<Result<Vec<_>, TableError>>()?;
    let controls: Vec<_> = workers.iter().map(|worker| Arc::clone(&worker.control)).collect();
    let broken = AtomicBool::new(false);
    let is_over = || broken.load(Ordering::Relaxed) || interrupted.load(Ordering::Relaxed);
    let work = |worker: &mut Worker, entry: Result<Entry, BadEntry>| {
        let record = match entry {
            Ok(entry) => {
                let control = Arc::new(Control::new(Instant::now(), false));
                *lock(&worker.control) = Arc::clone(&control);
                // Whoever stops the searches has either said so before or finds this one.
                if is_over() {
                    return None;
                }
                worker.table.clear();
                let request = Request {
                    game: &entry.game,
                    limits: &settings.limits,
                    settings: &search::Settings {
                        rules: entry.rules,
                        threads: settings.threads,
                        multi_pv: settings.multi_pv,
                        move_overhead: Duration::ZERO,
                        ..search::Settings::default()
                    },
                    evaluation: &settings.evaluation,
                };
                let (analysis, solution) = if settings.solve {
                    solve(&request, &worker.table, &control)
                } else {
                    (analyze(&request, &worker.table, &control), None)
                };
                Record::found(entry, &analysis, solution, settings.with_time)
            }
            Err(entry) => Record::failed(entry),
        };
        (!is_over()).then_some(record)
    };
    in_order(workers, entries, work, |record| {
        if !is_over() && sink(record).is_continue() {
            return ControlFlow::Continue(());
        }
        broken.store(true, Ordering::Relaxed);
        controls.iter().for_each(|control| lock(control).stop());
        ControlFlow::Break(())
    })
    .map_err(AnalysisError::Thread)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Entries;
    use crate::game::Rules;

    fn settings(jobs: usize) -> Settings {
        let limits = Limits { nodes: Some(2000), ..Limits::default() };
        Settings { limits, jobs, multi_pv: 2, with_time: false, ..Settings::default() }
    }

    fn records(text: &str, settings: &Settings) -> Vec<Record> {
        let mut records = Vec::new();
        let entries = Entries::new(text.as_bytes()).with_rules(Some(Rules::Ataxx));
        analyze_all(entries, settings, &AtomicBool::new(false), |record| {
            records.extend(record);
            ControlFlow::Continue(())
        })
        .unwrap();
        records
    }

    #[test]
    fn records_are_the_same_in_the_same_order_whatever_the_number_of_jobs() {
        let mut text = String::new();
        for (index, mv) in ["f1", "f2", "g2", "b7", "g1e1", "a7c5", "a6"].into_iter().enumerate() {
            text.push_str(&format!("position startpos moves {mv} ; {index}\nnonsense\n"));
        }
        text.push_str("7/7/7/7/7/7/x6 o 0 9\n");
        let expected = records(&text, &settings(1));
        let json = |records: &[Record]| serde_json::to_string(records).unwrap();
        assert_eq!(expected.len(), 15);
        assert!(expected.iter().map(|record| record.line).eq((1..=15).map(Some)));
        assert_eq!(expected.iter().filter(|record| record.error().is_some()).count(), 7);
        let last = expected[14].finding().unwrap();
        assert_eq!(last.outcome.as_deref(), Some("x wins"));
        assert!(last.best.is_none() && last.lines.is_empty() && last.proven);
        let first = expected[0].finding().unwrap();
        assert_eq!(first.lines.len(), 2);
        assert_eq!(Some(&first.lines[0].moves[0]), first.best.as_ref());
        for jobs in [2, 8] {
            let found = records(&text, &settings(jobs));
            assert_eq!(json(&found), json(&expected), "{jobs} jobs");
        }
    }

    #[test]
    fn endless_searches_are_broken_off() {
        let text = "position startpos\n".repeat(50);
        let endless = Settings { limits: Limits::default(), ..settings(2) };
        let interrupted = AtomicBool::new(false);
        let entries = Entries::new(text.as_bytes()).with_rules(Some(Rules::Ataxx));
        analyze_all(entries, &endless, &interrupted, |record| {
            assert!(record.is_none());
            interrupted.store(true, Ordering::Relaxed);
            ControlFlow::Continue(())
        })
        .unwrap();
    }

    #[test]
    fn tables_are_as_large_as_needed_and_possible() {
        let hash = |nodes, jobs, hash| {
            let limits = Limits { nodes, ..Limits::default() };
            Settings { limits, jobs, hash, ..Settings::default() }.table_hash()
        };
        assert_eq!(hash(Some(10_000), 8, Some(64)), 1);
        assert_eq!(hash(Some(200_000), 1, Some(64)), 16);
        assert_eq!(hash(Some(200_000), 8, Some(64)), 8);
        assert_eq!(hash(None, 2, Some(64)), 32);
        assert_eq!(hash(None, 100, Some(64)), 1);
        assert_eq!([1, 100, 256].map(|jobs| hash(None, jobs, None)), [32; 3]);
        let of_limits = |limits| Settings { limits, ..Settings::default() }.table_hash();
        let of_depth =
            |depth| of_limits(Limits { depth: Some(depth), nodes: None, ..Limits::default() });
        assert_eq!([1, 6, 8, 10, 14, 120].map(of_depth), [1, 1, 2, 16, 32, 32]);
        let quick = Limits { move_time: Some(Duration::from_millis(10)), ..Limits::default() };
        assert_eq!(of_limits(quick), 1);
    }
}
