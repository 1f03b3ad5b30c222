//! What has come out of a tuning.

use std::fmt::Write;

use serde::Serialize;

use super::state::State;
use super::{HistoryRow, Tunable, TuneRecord};
use crate::chart::{self, Line};

/// What has become of a constant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TunedParameter {
    /// Its name.
    pub name: String,
    /// Where it started.
    pub start: f64,
    /// Its value now: the whole number nearest to `theta`.
    pub value: i32,
    /// Where it is now.
    pub theta: f64,
    /// The least that it may be.
    pub min: i32,
    /// The most.
    pub max: i32,
    /// How far it was moved to try what is better, in the last iteration.
    pub c_end: f64,
}

/// What has come out of a tuning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuning {
    /// How many iterations were made.
    pub iterations: u64,
    /// Whether these are all that were wanted; else it was interrupted.
    pub complete: bool,
    /// How the games ended.
    pub record: TuneRecord,
    /// The constants, in the order in which they were given.
    pub parameters: Vec<TunedParameter>,
    /// Where the constants were on the way and now: 502 rows at most.
    #[serde(skip)]
    pub history: Vec<HistoryRow>,
}

impl Tuning {
    pub(super) fn new(state: &State) -> Self {
        let tuned = |(tunable, &theta): (&Tunable, &f64)| TunedParameter {
            name: tunable.name.clone(),
            start: tunable.start,
            value: theta.round() as i32,
            theta,
            min: tunable.min,
            max: tunable.max,
            c_end: tunable.c_end,
        };
        let mut history = state.history.clone();
        if history.last().is_none_or(|row| row.iteration < state.done) {
            history.push(HistoryRow { iteration: state.done, theta: state.theta.clone() });
        }
        Self {
            iterations: state.done,
            complete: state.done == state.iterations,
            record: state.record,
            parameters: state.settings.parameters.iter().zip(&state.theta).map(tuned).collect(),
            history,
        }
    }

    /// The arguments that set the constants to these values: `--param NAME=VALUE` for each.
    pub fn arguments(&self) -> String {
        let argument = |parameter: &TunedParameter| {
            let TunedParameter { name, value, .. } = parameter;
            format!("--param {name}={value}")
        };
        self.parameters.iter().map(argument).collect::<Vec<_>>().join(" ")
    }

    /// The history as comma-separated values: a line of titles, then the iteration and where each
    /// constant was.
    pub fn csv(&self) -> String {
        let mut text = String::from("iteration");
        for parameter in &self.parameters {
            text.push(',');
            text.push_str(&parameter.name);
        }
        text.push('\n');
        for HistoryRow { iteration, theta } in &self.history {
            // Writing to a text never fails.
            let _ = write!(text, "{iteration}");
            for value in theta {
                let _ = write!(text, ",{value}");
            }
            text.push('\n');
        }
        text
    }

    /// The history as a picture, an SVG file: how far each constant has gone from its start, in
    /// units of its `c_end`, so that all can be seen side by side.
    pub fn svg(&self) -> String {
        let line = |index: usize| {
            let parameter = &self.parameters[index];
            let point = |row: &HistoryRow| {
                let theta = row.theta.get(index).copied().unwrap_or(parameter.start);
                (row.iteration as f64, (theta - parameter.start) / parameter.c_end)
            };
            Line { name: &parameter.name, points: self.history.iter().map(point).collect() }
        };
        let lines: Vec<_> = (0..self.parameters.len()).map(line).collect();
        chart::svg(&lines, "iterations (moves in units of c_end)", 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuning() -> Tuning {
        let parameter = |name: &str, start, theta: f64| TunedParameter {
            name: name.to_owned(),
            start,
            value: theta.round() as i32,
            theta,
            min: 0,
            max: 100,
            c_end: 5.0,
        };
        let row = |iteration, theta: [f64; 2]| HistoryRow { iteration, theta: theta.to_vec() };
        Tuning {
            iterations: 20,
            complete: true,
            record: TuneRecord { wins: 15, draws: 5, losses: 20, losses_on_time: 0 },
            parameters: vec![parameter("one", 10.0, 12.25), parameter("two", 3.0, 2.5)],
            history: vec![row(0, [10.0, 3.0]), row(16, [11.0, 3.0]), row(20, [12.25, 2.5])],
        }
    }

    #[test]
    fn values_can_be_given_to_the_program() {
        assert_eq!(tuning().arguments(), "--param one=12 --param two=3");
    }

    #[test]
    fn the_history_is_a_table_and_a_picture() {
        assert_eq!(tuning().csv(), "iteration,one,two\n0,10,3\n16,11,3\n20,12.25,2.5\n");
        let picture = tuning().svg();
        assert!(picture.contains(">one</text>") && picture.contains(">two</text>"), "{picture}");
        assert!(!picture.contains("NaN"));
    }
}
