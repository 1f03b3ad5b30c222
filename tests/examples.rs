//! The programs in `examples/` do what they say.
#![allow(dead_code)] // their `main`s

#[path = "../examples/analyse_pgn.rs"]
mod analyse_pgn;
#[path = "../examples/forced_wins.rs"]
mod forced_wins;
#[path = "../examples/play.rs"]
mod play;

use physarum::search::Limits;

#[test]
fn a_game_can_be_played() {
    let limits = Limits { depth: Some(2), ..Limits::default() };
    let mut output = Vec::new();
    play::play("f2\nz9\n".as_bytes(), &mut output, &limits).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.starts_with("7 x.....o\n6 .......\n"), "{output}");
    assert_eq!(output.matches("the engine plays ").count(), 1, "{output}");
    assert!(output.contains("your move: no such square: z9\n"), "{output}");
}

#[test]
fn blunders_are_found() {
    let games = include_str!("data/cuteataxx.pgn");
    let mut output = Vec::new();
    analyse_pgn::blunders(games.as_bytes(), &mut output, 2000).unwrap();
    let output = String::from_utf8(output).unwrap();
    // Leaving the last stone to be taken is one.
    assert!(output.contains("game 1, move 4: g7e6, better "), "{output}");
    assert!(output.lines().all(|line| line.starts_with("game ")), "{output}");
}

#[test]
fn wins_are_found() {
    let positions = "7/7/7/7/2oo3/1x5/7 x 0 20\nx5o/7/7/7/7/7/o5x x 0 1\nbad\n";
    let mut output = Vec::new();
    forced_wins::forced_wins(positions.as_bytes(), &mut output, 20_000).unwrap();
    let output = String::from_utf8(output).unwrap();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 2, "{output}");
    assert!(lines[0].starts_with("7/7/7/7/2oo3/1x5/7 x 0 20: c"), "{output}");
    assert!(lines[1].starts_with("line 3: fen: "), "{output}");
}
