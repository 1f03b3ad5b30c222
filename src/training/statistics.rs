//! What some games consist of.

use serde::Serialize;

use super::chances::{ChanceFit, ScoreCounts};
use super::{GameEnd, Sample, SampleResult, StoredGame};
use crate::game::Rules;

/// How many positions there are, and how their games ended for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Results {
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games won.
    pub wins: u64,
}

impl Results {
    fn add(&mut self, result: SampleResult) {
        match result {
            SampleResult::Loss => self.losses += 1,
            SampleResult::Draw => self.draws += 1,
            SampleResult::Win => self.wins += 1,
        }
    }

    /// All of them.
    pub const fn total(&self) -> u64 {
        self.losses + self.draws + self.wins
    }

    /// The mean points, 0 to 1; `None` if there are none.
    pub fn points(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / total as f64)
    }
}

/// The games under one rule set, with or without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The name of the rule set.
    pub rules: &'static str,
    /// Whether the boards have gaps.
    pub gaps: bool,
    /// How many games.
    pub games: u64,
    /// How many positions.
    pub positions: u64,
}

/// The positions with a score in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScoreRange {
    /// The smallest distance of the score from 0, in cp; `None` for those proven.
    pub from: Option<i16>,
    /// How the games ended for the side that the score favours.
    pub results: Results,
}

/// The positions with so many empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EmptyRange {
    /// The fewest empty squares; the next range has five more.
    pub from: u32,
    /// How many positions.
    pub positions: u64,
}

/// How many games ended in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EndCount {
    /// The name of the end.
    pub end: &'static str,
    /// How many games.
    pub games: u64,
}

/// What some games consist of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// How many games.
    pub games: u64,
    /// How many positions.
    pub positions: u64,
    /// The games' results for the side that moved first after the opening.
    pub game_results: Results,
    /// The positions' results for their side to move.
    pub results: Results,
    /// By rule set and gaps.
    pub shares: Vec<Share>,
    /// Why the games ended.
    pub ends: Vec<EndCount>,
    /// By score.
    pub scores: Vec<ScoreRange>,
    /// By empty squares.
    pub empty: Vec<EmptyRange>,
    #[serde(skip)]
    score_counts: ScoreCounts,
}

/// Where the ranges of scores begin.
const SCORES: [i16; 9] = [0, 50, 100, 200, 400, 600, 1000, 1500, 2500];
/// How many numbers of empty squares are counted as one.
const EMPTY_STEP: u32 = 5;

impl Default for Statistics {
    /// No games.
    fn default() -> Self {
        let share =
            |rules: Rules, gaps| Share { rules: rules.name(), gaps, games: 0, positions: 0 };
        let kinds =
            Rules::ALL.into_iter().flat_map(|rules| [false, true].map(|gaps| share(rules, gaps)));
        let range = |from| ScoreRange { from, results: Results::default() };
        Self {
            games: 0,
            positions: 0,
            game_results: Results::default(),
            results: Results::default(),
            shares: kinds.collect(),
            ends: GameEnd::ALL.map(|end| EndCount { end: end.name(), games: 0 }).to_vec(),
            scores: SCORES.into_iter().map(Some).chain([None]).map(range).collect(),
            empty: (0..10).map(|i| EmptyRange { from: i * EMPTY_STEP, positions: 0 }).collect(),
            score_counts: ScoreCounts::default(),
        }
    }
}

impl Statistics {
    /// Takes a game into account.
    pub fn add(&mut self, game: &StoredGame) {
        let Some(first) = game.samples.first() else { return };
        self.games += 1;
        self.positions += game.samples.len() as u64;
        self.game_results.add(first.result);
        self.ends[game.end as usize].games += 1;
        let gaps = !first.position.gaps().is_empty();
        for share in &mut self.shares {
            if (share.rules, share.gaps) == (first.rules.name(), gaps) {
                share.games += 1;
                share.positions += game.samples.len() as u64;
            }
        }
        for sample in &game.samples {
            self.add_sample(sample);
        }
    }

    /// The chances that fit scores and results best; `None` as long as nobody has won and lost.
    pub fn chances(&self) -> Option<ChanceFit> {
        self.score_counts.fit()
    }

    fn add_sample(&mut self, sample: &Sample) {
        self.score_counts.add(sample);
        self.results.add(sample.result);
        let ahead = if sample.score < 0 { sample.result.reversed() } else { sample.result };
        let distance = sample.score.unsigned_abs();
        let range = match SCORES.iter().rposition(|&from| distance >= from.unsigned_abs()) {
            _ if sample.is_proven() => SCORES.len(),
            range => range.unwrap_or(0),
        };
        self.scores[range].results.add(ahead);
        self.empty[(sample.position.empty().len() / EMPTY_STEP) as usize].positions += 1;
    }
}
