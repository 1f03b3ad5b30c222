//! Names the worst moves of the games in a PGN file: `cargo run --release --example analyse_pgn games.pgn`.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use physarum::analysis::{Entries, Judge, Settings, Told, Verdict, analyze_all};
use physarum::search::Limits;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: analyse_pgn FILE")?;
    let file = BufReader::new(File::open(&path).map_err(|error| format!("{path}: {error}"))?);
    blunders(file, io::stdout(), 50_000)
}

/// Writes a line for every blunder, searching so many positions for each move.
pub fn blunders(
    games: impl BufRead + Send,
    mut output: impl Write,
    nodes: u64,
) -> Result<(), Box<dyn Error>> {
    let settings = Settings {
        limits: Limits { nodes: Some(nodes), ..Limits::default() },
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        ..Settings::default()
    };
    let mut judge = Judge::default();
    let mut result = Ok(());
    analyze_all(Entries::new(games), &settings, &AtomicBool::new(false), |record| {
        for told in record.into_iter().flat_map(|record| judge.take(record)) {
            let Told::Position(record) = told else { continue };
            if let Some(error) = record.error() {
                result = writeln!(output, "{error}");
            }
            let (Some(finding), Some(judgement), Some(ply)) =
                (record.finding(), &record.judgement, &record.ply)
            else {
                continue;
            };
            if judgement.verdict == Some(Verdict::Blunder) {
                let best = finding.best.as_deref().unwrap_or("-");
                let (game, number, played) = (ply.game, ply.number, &judgement.played);
                result = writeln!(output, "game {game}, move {number}: {played}, better {best}");
            }
        }
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(result?)
}
