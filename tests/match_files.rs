//! The files of a match: settings, results, games and reports, whole or not.
#![cfg(unix)]

#[path = "common/matches.rs"]
mod matches;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use matches::{Arena, ERRORS, GAMES, OUTPUT, REPORT, RESULTS, Running, until};
use serde_json::{Value, json};

const TWO: [&str; 4] = ["--engine", "builtin=greedy", "--engine", "builtin=random"];

/// Settings for a match of two engines that need no program.
const ENGINES: &str = "[[engine]]\nbuiltin = \"greedy\"\n[[engine]]\nbuiltin = \"random\"\n";

/// Plays a match with no files but those that are named; gives what it says as an error.
#[track_caller]
fn play(arena: &Arena, args: &[&str], status: i32) -> String {
    let ended = Running::of(arena.plain(args)).wait();
    let errors = arena.read(ERRORS);
    assert_eq!(ended, Some(status), "{args:?}\n{errors}");
    assert!(!errors.contains("panicked"), "{args:?}\n{errors}");
    errors
}

/// A match that must not even begin.
#[track_caller]
fn refused(arena: &Arena, args: &[&str], message: &str) {
    let errors = play(arena, args, 2);
    assert!(errors.contains(message), "{args:?}: {message}\n{errors}");
    assert_eq!(arena.read(OUTPUT), "", "{args:?}");
}

/// Arguments for a match of some rounds, with results.
fn rounds<'a>(rounds: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&TWO[..], &["--rounds", rounds, "--results", RESULTS], more].concat()
}

#[test]
fn limits_of_the_command_line_come_before_all_in_the_file() {
    let arena = Arena::new();
    let limits = |config: &str, args: &[&str]| {
        arena.write("match.toml", &format!("rounds = 1\n{config}\n{ENGINES}"));
        let args = [&["--config", "match.toml", "--json", REPORT], args].concat();
        play(&arena, &args, 0);
        let description = arena.report()["engines"][0]["description"].clone();
        // What the report says of the settings gives the same match.
        arena.write("again.json", &arena.report()["settings"].to_string());
        play(&arena, &["--config", "again.json", "--json", REPORT], 0);
        assert_eq!(arena.report()["engines"][0]["description"], description);
        description
    };
    let greedy =
        |key: &str, value: Value| json!({"name": "greedy", "builtin": "greedy", key: value});
    let each = "[each]\nnodes = 5\n";
    assert_eq!(limits(each, &[]), greedy("nodes", 5.into()));
    assert_eq!(limits(each, &["--depth", "1"]), greedy("depth", 1.into()));
    assert_eq!(limits(each, &["--tc", "3+1"]), greedy("tc", "3+1".into()));
    assert_eq!(limits(each, &["--each", "movetime=7"]), greedy("movetime", 7.into()));
    assert_eq!(limits("nodes = 5", &["--movetime", "7"]), greedy("movetime", 7.into()));
    assert_eq!(limits("nodes = 5", &["--each", "depth=7"]), greedy("depth", 7.into()));
    for option in ["--nodes", "--movetime", "--depth", "--tc"] {
        let args = [&TWO[..], &["--each", "tc=1", option, "5"]].concat();
        refused(&arena, &args, &format!("--each and {option} both set a limit"));
    }
}

#[test]
fn settings_of_a_file_have_the_ranges_of_the_command_line() {
    let arena = Arena::new();
    let most = u64::MAX / 2;
    for (setting, message) in [
        ("rounds = 0".to_owned(), "rounds: 0 is not in 1.."),
        ("nodes = 0".to_owned(), "nodes: 0 is not in 1.."),
        ("depth = 0".to_owned(), "depth: 0 is not in 1.."),
        ("movetime = 0".to_owned(), "movetime: 0 is not in 1..=31622400000"),
        (format!("movetime = {most}"), "is not in 1..=31622400000"),
        (format!("time-margin = {most}"), "is not in 0..=31622400000"),
        ("max-plies = 0".to_owned(), "max-plies: 0 is not in 1.."),
        ("concurrency = 0".to_owned(), "concurrency: 0 is not in 1..=1024"),
        ("concurrency = 5000".to_owned(), "concurrency: 5000 is not in 1..=1024"),
        ("interval = 0".to_owned(), "interval: 0 is not in 1..=86400"),
        ("start-timeout = 0".to_owned(), "start-timeout: 0 is not in 1..=86400"),
        ("move-timeout = 0".to_owned(), "move-timeout: 0 is not in 1..=31536000"),
        (format!("move-timeout = {most}"), "move-timeout: 9223372036854775807 is not in"),
        ("json = \"\"".to_owned(), "--json: the name of a file is expected"),
        ("openings = \"\"".to_owned(), "--openings: the name of a file is expected"),
        ("[each]\nnodes = 0".to_owned(), "engine \"greedy\": nodes: a whole number from 1 to"),
        ("[[engine]]\ncmd = \"\"\nnodes = 1".to_owned(), "engine \"?\": cmd is empty"),
    ] {
        arena.write("match.toml", &format!("{setting}\n{ENGINES}"));
        refused(&arena, &["--config", "match.toml"], message);
    }
    for (argument, message) in [
        (["--movetime", "31622400001"], "31622400001 is not in 1..=31622400000"),
        (["--each", "movetime=31622400001"], "a whole number from 1 to 31622400000"),
        (["--time-margin", "31622400001"], "is not in 0..=31622400000"),
    ] {
        refused(&arena, &[&TWO[..], &argument].concat(), message);
    }
}

