//! What the moves of a game were worth.

use std::sync::Arc;

use serde::Serialize;
use serde::ser::Serializer;

use super::{Finding, Ply, RECORD_VERSION, Record, ScoreRecord};
use crate::game::{Color, Move};
use crate::record::{Comment, GameRecord, RecordedScore};

/// What a move was worth.
///
/// The chance of a score is that of its wins and half of that of its draws; of a move, it is that of the
/// position behind it. Its cost is the chance of the position before less its own, never less
/// than nothing, and nothing if the best move was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The move that was made.
    pub played: String,
    /// Its score, as the search of the position behind it says, for the side that made it.
    pub after: ScoreRecord,
    /// How much of the chance it gave away, in per mille.
    pub cost: u16,
    /// How many cp it gave away, unless one of the two scores is proven and so no number of cp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_cp: Option<u32>,
    /// Whether it was a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// A fault, by the chance that was given away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// 50 per mille or more.
    Inaccuracy,
    /// 100 per mille or more.
    Mistake,
    /// 200 per mille or more.
    Blunder,
}

impl Verdict {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// From which cost on a move is such a fault, in per mille.
    pub const fn threshold(self) -> u16 {
        match self {
            Self::Inaccuracy => 50,
            Self::Mistake => 100,
            Self::Blunder => 200,
        }
    }

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    fn of(cost: u16) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|verdict| cost >= verdict.threshold())
    }
}

impl Judgement {
    fn new(played: String, before: &Finding, behind: &Finding) -> Self {
        let after = behind.score.before_move();
        let [win, draw, loss] = behind.wdl;
        let gone = chance(before.wdl).saturating_sub(chance([loss, draw, win]));
        // Halves are in the mover's favour.
        let is_best = before.best.as_ref() == Some(&played);
        let cost = if is_best { 0 } else { gone / 2 };
        let cost_cp = match (before.score, after) {
            _ if is_best => Some(0),
            (ScoreRecord::Cp(before), ScoreRecord::Cp(after)) => {
                Some(u32::try_from(i64::from(before) - i64::from(after)).unwrap_or(0))
            }
            _ => None,
        };
        Self { played, after, cost, cost_cp, verdict: Verdict::of(cost) }
    }

    /// How accurate the move was, in per cent: `103.1668 exp(-0.04354 cost) - 3.1669`, with the cost in
    /// per cent. The formula is that of the chess site Lichess, which fitted it to people's games.
    pub fn accuracy(&self) -> f64 {
        let cost = f64::from(self.cost) / 10.0;
        (103.1668 * libm::exp(-0.04354 * cost) - 3.1669).clamp(0.0, 100.0)
    }
}

/// Twice the wins and the draws, in per mille.
const fn chance([win, draw, _]: [u16; 3]) -> u16 {
    2 * win + draw
}

/// How a side has played.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SideSummary {
    /// Its moves.
    pub moves: usize,
    /// Those of them for which there was another one. Only these count in what follows.
    pub choices: usize,
    /// The mean accuracy of its moves, in per cent with one decimal; none without a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// How much of the chance its moves gave away on average, in per mille.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_cost: Option<u64>,
    /// How many cp its moves gave away on average, as far as that can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_cost_cp: Option<u64>,
    /// Its inaccuracies.
    pub inaccuracies: usize,
    /// Its mistakes.
    pub mistakes: usize,
    /// Its blunders.
    pub blunders: usize,
}

impl SideSummary {
    fn new<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        let mut summary = Self::default();
        let (mut accuracy, mut cost, mut cost_cp) = (0.0, Mean::default(), Mean::default());
        for record in records {
            let (Some(finding), Some(judgement)) = (record.finding(), &record.judgement) else {
                continue;
            };
            summary.moves += 1;
            if finding.legal_moves < 2 {
                continue;
            }
            summary.choices += 1;
            accuracy += judgement.accuracy();
            cost.add(judgement.cost.into());
            if let Some(cp) = judgement.cost_cp {
                cost_cp.add(cp.into());
            }
            match judgement.verdict {
                None => {}
                Some(Verdict::Inaccuracy) => summary.inaccuracies += 1,
                Some(Verdict::Mistake) => summary.mistakes += 1,
                Some(Verdict::Blunder) => summary.blunders += 1,
            }
        }
        if summary.choices > 0 {
            summary.accuracy = Some((accuracy / summary.choices as f64 * 10.0).round() / 10.0);
        }
        summary.mean_cost = cost.rounded();
        summary.mean_cost_cp = cost_cp.rounded();
        summary
    }
}

