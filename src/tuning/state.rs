//! A tuning written down, so that it can be taken up again.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::spsa::{Gains, Perturbation, Tunable};
use super::{TuneLimit, TuneRecord};

/// What tells these files from others.
const FORMAT: &str = "Physarum tuning";
const VERSION: u32 = 1;
/// Larger files are none of ours, in bytes.
const MAX_SIZE: u64 = 1 << 26;
/// When the history has more rows than this, every second one goes.
const MAX_ROWS: usize = 500;

/// Why a file's state cannot be used.
#[derive(Debug, Error)]
pub enum StateError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("not the state of a tuning")]
    Foreign,
    /// It is of a version that is not known.
    #[error("the state of a tuning of version {0}; this program knows version {VERSION}")]
    Version(u64),
    /// Its text is not what it was.
    #[error("damaged: {0}")]
    Damaged(String),
    /// It belongs to a tuning with other settings.
    #[error("it belongs to another tuning: {0}")]
    Different(String),
    /// It is planned to be longer.
    #[error("it is to have {planned} iterations, which can only become more, not {wanted}")]
    Shorter {
        /// The iterations in the file.
        planned: u64,
        /// The iterations that are wanted now.
        wanted: u64,
    },
}

/// What decides how a tuning goes, the number of iterations apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    /// What is tuned.
    pub(super) parameters: Vec<Tunable>,
    #[serde(flatten)]
    pub(super) limit: TuneLimit,
    /// The fingerprint of the book in hexadecimal digits; `None` for random openings.
    pub(super) openings: Option<String>,
    pub(super) hash: usize,
    pub(super) seed: u64,
    pub(super) rate: f64,
    /// The program's version.
    pub(super) engine: String,
    /// The evaluation's name.
    pub(super) evaluation: String,
    /// A number that changes with the search and the evaluation.
    pub(super) signature: u64,
}

impl Settings {
    /// The names and values of all that is set, each as text.
    fn fields(&self) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        // Numbers, lists and texts: nothing here cannot be written as JSON.
        if let Ok(serde_json::Value::Object(settings)) = serde_json::to_value(self) {
            let others = settings.into_iter().filter(|(name, _)| name != "parameters");
            fields.extend(others.map(|(name, value)| (name, value.to_string())));
        }
        for Tunable { name, start, c_end, min, max } in &self.parameters {
            let value = format!("{start}:{c_end} in {min} to {max}");
            fields.push((format!("parameter {name}"), value));
        }
        fields
    }

    /// What differs here from earlier settings, as text.
    fn differences(&self, earlier: &Self) -> String {
        let [now, earlier] = [self.fields(), earlier.fields()];
        let find = |fields: &[(String, String)], name: &str| {
            fields.iter().find(|field| field.0 == name).map(|field| field.1.clone())
        };
        let mut differences = Vec::new();
        for (name, before) in &earlier {
            match find(&now, name) {
                Some(after) if after == *before => {}
                Some(after) => differences.push(format!("{name} was {before} and now is {after}")),
                None => differences.push(format!("{name} was {before} and now is not there")),
            }
        }
        let new = now.iter().filter(|(name, _)| find(&earlier, name).is_none());
        differences.extend(new.map(|(name, after)| format!("{name} was not there and is {after}")));
        if differences.is_empty() {
            differences.push("its parameters are in another order".to_owned());
        }
        differences.join(", ")
    }
}

/// What the numbers were after some iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryRow {
    /// After how many iterations.
    pub iteration: u64,
    /// The numbers then, in the order of the constants.
    pub theta: Vec<f64>,
}

/// A tuning under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    format: String,
    version: u32,
    pub(super) settings: Settings,
    /// How many iterations there are to be.
    pub(super) iterations: u64,
    /// How many have counted.
    pub(super) done: u64,
    /// Those that were begun and have not counted yet; all others up to the last begun one have.
    open: BTreeSet<u64>,
    /// Where the numbers are now.
    pub(super) theta: Vec<f64>,
    pub(super) record: TuneRecord,
    /// The history has a row each time that so many iterations have counted.
    history_every: u64,
    pub(super) history: Vec<HistoryRow>,
}

