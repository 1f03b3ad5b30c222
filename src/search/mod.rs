//! From a position and limits to the best move.
//!
//! Iterative deepening over a principal variation search with a transposition table, on one or
//! more threads. [`search`] reports through a callback and is stopped through a [`Control`].
//!
//! ```
//! use std::time::Instant;
//! use physarum::eval::Evaluation;
//! use physarum::game::{Game, Position, Rules};
//! use physarum::search::{Control, Limits, Request, Score, Settings, Table, search};
//!
//! let position: Position = "x6/7/7/7/7/5o1/7 o 0 1".parse().unwrap();
//! let request = Request {
//!     game: &Game::new(position),
//!     limits: &Limits { depth: Some(3), ..Limits::default() },
//!     settings: &Settings { rules: Rules::Ataxx, ..Settings::default() },
//!     evaluation: &Evaluation::default(),
//! };
//! let table = Table::new(1).unwrap();
//! let control = Control::new(Instant::now(), false);
//! let result = search(&request, &table, &control, &mut |report| assert!(report.depth <= 3));
//! assert!(matches!(result.score, Score::Cp(_)));
//! ```

mod bench;
mod chances;
mod control;
mod history;
mod huge_pages;
mod limits;
mod margin;
mod params;
mod picker;
mod prefetch;
mod score;
mod strength;
mod table;
mod time;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

pub use bench::{BENCH_DEPTH, BenchResult, BenchStep, bench};
pub use chances::{CHANCES, ChanceModel, Chances};
pub use control::Control;
pub use limits::{Clock, Limits, MAX_DEPTH};
pub use margin::{Margin, MarginLimits, solve_margin};
pub use params::{ParameterError, ParameterGroup, ParameterInfo, ParameterSetting, Parameters};
pub use score::Score;
pub use strength::Strength;
pub use table::{Table, TableError};

use crate::eval::{Evaluation, Evaluator};
use crate::game::{Game, Move, Rules};
use score::{INFINITE, of_outcome, unproven};
use strength::Manner;
use time::{Budget, Course};
use worker::{Reductions, RootMove, Shared, Visited, Worker};

/// What to search.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The position with its past, in which repetitions are seen.
    pub game: &'a Game,
    /// When to end.
    pub limits: &'a Limits,
    /// How to search.
    pub settings: &'a Settings,
    /// How to evaluate positions.
    pub evaluation: &'a Evaluation,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The rules that are played.
    pub rules: Rules,
    /// How many threads search side by side.
    pub threads: usize,
    /// For how many of the best moves a line is wanted.
    pub multi_pv: usize,
    /// How strong to play; `None` as strong as can be. Under such a limit the search ends when the
    /// limit says so, if nothing else ends it sooner, and the best move may be none that was reported.
    pub strength: Option<Strength>,
    /// What passes between the end of a search and the referee's clock.
    pub move_overhead: Duration,
    /// The constants of the search.
    pub parameters: Parameters,
}

impl Default for Settings {
    /// One thread, one line, 10 ms of overhead, the default rules.
    fn default() -> Self {
        Self {
            rules: Rules::default(),
            threads: 1,
            multi_pv: 1,
            strength: None,
            move_overhead: Duration::from_millis(10),
            parameters: Parameters::default(),
        }
    }
}

/// News from a search: a line that it has finished with at some depth.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The depth of the search, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: usize,
    /// 1 for the best line, 2 for the second best, …
    pub multi_pv: usize,
    /// The line's score, from the point of view of the side to move.
    pub score: Score,
    /// Positions visited since the search began, by all threads.
    pub nodes: u64,
    /// The time since the search was asked for.
    pub time: Duration,
    /// How full the table is, in per mille.
    pub hashfull: usize,
    /// The line, the move to be played first.
    pub line: &'a [Move],
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The best move; `None` only where there is none to choose from, as the game is over.
    pub best: Option<Move>,
    /// The reply that is expected.
    pub ponder: Option<Move>,
    /// The best move's score, from the point of view of the side to move.
    pub score: Score,
    /// The deepest completed search, in plies.
    pub depth: u32,
    /// Positions visited, by all threads.
    pub nodes: u64,
    /// The threads that could not be started.
    pub missing_threads: usize,
}

/// The stack that a thread needs to search as deep as can be, with room to spare.
pub const STACK_SIZE: usize = 4 << 20;

/// Marks the table's entries from searches without pruning.
const EXHAUSTIVE_SALT: u64 = 0x6d61_7465_696e_6e6e;

/// Marks the table's entries from searches under a rule set.
const fn rules_salt(rules: Rules) -> u64 {
    match rules {
        Rules::Ataxx => 0,
        Rules::Assimilation => 0x5261_6e61_7369_6d21,
        Rules::Fill => 0x7cb3_19e5_28d4_f60b,
    }
}

