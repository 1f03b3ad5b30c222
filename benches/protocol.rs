//! How fast the program answers, seen from outside: `cargo bench --bench protocol`.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};

struct Engine {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Engine {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_physarum"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self { child, stdin, stdout }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("the program reads");
    }

    /// Reads up to a line that begins with `word`.
    fn wait_for(&mut self, word: &str) {
        let mut line = String::new();
        while !line.starts_with(word) {
            line.clear();
            assert_ne!(self.stdout.read_line(&mut line).expect("the program answers"), 0);
        }
    }

    /// Sends a line and measures the time to a line that begins with `word`.
    fn time(&mut self, line: &str, word: &str) -> Duration {
        let start = Instant::now();
        self.send(line);
        self.wait_for(word);
        start.elapsed()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answers(c: &mut Criterion) {
    let mut group = c.benchmark_group("protocol");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("start to uaiok", |b| {
        b.iter_custom(|count| {
            let run = |_| {
                let start = Instant::now();
                let mut engine = Engine::start();
                engine.time("uai", "uaiok");
                start.elapsed()
            };
            (0..count).map(run).sum()
        });
    });

    let mut engine = Engine::start();
    engine.time("uai", "uaiok");
    engine.send("go infinite");
    engine.wait_for("info depth 5");
    group.bench_function("isready during a search", |b| {
        b.iter_custom(|count| (0..count).map(|_| engine.time("isready", "readyok")).sum());
    });
    engine.time("stop", "bestmove");

    group.bench_function("stop to bestmove", |b| {
        b.iter_custom(|count| {
            let run = |_| {
                engine.send("go infinite");
                engine.wait_for("info depth 7");
                engine.time("stop", "bestmove")
            };
            (0..count).map(run).sum()
        });
    });
    group.bench_function("go movetime 100", |b| {
        b.iter_custom(|count| (0..count).map(|_| engine.time("go movetime 100", "bestmove")).sum());
    });
}

criterion_group!(benches, answers);
criterion_main!(benches);