#[test]
fn settings_may_be_written_as_they_come() {
    let arena = Arena::new();
    arena.write("a.json", "\u{feff}{\"rounds\": 1, \"tc\": 1, \"engine\": [{\"builtin\": \"greedy\"}, {\"builtin\": \"random\"}]}");
    play(&arena, &["--config", "a.json", "--json", REPORT], 0);
    assert_eq!(arena.report()["engines"][0]["description"]["tc"], "1");
    let program = env!("CARGO_BIN_EXE_physarum");
    arena.write(
        "b.toml",
        &format!(
            "\u{feff}rounds = 1\nnodes = 1\n[[engine]]\ncmd = {program:?}\nargs = \"--rules 'ataxx'\"\n\
             option.Hash = 1\noption.Ponder = true\n[[engine]]\nbuiltin = \"random\"\n"
        ),
    );
    play(&arena, &["--config", "b.toml", "--json", REPORT], 0);
    let description = &arena.report()["engines"][0]["description"];
    assert_eq!(description["args"], json!(["--rules", "ataxx"]));
    assert_eq!(description["option"], json!({"Hash": "1", "Ponder": "true"}));
    refused(&arena, &["--config", "/dev/zero"], "/dev/zero: settings of more than 16777216 bytes");
}

#[test]
fn names_that_are_not_text_do_no_harm() {
    let arena = Arena::new();
    let name = OsStr::from_bytes(b"games-\xff.pgn");
    if fs::write(arena.path("x").with_file_name(name), "").is_err() {
        return; // Not every file system has such names.
    }
    let mut command = arena.plain(&[&TWO[..], &["--rounds", "1", "--json", REPORT]].concat());
    command.arg("--pgn-out").arg(name);
    assert_eq!(Running::of(command).wait(), Some(0), "{}", arena.read(ERRORS));
    assert_eq!(arena.report()["settings"]["pgn-out"], "games-\u{fffd}.pgn");
}

#[test]
fn each_file_has_one_purpose() {
    let arena = Arena::new();
    arena.write("file", "startpos\n");
    arena.write("match.toml", ENGINES);
    fs::hard_link(arena.path("file"), arena.path("hard")).unwrap();
    symlink("new", arena.path("link")).unwrap();
    let options = ["--openings", "--results", "--pgn-out", "--json"];
    for (index, option) in options.iter().enumerate() {
        for other in &options[..index] {
            for (one, two) in [("file", "./hard"), ("new", "new"), ("./new", "link")] {
                let args = [&TWO[..], &[other, one, option, two]].concat();
                refused(&arena, &args, &format!("{other} and {option} are the same file"));
            }
        }
        let args = ["--config", "match.toml", option, "match.toml"];
        refused(&arena, &args, &format!("--config and {option} are the same file"));
    }
    // Files that settings name, too.
    arena.write("match.toml", &format!("json = \"new\"\n{ENGINES}"));
    let args = ["--config", "match.toml", "--results", "new"];
    refused(&arena, &args, "--results and --json are the same file");
    assert_eq!(arena.read("file"), "startpos\n");
    assert!(!arena.path("new").exists());
    // Nothing is lost with these.
    let args = ["--rounds", "1", "--json", "/dev/null", "--pgn-out", "/dev/null"];
    play(&arena, &[&TWO[..], &args].concat(), 0);
}

