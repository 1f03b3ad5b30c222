//! Networks from games to their use, as their users meet them.

#[path = "common/engine.rs"]
mod engine;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine::{DEADLINE, Engine, fail, program, succeed, wait_for};
use tempfile::{TempDir, tempdir};

/// A folder with a file of quick games, and paths in it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempdir().expect("a folder"));
        let data = place.path("games");
        let mut args = vec!["datagen", "--out", &data, "--positions", "3000", "--nodes", "30"];
        args.extend(["--hash", "1", "--gaps", "0.3"]);
        succeed(&args);
        place
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// The arguments of a quick training.
    fn train<'a>(&self, data: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec!["train", "--data", data, "--out", out, "--hidden", "64"];
        args.extend(["--batch", "256", "--warm-up", "5", "--hold-out-every", "5"]);
        args.extend(more);
        args
    }
}

#[test]
fn games_become_a_network_that_plays() {
    let place = Place::new();
    let (data, out) = (place.path("games"), place.path("net.bin"));
    let more = ["--steps", "30", "--report-every", "10", "--threads", "1"];
    let summary = succeed(&place.train(&data, &out, &more));
    assert!(
        summary.starts_with("steps 30 loss 0.") && summary.contains(" rounding mean "),
        "{summary}"
    );
    let table = fs::read_to_string(place.path("net.bin.csv")).expect("a table");
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(fs::read_to_string(place.path("net.bin.svg")).expect("a picture").starts_with("<svg"));
    assert!(!Path::new(&place.path("net.bin.checkpoint")).exists());

    let info = succeed(&["net", "info", &out]);
    for line in ["hidden 64\n", "training steps 30 batch 256 seed 1 rate 0.003", "nodes 30 games "]
    {
        assert!(info.contains(line), "{info}");
    }
    let json = succeed(&["net", "info", &out, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["training"]["steps"], 30);
    let checksum = json["checksum"].as_str().expect("a text");

    // The same again, on other threads, is the same network.
    let again = place.path("again.bin");
    let more = ["--steps", "30", "--report-every", "10", "--threads", "3", "--json"];
    let summary = succeed(&place.train(&data, &again, &more));
    assert!(summary.starts_with("{\"steps\":30,"), "{summary}");
    assert!(succeed(&["net", "info", &again]).starts_with(&format!("checksum {checksum}\n")));

    let bench = |more: &[&str]| {
        let out = succeed(&[&["bench", "3"], more].concat());
        out.lines().last().and_then(|line| line.split(' ').next()).map(str::to_owned)
    };
    assert_ne!(bench(&["--eval-file", &out]), bench(&[]));
    assert_eq!(bench(&["--eval-file", &out]), bench(&["--eval-file", &again]));

    let mut engine = Engine::start_with(&["--eval-file", &out]);
    engine.send("uai");
    let path = format!("option name EvalFile type string default {out}");
    assert!(engine.until("uaiok").contains(&path));
    engine.send("eval");
    engine.expect(&format!("eval cp … network {checksum} 64"));
    engine.send("go depth 4");
    engine.until("bestmove …");
    engine.send_all(&["setoption name EvalFile value hand-written", "eval"]);
    engine.until("eval cp … stones …");
    engine.send_all(&["setoption name EvalFile value <empty>", "eval"]);
    engine.until("eval cp … network … 256");
    engine.send_all(&[&format!("setoption name EvalFile value {out}"), "eval"]);
    engine.until("eval cp … network …");
    // What cannot be used changes nothing.
    let wrong = [
        (data.as_str(), "not a network file"),
        ("/", "not a regular file"),
        ("no such file", "No such file or directory…"),
    ];
    for (path, reason) in wrong {
        engine.send_all(&[&format!("setoption name EvalFile value {path}"), "eval"]);
        let place = "info string error: setoption: EvalFile: cannot use";
        engine.until(&format!("{place} \"{path}\": {reason}"));
        engine.until("eval cp … network …");
    }
    engine.sync();
    engine.end();
}

#[test]
fn a_training_can_be_broken_off_and_taken_up() {
    let place = Place::new();
    let (data, out) = (place.path("games"), place.path("net.bin"));
    let steps = ["--steps", "1000000", "--checkpoint-every", "5"];
    let args = place.train(&data, &out, &steps);
    let mut command = program(&args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program should start");
    let checkpoint = place.path("net.bin.checkpoint");
    let start = Instant::now();
    while !Path::new(&checkpoint).exists() {
        assert!(start.elapsed() < DEADLINE, "no checkpoint");
        thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().expect("kill");
    let status = wait_for(&mut child).expect("it should end soon");
    assert_eq!(status.code(), Some(4));
    let err = child.stderr.take().map(engine::read_all).expect("a pipe");
    assert!(err.starts_with("error: interrupted: ") && err.contains("--resume"), "{err}");
    assert!(succeed(&["net", "info", &out]).contains("hidden 64"));

    let resumed = [&args[..], &["--resume", "--learning-rate", "0.01"]].concat();
    let reason = "it was made with another learning_rate: 0.003";
    fail(&resumed, 1, &["cannot resume from", "net.bin.checkpoint", reason]);
    fs::write(&checkpoint, "nothing").expect("a file");
    fail(&[&args[..], &["--resume"]].concat(), 1, &["cannot resume from", "not a checkpoint"]);
    fs::remove_file(&checkpoint).expect("a file");
    fail(&[&args[..], &["--resume"]].concat(), 1, &["cannot resume from", "No such file"]);
}

#[test]
fn wrong_arguments_and_files_are_refused() {
    let place = Place::new();
    let (data, out) = (place.path("games"), place.path("net.bin"));
    let train = |more: &[&str], status, words: &[&str]| {
        fail(&place.train(&data, &out, more), status, words);
        let files = fs::read_dir(place.0.path()).expect("a folder").count();
        assert_eq!(files, 1, "{more:?}");
    };
    train(&["--steps", "0"], 2, &["--steps"]);
    train(&["--threads", "0"], 2, &["--threads"]);
    train(&["--result-weight", "2"], 1, &["the result's weight is from 0 to 1"]);
    train(&["--learning-rate", "NaN"], 1, &["a learning rate is above 0"]);
    train(&["--scale", "0"], 1, &["a scale is from 20 to 5000"]);
    fail(&["train", "--data", &data], 2, &["--out"]);
    fail(&["train", "--out", &out], 2, &["--data"]);
    let few = ["train", "--data", &data, "--out", &out, "--hold-out-every", "4000000"];
    fail(&few, 1, &["too little data: of ", " and 0 to validate with"]);
    let width = ["train", "--data", &data, "--out", &out, "--hidden", "65"];
    fail(&width, 1, &["64, 128 or 256 neurons are needed"]);
    fail(&["train", "--data", "/", "--out", &out], 1, &["cannot read the data in \"/\""]);
    fail(&["train", "--data", "none", "--out", &out], 1, &["cannot read the data in \"none\""]);
    fail(&["train", "--data", &data, "--out", "/"], 1, &["cannot write \"/\""]);

    fail(&["net", "info", &data], 1, &["cannot use the network", "games", "not a network file"]);
    fail(&["net", "info", "none"], 1, &["cannot use the network \"none\"", "No such file"]);
    fail(&["bench", "1", "--eval-file", &data], 1, &["cannot use the network", "not a network"]);
    fail(&["--eval-file", &data], 1, &["cannot use the network", "not a network file"]);
    fail(&["--eval-file", &data, "bench"], 2, &["before a command have no effect"]);
}

#[test]
fn damaged_networks_are_refused() {
    let place = Place::new();
    let (data, out) = (place.path("games"), place.path("net.bin"));
    succeed(&place.train(&data, &out, &["--steps", "1"]));
    let bytes = fs::read(&out).expect("a network");
    let path = place.path("damaged.bin");
    for (index, words) in [(0, "not a network file"), (8, "of version"), (5000, "damaged")] {
        let mut damaged = bytes.clone();
        damaged[index] ^= 0x40;
        fs::write(&path, damaged).expect("a file");
        fail(&["net", "info", &path], 1, &[words]);
    }
    fs::write(&path, &bytes[..bytes.len() / 2]).expect("a file");
    fail(&["--eval-file", &path], 1, &["damaged: the file ends too early"]);
}
