//! How records are written.

use clap::ValueEnum;
use serde_json::value::RawValue;

use crate::analysis::{BadEntry, Entry, GameReport, Record, ScoreRecord, SideSummary, Told};
use crate::game::Color;

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A JSON object on each line
    Jsonl,
    /// Comma-separated values, with a line of names before them
    Csv,
    /// A line for people
    Text,
}

impl Format {
    /// What stands before all records.
    pub(super) fn head(self) -> anyhow::Result<Option<String>> {
        match self {
            Self::Csv => Ok(Some(row(COLUMNS.map(str::to_owned))?)),
            _ => Ok(None),
        }
    }

    /// The line for what is told, without its end, if there is one.
    pub(super) fn line(self, told: &Told) -> anyhow::Result<Option<String>> {
        Ok(match (self, told) {
            (Self::Jsonl, Told::Position(record)) => Some(serde_json::to_string(record)?),
            (Self::Jsonl, Told::Game(report)) => Some(serde_json::to_string(report)?),
            (Self::Csv, Told::Position(record)) => Some(row(cells(record))?),
            (Self::Csv, Told::Game(_)) => None,
            (Self::Text, Told::Position(record)) => Some(text(record)),
            (Self::Text, Told::Game(report)) => Some(summary(report)),
        })
    }
}

/// Whether a row of a table is about a text, as far as its place, its name, its position and rules or what is
/// wrong with it tell, and tells the line and the time only if they are wanted.
pub(super) fn is_row_of(
    row: &str,
    entry: &Result<Entry, BadEntry>,
    with_line: bool,
    with_time: bool,
) -> bool {
    let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(row.as_bytes());
    let Some(Ok(row)) = rows.records().next() else { return false };
    let cell = |name: &str| {
        let column = COLUMNS.iter().position(|column| *column == name);
        column.and_then(|column| row.get(column)).unwrap_or_default()
    };
    let (file, line, id) = match entry {
        Ok(Entry { file, line, id, .. }) | Err(BadEntry { file, line, id, .. }) => (file, line, id),
    };
    let (fen, rules, error) = match entry {
        Ok(entry) => (entry.game.position().to_string(), entry.rules.name(), String::new()),
        Err(bad) => (String::new(), "", bad.error.to_string()),
    };
    let line = if with_line { line.to_string() } else { String::new() };
    row.len() == COLUMNS.len()
        && cell("file") == file.as_deref().map(on_one_line).unwrap_or_default()
        && cell("line") == line
        && cell("id") == id.as_ref().map(|id| plain(id)).unwrap_or_default()
        && [cell("fen"), cell("rules"), cell("error")] == [&fen, rules, &error]
        && (entry.is_err() || cell("time_ms").is_empty() != with_time)
}

/// A row of a table, without its end.
fn row(cells: impl IntoIterator<Item = String>) -> anyhow::Result<String> {
    let mut line = csv::Writer::from_writer(Vec::new());
    line.write_record(cells.into_iter().map(String::into_bytes))?;
    Ok(String::from_utf8(line.into_inner()?)?.trim_end().to_owned())
}

const COLUMNS: [&str; 30] = [
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
    "cp",
    "mate",
    "win",
    "draw",
    "loss",
    "proven",
    "result",
    "margin",
    "best",
    "pv",
    "played",
    "after_cp",
    "after_mate",
    "cost",
    "cost_cp",
    "verdict",
];

