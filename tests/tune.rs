//! The tuner of the search's constants, as its users meet it.

#[path = "common/engine.rs"]
mod engine;

use std::fs;
#[cfg(unix)]
use std::{
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

#[cfg(unix)]
use engine::{DEADLINE, program, read_all, wait_for};
use engine::{fail, succeed};
use tempfile::tempdir;

/// `tune` with quick games, as far as nothing else is said.
fn tune<'a>(state: &'a str, iterations: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["tune", "--state", state, "--iterations", iterations];
    for usual in [
        &["--nodes", "30"][..],
        &["--hash", "1"],
        &["--threads", "1"],
        &["--rate", "0.1"],
        &["--eval-file", "hand-written"],
        &["--param", "lmr_base=40", "--param", "rfp_margin=200:12.5"],
    ] {
        if usual[0] == "--param" || !more.contains(&usual[0]) {
            args.extend(usual);
        }
    }
    args.extend(more);
    args
}

#[test]
fn all_constants_are_listed() {
    let text = succeed(&["tune", "--list"]);
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["parameter", "group", "default", "min", "max"]);
    assert!(lines.iter().all(|line| line.len() == 5));
    assert!(lines.iter().any(|line| line[..2] == ["lmr_divisor", "search"]));
    assert!(lines.iter().any(|line| line[..2] == ["soft_step", "time"]));
    let json: serde_json::Value =
        serde_json::from_str(&succeed(&["tune", "--list", "--json"])).unwrap();
    let json = json.as_array().unwrap();
    assert_eq!(json.len(), lines.len() - 1);
    for (line, value) in lines[1..].iter().zip(json) {
        assert_eq!(value["name"], line[0]);
        for (key, cell) in ["default", "min", "max"].iter().zip(&line[2..]) {
            assert_eq!(value[key].to_string(), **cell);
        }
    }
}

#[test]
fn wrong_arguments_are_refused() {
    for (more, word) in [
        (&["--param", "lmr_bass"][..], r#"there is no parameter "lmr_bass""#),
        (&["--param", "lmr_depth=9"], "lmr_depth can start from 2 to 5, not from 9"),
        (&["--param", "lmr_depth=two"], r#""two" is no number"#),
        (&["--param", "lmr_depth:4"], "lmr_depth can be moved by more than 0 and at most 3"),
        (&["--param", "lmr_base=7"], "--param lmr_base is there twice"),
        (&["--tc", "1"], "--nodes"),
        (&["--rate", "0"], "--rate"),
        (&["--threads", "0"], "a whole number from 1 to 256 is expected"),
        (&["--openings", "no.book"], "no.book"),
        (&["--csv", "x", "--plot", "x"], "x is to be two files at once"),
        (&["--plot", "./new.json"], "new.json is to be two files at once"),
    ] {
        fail(&tune("new.json", "2", more), 2, &[word]);
    }
    fail(&["tune", "--state", "new.json"], 2, &["--nodes"]);
    fail(&["tune", "--nodes", "5"], 2, &["--state"]);
    fail(&["tune", "--state", "new.json", "--nodes", "0"], 2, &["--nodes"]);
    fail(&["tune", "--state", "new.json", "--tc", "0+1"], 2, &["some time to begin with"]);
    fail(&["tune", "--state", "new.json", "--tc", "fast"], 2, &["is no time control"]);
    assert!(!fs::exists("new.json").unwrap());
}

#[test]
fn a_tuning_ends_with_what_has_come_out() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [state, book, csv, plot] = ["deep/er/tune.json", "book.txt", "t.csv", "t.svg"].map(path);
    fs::write(&book, "startpos\nstartpos moves f1 a2\n").unwrap();
    let more = ["--openings", &book, "--csv", &csv, "--plot", &plot];
    let out = succeed(&tune(&state, "6", &more));
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 5, "{out}");
    assert_eq!(lines[0], ["parameter", "start", "tuned", "exactly", "min", "max"]);
    assert_eq!((lines[1][0], &lines[1][4..]), ("lmr_base", &["0", "150"][..]));
    assert_eq!(lines[2][..2], ["rfp_margin", "200"]);
    assert_eq!(lines[3][..4], ["iterations", "6", "games", "12"]);
    let values = [1, 2].map(|row| format!("{}={}", lines[row][0], lines[row][2]));
    assert_eq!(lines[4], ["--param", &values[0], "--param", &values[1]]);
    // The last line can be given to the program.
    succeed(&[&["bench", "1"], &lines[4][..]].concat());

    let table = fs::read_to_string(&csv).unwrap();
    assert!(table.starts_with("iteration,lmr_base,rfp_margin\n0,40,200\n1,"), "{table}");
    assert_eq!(table.lines().count(), 8);
    assert!(fs::read_to_string(&plot).unwrap().contains(">rfp_margin<"));

    // There is nothing left to be done.
    let before = fs::read(&state).unwrap();
    let more = [&more[..], &["--json", "--threads", "2"]].concat();
    let json: serde_json::Value =
        serde_json::from_str(&succeed(&tune(&state, "6", &more))).unwrap();
    assert_eq!(json["arguments"], lines[4].join(" "));
    assert_eq!((&json["iterations"], &json["complete"]), (&6.into(), &true.into()));
    assert_eq!(json["parameters"][1]["start"], 200.0);
    assert_eq!(fs::read(&state).unwrap(), before);
}

