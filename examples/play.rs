//! Plays a game against you: `cargo run --release --example play`.
//!
//! You are black and type moves such as `f2` or `g1e3`; `quit` ends the game.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use physarum::eval::Evaluation;
use physarum::game::{Color, Game, Outcome, Rules, Square};
use physarum::search::{Control, Limits, Request, Settings, Table, search};

fn main() -> Result<(), Box<dyn Error>> {
    let limits = Limits { move_time: Some(Duration::from_millis(500)), ..Limits::default() };
    play(io::stdin().lock(), io::stdout(), &limits)
}

/// Reads your moves and writes the board and the engine's.
pub fn play(
    input: impl BufRead,
    mut output: impl Write,
    limits: &Limits,
) -> Result<(), Box<dyn Error>> {
    let rules = Rules::Ataxx;
    let evaluation = Evaluation::default();
    let settings = Settings { rules, ..Settings::default() };
    let table = Table::new(16)?;
    let mut game = Game::default();
    let mut lines = input.lines();
    loop {
        let position = *game.position();
        if let Some(outcome) = position.outcome(rules) {
            let text = match outcome {
                Outcome::Win(Color::Black) => "you win",
                Outcome::Win(Color::White) => "the engine wins",
                Outcome::Draw => "a draw",
            };
            writeln!(output, "{text}")?;
            return Ok(());
        }
        if position.side_to_move() == Color::White {
            let request =
                Request { game: &game, limits, settings: &settings, evaluation: &evaluation };
            let control = Control::new(Instant::now(), false);
            let result = search(&request, &table, &control, &mut |_| {});
            let Some(best) = result.best else { return Ok(()) };
            writeln!(output, "the engine plays {best}")?;
            game.play(best);
            continue;
        }
        for rank in (0..Square::WIDTH).rev() {
            let file_of = |file| match Square::new(file, rank) {
                Some(square) if position.stones(Color::Black).contains(square) => 'x',
                Some(square) if position.stones(Color::White).contains(square) => 'o',
                _ => '.',
            };
            let row: String = (0..Square::WIDTH).map(file_of).collect();
            writeln!(output, "{} {row}", rank + 1)?;
        }
        write!(output, "  abcdefg\nyour move: ")?;
        output.flush()?;
        let Some(line) = lines.next().transpose()? else { return Ok(()) };
        match line.trim() {
            "quit" => return Ok(()),
            text => match position.parse_move(text, rules) {
                Ok(mv) => game.play(mv),
                Err(error) => writeln!(output, "{error}")?,
            },
        }
    }
}
