//! PGN there and back through python-ataxx.

mod common;

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::games::{RandomGame, config, game};
use physarum::game::Rules;
use physarum::record::{Comment, GameRecord, GameResult, PgnReader, PgnWriter, RecordedScore};
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/games.py");

/// What the script says.
fn script(python: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new(python).arg(SCRIPT).args(args).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(said) } else { Err(complaint) }
}

/// A comment such as programs write, or people, or none.
fn comment(ply: usize) -> Comment {
    let time = Duration::from_millis(ply as u64);
    match ply % 5 {
        0 => Comment::default().with_score(RecordedScore::Cp(-35)).with_depth(9).with_time(time),
        1 => {
            Comment::default().with_score(RecordedScore::Win(2)).with_text("; 1-0 [so] % \"it\" \\")
        }
        2 => Comment::default().with_text("12ms"),
        _ => Comment::default(),
    }
}

fn record(number: usize, game: &RandomGame) -> GameRecord {
    let start = *game.positions().next().unwrap();
    let mut record = GameRecord::new(start, Rules::Ataxx);
    record.tags.set("Black", &format!("player {number}")).unwrap();
    record.tags.set("White", "somebody").unwrap();
    record.tags.set("Termination", "a \"quoted\" \\ [reason]").unwrap();
    record.preface = Comment::default().with_text("f1 is not the first move");
    for (ply, (_, mv)) in game.plies.iter().enumerate() {
        record.push(*mv, comment(ply)).unwrap();
    }
    record.result = GameResult::from(record.outcome());
    record
}

/// A game as the script puts it.
fn line(game: &GameRecord) -> String {
    let tag = |name| game.tags.get(name).unwrap_or("?");
    let moves: Vec<_> = game.moves().iter().map(|ply| ply.mv.to_string()).collect();
    let comments: Vec<_> = game.moves().iter().map(|ply| ply.comment.to_string()).collect();
    let players = format!("{}, {}", tag("Black"), tag("White"));
    let (moves, comments) = (moves.join(" "), comments.join("|"));
    format!("{players}\t{}\t{}\t{moves}\t{comments}", game.result, game.last())
}

#[test]
fn it_reads_what_we_write() {
    let Some(python) = common::python() else { return };
    let mut runner = TestRunner::new(config(1));
    let games = vec(game(Rules::Ataxx), 60).new_tree(&mut runner).unwrap().current();
    let records: Vec<_> = games.iter().enumerate().map(|(i, game)| record(i, game)).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let mut writer = PgnWriter::new(File::create(&path).unwrap());
    for record in &records {
        writer.write(record).unwrap();
    }
    let said = script(&python, &["read", path.to_str().unwrap()]).unwrap();
    let lines: Vec<_> = records.iter().map(line).collect();
    assert_eq!(said.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn we_read_what_it_writes() {
    let Some(python) = common::python() else { return };
    const GAMES: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let said = script(&python, &["write", path.to_str().unwrap(), &GAMES.to_string()]).unwrap();
    let games = PgnReader::new(BufReader::new(File::open(&path).unwrap()));
    let games: Vec<GameRecord> = games.collect::<Result<_, _>>().unwrap();
    assert_eq!(games.len(), GAMES);
    let lines: Vec<_> = games.iter().map(line).collect();
    assert_eq!(lines, said.lines().collect::<Vec<_>>());
    // What makes it a test.
    assert!(games.iter().any(|game| game.outcome().is_some()));
    assert!(said.contains(" 0000 "));
    assert!(said.contains("|+0.35/9 12ms, fine|"));
    assert!(fs::read_to_string(&path).unwrap().contains("(1. "));
}

#[test]
fn the_script_sees_what_is_wrong() {
    let Some(python) = common::python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let file = |moves: &str| {
        let game = "[Event \"x\"]\n[Black \"x\"]\n[White \"x\"]\n[Result \"*\"]\n\n";
        fs::write(&path, format!("{game}1. f1 *\n\n{game}{moves}\n\n")).unwrap();
        script(&python, &["read", path.to_str().unwrap()])
    };
    assert_eq!(file("1. f1 a2 *").unwrap().lines().count(), 2);
    assert!(file("1. f1 a3 *").unwrap_err().contains("1 games of 2"));
    // This is why our moves stand on one line.
    let wrapped = file("1. f1\na2 *").unwrap();
    assert!(wrapped.lines().last().unwrap().contains("\tf1\t"), "{wrapped}");
}
