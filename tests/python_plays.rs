//! python-ataxx as referee: it drives the program and judges its games.

mod common;

use std::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/play_games.py");

#[test]
fn games_are_played_to_their_end_and_won_against_random_moves() {
    let Some(python) = common::python() else { return };
    const GAMES: &str = "12";
    let output = Command::new(python)
        .args([SCRIPT, env!("CARGO_BIN_EXE_physarum"), GAMES])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    // A third of the games are of the engine against itself.
    assert!(text.trim().ends_with(" 8 won"), "{text}{errors}");
    assert!(text.starts_with(&format!("{GAMES} games")), "{text}{errors}");
}
