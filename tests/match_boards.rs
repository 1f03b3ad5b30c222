//! Whole games of the engine against itself on boards with gaps, under both rule sets: nothing goes
//! wrong, and what is written down is what was played.
#![cfg(unix)]

#[path = "common/matches.rs"]
mod matches;
#[path = "common/random.rs"]
mod random;

use matches::{Arena, ERRORS};
use physarum::game::{Color, Outcome, Position, Rules};
use physarum::record::GameRecord;
use physarum::referee::with_symmetric_gaps;
use random::Random;

const ROUNDS: usize = 24;
/// Under `Assimilation` nothing else ends a game of endless jumps.
const MAX_PLIES: usize = 300;

/// Boards with gaps, and some moves on each, so that no two games are the same.
fn openings(rules: Rules) -> String {
    let boards = with_symmetric_gaps(&Position::default(), 16);
    assert!(boards.len() > 2 * ROUNDS, "{}", boards.len());
    let mut random = Random(rules as u64);
    let mut text = String::new();
    for round in 0..ROUNDS {
        let mut position = boards[1 + round * (boards.len() - 1) / ROUNDS];
        for _ in 0..random.in_range(0..=6) {
            let child = position.play(*random.choose(&position.legal_moves(rules)));
            if child.outcome(rules).is_some() {
                break;
            }
            position = child;
        }
        text.push_str(&format!("{position}\n"));
    }
    text
}

/// The position in the end, after moves that are all legal.
#[track_caller]
fn replay(record: &GameRecord, rules: Rules) -> Position {
    assert_eq!(record.rules(), rules, "{record}");
    let mut position = *record.start();
    assert!(!position.gaps().is_empty(), "{record}");
    for ply in record.moves() {
        assert_eq!(position.check(ply.mv, rules), Ok(()), "{} in {position}\n{record}", ply.mv);
        position = position.play(ply.mv);
    }
    position
}

#[track_caller]
fn play(rules: Rules) -> Vec<GameRecord> {
    let arena = Arena::new();
    arena.write("book.txt", &openings(rules));
    let program = env!("CARGO_BIN_EXE_physarum");
    let engines = [("more", 150), ("less", 100)]
        .map(|(name, nodes)| format!("cmd={program},name={name},nodes={nodes},option.Hash=1"));
    let (rounds, max_plies) = (ROUNDS.to_string(), MAX_PLIES.to_string());
    let report = arena.report_of(&[
        "--engine",
        &engines[0],
        "--engine",
        &engines[1],
        // Far more than so few nodes take, but a clock all the same.
        "--tc",
        "20+1",
        "--rules",
        rules.name(),
        "--rounds",
        &rounds,
        "--max-plies",
        &max_plies,
        "--openings",
        "book.txt",
        "--concurrency",
        "2",
    ]);
    assert!(!arena.read(ERRORS).contains("panicked"), "{}", arena.read(ERRORS));
    assert_eq!(report["status"], "complete");

    let (reports, records) = (report["games"].as_array().expect("a list"), arena.games());
    assert_eq!((reports.len(), records.len()), (2 * ROUNDS, 2 * ROUNDS));
    let mut results = [0; 3];
    for record in &records {
        let round = |record: &GameRecord| record.tags.get("Round").map(str::to_owned);
        let number = records.iter().filter(|other| round(other) == round(record)).count();
        assert_eq!(number, 1, "{record}");
        let last = replay(record, rules);
        let outcome = last.outcome(rules);
        let told = record.result.outcome();
        if let Some(outcome) = outcome {
            assert_eq!(told, Some(outcome), "{record}");
        } else {
            assert_eq!((told, record.moves().len()), (Some(Outcome::Draw), MAX_PLIES), "{record}");
        }
        // Counted as the first engine sees it.
        let first = match record.tags.get("Black") {
            Some("more") => Color::Black,
            _ => Color::White,
        };
        results[match told {
            Some(Outcome::Win(color)) if color == first => 0,
            Some(Outcome::Win(_)) => 2,
            _ => 1,
        }] += 1;
    }
    for game in reports {
        let reason = game["reason"].as_str().expect("a word");
        assert!(["board", "halfmove-limit", "max-plies"].contains(&reason), "{game}");
        assert!(rules == Rules::Ataxx || reason != "halfmove-limit", "{game}");
    }
    let counted = ["wins", "draws", "losses"].map(|key| report["pairings"][0][key].as_u64());
    assert_eq!(counted, results.map(|count: u64| Some(count)));
    records
}

#[test]
fn games_on_boards_with_gaps_go_as_they_should() {
    let records = play(Rules::Ataxx);
    // What is special about these rules has been met.
    let passes = |record: &GameRecord| record.moves().iter().any(|ply| ply.mv.to().is_none());
    assert!(records.iter().any(passes));
}

#[test]
fn games_under_assimilation_go_as_they_should() {
    let records = play(Rules::Assimilation);
    let rules = Rules::Assimilation;
    // Games have ended there that the other rules would have let go on.
    let ended = |record: &GameRecord| replay(record, rules).outcome(Rules::Ataxx).is_none();
    assert!(records.iter().any(ended));
}
