//! Where a match stands.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Map, Value, json};

use super::fault::FaultKind;
use super::journal::GameReport;
use super::play::{Effort, Ending};
use super::schedule::Schedule;
use super::statistics::{Estimate, Games, Movers, Record, Sprt, Tally};

/// The games of a match added up, in whatever order they ended.
#[derive(Clone, Debug)]
pub struct Standings {
    names: Vec<String>,
    swap: bool,
    sprt: Option<Sprt>,
    /// By pair of engines, the one that stands first in the list first.
    pairings: BTreeMap<(usize, usize), Record>,
    efforts: Vec<Effort>,
    faults: Vec<BTreeMap<FaultKind, u64>>,
    plies: u64,
}

impl Standings {
    /// No games yet. A `sprt` is about the first engine against the second.
    pub fn new(names: Vec<String>, schedule: &Schedule, sprt: Option<Sprt>) -> Self {
        let pairings = schedule.pairings().into_iter().map(|pair| (pair, Record::default()));
        Self {
            swap: schedule.swaps(),
            sprt,
            pairings: pairings.collect(),
            efforts: vec![Effort::default(); names.len()],
            faults: vec![BTreeMap::new(); names.len()],
            names,
            plies: 0,
        }
    }

    /// Adds a game.
    pub fn add(&mut self, report: &GameReport) {
        let pair = (report.black.min(report.white), report.black.max(report.white));
        if let (Some(record), Some(played)) =
            (self.pairings.get_mut(&pair), report.played_by(pair.0))
        {
            if self.swap {
                record.add_to_pair(report.round, played);
            } else {
                record.add_single(played);
            }
        }
        for (engine, effort) in [report.black, report.white].into_iter().zip(report.efforts) {
            if let Some(sum) = self.efforts.get_mut(engine) {
                *sum = sum.plus(effort);
            }
        }
        if let Ending::Fault { by, kind, .. } = report.ending {
            let engine = [report.black, report.white][by.index()];
            if let Some(faults) = self.faults.get_mut(engine) {
                *faults.entry(kind).or_default() += 1;
            }
        }
        self.plies += u64::from(report.plies);
    }

    /// The games of two engines, as the first of them sees them.
    pub fn pairing(&self, engine: usize, opponent: usize) -> Option<Tally> {
        let tally = |pair| self.pairings.get(&pair).map(Record::tally);
        tally((engine, opponent)).or_else(|| tally((opponent, engine)).map(|t| t.reversed()))
    }

    /// All games of an engine, as it sees them.
    pub fn engine(&self, engine: usize) -> Tally {
        let mut sum = Tally::default();
        for opponent in 0..self.names.len() {
            if let Some(tally) = self.pairing(engine, opponent) {
                sum += tally;
            }
        }
        sum
    }

    /// Games in all.
    pub fn games(&self) -> u64 {
        self.pairings.values().map(|record| record.tally().games().total()).sum()
    }

    fn movers(&self) -> Movers {
        let movers = self.pairings.values().map(|record| record.tally().movers());
        movers.fold(Movers::default(), |sum, movers| sum + movers)
    }

    /// The test, and where it stands.
    pub fn sprt(&self) -> Option<(Sprt, super::SprtStatus)> {
        let tally = self.pairing(0, 1)?;
        self.sprt.map(|sprt| (sprt, sprt.status(&tally)))
    }

    /// The score in a few words: `12/100 new: +7 =1 -4, 62.5 %, Elo +88.7 ± 180.2`.
    pub fn line(&self, games: u64) -> String {
        let mut text = format!("{}/{games}", self.games());
        // With more than two engines, the leader's.
        let shown = if self.names.len() == 2 { Some(0) } else { self.ranking().first().copied() };
        if let Some(engine) = shown.filter(|_| self.games() > 0) {
            let tally = self.engine(engine);
            let _ = write!(text, " {}: {}", self.names[engine], tally.games());
            if let (Some(score), Some(elo)) = (tally.score(), tally.elo()) {
                let _ = write!(text, ", {:.1} %, Elo {elo}", score * 100.0);
            }
            if let Some((_, status)) = self.sprt() {
                let _ = write!(
                    text,
                    ", LLR {:.2} ({:.2}, {:.2})",
                    status.llr, status.lower, status.upper
                );
            }
            let faults: u64 = self.faults.iter().flat_map(BTreeMap::values).sum();
            if faults > 0 {
                let _ = write!(text, ", faults {faults}");
            }
        }
        text
    }

