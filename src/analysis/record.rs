//! What is told of a position.

use serde::de::{Deserializer, Error};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::entry::Fields;
use super::single::{AnalysedLine, Analysis};
use super::{BadEntry, Entry, Judgement, Ply, Solution};
use crate::game::{Outcome, Rules};
use crate::search::{Chances, Score};

/// The version of the records; a reader that knows one version reads all records that have it.
pub const RECORD_VERSION: u32 = 1;

/// What is told of one position, or of a text that is none. As JSON, one object:
///
/// | field | |
/// | --- | --- |
/// | `v` | the version, [`RECORD_VERSION`] |
/// | `file` | the file, where there are several |
/// | `line` | the number of the line in the input, from 1; of a game's positions, where the game begins |
/// | `id` | what the user called the position, if anything |
/// | `game`, `ply` | of a game's positions: the number of the game in its file, and that of the move made here |
/// | `error` | what is wrong with the text; then nothing of what follows |
/// | … | what [`Finding`] has |
/// | … | what [`Judgement`] has, if a move was made here |
/// | … | the other fields of the user's JSON object, unless they have one of these names or `moves` |
#[derive(Clone, Debug)]
pub struct Record {
    /// The file, where there are several.
    pub file: Option<String>,
    /// The number of the line, from 1; `None` where it is not to be told.
    pub line: Option<u64>,
    /// What the user called the position, as JSON.
    pub id: Option<Box<RawValue>>,
    /// Where in which game it stands, if in any.
    pub ply: Option<Ply>,
    body: Result<Box<Finding>, String>,
    /// What the move made here was worth; not there before the next position's record.
    pub judgement: Option<Judgement>,
    /// What the user has said besides.
    pub fields: Fields,
}

/// What was found out about a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The position.
    pub fen: String,
    /// The rules, by their name.
    #[serde(serialize_with = "name", deserialize_with = "named")]
    pub rules: Rules,
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
    /// Whether the result is sure: won or lost by force, or over.
    pub proven: bool,
    /// With a search for proofs: what the side to move gets with best play, `win`, `draw` or `loss`; left out
    /// where that is not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// With a search for proofs: how many stones more the side to move has in the end, or fewer, if
    /// negative, when both sides care for that; left out where it is not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<i32>,
    /// The best move; left out where the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// The best lines, the best first.
    pub lines: Vec<LineRecord>,
}

fn name<S: Serializer>(rules: &Rules, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rules.name())
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Rules, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// A score as `{"cp": 12}` or, in moves, negative for a loss, `{"mate": -3}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl ScoreRecord {
    /// The score of the move that led to a position with this score.
    pub(super) const fn before_move(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(-cp),
            Self::Mate(moves @ ..=0) => Self::Mate(1 - moves),
            Self::Mate(moves) => Self::Mate(-moves),
        }
    }
}

/// One of the best lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineRecord {
    /// Its score.
    pub score: ScoreRecord,
    /// Its moves.
    pub moves: Vec<String>,
}

/// The names that the user's fields cannot have.
const OWN_NAMES: [&str; 29] = [
    "moves",
    "v",
    "file",
    "line",
    "id",
    "game",
    "ply",
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
    "result",
    "margin",
    "best",
    "lines",
    "played",
    "after",
    "cost",
    "cost_cp",
    "verdict",
    "summary",
];

/// The fields whose names are not ours.
fn foreign(mut fields: Fields) -> Fields {
    fields.retain(|name, _| !OWN_NAMES.contains(&name.as_str()));
    fields
}

impl Finding {
    fn new(
        entry: &Entry,
        analysis: &Analysis,
        solution: Option<Solution>,
        with_time: bool,
    ) -> Self {
        let score = analysis.result.score;
        let side = entry.game.position().side_to_move();
        let result = |solution: Solution| match solution.outcome {
            Outcome::Draw => "draw",
            Outcome::Win(color) if color == side => "win",
            Outcome::Win(_) => "loss",
        };
        let drawn = analysis.outcome.or(solution.map(|solution| solution.outcome));
        let Chances { win, draw, loss } = match drawn {
            Some(Outcome::Draw) => Chances { win: 0, draw: 1000, loss: 0 },
            _ => Chances::of(score),
        };
        let lines = analysis.lines.iter().map(|AnalysedLine { score, moves }| LineRecord {
            score: (*score).into(),
            moves: moves.iter().map(ToString::to_string).collect(),
        });
        Self {
            fen: entry.game.position().to_string(),
            rules: entry.rules,
            legal_moves: analysis.legal_moves,
            outcome: analysis.outcome.map(|outcome| outcome.to_string()),
            depth: analysis.result.depth,
            seldepth: analysis.selective_depth,
            nodes: analysis.result.nodes,
            time_ms: with_time.then_some(analysis.time.as_millis() as u64),
            score: score.into(),
            wdl: [win, draw, loss],
            proven: score.is_proven() || analysis.outcome.is_some() || solution.is_some(),
            result: solution.map(|solution| result(solution).to_owned()),
            margin: solution.and_then(|solution| solution.margin),
            best: analysis.result.best.map(|best| best.to_string()),
            lines: lines.collect(),
        }
    }
}

