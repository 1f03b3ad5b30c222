//! Which positions are balanced, found out by searches side by side.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::generator::{Balance, GenerateError, Recipe};
use crate::eval::Evaluation;
use crate::game::{Game, Position, Rules};
use crate::search::{Control, Limits, Request, STACK_SIZE, Score, Settings, Table, search};

/// The size of the table for each search, in MiB: emptied in no time.
const TABLE: usize = 1;

/// How often to look whether the work shall end.
const PAUSE: Duration = Duration::from_millis(50);

/// The balanced ones among some positions, in their order.
pub(super) struct Verdicts {
    pub(super) balanced: Vec<Position>,
    /// How many positions it took, in their order, to find these.
    pub(super) searched: usize,
}

/// A position with its place in the order, and whether it is balanced.
type Verdict = Result<(usize, Position, bool), GenerateError>;

/// Searches positions in their order until `wanted` of them have been found balanced, or all have
/// been searched. `progress` hears how many were searched and how many of them are balanced.
pub(super) fn keep_balanced(
    candidates: impl Iterator<Item = Position> + Send,
    balance: Balance,
    recipe: &Recipe,
    wanted: usize,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Verdicts, GenerateError> {
    // One control ends all searches; none of them looks at its clock.
    let control = Control::new(Instant::now(), false);
    let candidates = Mutex::new(candidates.enumerate());
    let next = || candidates.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (sender, verdicts) = channel();
    thread::scope(|scope| {
        for index in 0..recipe.threads.max(1) {
            let (sender, control, next) = (sender.clone(), &control, &next);
            let work = move || judge_all(next, balance, recipe.rules, control, &sender);
            let started = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
            match started {
                Ok(_) => {}
                Err(error) if index == 0 => return Err(GenerateError::Thread(error)),
                // Those that there are will do.
                Err(_) => break,
            }
        }
        drop(sender);
        let result = collect(&verdicts, wanted, stop, progress);
        control.stop();
        result
    })
}

/// Judges one position after the other.
fn judge_all(
    next: &impl Fn() -> Option<(usize, Position)>,
    balance: Balance,
    rules: Rules,
    control: &Control,
    verdicts: &Sender<Verdict>,
) {
    let mut table = match Table::new(TABLE) {
        Ok(table) => table,
        Err(error) => {
            // Whoever doesn't listen any more doesn't need it.
            let _ = verdicts.send(Err(error.into()));
            return;
        }
    };
    while !control.is_stopped()
        && let Some((index, position)) = next()
    {
        let balanced = is_balanced(position, balance, rules, &mut table, control);
        // What was broken off says nothing.
        if control.is_stopped() || verdicts.send(Ok((index, position, balanced))).is_err() {
            break;
        }
    }
}

/// Whether a search that begins with an empty table finds neither side too far ahead.
fn is_balanced(
    position: Position,
    balance: Balance,
    rules: Rules,
    table: &mut Table,
    control: &Control,
) -> bool {
    table.clear();
    let request = Request {
        game: &Game::new(position),
        limits: &Limits { depth: Some(balance.depth), ..Limits::default() },
        settings: &Settings { rules, ..Settings::default() },
        evaluation: &Evaluation::default(),
    };
    match search(&request, table, control, &mut |_| {}).score {
        Score::Cp(score) => score.unsigned_abs() <= balance.margin,
        Score::Win(_) | Score::Loss(_) => false,
    }
}

/// Brings the verdicts into order, and takes as many as are needed.
fn collect(
    verdicts: &Receiver<Verdict>,
    wanted: usize,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Verdicts, GenerateError> {
    let mut early = BTreeMap::new();
    let mut found = Verdicts { balanced: Vec::new(), searched: 0 };
    while found.balanced.len() < wanted {
        if stop.load(Ordering::Relaxed) {
            return Err(GenerateError::Interrupted);
        }
        match verdicts.recv_timeout(PAUSE) {
            Ok(verdict) => {
                let (index, position, balanced) = verdict?;
                early.insert(index, (position, balanced));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        while found.balanced.len() < wanted
            && let Some((position, balanced)) = early.remove(&found.searched)
        {
            found.searched += 1;
            found.balanced.extend(balanced.then_some(position));
        }
        progress(found.searched, found.balanced.len());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_taken_in_order_until_there_are_enough() {
        let (sender, verdicts) = channel();
        let position = |number: u16| {
            let start = Position::default();
            let stones = crate::game::Color::ALL.map(|color| start.stones(color));
            Position::new(stones, start.gaps(), start.side_to_move(), 0, number)
        };
        for index in [3, 1, 0, 4, 2] {
            sender.send(Ok((index, position(index as u16), index != 1))).unwrap();
        }
        let never = AtomicBool::new(false);
        let found = collect(&verdicts, 3, &never, &mut |_, _| {}).unwrap();
        let numbers: Vec<u16> = found.balanced.iter().map(Position::fullmove_number).collect();
        assert_eq!((numbers, found.searched), (vec![0, 2, 3], 4));
    }

    #[test]
    fn the_end_comes_with_the_senders_or_when_told() {
        let (sender, verdicts) = channel::<Verdict>();
        let stop = AtomicBool::new(true);
        let stopped = collect(&verdicts, 3, &stop, &mut |_, _| {});
        assert!(matches!(stopped, Err(GenerateError::Interrupted)));
        drop(sender);
        let stop = AtomicBool::new(false);
        let found = collect(&verdicts, 3, &stop, &mut |_, _| {}).unwrap();
        assert_eq!((found.balanced.len(), found.searched), (0, 0));
    }
}