/// Searches for the best move.
///
/// The search ends when one of the limits is reached, when there is nothing left to search, or
/// when `control` says so, and in any case has a legal move to show if there is one. An infinite
/// search, and one that ponders, does not return before `control` lets it.
///
/// With one thread and without limits of time, the same request on the same state of the table
/// gives the same result and the same reports, times apart.
pub fn search(
    request: &Request<'_>,
    table: &Table,
    control: &Control,
    report: &mut dyn FnMut(&Report<'_>),
) -> SearchResult {
    let Request { game, limits, settings, evaluation } = *request;
    let rules = settings.rules;
    let position = game.position();
    // Who looks for a proof wants no careless answer.
    let strength = settings.strength.filter(|_| limits.mate.is_none());
    let manner = strength.map(Strength::manner);
    let limits = &limited(limits, manner);
    let request = &Request { limits, ..*request };
    if let Some(outcome) = position.outcome(rules) {
        control.wait_for_leave(limits.infinite);
        let raw = of_outcome(outcome, position.side_to_move(), 0);
        return SearchResult {
            best: None,
            ponder: None,
            score: Score::from_raw(raw),
            depth: 0,
            nodes: 0,
            missing_threads: 0,
        };
    }

    table.next_age();
    let legal = position.legal_moves(rules);
    let root_moves: Vec<Move> = legal
        .into_iter()
        .filter(|mv| limits.search_moves.is_empty() || limits.search_moves.contains(mv))
        .collect();
    let threads = match manner {
        Some(Manner::Careless { .. }) => 1,
        _ => settings.threads.max(1),
    };
    let exhaustive = limits.mate.is_some();
    let shared = Shared {
        table,
        control,
        game,
        rules,
        evaluation,
        parameters: &settings.parameters,
        reductions: &Reductions::new(&settings.parameters),
        key_salt: evaluation.fingerprint()
            ^ (if exhaustive { EXHAUSTIVE_SALT } else { 0 })
            ^ rules_salt(rules),
        exhaustive,
        budget: Budget::new(limits, position, settings),
        unclaimed_nodes: limits.nodes.map(AtomicU64::new),
        finished: AtomicBool::new(false),
        visited: (0..threads).map(|_| Visited::default()).collect(),
    };
    let max_depth = max_depth(limits);

    let mut missing_threads = 0;
    let (best, depth) = thread::scope(|scope| {
        let mut start_helpers = || {
            for index in 1..threads {
                let builder = thread::Builder::new().stack_size(STACK_SIZE);
                let (shared, root_moves) = (&shared, &root_moves);
                let helper = move || help(Worker::new(shared, index, root_moves), max_depth);
                if builder.spawn_scoped(scope, helper).is_err() {
                    missing_threads = threads - index;
                    break;
                }
            }
        };
        let worker = Worker::new(&shared, 0, &root_moves);
        let result = match (strength, manner) {
            (Some(strength), Some(Manner::Careless { temperature, .. })) => {
                stroll(worker, request, max_depth, strength, temperature, report)
            }
            _ => lead(worker, request, &shared, max_depth, &mut start_helpers, report),
        };
        control.wait_for_leave(limits.infinite);
        shared.finished.store(true, Ordering::Relaxed);
        result
    });
    // Without a search, the evaluation must do.
    let score = match best.as_ref().map(|best| best.score) {
        Some(score) if score > -INFINITE => Score::from_raw(score),
        _ => Score::Cp(unproven(Evaluator::new(evaluation).evaluate(position))),
    };
    SearchResult {
        best: best.as_ref().map(|best| best.mv),
        ponder: best.as_ref().and_then(|best| expected_reply(best, &shared)),
        score,
        depth,
        nodes: shared.nodes(),
        missing_threads,
    }
}

/// The limits with those of a manner to play.
fn limited(limits: &Limits, manner: Option<Manner>) -> Limits {
    let mut limits = limits.clone();
    let lower = |limit: Option<u64>, most: u64| Some(limit.map_or(most, |limit| limit.min(most)));
    match manner {
        None => {}
        Some(Manner::Shortsighted { nodes }) => limits.nodes = lower(limits.nodes, nodes),
        Some(Manner::Careless { depth, .. }) => {
            limits.depth = Some(limits.depth.map_or(depth, |limit| limit.min(depth)));
        }
    }
    limits
}

/// How deep a search may go.
fn max_depth(limits: &Limits) -> u32 {
    // A win in N moves takes 2N plies at most (the last may be the opponent's, who fills the
    // board), and a search without pruning misses none.
    let for_mate = limits.mate.map(|moves| moves.saturating_mul(2));
    [limits.depth, for_mate].into_iter().flatten().fold(MAX_DEPTH, u32::min).max(1)
}

/// The first thread: deepens until a limit is reached, and reports. Once it has a move, and if
/// there is more to do, it starts the others. Returns the best move and the last depth that was
/// completed.
fn lead(
    mut worker: Worker<'_>,
    request: &Request<'_>,
    shared: &Shared<'_>,
    max_depth: u32,
    start_helpers: &mut dyn FnMut(),
    report: &mut dyn FnMut(&Report<'_>),
) -> (Option<RootMove>, u32) {
    let Request { limits, settings, .. } = *request;
    let lines = settings.multi_pv.max(1);
    let mut completed = 0;
    let mut course = Course::default();
    let mut last_score = None;
    let mut told = None;
    for depth in 1..=max_depth {
        let favourite = worker.root_moves.first().map(|root_move| root_move.mv);
        worker.iterate(depth as i32, lines, &mut |worker, multi_pv| {
            if let Some(root_move) = worker.root_moves.get(multi_pv - 1) {
                report(&worker.report(depth, multi_pv, root_move));
                if multi_pv == 1 {
                    told = Some((root_move.mv, root_move.score));
                }
            }
        });
        if worker.stopped {
            break;
        }
        completed = depth;
        let Some(best) = worker.root_moves.first() else { break };
        course.stable = if favourite == Some(best.mv) { course.stable + 1 } else { 0 };
        course.effort = (best.nodes * 100 / worker.nodes().max(1)) as i32;
        course.fallen = last_score.map_or(0, |last: i32| last - best.score);
        last_score = Some(best.score);
        let score = Score::from_raw(best.score);
        if let (Some(wanted), Score::Win(found)) = (limits.mate, score)
            && found <= wanted
        {
            break;
        }
        if limits.until_proven && score.is_proven() {
            break;
        }
        if limits.soft_nodes.is_some_and(|nodes| shared.nodes() >= nodes) {
            break;
        }
        if let Some((budget, elapsed)) = worker.clock_elapsed() {
            // On a clock nothing is gained by thinking on about a forced move or result.
            let settled = worker.root_moves.len() == 1 && depth >= 4
                || score.is_proven() && depth >= 2 * moves_to_end(score);
            if budget.is_spent(elapsed, course) || budget.is_saving() && settled {
                break;
            }
        }
        if depth == 1 && max_depth > 1 && !shared.control.is_stopped() {
            start_helpers();
        }
    }
    worker.publish_nodes();
    // A search broken off may have found something better than what it has told.
    if let Some(best) = worker.root_moves.first()
        && best.score > -INFINITE
        && told != Some((best.mv, best.score))
    {
        report(&worker.report(completed + 1, 1, best));
    }
    shared.table.put_history(worker.history);
    (worker.root_moves.into_iter().next(), completed)
}

/// Scores every move, reports the best ones, and chooses one by chance. Returns it and the last depth
/// that was completed.
fn stroll(
    mut worker: Worker<'_>,
    request: &Request<'_>,
    max_depth: u32,
    strength: Strength,
    temperature: i32,
    report: &mut dyn FnMut(&Report<'_>),
) -> (Option<RootMove>, u32) {
    let mut completed = 0;
    for depth in 1..=max_depth {
        worker.score_all(depth as i32);
        if worker.stopped {
            break;
        }
        completed = depth;
        for (root_move, multi_pv) in worker.root_moves.iter().zip(1..=request.settings.multi_pv) {
            report(&worker.report(depth, multi_pv, root_move));
        }
    }
    let scores: Vec<Score> = worker
        .root_moves
        .iter()
        .take_while(|root_move| root_move.score > -INFINITE)
        .map(|root_move| Score::from_raw(root_move.score))
        .collect();
    let chosen = strength.choose(temperature, &scores).unwrap_or(0);
    let best = worker.root_moves.get(chosen).cloned();
    worker.shared.table.put_history(worker.history);
    (best, completed)
}

fn moves_to_end(score: Score) -> u32 {
    match score {
        Score::Cp(_) => 0,
        Score::Win(moves) | Score::Loss(moves) => moves,
    }
}

/// The other threads: search the same for the table's sake until the first is done. Every second
/// one is a ply ahead, so that not all do the same at the same time.
fn help(mut worker: Worker<'_>, max_depth: u32) {
    for depth in 1..=max_depth {
        worker.iterate((depth + worker.head_start()) as i32, 1, &mut |_, _| {});
        if worker.stopped {
            break;
        }
    }
    worker.publish_nodes();
    worker.shared.table.put_history(worker.history);
}

/// The reply to the best move: from its line, else from the table.
fn expected_reply(best: &RootMove, shared: &Shared<'_>) -> Option<Move> {
    let child = shared.game.position().play(best.mv);
    let from_table = || shared.table.probe(child.hash() ^ shared.key_salt, 1)?.mv;
    let reply = best.line.get(1).copied().or_else(from_table)?;
    child.check(reply, shared.rules).is_ok().then_some(reply)
}