    /// Engines that have lost more than one game in twenty on time, with how many: their match says
    /// little of their strength.
    pub fn late(&self) -> Vec<(&str, u64)> {
        let late = |engine: usize| {
            let losses = self.faults[engine].get(&FaultKind::Time).copied().unwrap_or_default();
            let games = self.engine(engine).games().total();
            (losses * 20 > games).then(|| (self.names[engine].as_str(), losses))
        };
        (0..self.names.len()).filter_map(late).collect()
    }

    /// The engines, the most successful first.
    fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.names.len()).collect();
        let score = |&engine: &usize| self.engine(engine).score().unwrap_or(-1.0);
        ranking.sort_by(|a, b| score(b).total_cmp(&score(a)));
        ranking
    }

    fn write_duel(&self, f: &mut fmt::Formatter<'_>, tally: &Tally) -> fmt::Result {
        let games = tally.games();
        let [points, other] = [games.half_points(), 2 * games.total() - games.half_points()]
            .map(|half| half as f64 / 2.0);
        writeln!(f, "{} {points} : {other} {}", self.names[0], self.names[1])?;
        writeln!(f)?;
        let drawn = tally
            .draw_rate()
            .map_or(String::new(), |rate| format!(" ({:.1} % drawn)", rate * 100.0));
        writeln!(f, "Games   {}  {games}{drawn}", games.total())?;
        if self.swap {
            writeln!(
                f,
                "Pairs   {}  {} with 0, ½, 1, 1½, 2 points",
                tally.pairs().total(),
                tally.pairs()
            )?;
        }
        if let (Some(score), Some(elo), Some(los)) = (tally.score(), tally.elo(), tally.los()) {
            writeln!(f, "Score   {:.2} %", score * 100.0)?;
            writeln!(f, "Elo     {elo} (95 %)")?;
            if let Some(normalized) = tally.normalized_elo() {
                writeln!(f, "nElo    {normalized}")?;
            }
            writeln!(f, "LOS     {:.1} %", los * 100.0)?;
        }
        if let Some((sprt, status)) = self.sprt() {
            writeln!(f, "SPRT    {status}  [{sprt}]")?;
        }
        Ok(())
    }

    fn write_ranking(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranking = self.ranking();
        let mut rows = vec![
            ["", "engine", "games", "won", "drawn", "lost", "score", "Elo"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for (rank, &engine) in (1..).zip(&ranking) {
            let tally = self.engine(engine);
            let Games { wins, draws, losses } = tally.games();
            rows.push(vec![
                format!("{rank}"),
                self.names[engine].clone(),
                tally.games().total().to_string(),
                wins.to_string(),
                draws.to_string(),
                losses.to_string(),
                tally.score().map_or("-".to_owned(), |score| format!("{:.1} %", score * 100.0)),
                tally.elo().map_or("-".to_owned(), |elo| elo.to_string()),
            ]);
        }
        writeln!(f, "{}\n", table(&rows, 2))?;
        let head = (1..=ranking.len()).map(|rank| rank.to_string());
        let mut rows =
            vec![["points".to_owned(), "against".to_owned()].into_iter().chain(head).collect()];
        for (rank, &engine) in (1..).zip(&ranking) {
            let mut row = vec![format!("{rank}"), self.names[engine].clone()];
            row.extend(ranking.iter().map(|&opponent| match self.pairing(engine, opponent) {
                Some(tally) if tally.games().total() > 0 => {
                    let games = tally.games();
                    format!("{}/{}", games.half_points() as f64 / 2.0, games.total())
                }
                _ => "-".to_owned(),
            }));
            rows.push(row);
        }
        writeln!(f, "{}\n", table(&rows, 2))
    }

    fn write_efforts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<FaultKind> = FaultKind::ALL
            .into_iter()
            .filter(|kind| {
                // These three are always told of.
                let usual = [FaultKind::Time, FaultKind::Crash, FaultKind::IllegalMove];
                usual.contains(kind) || self.faults.iter().any(|faults| faults.contains_key(kind))
            })
            .collect();
        let head = ["engine", "moves", "depth", "nodes/s", "ms/move", "longest", "time"];
        let mut rows = vec![
            head.into_iter()
                .chain(kinds.iter().map(|kind| kind.name()))
                .map(str::to_owned)
                .collect(),
        ];
        for (engine, effort) in self.efforts.iter().enumerate() {
            let shown = |value: Option<f64>, digits: usize| {
                value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
            };
            let mut row = vec![
                self.names[engine].clone(),
                effort.moves.to_string(),
                shown(effort.depth(), 1),
                shown(effort.nps(), 0),
                shown(effort.move_ms(), 2),
                shown(effort.move_ms().map(|_| effort.longest_us as f64 / 1000.0), 2),
                shown(Some(effort.time_us as f64 / 1e6), 1) + " s",
            ];
            row.extend(kinds.iter().map(|kind| {
                self.faults[engine].get(kind).copied().unwrap_or_default().to_string()
            }));
            rows.push(row);
        }
        writeln!(f, "{}", table(&rows, 1))
    }

    /// Everything, as values of a JSON object.
    pub fn to_json(&self) -> Map<String, Value> {
        let engines: Vec<Value> = (0..self.names.len())
            .map(|engine| {
                let effort = self.efforts[engine];
                let mut value = tally_json(&self.engine(engine));
                value.insert("name".to_owned(), self.names[engine].clone().into());
                value.insert("effort".to_owned(), json!(effort));
                value.insert("depth".to_owned(), json!(effort.depth()));
                value.insert("nps".to_owned(), json!(effort.nps()));
                value.insert("move_ms".to_owned(), json!(effort.move_ms()));
                value.insert("faults".to_owned(), json!(self.faults[engine]));
                value.into()
            })
            .collect();
        let pairings: Vec<Value> = self
            .pairings
            .iter()
            .map(|(&(first, second), record)| {
                let mut value = tally_json(&record.tally());
                value.insert("engines".to_owned(), json!([first, second]));
                value.into()
            })
            .collect();
        let sprt = self.sprt().map(|(sprt, status)| {
            json!({
                "test": sprt.to_string(), "llr": status.llr, "lower": status.lower,
                "upper": status.upper, "decision": status.decision.to_string(),
            })
        });
        let movers = self.movers();
        let value = json!({
            "games_played": self.games(),
            "plies_played": self.plies,
            "standings": engines,
            "pairings": pairings,
            "movers": {
                "first_wins": movers.first_wins, "second_wins": movers.second_wins,
                "draws": movers.draws, "percent": movers.percentages(),
            },
            "sprt": sprt,
        });
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

fn tally_json(tally: &Tally) -> Map<String, Value> {
    fn estimate<T: Copy + Into<f64>>(estimate: Option<Estimate<T>>) -> Value {
        estimate.map_or(Value::Null, |e| {
            // What is infinite becomes `null`.
            json!({"value": e.value.into(), "low": e.low.into(), "high": e.high.into()})
        })
    }
    let Games { wins, draws, losses } = tally.games();
    let fields = [
        ("games", json!(tally.games().total())),
        ("wins", json!(wins)),
        ("draws", json!(draws)),
        ("losses", json!(losses)),
        ("pairs", json!(tally.pairs().counts())),
        ("score", json!(tally.score())),
        ("draw_rate", json!(tally.draw_rate())),
        ("elo", estimate(tally.elo())),
        ("normalized_elo", estimate(tally.normalized_elo())),
        ("los", json!(tally.los())),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Rows of cells in columns, the first of them to the left and the others to the right.
pub(crate) fn table(rows: &[Vec<String>], left: usize) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for row in rows {
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        let alignment = if index < left { CellAlignment::Left } else { CellAlignment::Right };
        column.set_cell_alignment(alignment);
        column.set_padding((0, 2));
    }
    let lines: Vec<_> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

impl fmt::Display for Standings {
    /// The tables at the end of a match.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pairing(0, 1) {
            Some(tally) if self.names.len() == 2 => self.write_duel(f, &tally)?,
            _ => self.write_ranking(f)?,
        }
        writeln!(f, "Movers  {}", self.movers())?;
        writeln!(f)?;
        self.write_efforts(f)
    }
}

#[cfg(test)]
mod tests;
