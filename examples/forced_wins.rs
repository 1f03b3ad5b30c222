//! Finds forced wins among positions, one in a line: `cargo run --release --example forced_wins < positions.txt`.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use physarum::analysis::{Entries, Entry, solve};
use physarum::eval::Evaluation;
use physarum::game::{Move, Outcome};
use physarum::search::{Control, Limits, Request, Settings, Table};

fn main() -> Result<(), Box<dyn Error>> {
    forced_wins(io::stdin().lock(), io::stdout(), 2_000_000)
}

/// Writes the winning line of every position that the side to move wins by force, as far as that many
/// positions of search show it.
pub fn forced_wins(
    positions: impl BufRead,
    mut output: impl Write,
    nodes: u64,
) -> Result<(), Box<dyn Error>> {
    let evaluation = Evaluation::default();
    let mut table = Table::new(16)?;
    for entry in Entries::new(positions) {
        let Entry { game, rules, .. } = match entry {
            Ok(entry) => entry,
            Err(bad) => {
                writeln!(output, "line {}: {}", bad.line, bad.error)?;
                continue;
            }
        };
        table.clear();
        let request = Request {
            game: &game,
            limits: &Limits { nodes: Some(nodes), ..Limits::default() },
            settings: &Settings { rules, ..Settings::default() },
            evaluation: &evaluation,
        };
        let (analysis, solution) = solve(&request, &table, &Control::new(Instant::now(), false));
        let side = game.position().side_to_move();
        if let (Some(solution), Some(line)) = (solution, analysis.lines.first())
            && solution.outcome == Outcome::Win(side)
        {
            let moves: Vec<String> = line.moves.iter().map(Move::to_string).collect();
            writeln!(output, "{}: {}", game.position(), moves.join(" "))?;
        }
    }
    Ok(())
}