/// What a record has in each column.
fn cells(record: &Record) -> Vec<String> {
    let mut cells = vec![
        record.file.as_deref().map(on_one_line).unwrap_or_default(),
        told(record.line),
        record.id.as_ref().map(|id| plain(id)).unwrap_or_default(),
        told(record.ply.as_ref().map(|ply| ply.game)),
        told(record.ply.as_ref().map(|ply| ply.number)),
        record.error().unwrap_or_default().to_owned(),
    ];
    if let Some(found) = record.finding() {
        let [cp, mate] = score_cells(found.score);
        let pv = found.lines.first().map(|line| line.moves.join(" "));
        cells.extend([
            found.fen.clone(),
            found.rules.name().to_owned(),
            found.legal_moves.to_string(),
            found.outcome.clone().unwrap_or_default(),
            found.depth.to_string(),
            found.seldepth.to_string(),
            found.nodes.to_string(),
            told(found.time_ms),
            cp,
            mate,
        ]);
        cells.extend(found.wdl.map(|chance| chance.to_string()));
        cells.extend([
            found.proven.to_string(),
            found.result.clone().unwrap_or_default(),
            told(found.margin),
            found.best.clone().unwrap_or_default(),
            pv.unwrap_or_default(),
        ]);
    }
    if let Some(judgement) = &record.judgement {
        cells.push(judgement.played.clone());
        cells.extend(score_cells(judgement.after));
        cells.push(judgement.cost.to_string());
        cells.push(told(judgement.cost_cp));
        cells.push(told(judgement.verdict.map(|verdict| verdict.name())));
    }
    cells.resize(COLUMNS.len(), String::new());
    cells
}

/// A value, or nothing.
fn told(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A score in cp, or in moves.
fn score_cells(score: ScoreRecord) -> [String; 2] {
    match score {
        ScoreRecord::Cp(cp) => [cp.to_string(), String::new()],
        ScoreRecord::Mate(moves) => [String::new(), moves.to_string()],
    }
}

/// A value of JSON on one line: without quotes where it is a text, control characters as escapes.
fn plain(value: &RawValue) -> String {
    on_one_line(&serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned()))
}

/// A text with control characters as escapes.
fn on_one_line(text: &str) -> String {
    let escape = |c: char| {
        if c.is_control() { c.escape_default().to_string() } else { c.to_string() }
    };
    text.chars().map(escape).collect()
}

/// A score for people.
fn score_text(score: ScoreRecord) -> String {
    match score {
        ScoreRecord::Cp(cp) => format!("cp {cp}"),
        ScoreRecord::Mate(moves) => format!("mate {moves}"),
    }
}

/// Where something stands, for people.
fn place(file: Option<&str>, line: Option<u64>) -> String {
    match (file.map(on_one_line), line) {
        (None, None) => "-".to_owned(),
        (None, Some(line)) => line.to_string(),
        (Some(file), None) => file,
        (Some(file), Some(line)) => format!("{file}:{line}"),
    }
}

/// A record for people.
fn text(record: &Record) -> String {
    let mut text = place(record.file.as_deref(), record.line);
    if let Some(id) = &record.id {
        text += &format!(" ({})", plain(id));
    }
    if let Some(ply) = &record.ply {
        text += &format!(" game {} ply {}", ply.game, ply.number);
    }
    let Some(found) = record.finding() else {
        return format!("{text}: error: {}", record.error().unwrap_or_default());
    };
    if let Some(outcome) = &found.outcome {
        return format!("{text}: game over: {outcome}");
    }
    let [win, draw, loss] = found.wdl;
    text += &format!(": depth {} nodes {}", found.depth, found.nodes);
    for line in &found.lines {
        text += &format!("; {}: {}", score_text(line.score), line.moves.join(" "));
    }
    text += &format!("; wdl {win} {draw} {loss}");
    if let Some(result) = &found.result {
        text += &format!("; result {result}");
        if let Some(margin) = found.margin {
            text += &format!(" by {} stones", margin.abs());
        }
    }
    if let Some(judgement) = &record.judgement {
        text += &format!("; played {}: {}", judgement.played, score_text(judgement.after));
        if let Some(verdict) = judgement.verdict {
            text += &format!(", {} ({} per mille)", verdict.name(), judgement.cost);
        }
    }
    text
}

/// A game for people.
fn summary(report: &GameReport) -> String {
    let side = |color: Color| {
        let SideSummary { accuracy, inaccuracies, mistakes, blunders, .. } = report.side(color);
        let accuracy = accuracy.map_or("-".to_owned(), |accuracy| format!("{accuracy:.1} %"));
        format!(
            "{color} accuracy {accuracy} inaccuracies {inaccuracies} mistakes {mistakes} blunders {blunders}"
        )
    };
    let place = place(report.file.as_deref(), report.line);
    let (number, result) = (report.number, report.record.result);
    let [black, white] = Color::ALL.map(side);
    format!("{place} game {number}: {result}; {black}; {white}")
}
