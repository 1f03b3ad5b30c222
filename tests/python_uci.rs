//! pyffish, the rules of Fairy-Stockfish, judges games that the program plays over UCI.

mod common;

use std::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/play_uci.py");

#[test]
fn games_over_uci_are_played_by_its_rules() {
    let Some(python) = common::python_with("pyffish") else { return };
    const GAMES: &str = "20";
    let output = Command::new(python)
        .args([SCRIPT, env!("CARGO_BIN_EXE_physarum"), GAMES])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    let numbers: Vec<u32> = text.split([',', ' ']).filter_map(|word| word.parse().ok()).collect();
    let [games, positions, passes] = numbers[..] else { panic!("{text}{errors}") };
    assert!(games == 20 && positions > 500 && passes > 0, "{text}{errors}");
}