#[test]
fn a_report_that_cannot_be_written_is_told_of() {
    let arena = Arena::new();
    arena.write("protected", "mine");
    fs::set_permissions(arena.path("protected"), fs::Permissions::from_mode(0o444)).unwrap();
    let report = |path| [&TWO[..], &["--rounds", "1", "--json", path]].concat();
    refused(&arena, &report("protected"), "protected: this file is read-only");
    refused(&arena, &report("."), ".: this is a folder");
    refused(&arena, &report("no/where"), "no/where: there is no folder");
    assert_eq!(arena.read("protected"), "mine");
    if !Path::new("/dev/full").exists() {
        return;
    }
    // The tables are there anyway.
    let errors = play(&arena, &report("/dev/full"), 1);
    assert!(errors.contains("error: /dev/full: "), "{errors}");
    assert!(arena.read(OUTPUT).contains("greedy"));
    // After an interruption, too.
    let slow = arena.script(
        "slow",
        "while read -r line; do case $line in uai) echo uaiok;; isready) echo readyok;; \
         go*) : > asked;; quit) exit;; esac; done",
    );
    let mut args = report("/dev/full");
    args[1] = &slow;
    let running = Running::of(arena.plain(&[&args[..], &["--depth", "1"]].concat()));
    until("it is asked", || arena.path("asked").exists());
    running.signal("INT");
    assert_eq!(running.wait(), Some(4));
    let errors = arena.read(ERRORS);
    assert!(errors.contains("error: /dev/full: ") && errors.contains("interrupted"), "{errors}");
}

