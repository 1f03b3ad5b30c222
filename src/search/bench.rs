//! A fixed piece of work, to time the search and to notice when it changes.

use std::time::{Duration, Instant};

use super::{Control, Limits, Parameters, Request, Settings, Table, TableError, search};
use crate::eval::Evaluation;
use crate::game::{Game, Position, Rules};

/// The depth of the bench when nothing else is said.
pub const BENCH_DEPTH: u32 = 9;

/// The table's size in MiB.
const TABLE: usize = 16;

/// Openings, middle games, endings, boards with gaps, a forced pass and a board nearly full.
const POSITIONS: [(&str, Rules); 16] = [
    ("x5o/7/7/7/7/7/o5x x 0 1", Rules::Ataxx),
    ("x5o/7/7/7/7/7/o5x x 0 1", Rules::Assimilation),
    ("x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1", Rules::Ataxx),
    ("x5o/7/3-3/2-1-2/3-3/7/o5x x 0 1", Rules::Assimilation),
    ("x4oo/6o/7/7/7/x6/oxx3x x 0 5", Rules::Ataxx),
    ("x3ooo/1xx3o/1x2oo1/1xx1oox/7/4ooo/1oo3o x 0 13", Rules::Ataxx),
    ("o6/oo2ooo/oooo1oo/1x2o2/xxx1oo1/2xxoo1/1x2o1o o 1 18", Rules::Assimilation),
    ("1xxoooo/xxx1xoo/xxxxxoo/x2oooo/x1xooo1/1o1o1oo/x1xo2o o 2 28", Rules::Ataxx),
    ("x1x3o/1xxx1o1/2x1oo1/xx2o2/x6/oo5/oo5 x 2 12", Rules::Assimilation),
    ("xooo3/x-ooo-1/ooox1xx/ooo-xxx/oooxxx1/x-o1x-x/2oo1oo o 0 21", Rules::Ataxx),
    ("oooxoo1/1-1xo-o/2xxxoo/o1x-oo1/1o1x1oo/1-oxx-o/o2xx2 o 1 20", Rules::Ataxx),
    ("1xxxxxx/2xxxxx/x1xxxx1/xxx1xxx/xx1ooxx/ooo1oxx/oooo1oo x 1 31", Rules::Assimilation),
    ("o1xxxxx/2xxx2/xxxx1x1/1xxo1oo/xx1oooo/ooooooo/oo1o2o o 0 26", Rules::Ataxx),
    ("xxxxxoo/xxxxxoo/xxxxxxo/xxxxxxx/xxooo1x/ooxxxxx/ooxxxoo o 1 38", Rules::Ataxx),
    ("7/7/7/7/4ooo/4ooo/4oox x 0 30", Rules::Ataxx),
    ("2xxxxx/-------/-------/7/7/-------/ooooooo o 90 60", Rules::Ataxx),
];

/// What one position took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchStep {
    /// The position's number, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// Positions visited.
    pub nodes: u64,
}

/// What the whole bench took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BenchResult {
    /// Positions visited.
    pub nodes: u64,
    /// The time taken.
    pub time: Duration,
    /// Whether every position was searched to the depth.
    pub complete: bool,
}

/// Searches some positions to a depth, with an evaluation, one thread and an empty table; the count
/// of nodes is the same on every run and every system. `step` hears of each position.
///
/// Ends early, with what was done so far, when `control` is stopped.
///
/// # Errors
///
/// When the memory for the table cannot be had.
pub fn bench(
    depth: u32,
    evaluation: &Evaluation,
    parameters: Parameters,
    control: &Control,
    step: &mut dyn FnMut(BenchStep),
) -> Result<BenchResult, TableError> {
    let mut table = Table::new(TABLE)?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut result = BenchResult::default();
    let start = Instant::now();
    let positions = POSITIONS
        .iter()
        .filter_map(|(fen, rules)| Some((fen.parse::<Position>().ok()?, *rules)))
        .enumerate();
    for (index, (position, rules)) in positions {
        if control.is_stopped() {
            break;
        }
        table.clear();
        let request = Request {
            game: &Game::new(position),
            limits: &limits,
            settings: &Settings { rules, parameters, ..Settings::default() },
            evaluation,
        };
        let nodes = search(&request, &table, control, &mut |_| {}).nodes;
        result.nodes += nodes;
        step(BenchStep { number: index + 1, of: POSITIONS.len(), nodes });
    }
    result.time = start.elapsed();
    result.complete = !control.is_stopped();
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_searched_and_twice_gives_the_same() {
        let control = Control::new(Instant::now(), false);
        let mut steps = [Vec::new(), Vec::new()];
        for steps in &mut steps {
            let result =
                bench(3, &Evaluation::Handcrafted, Parameters::default(), &control, &mut |step| {
                    steps.push(step);
                })
                .unwrap();
            assert!(result.complete);
            assert_eq!(steps.len(), POSITIONS.len());
            assert_eq!(steps.iter().map(|step| step.nodes).sum::<u64>(), result.nodes);
        }
        assert_eq!(steps[0], steps[1]);
    }

    #[test]
    fn a_stop_ends_it() {
        let control = Control::new(Instant::now(), false);
        control.stop();
        let result =
            bench(100, &Evaluation::Handcrafted, Parameters::default(), &control, &mut |_| {
                panic!("nothing should be searched")
            });
        let result = result.unwrap();
        assert_eq!((result.nodes, result.complete), (0, false));
    }
}
