//! Matches with the real program, against engines that are scripts.
#![allow(dead_code)] // each test file is a program of its own and uses only a part

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use physarum::record::{GameRecord, PgnReader};
use serde_json::Value;
use tempfile::TempDir;

/// The results file of a match.
pub const RESULTS: &str = "results.jsonl";
/// The file of its games.
pub const GAMES: &str = "games.pgn";
/// Its report.
pub const REPORT: &str = "report.json";
/// What was printed.
pub const OUTPUT: &str = "stdout";
/// What was printed as an error.
pub const ERRORS: &str = "stderr";

/// A folder in which a match is played, with the scripts and all that comes of it.
pub struct Arena(TempDir);

impl Arena {
    /// An empty one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room for a folder"))
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("there is room for a file");
    }

    /// The text of a file, empty if it is not there.
    pub fn read(&self, name: &str) -> String {
        match fs::read(self.path(name)) {
            Ok(bytes) => String::from_utf8(bytes).expect("what was written is text"),
            Err(_) => String::new(),
        }
    }

    /// Writes a script for a shell, and describes the engine that it is.
    ///
    /// The shell is told to read it: a file that was just written cannot always be started, as some
    /// other process may still have it open.
    pub fn script(&self, name: &str, text: &str) -> String {
        let file = format!("{name}.sh");
        self.write(&file, text);
        format!("name={name},cmd=/bin/sh,args={file}")
    }

    /// The command that plays a match here, with all files that it can write.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.plain(&["--results", RESULTS, "--pgn-out", GAMES, "--json", REPORT]);
        command.args(args);
        command
    }

    /// The command that plays a match here, with no files but those that the arguments name.
    pub fn plain(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_physarum"));
        command.arg("match").args(args).current_dir(self.0.path());
        command.env("RUST_BACKTRACE", "1").env_remove("RUST_LOG");
        command.stdin(Stdio::null()).stdout(self.create(OUTPUT)).stderr(self.create(ERRORS));
        command
    }

    fn create(&self, name: &str) -> File {
        File::create(self.path(name)).expect("there is room for a file")
    }

    /// Begins a match.
    pub fn start(&self, args: &[&str]) -> Running {
        Running::of(self.command(args))
    }

    /// Plays a match, and gives the status in the end; what was printed is in the files.
    #[track_caller]
    pub fn play(&self, args: &[&str]) -> Option<i32> {
        self.start(args).wait()
    }

    /// Plays a match that must come to its end, and gives its report.
    #[track_caller]
    pub fn report_of(&self, args: &[&str]) -> Value {
        let status = self.play(args);
        assert_eq!(status, Some(0), "{}", self.read(ERRORS));
        self.report()
    }

    /// The report.
    pub fn report(&self) -> Value {
        serde_json::from_str(&self.read(REPORT)).expect("the report is whole")
    }

    /// All games in the file of games, in the order in which they ended.
    pub fn games(&self) -> Vec<GameRecord> {
        let text = self.read(GAMES);
        let games: Result<Vec<_>, _> = PgnReader::new(text.as_bytes()).collect();
        games.expect("the games are whole")
    }
}

/// A match that is being played; it does not outlive a test that fails.
pub struct Running(Child);

impl Running {
    /// Starts a command.
    pub fn of(mut command: Command) -> Self {
        Self(command.spawn().expect("the program starts"))
    }

    /// Waits for its end: the status, if it was not killed.
    #[track_caller]
    pub fn wait(mut self) -> Option<i32> {
        let mut status = None;
        until("the match ends", || {
            status = self.0.try_wait().expect("it is ours to wait for");
            status.is_some()
        });
        status.and_then(|status| status.code())
    }

    /// Sends a signal, such as `INT`.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.0.id());
        let sent = Command::new("/bin/sh").args(["-c", &kill]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{kill}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until something has happened.
#[track_caller]
pub fn until(what: &str, mut happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(60), "in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs, or could. What only waits to be buried does not.
pub fn is_alive(pid: u32) -> bool {
    let state = match fs::read_to_string(format!("/proc/{pid}/stat")) {
        // The name, in brackets, may contain anything.
        Ok(text) => text.rsplit_once(") ").map(|(_, rest)| rest.to_owned()).unwrap_or_default(),
        Err(_) if fs::metadata("/proc/self/stat").is_ok() => String::new(),
        Err(_) => ask_ps(pid),
    };
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

/// The state of a process where there is no `/proc`.
fn ask_ps(pid: u32) -> String {
    let output = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output();
    String::from_utf8_lossy(&output.expect("there is ps").stdout).trim().to_owned()
}