#[test]
fn a_state_that_does_not_fit_is_left_alone() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [state, text, plot] = ["tune.json", "text", "none/plot.svg"].map(path);
    succeed(&tune(&state, "3", &[]));
    let before = fs::read(&state).unwrap();
    for (more, words) in [
        (&["--seed", "2"][..], "it belongs to another tuning: seed was 1 and now is 2"),
        (&["--param", "lmr_pv"], "parameter lmr_pv was not there and is "),
    ] {
        fail(&tune(&state, "3", more), 1, &[&state, words]);
    }
    fail(&tune(&state, "2", &[]), 1, &["3 iterations, which can only become more, not 2"]);
    fail(&tune(&state, "3", &["--plot", &plot]), 1, &["there is no folder"]);
    assert_eq!(fs::read(&state).unwrap(), before);
    succeed(&tune(&state, "4", &[]));

    for (bytes, words) in [(&b"text"[..], "not the state of a tuning"), (&before[..90], "damaged")]
    {
        fs::write(&text, bytes).unwrap();
        fail(&tune(&text, "3", &[]), 1, &[&text, words]);
        assert_eq!(fs::read(&text).unwrap(), bytes);
    }
    fail(&tune(folder.path().to_str().unwrap(), "3", &[]), 1, &["not a regular file"]);
    if fs::exists("/dev/null").unwrap() {
        fail(&tune("/dev/null", "3", &[]), 1, &["not a regular file"]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// How many iterations a state has; 0 if there is none yet.
#[cfg(unix)]
fn done(state: &str) -> u64 {
    let Ok(text) = fs::read(state) else { return 0 };
    let json: serde_json::Value = serde_json::from_slice(&text).expect("a whole state");
    json["done"].as_u64().expect("a number")
}

/// Starts an endless tuning and waits until its state is there and shows so many iterations more.
#[cfg(unix)]
fn start(state: &str, more: &[&str], iterations: u64) -> Child {
    let wanted = done(state) + iterations;
    let mut command = program(&tune(state, "100000000", more));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program should start");
    let start = Instant::now();
    while !fs::exists(state).unwrap() || done(state) < wanted {
        assert!(start.elapsed() < DEADLINE, "no news");
        thread::sleep(Duration::from_millis(5));
    }
    child
}

#[cfg(unix)]
#[test]
fn the_state_survives_any_end() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [state, csv, one, two] = ["tune.json", "tune.csv", "one.json", "two.json"].map(path);
    // Killed.
    let mut child = start(&state, &[], 1);
    child.kill().unwrap();
    child.wait().unwrap();
    // Asked to end, also while searches are under way that are far from their end.
    for (state, signal, more, iterations) in [
        (&state, "-INT", &["--csv", &csv][..], 1),
        (&state, "-TERM", &["--threads", "2"], 1),
        (&one, "-INT", &["--nodes", "90000000000"], 0),
        (&two, "-INT", &["--nodes", "90000000000", "--threads", "2"], 0),
    ] {
        let before = done(state);
        let mut child = start(state, more, iterations);
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(wait_for(&mut child).unwrap().code(), Some(4));
        let err = read_all(child.stderr.take().unwrap());
        let so_far =
            format!("error: interrupted: {} of 100000000 iterations are made", done(state));
        assert!(err.starts_with(&so_far) && err.lines().count() == 1, "{err}");
        assert!(done(state) >= before + iterations);
    }
    assert!(fs::read_to_string(&csv).unwrap().starts_with("iteration,lmr_base,rfp_margin\n0,"));
    // A killed program may leave the draft of a state, but no more.
    assert!(fs::read_dir(folder.path()).unwrap().count() <= 5);
}