#[test]
fn a_report_takes_the_place_of_another() {
    let arena = Arena::new();
    arena.write("old.json", "old");
    fs::set_permissions(arena.path("old.json"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("old.json", arena.path("link.json")).unwrap();
    let long = "n".repeat(255);
    for path in ["link.json", &long] {
        play(&arena, &[&TWO[..], &["--rounds", "1", "--json", path]].concat(), 0);
        assert!(arena.read(path).starts_with('{'));
    }
    assert!(arena.path("link.json").is_symlink());
    let mode = fs::metadata(arena.path("old.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    let names = fs::read_dir(arena.path("")).unwrap().count();
    // Two files, the link, and what was printed.
    assert_eq!(names, 5);
}

#[test]
fn results_are_kept_in_a_file_only() {
    let arena = Arena::new();
    fs::create_dir(arena.path("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(arena.path("fifo")).status().unwrap().success());
    for path in ["folder", "fifo", "/dev/zero", "/dev/null", "/dev/stdin"] {
        for more in [&[][..], &["--resume"]] {
            let args = [&TWO[..], &["--results", path], more].concat();
            refused(&arena, &args, &format!("{path}: this is no regular file"));
        }
    }
    for bytes in [&b"\x00\xff\x80\n\x80"[..], b"\xff", b"{\"a\xff\":1}\n"] {
        fs::write(arena.path(RESULTS), bytes).unwrap();
        refused(&arena, &rounds("1", &["--resume"]), "line 1: not the results of a match");
        assert_eq!(fs::read(arena.path(RESULTS)).unwrap(), bytes);
    }
}

#[test]
fn a_line_torn_within_a_letter_is_cut_off() {
    let arena = Arena::new();
    play(&arena, &rounds("2", &[]), 0);
    let whole = arena.read(RESULTS);
    for end in 2..5 {
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let mut torn = lines[..end].concat().into_bytes();
        torn.extend_from_slice(b"{\"errors\":[\"\xc3");
        fs::write(arena.path(RESULTS), torn).unwrap();
        play(&arena, &rounds("2", &["--resume"]), 0);
        assert_eq!(arena.read(RESULTS).lines().count(), 5);
    }
    // The header is the first line that can be torn.
    arena.write(RESULTS, &whole[..20]);
    play(&arena, &rounds("2", &["--resume"]), 0);
    assert_eq!(arena.read(RESULTS).lines().count(), 5);
}

#[test]
fn what_is_refused_changes_no_file() {
    let arena = Arena::new();
    let errors = play(&arena, &rounds("1", &["--pgn-out", "no/games.pgn"]), 1);
    assert!(errors.contains("no/games.pgn"), "{errors}");
    assert!(!arena.path(RESULTS).exists());
    let errors =
        play(&arena, &[&TWO[..], &["--results", "no/results", "--pgn-out", GAMES]].concat(), 1);
    assert!(errors.contains("no/results"), "{errors}");
    assert!(!arena.path(GAMES).exists());
    // The corrected command works.
    arena.write(GAMES, "[Event \"Before\"]\n\n*\n\n");
    play(&arena, &rounds("1", &["--pgn-out", GAMES]), 0);
    let results = arena.read(RESULTS);
    // The first game must begin behind something.
    let args = rounds("1", &["--resume", "--pgn-out", "other.pgn"]);
    refused(&arena, &args, "does not belong to the results");
    assert!(!arena.path("other.pgn").exists());
    // A torn line is not cut off either.
    arena.write(RESULTS, &format!("{results}{{\"game\""));
    refused(&arena, &args, "does not belong to the results");
    assert_eq!(arena.read(RESULTS), format!("{results}{{\"game\""));
    refused(
        &arena,
        &rounds("1", &["--resume", "--seed", "1", "--pgn-out", "other.pgn"]),
        "seed was",
    );
    assert!(!arena.path("other.pgn").exists());
}

#[test]
fn games_that_are_missing_are_added() {
    let arena = Arena::new();
    arena.write(GAMES, "\n");
    let play_on = |rounds_: &str, more: &[&str]| {
        let files = [&["--pgn-out", GAMES, "--resume"], more].concat();
        play(&arena, &rounds(rounds_, &files), 0)
    };
    play_on("3", &[]);
    let whole = arena.read(GAMES);
    assert_eq!(arena.games().len(), 6);
    let results = arena.read(RESULTS);
    for length in [whole.len() - 1, whole.len() / 2, whole.len() / 3, 30, 1] {
        arena.write(GAMES, &whole[..length]);
        let errors = play_on("3", &[]);
        assert_eq!(arena.read(GAMES), whole, "{length}");
        assert_eq!(arena.read(RESULTS), results, "{length}");
        assert!(!errors.contains("not in the file of games"), "{errors}");
    }
    // What is there must be what was written.
    for length in [whole.len(), whole.len() / 2] {
        let mut other = whole.as_bytes()[..length].to_vec();
        other[length - 2] ^= 1;
        fs::write(arena.path(GAMES), &other).unwrap();
        let args = rounds("3", &["--pgn-out", GAMES, "--resume"]);
        refused(&arena, &args, "does not belong to the results");
        assert_eq!(fs::read(arena.path(GAMES)).unwrap(), other);
    }
    arena.write(GAMES, "");
    let args = rounds("3", &["--pgn-out", GAMES, "--resume"]);
    refused(&arena, &args, "does not belong to the results");
    // What others have added behind the games stays.
    arena.write(GAMES, &format!("{whole}; a comment\n"));
    play_on("4", &[]);
    assert!(arena.read(GAMES).starts_with(&format!("{whole}; a comment\n")));
    assert_eq!(arena.games().len(), 8);
}

#[test]
fn a_lost_file_of_games_is_made_again() {
    let arena = Arena::new();
    let args = rounds("2", &["--pgn-out", GAMES, "--resume"]);
    play(&arena, &args, 0);
    let whole = arena.read(GAMES);
    fs::remove_file(arena.path(GAMES)).unwrap();
    play(&arena, &args, 0);
    assert_eq!(arena.read(GAMES), whole);
}

#[test]
fn games_that_were_never_in_the_file_are_told_of() {
    let arena = Arena::new();
    play(&arena, &rounds("1", &[]), 0);
    // Their text is kept in any case.
    let results = arena.read(RESULTS);
    let game: Value = serde_json::from_str(results.lines().last().unwrap()).unwrap();
    assert!(game["pgn"]["text"].as_str().unwrap().starts_with("[Event "));
    assert_eq!(game["pgn"].get("start"), None);
    let with_games = ["--resume", "--pgn-out", GAMES];
    let told = "warning: 2 games of the results are not in the file of games";
    let errors = play(&arena, &rounds("2", &with_games), 0);
    assert_eq!(errors.matches(told).count(), 1, "{errors}");
    assert_eq!(arena.games().len(), 2);
    // In between, once more without.
    play(&arena, &rounds("3", &["--resume"]), 0);
    let whole = arena.read(GAMES);
    arena.write(GAMES, &whole[..whole.len() - 10]);
    let errors = play(&arena, &rounds("3", &with_games), 0);
    assert!(errors.contains("warning: 4 games of the results"), "{errors}");
    assert_eq!(arena.read(GAMES), whole);
}

#[test]
fn games_go_into_a_pipe() {
    let arena = Arena::new();
    let mut command = arena.plain(&rounds("2", &["--pgn-out", "/dev/stdout"]));
    let output = command.stdout(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", arena.read(ERRORS));
    assert_eq!(String::from_utf8(output.stdout).unwrap().matches("[Event ").count(), 4);
    assert_eq!(arena.read(RESULTS).lines().count(), 5);

    assert!(Command::new("mkfifo").arg(arena.path("fifo")).status().unwrap().success());
    let mut reader = Command::new("cat");
    let reader = reader.arg(arena.path("fifo")).stdout(Stdio::piped()).spawn().unwrap();
    let errors = play(&arena, &rounds("3", &["--pgn-out", "fifo", "--resume"]), 0);
    assert!(errors.contains("warning: 4 games of the results"), "{errors}");
    let read = reader.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(read.stdout).unwrap().matches("[Event ").count(), 2);
    assert_eq!(arena.read(RESULTS).lines().count(), 7);
}
