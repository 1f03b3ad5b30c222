//! What is told of a position.

use serde::Serialize;
use serde_json::{Map, Value};

use super::single::{AnalysedLine, Analysis};
use super::{BadEntry, Entry};
use crate::search::{Chances, Score};

/// The version of the records; a reader that knows one version reads all records that have it.
pub const RECORD_VERSION: u32 = 1;

/// What is told of one line of the input. As JSON, one object:
///
/// | field | |
/// | --- | --- |
/// | `v` | the version, [`RECORD_VERSION`] |
/// | `file` | the file, where there are several |
/// | `line` | the number of the line in the input, from 1 |
/// | `id` | what the user called the position, if anything |
/// | `error` | what is wrong with the line; then nothing of what [`Finding`] has |
/// | … | what [`Finding`] has |
/// | … | the other fields of the user's JSON object, unless they have one of these names or `moves` |
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    v: u32,
    /// The file, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The number of the line, from 1.
    pub line: u64,
    /// What the user called the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    #[serde(flatten)]
    body: Body,
    /// What the user has said besides.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Body {
    Found(Box<Finding>),
    Failed { error: String },
}

/// What was found out about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The position.
    pub fen: String,
    /// The rules.
    pub rules: &'static str,
    /// How many legal moves there are.
    pub legal_moves: usize,
    /// `x wins`, `o wins` or `draw` where the game is over; otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The depth of the last search that was completed, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: usize,
    /// Positions visited.
    pub nodes: u64,
    /// What the search took, in milliseconds; left out where it is not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// The score, from the point of view of the side to move.
    pub score: ScoreRecord,
    /// The chances to win, to draw and to lose, in per mille.
    pub wdl: [u16; 3],
    /// Whether the game is won or lost by force, or over.
    pub proven: bool,
    /// The best move; left out where the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// The best lines, the best first.
    pub lines: Vec<LineRecord>,
}

/// A score as `{"cp": 12}` or, in moves, negative for a loss, `{"mate": -3}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreRecord {
    /// In cp.
    Cp(i32),
    /// Won or, if negative or 0, lost in so many moves.
    Mate(i64),
}

impl From<Score> for ScoreRecord {
    fn from(score: Score) -> Self {
        match score {
            Score::Cp(cp) => Self::Cp(cp),
            Score::Win(moves) => Self::Mate(moves.into()),
            Score::Loss(moves) => Self::Mate(-i64::from(moves)),
        }
    }
}

/// One of the best lines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineRecord {
    /// Its score.
    pub score: ScoreRecord,
    /// Its moves.
    pub moves: Vec<String>,
}

/// The names that the user's fields cannot have.
const OWN_NAMES: [&str; 19] = [
    "moves",
    "v",
    "file",
    "line",
    "id",
    "error",
    "fen",
    "rules",
    "legal_moves",
    "outcome",
    "depth",
    "seldepth",
    "nodes",
    "time_ms",
    "score",
    "wdl",
    "proven",
    "best",
    "lines",
];

/// The fields whose names are not ours.
fn foreign(mut fields: Map<String, Value>) -> Map<String, Value> {
    fields.retain(|name, _| !OWN_NAMES.contains(&name.as_str()));
    fields
}

impl Record {
    /// What was found out about a position.
    pub(super) fn found(entry: Entry, analysis: &Analysis, with_time: bool) -> Self {
        let Entry { file, line, id, fields, game, rules } = entry;
        let score = analysis.result.score;
        let Chances { win, draw, loss } = Chances::of(score);
        let lines = analysis.lines.iter().map(|AnalysedLine { score, moves }| LineRecord {
            score: (*score).into(),
            moves: moves.iter().map(ToString::to_string).collect(),
        });
        let finding = Finding {
            fen: game.position().to_string(),
            rules: rules.name(),
            legal_moves: analysis.legal_moves,
            outcome: analysis.outcome.map(|outcome| outcome.to_string()),
            depth: analysis.result.depth,
            seldepth: analysis.selective_depth,
            nodes: analysis.result.nodes,
            time_ms: with_time.then_some(analysis.time.as_millis() as u64),
            score: score.into(),
            wdl: [win, draw, loss],
            proven: score.is_proven() || analysis.outcome.is_some(),
            best: analysis.result.best.map(|best| best.to_string()),
            lines: lines.collect(),
        };
        let body = Body::Found(Box::new(finding));
        Self { v: RECORD_VERSION, file, line, id, body, fields: foreign(fields) }
    }

    /// What is wrong with a line.
    pub(super) fn failed(entry: BadEntry) -> Self {
        let BadEntry { file, line, id, fields, error } = entry;
        let body = Body::Failed { error: error.to_string() };
        Self { v: RECORD_VERSION, file, line, id, body, fields: foreign(fields) }
    }

    /// What was found out, unless the line is wrong.
    pub fn finding(&self) -> Option<&Finding> {
        match &self.body {
            Body::Found(finding) => Some(finding),
            Body::Failed { .. } => None,
        }
    }

    /// What is wrong with the line, if anything.
    pub fn error(&self) -> Option<&str> {
        match &self.body {
            Body::Found(_) => None,
            Body::Failed { error } => Some(error),
        }
    }
}