impl State {
    /// A tuning at its beginning.
    pub(super) fn new(settings: Settings, iterations: u64) -> Self {
        let theta: Vec<f64> = settings.parameters.iter().map(|tunable| tunable.start).collect();
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            settings,
            iterations,
            done: 0,
            open: BTreeSet::new(),
            history: vec![HistoryRow { iteration: 0, theta: theta.clone() }],
            theta,
            record: TuneRecord::default(),
            history_every: 1,
        }
    }

    /// Reads a file.
    pub(super) fn open(path: &Path) -> Result<Self, StateError> {
        // What is no plain file, such as a pipe, might be waited for in vain.
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file").into());
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_SIZE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_SIZE {
            return Err(StateError::Foreign);
        }
        Self::from_json(&bytes)
    }

    /// The text of a file.
    pub(super) fn to_json(&self) -> Vec<u8> {
        // Numbers, lists and names of fields: nothing here cannot be written as JSON.
        let mut text = serde_json::to_vec(self).unwrap_or_default();
        text.push(b'\n');
        text
    }

    fn from_json(bytes: &[u8]) -> Result<Self, StateError> {
        let damaged = |error: serde_json::Error| StateError::Damaged(error.to_string());
        // A file of ours begins so even if its end is missing.
        let start = format!("{{\"format\":{FORMAT:?},");
        if !bytes.starts_with(start.as_bytes()) {
            return Err(StateError::Foreign);
        }
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(damaged)?;
        let version = &value["version"];
        if *version != VERSION {
            let no_version = || StateError::Damaged("it has no version".to_owned());
            return Err(StateError::Version(version.as_u64().ok_or_else(no_version)?));
        }
        let state: Self = serde_json::from_slice(bytes).map_err(damaged)?;
        state.check().map_err(|fault| StateError::Damaged(fault.to_owned()))?;
        Ok(state)
    }

    /// Whether all parts of it fit together.
    fn check(&self) -> Result<(), &'static str> {
        let Self { settings, iterations, done, open, theta, history, history_every, .. } = self;
        let fits = |theta: &[f64]| {
            theta.len() == settings.parameters.len()
                && settings
                    .parameters
                    .iter()
                    .zip(theta)
                    .all(|(tunable, &value)| value.is_finite() && tunable.clamp(value) == value)
        };
        let begun = done.checked_add(open.len() as u64).filter(|begun| begun <= iterations);
        let Some(begun) = begun else { return Err("more iterations were begun than there are") };
        if settings.parameters.iter().any(|tunable| tunable.check().is_err()) {
            return Err("a parameter is out of its range");
        }
        if settings.parameters.is_empty() || !fits(theta) {
            return Err("the values are not those of the parameters");
        }
        if open.last().is_some_and(|&last| last >= begun) {
            return Err("an iteration is under way before its turn");
        }
        if self.record.games() != done.checked_mul(2) {
            return Err("there are not two games for each iteration");
        }
        let rows = history.iter().zip(0..).all(|(row, number): (_, u64)| {
            number.checked_mul(*history_every) == Some(row.iteration) && fits(&row.theta)
        });
        let complete = done.checked_div(*history_every).map(|rows| rows + 1);
        if !rows || history.len() > MAX_ROWS || complete != Some(history.len() as u64) {
            return Err("the history has rows too many or too few");
        }
        Ok(())
    }

    /// Makes sure that it can be gone on with under these settings, and plans for so many
    /// iterations.
    pub(super) fn go_on(
        mut self,
        settings: &Settings,
        iterations: u64,
    ) -> Result<Self, StateError> {
        if self.settings != *settings {
            return Err(StateError::Different(settings.differences(&self.settings)));
        }
        if iterations < self.iterations {
            let planned = self.iterations;
            return Err(StateError::Shorter { planned, wanted: iterations });
        }
        self.iterations = iterations;
        Ok(self)
    }

    /// The next iteration to make, among those that nobody has `claimed`: one that was broken off,
    /// or else one that is new.
    pub(super) fn claim(&mut self, claimed: &mut BTreeSet<u64>) -> Option<u64> {
        let begun = self.done + self.open.len() as u64;
        let next = match self.open.difference(claimed).next() {
            Some(&broken_off) => broken_off,
            None if begun < self.iterations => begun,
            None => return None,
        };
        self.open.insert(next);
        claimed.insert(next);
        Some(next)
    }

    pub(super) fn gains(&self) -> Gains {
        Gains { iterations: self.iterations, rate: self.settings.rate }
    }

    /// Counts an iteration: moves the numbers by what has come out.
    pub(super) fn count(&mut self, iteration: u64, perturbation: &Perturbation, games: TuneRecord) {
        if !self.open.remove(&iteration) {
            return;
        }
        perturbation.learn(&self.settings.parameters, &mut self.theta, games.points());
        self.record = self.record + games;
        self.done += 1;
        if self.done.is_multiple_of(self.history_every) {
            self.history.push(HistoryRow { iteration: self.done, theta: self.theta.clone() });
        }
        if self.history.len() > MAX_ROWS {
            self.history_every *= 2;
            let every = self.history_every;
            self.history.retain(|row| row.iteration.is_multiple_of(every));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::Random;

    fn settings(count: usize) -> Settings {
        let parameters = (0..count).map(|index| Tunable {
            name: format!("p{index}"),
            start: 1.0 / 3.0 + index as f64,
            c_end: 0.7,
            min: 0,
            max: 10,
        });
        Settings {
            parameters: parameters.collect(),
            limit: TuneLimit::Nodes(100),
            openings: None,
            hash: 1,
            seed: u64::MAX,
            rate: 0.1 + 0.2,
            engine: "0".to_owned(),
            evaluation: "none".to_owned(),
            signature: 5,
        }
    }

    /// A tuning by games whose results are thrown.
    fn state(count: usize, iterations: u64, done: u64, broken_off: u64) -> State {
        let mut state = State::new(settings(count), iterations);
        let mut claimed = BTreeSet::new();
        for _ in 0..broken_off {
            state.claim(&mut claimed);
        }
        while state.done < done
            && let Some(iteration) = state.claim(&mut claimed)
        {
            let mut random = Random::of_game(7, iteration);
            let games = match random.below(3) {
                0 => TuneRecord { wins: 2, ..TuneRecord::default() },
                1 => TuneRecord { draws: 1, losses: 1, losses_on_time: 1, ..TuneRecord::default() },
                _ => TuneRecord { wins: 1, losses: 1, ..TuneRecord::default() },
            };
            let perturbation = Perturbation::new(state.gains(), iteration, count, &mut random);
            state.count(iteration, &perturbation, games);
        }
        state
    }

    #[test]
    fn iterations_that_were_broken_off_come_first() {
        let mut state = state(1, 10, 4, 2);
        assert_eq!((state.done, &state.open), (4, &BTreeSet::from([0, 1])));
        let mut claimed = BTreeSet::new();
        let mut claim = || state.claim(&mut claimed);
        assert_eq!([claim(), claim(), claim()], [Some(0), Some(1), Some(6)]);
        assert_eq!([claim(), claim(), claim(), claim()], [Some(7), Some(8), Some(9), None]);
    }

    #[test]
    fn the_history_is_thinned() {
        let state = state(1, 3000, 2777, 0);
        assert_eq!(state.history_every, 8);
        assert!(state.history.iter().map(|row| row.iteration).eq((0..=2777).step_by(8)));
        assert!(state.check().is_ok());
    }

    #[test]
    fn other_settings_are_refused_with_what_differs() {
        let refuse = |change: fn(&mut Settings), iterations: u64| {
            let mut now = settings(2);
            change(&mut now);
            state(2, 100, 5, 0).go_on(&now, iterations).unwrap_err().to_string()
        };
        assert!(state(2, 100, 5, 0).go_on(&settings(2), 200).is_ok());
        for (change, words) in [
            ((|now| now.hash = 2) as fn(&mut Settings), "hash was 1 and now is 2"),
            (
                |now| now.limit = TuneLimit::Clock("1+0.5".parse().unwrap()),
                "nodes was 100 and now is not there, tc was not there and is \"1+0.5\"",
            ),
            (
                |now| now.parameters[1].c_end = 0.8,
                "parameter p1 was 1.3333333333333333:0.7 in 0 to 10 and now is \
                 1.3333333333333333:0.8 in 0 to 10",
            ),
            (|now| now.parameters.swap(0, 1), "its parameters are in another order"),
            (|now| now.openings = Some("ab".to_owned()), "openings was null and now is \"ab\""),
        ] {
            assert_eq!(refuse(change, 100), format!("it belongs to another tuning: {words}"));
        }
        let shorter = "it is to have 100 iterations, which can only become more, not 99";
        assert_eq!(refuse(|_| {}, 99), shorter);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let good = state(2, 100, 20, 1);
        for (number, change) in [
            (|state| state.done = 19) as fn(&mut State),
            |state| state.done = u64::MAX,
            |state| state.iterations = 20,
            |state| state.theta.truncate(1),
            |state| state.theta[0] = 11.0,
            |state| state.record.wins = u64::MAX,
            |state| state.open = BTreeSet::from([21]),
            |state| state.history_every = 0,
            |state| state.history_every = 2,
            |state| state.history.truncate(20),
            |state| state.history[3].theta[1] = -1.0,
            |state| state.settings.parameters[0].c_end = 0.0,
            |state| state.settings.parameters.clear(),
        ]
        .into_iter()
        .enumerate()
        {
            let mut state = good.clone();
            change(&mut state);
            let error = State::from_json(&state.to_json()).unwrap_err();
            assert!(matches!(error, StateError::Damaged(_)), "{number}: {error}");
        }
    }

    #[test]
    fn other_files_are_told_from_damaged_ones() {
        let text = state(1, 10, 3, 0).to_json();
        for other in [&b""[..], b"{}", b"text", &text[1..], b"\xff\xfe"] {
            assert!(matches!(State::from_json(other), Err(StateError::Foreign)));
        }
        let text = String::from_utf8(text).unwrap();
        for (from, to, message) in [
            ("\"version\":1", "\"version\":2", "version 2; this program knows version 1"),
            ("\"version\":1", "\"version\":-2", "damaged: it has no version"),
            ("\"done\":3", "\"done\":null", "damaged: invalid type: null"),
            ("\"done\":3", "\"dome\":3", "damaged: unknown field `dome`"),
        ] {
            let changed = text.replacen(from, to, 1);
            let error = State::from_json(changed.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            count in 1usize..6, iterations in 1u64..1500, done in 0u64..1500, broken in 0u64..5,
        ) {
            let state = state(count, iterations, done, broken);
            let again = State::from_json(&state.to_json()).unwrap();
            prop_assert_eq!(again, state);
        }

        #[test]
        fn no_damage_makes_it_panic(at in 0usize..3000, byte: u8, cut: bool) {
            let mut text = state(3, 50, 20, 2).to_json();
            let at = at % text.len();
            text[at] = byte;
            text.truncate(if cut { at } else { text.len() });
            if let Ok(state) = State::from_json(&text) {
                prop_assert!(state.check().is_ok());
            } else {
                prop_assert!(true);
            }
        }
    }
}