#[derive(Default)]
struct Mean {
    sum: u64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: u64) {
        self.sum += value;
        self.count += 1;
    }

    fn rounded(&self) -> Option<u64> {
        (self.sum + self.count / 2).checked_div(self.count)
    }
}

/// A game and what was found out about it.
///
/// As JSON, an object with `v`, `file`, `line` and `game` as in a [`Record`], and `summary`: the names of
/// the players (`black`, `white`), if known, the `result`, the number of `moves`, and how each side has
/// played (`x`, `o`; see [`SideSummary`]).
#[derive(Clone, Debug)]
pub struct GameReport {
    /// The file, where there are several.
    pub file: Option<String>,
    /// The line where the game begins, from 1; `None` where it is not to be told.
    pub line: Option<u64>,
    /// The number of the game in its file, from 1.
    pub number: u64,
    /// The game.
    pub record: Arc<GameRecord>,
    /// All its positions, that behind the last move included.
    pub positions: Vec<Record>,
}

/// How many moves of a better line are told of.
const LINE_SHOWN: usize = 8;

impl GameReport {
    /// How a side has played.
    pub fn side(&self, color: Color) -> SideSummary {
        let first = self.record.start().side_to_move();
        let skipped = usize::from(first != color);
        SideSummary::new(self.positions.iter().skip(skipped).step_by(2))
    }

    /// The game with what was found out in its comments: the move's score and the depth of the search; of a
    /// fault, what it was and what was better. Times and texts that were there stay.
    pub fn annotated(&self) -> GameRecord {
        let mut game = GameRecord::clone(&self.record);
        let is_ours = game.tags.get("Annotator").is_some_and(|name| name.starts_with("Physarum "));
        for (number, pair) in self.positions.windows(2).enumerate() {
            if let Some(comment) = game.comment_mut(number) {
                *comment = annotated(comment, &pair[0], &pair[1], is_ours);
            }
        }
        for (name, color) in [("BlackAccuracy", Color::Black), ("WhiteAccuracy", Color::White)] {
            if let Some(accuracy) = self.side(color).accuracy {
                // There may be no room for another tag; it is all in the comments.
                let _ = game.tags.set(name, &format!("{accuracy:.1}"));
            }
        }
        let _ = game.tags.set("Annotator", concat!("Physarum ", env!("CARGO_PKG_VERSION")));
        game
    }
}

/// A comment with what was found out; in place of what was before, where all that is ours.
fn annotated(comment: &Comment, before: &Record, behind: &Record, is_ours: bool) -> Comment {
    let (Some(before), Some(judgement), Some(behind)) =
        (before.finding(), &before.judgement, behind.finding())
    else {
        return comment.clone();
    };
    let mut new = Comment::default().with_score(recorded(judgement.after));
    if behind.depth > 0 {
        new = new.with_depth(behind.depth);
    }
    if let Some(time) = comment.time() {
        new = new.with_time(time);
    }
    let text = comment.text();
    let mut text = if is_ours { without_verdict(text) } else { text }.to_owned();
    if let (Some(verdict), Some(best)) = (judgement.verdict, before.lines.first()) {
        let separator = if text.is_empty() { "" } else { "; " };
        let line = &best.moves[..best.moves.len().min(LINE_SHOWN)];
        let (verdict, score) = (verdict.name(), recorded(best.score));
        text += &format!("{separator}{verdict}, better {score}: {}", line.join(" "));
    }
    new.with_text(&text)
}