impl Record {
    /// What was found out about a position.
    pub(super) fn found(
        entry: Entry,
        analysis: &Analysis,
        solution: Option<Solution>,
        with_time: bool,
    ) -> Self {
        let finding = Finding::new(&entry, analysis, solution, with_time);
        Self::known(Ok(entry), Some(finding))
    }

    /// What is wrong with a text.
    pub(super) fn failed(entry: BadEntry) -> Self {
        Self::known(Err(entry), None)
    }

    /// The record of a position about which this has been found out before.
    pub fn known(entry: Result<Entry, BadEntry>, finding: Option<Finding>) -> Self {
        let (file, line, id, ply, fields, body) = match entry {
            Ok(Entry { file, line, id, ply, fields, .. }) => {
                let body = finding.map(Box::new).ok_or_else(|| "not analysed".to_owned());
                (file, line, id, ply, fields, body)
            }
            Err(BadEntry { file, line, id, fields, error }) => {
                (file, line, id, None, fields, Err(error.to_string()))
            }
        };
        let (line, fields) = (Some(line), foreign(fields));
        Self { file, line, id, ply, body, judgement: None, fields }
    }

    /// What was found out, unless the text is wrong.
    pub fn finding(&self) -> Option<&Finding> {
        self.body.as_deref().ok()
    }

    /// What is wrong with the text, if anything.
    pub fn error(&self) -> Option<&str> {
        self.body.as_ref().err().map(String::as_str)
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Object<'a> {
            v: u32,
            #[serde(skip_serializing_if = "Option::is_none")]
            file: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            line: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<&'a RawValue>,
            #[serde(skip_serializing_if = "Option::is_none")]
            game: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            ply: Option<usize>,
            #[serde(skip_serializing_if = "Option::is_none")]
            error: Option<&'a str>,
            #[serde(flatten)]
            finding: Option<&'a Finding>,
            #[serde(flatten)]
            judgement: Option<&'a Judgement>,
            #[serde(flatten)]
            fields: &'a Fields,
        }
        let Self { file, line, id, ply, judgement, fields, .. } = self;
        let object = Object {
            v: RECORD_VERSION,
            file: file.as_deref(),
            line: *line,
            id: id.as_deref(),
            game: ply.as_ref().map(|ply| ply.game),
            ply: ply.as_ref().map(|ply| ply.number),
            error: self.error(),
            finding: self.finding(),
            judgement: judgement.as_ref(),
            fields,
        };
        object.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::analysis::{Entries, Judge, Settings, Told, analyze_all};
    use crate::search::Limits;

    #[test]
    fn the_users_fields_have_none_of_our_names() {
        let inputs = [
            "bad ; name\n",
            "7/7/7/7/7/7/x6 o 0 9\n",
            "-------/-------/-------/-------/ox1----/oox----/xx----- o 0 20\n",
            // The last move gives away a win.
            "[FEN \"x5o/7/7/7/7/7/o5x x 0 1\"]\n\n1. f1 f7 2. f1f3 *\n",
            "[FEN \"7/7/7/7/2oo3/1x5/7 x 0 20\"]\n\n1. b2d1 *\n",
        ];
        let mut names = BTreeSet::from(["moves".to_owned()]);
        for input in inputs {
            let entries = Entries::new(input.as_bytes()).of_file(Some("file".to_owned()));
            let limits = Limits { nodes: Some(3000), ..Limits::default() };
            let settings = Settings { limits, solve: true, ..Settings::default() };
            let mut judge = Judge::default();
            analyze_all(entries, &settings, &AtomicBool::new(false), |record| {
                for told in record.into_iter().flat_map(|record| judge.take(record)) {
                    let value = match &told {
                        Told::Position(record) => serde_json::to_value(record),
                        Told::Game(report) => serde_json::to_value(report),
                    };
                    names.extend(value.unwrap().as_object().unwrap().keys().cloned());
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        }
        assert_eq!(names, OWN_NAMES.map(str::to_owned).into());
    }
}
