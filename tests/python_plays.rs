//! Python packages as referees: they drive the program and judge its games.

mod common;

use std::path::Path;
use std::process::Command;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/");

/// What a script says after so many games.
fn play(python: &Path, script: &str, games: &str) -> String {
    let output = Command::new(python)
        .args([&format!("{SCRIPTS}{script}"), env!("CARGO_BIN_EXE_physarum"), games])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert!(text.starts_with(&format!("{games} games")), "{text}{errors}");
    text.trim().to_owned()
}

#[test]
fn games_are_played_to_their_end_and_won_against_random_moves() {
    let Some(python) = common::python() else { return };
    let text = play(&python, "play_games.py", "12");
    // A third of the games are of the engine against itself.
    assert!(text.ends_with(" 8 won"), "{text}");
}

#[test]
fn games_over_uci_are_played_by_the_rules_of_fairy_stockfish() {
    let Some(python) = common::python_with("pyffish") else { return };
    let text = play(&python, "play_uci.py", "20");
    let numbers: Vec<u32> = text.split([',', ' ']).filter_map(|word| word.parse().ok()).collect();
    let [_, positions, passes] = numbers[..] else { panic!("{text}") };
    assert!(positions > 500 && passes > 0, "{text}");
}