/// A comment's text without what an earlier analysis has said at its end.
fn without_verdict(text: &str) -> &str {
    let is_verdict = |text: &str| {
        let verdict = Verdict::ALL
            .iter()
            .find_map(|verdict| text.strip_prefix(verdict.name())?.strip_prefix(", better "));
        verdict.and_then(|verdict| verdict.split_once(": ")).is_some_and(|(score, moves)| {
            RecordedScore::parse(score, false).is_some()
                && moves.split(' ').all(|mv| mv.parse::<Move>().is_ok())
        })
    };
    match text.rsplit_once("; ") {
        Some((before, end)) if is_verdict(end) => before,
        None if is_verdict(text) => "",
        _ => text,
    }
}

/// A score as game records have it.
fn recorded(score: ScoreRecord) -> RecordedScore {
    let moves = |moves: i64| u32::try_from(moves).unwrap_or(u32::MAX);
    match score {
        ScoreRecord::Cp(cp) => RecordedScore::Cp(cp),
        ScoreRecord::Mate(won @ 1..) => RecordedScore::Win(moves(won)),
        ScoreRecord::Mate(lost) => RecordedScore::Loss(moves(-lost)),
    }
}

impl Serialize for GameReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Summary<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            black: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            white: Option<&'a str>,
            result: &'static str,
            moves: usize,
            x: SideSummary,
            o: SideSummary,
        }
        #[derive(Serialize)]
        struct Object<'a> {
            v: u32,
            #[serde(skip_serializing_if = "Option::is_none")]
            file: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            line: Option<u64>,
            game: u64,
            summary: Summary<'a>,
        }
        let summary = Summary {
            black: self.record.tags.get("Black"),
            white: self.record.tags.get("White"),
            result: self.record.result.name(),
            moves: self.record.moves().len(),
            x: self.side(Color::Black),
            o: self.side(Color::White),
        };
        let object = Object {
            v: RECORD_VERSION,
            file: self.file.as_deref(),
            line: self.line,
            game: self.number,
            summary,
        };
        object.serialize(serializer)
    }
}

/// What is to be told, in this order.
#[derive(Clone, Debug)]
pub enum Told {
    /// A position's record, with a judgement if it is a game's.
    Position(Box<Record>),
    /// A whole game, behind its positions' records.
    Game(Box<GameReport>),
}

/// Takes records in the order of the input and judges the moves of games: a move's record is told once
/// that of the next position is there.
#[derive(Debug, Default)]
pub struct Judge {
    /// The game's positions so far; the last one's move is still to be judged.
    open: Vec<Record>,
}

impl Judge {
    /// Whether a move waits for the next position's record.
    pub fn is_waiting(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes a record; passes on what can be told now.
    pub fn take(&mut self, record: Record) -> Vec<Told> {
        let mut told = Vec::new();
        let Some(ply) = record.ply.clone() else {
            return vec![Told::Position(Box::new(record))];
        };
        if ply.number == 1 {
            self.open.clear();
        }
        if let Some(last) = self.open.last_mut()
            && let (Some(before), Some(behind)) = (last.finding(), record.finding())
            && let Some(played) = last.ply.as_ref().and_then(Ply::played)
        {
            last.judgement = Some(Judgement::new(played.mv.to_string(), before, behind));
            told.push(Told::Position(Box::new(last.clone())));
        }
        let (file, line) = (record.file.clone(), record.line);
        self.open.push(record);
        if ply.played().is_none()
            && let Some(last) = self.open.last()
        {
            told.push(Told::Position(Box::new(last.clone())));
            let positions = std::mem::take(&mut self.open);
            let Ply { game: number, record, .. } = ply;
            told.push(Told::Game(Box::new(GameReport { file, line, number, record, positions })));
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_an_analysis_has_said_is_taken_out() {
        for (text, rest) in [
            ("mistake, better +0.44: f2", ""),
            ("risky; blunder, better -M2: a1b3 0000", "risky"),
            ("", ""),
            ("mistake, better was g2 said my trainer", "mistake, better was g2 said my trainer"),
            ("; blunder, better is everything", "; blunder, better is everything"),
            ("a blunder, better +0.44: f2", "a blunder, better +0.44: f2"),
            ("mistake, better +0.44: f2 indeed", "mistake, better +0.44: f2 indeed"),
        ] {
            assert_eq!(without_verdict(text), rest);
        }
    }
}
