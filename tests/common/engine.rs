//! The program as a referee sees it: lines in, lines out, an end.
#![allow(dead_code)] // each test file is a program of its own and uses only a part

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Seek as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_physarum");

/// Nothing takes this long, however busy the machine: whoever waits longer waits in vain.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The program with arguments, in an environment that changes nothing of what it says.
pub fn program(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    // A panic shall be seen with all it has to say.
    command.args(args).env("RUST_BACKTRACE", "1").env_remove("RUST_LOG");
    command
}

/// The status, standard output and standard error of a command, run without input.
pub fn run_command(mut command: Command) -> (Option<i32>, String, String) {
    let output = command.stdin(Stdio::null()).output().expect("the program should start");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The same of the program under test, with a text on its standard input.
pub fn run_with_input(args: &[&str], text: &str) -> (Option<i32>, String, String) {
    let mut input = tempfile::tempfile().expect("a file for the input");
    input.write_all(text.as_bytes()).and_then(|()| input.rewind()).expect("the input is written");
    let output = program(args).stdin(input).output().expect("the program should start");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The same of the program under test.
pub fn run(args: &[&str]) -> (Option<i32>, String, String) {
    run_command(program(args))
}

/// Runs the program; it must succeed and have nothing to complain of.
#[track_caller]
pub fn succeed(args: &[&str]) -> String {
    let (status, out, err) = run(args);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{args:?}");
    out
}

/// Runs the program; it must end with a status and one line that has certain words.
#[track_caller]
pub fn fail(args: &[&str], status: i32, words: &[&str]) {
    let (found, out, err) = run(args);
    assert_eq!((found, out.as_str()), (Some(status), ""), "{args:?}: {err}");
    assert!(err.starts_with("error: "), "{args:?}: {err}");
    assert!(status == 2 || err.lines().count() == 1, "{args:?}: {err}");
    assert!(words.iter().all(|word| err.contains(word)), "{args:?}: {err}");
    assert!(!err.contains("panicked") && !err.contains("backtrace"), "{args:?}: {err}");
}

/// A running engine and all that has been said to and by it.
pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    transcript: String,
}

impl Engine {
    /// Starts the program without arguments.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts the program with arguments.
    pub fn start_with(args: &[&str]) -> Self {
        Self::spawn(program(args))
    }

    /// Starts any command.
    pub fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program should start");
        let input = child.stdin.take();
        let stdout = child.stdout.take().expect("standard output was asked for");
        let stderr = child.stderr.take().expect("standard error was asked for");
        let (lines, output) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                if lines.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
            }
        });
        let errors = Some(thread::spawn(move || read_all(stderr)));
        Self { child, input, output, errors, transcript: String::new() }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        let _ = writeln!(self.transcript, "> {}", shortened(line));
        self.write(format!("{line}\n").as_bytes());
    }

    /// Sends lines.
    pub fn send_all(&mut self, lines: &[&str]) {
        for line in lines {
            self.send(line);
        }
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let _ = writeln!(self.transcript, "> {}", shortened(&String::from_utf8_lossy(bytes)));
        self.write(bytes);
    }

    fn write(&mut self, bytes: &[u8]) {
        let written = self.input.as_mut().expect("the input is still open").write_all(bytes);
        if let Err(error) = written {
            self.fail(&format!("the engine does not read any more: {error}"));
        }
    }

    /// The next line; `None` at the end of the output.
    pub fn next_line(&mut self) -> Option<String> {
        match self.output.recv_timeout(DEADLINE) {
            Ok(line) => {
                let _ = writeln!(self.transcript, "< {}", shortened(&line));
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => self.fail("no line came"),
        }
    }

    /// The next line, which must fit a pattern.
    #[track_caller]
    pub fn expect(&mut self, pattern: &str) -> String {
        match self.next_line() {
            Some(line) if fits(&line, pattern) => line,
            Some(_) => self.fail(&format!("expected: {pattern}")),
            None => self.fail(&format!("expected: {pattern}; but the output ended")),
        }
    }

    /// All lines up to the first that fits a pattern, with it.
    #[track_caller]
    pub fn until(&mut self, pattern: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let start = Instant::now();
        loop {
            // Lines may come for ever, too.
            if start.elapsed() > DEADLINE {
                self.fail(&format!("expected: {pattern}"));
            }
            match self.next_line() {
                Some(line) => lines.push(line),
                None => self.fail(&format!("expected: {pattern}; but the output ended")),
            }
            if lines.last().is_some_and(|line| fits(line, pattern)) {
                return lines;
            }
        }
    }

    /// The lines that came before the answer to an `isready` sent now.
    #[track_caller]
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Waits a moment and makes sure that no search was answered meanwhile.
    #[track_caller]
    pub fn stays_unanswered(&mut self) {
        thread::sleep(Duration::from_millis(100));
        let lines = self.sync();
        if lines.iter().any(|line| line.starts_with("bestmove")) {
            self.fail("the search should not have been answered yet");
        }
    }

    /// Sends a line and gives what it is answered with.
    #[track_caller]
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.sync()
    }

    /// The FEN of the current position.
    #[track_caller]
    pub fn fen(&mut self) -> String {
        let lines = self.ask("d");
        match lines.iter().find_map(|line| line.strip_prefix("fen ")) {
            Some(fen) => fen.to_owned(),
            None => self.fail("no FEN was shown"),
        }
    }

    /// Closes the input and waits for the program's end: its status and the lines still to come.
    /// It must have nothing to complain of.
    #[track_caller]
    pub fn finish(mut self) -> (ExitStatus, Vec<String>) {
        self.input = None;
        self.wait()
    }

    /// Waits for the program's end with the input left open.
    #[track_caller]
    pub fn wait(&mut self) -> (ExitStatus, Vec<String>) {
        let mut rest = Vec::new();
        while let Some(line) = self.next_line() {
            rest.push(line);
        }
        let status = self.status();
        let errors = self.errors.take().map(|errors| errors.join().expect("it only reads"));
        if errors.as_ref().is_some_and(|errors| !errors.is_empty()) {
            self.fail(&format!("standard error: {}", errors.unwrap_or_default()));
        }
        (status, rest)
    }

    /// Ends the conversation: nothing more must come, and the status must be 0.
    #[track_caller]
    pub fn end(mut self) {
        self.input = None;
        let (status, rest) = self.wait();
        if !rest.is_empty() || !status.success() {
            self.fail(&format!("the end should be quiet and the status 0, not {status}"));
        }
    }

    fn status(&mut self) -> ExitStatus {
        wait_for(&mut self.child).unwrap_or_else(|| self.fail("the program did not end"))
    }

    /// Gives up, with all that was said.
    #[track_caller]
    pub fn fail(&self, reason: &str) -> ! {
        panic!("{reason}\n{}", self.transcript);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a program's end, `None` if it does not come.
pub fn wait_for(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < DEADLINE {
        if let Some(status) = child.try_wait().expect("the program is ours to wait for") {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    None
}

/// All that comes from a pipe.
pub fn read_all(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a line fits a pattern, in which `…` stands for any text.
pub fn fits(line: &str, pattern: &str) -> bool {
    let parts: Vec<&str> = pattern.split('…').collect();
    let [first, middle @ .., last] = parts.as_slice() else {
        return line == pattern;
    };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The number after a word in a line of words.
pub fn number_after(line: &str, word: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    words.find(|&w| w == word)?;
    words.next()?.parse().ok()
}

/// The move of a `bestmove` line.
pub fn best_move(line: &str) -> Option<&str> {
    line.strip_prefix("bestmove ")?.split_whitespace().next()
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(300) {
        Some((at, _)) => format!("{}… ({} bytes)", &line[..at], line.len()),
        None => line.to_owned(),
    }
}
