//! Engines as processes: started, spoken to in lines, and ended whatever they do.
//!
//! A program may start others, and we may be killed ourselves. So, where there are process groups,
//! each engine is put into the group of a guard: a shell that waits for the end of its input, which
//! comes when we close it or die, and then kills the group, itself included.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::spec::Program;
use crate::protocol::{Input, InputError};

/// Lines that wait to be read; an engine that writes more has to wait.
const BACKLOG: usize = 256;
/// An engine that writes more than this between two answers, in MiB, floods its output.
const FLOOD_MIB: u64 = 16;
/// How often a wait looks up whether it should go on.
const GLANCE: Duration = Duration::from_millis(20);
/// How long an engine may take to end when it was asked to.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long an engine whose output has ended may take to end too, to count as crashed.
const AFTERLIFE: Duration = Duration::from_millis(300);
/// How many lines of standard error, and of standard output, are kept for reports.
const KEPT_LINES: usize = 10;
/// How much of such a line is kept, in characters.
const KEPT_CHARS: usize = 300;

/// Why there is nothing to go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The engine has done something wrong.
    Fault(Fault),
    /// The match is to end now.
    Interrupted,
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A line, and when it came.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) at: Instant,
    pub(super) text: String,
}

/// The last lines of something.
#[derive(Clone, Debug, Default)]
struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    fn push(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        let kept = line.chars().take(KEPT_CHARS).map(|c| if c.is_control() { ' ' } else { c });
        lines.push_back(kept.collect());
    }

    fn to_vec(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// Counts the bytes that are read.
struct Counted<R> {
    reader: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A running engine.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    _guard: Guard,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    /// All bytes that have come, and how many of them had come when the last answer was complete.
    bytes: Arc<AtomicU64>,
    bytes_answered: u64,
    errors: LastLines,
    errors_reader: JoinHandle<()>,
    last_output: LastLines,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// [`Fault::Start`] when the system does not.
    pub(super) fn start(program: &Program) -> Result<Self, Fault> {
        let failed = |error: io::Error| Fault::Start(error.to_string());
        let mut command = Command::new(&program.cmd);
        command.args(&program.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &program.dir {
            command.current_dir(dir);
        }
        let guard = Guard::over(&mut command).map_err(failed)?;
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Fault::Start("its pipes are missing".to_owned()));
        };
        let bytes = Arc::new(AtomicU64::new(0));
        let (sender, lines) = sync_channel(BACKLOG);
        let counted = Counted { reader: output, bytes: Arc::clone(&bytes) };
        let kept = LastLines::default();
        let keeper = kept.clone();
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            thread::Builder::new().name(name.to_owned()).spawn(work).map_err(failed)
        };
        let readers = spawn("engine output", Box::new(move || forward(counted, &sender)))
            .and_then(|_| spawn("engine errors", Box::new(move || keep(errors, &keeper))));
        let errors_reader = readers.inspect_err(|_| {
            let _ = child.kill();
            let _ = child.wait();
        })?;
        Ok(Self {
            child,
            _guard: guard,
            input: Some(input),
            lines,
            bytes,
            bytes_answered: 0,
            errors: kept,
            errors_reader,
            last_output: LastLines::default(),
        })
    }

    /// Sends lines. They must be short: an engine that does not read must not make us wait.
    ///
    /// # Errors
    ///
    /// When nobody reads them any more.
    pub(super) fn send(&mut self, lines: &str) -> Result<(), Fault> {
        let sent = self.input.as_mut().map(|input| input.write_all(lines.as_bytes()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.end_of_output()),
        }
    }

    /// The next line; `None` if none has come by the deadline.
    ///
    /// # Errors
    ///
    /// When none can come any more, too much has come, or `stop` has become true.
    pub(super) fn next_line(
        &mut self,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<Option<Line>, Halt> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Halt::Interrupted);
            }
            self.check_flood()?;
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(GLANCE)) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.end_of_output().into()),
            }
        }
    }

    fn check_flood(&self) -> Result<(), Fault> {
        let bytes = self.bytes.load(Ordering::Relaxed).saturating_sub(self.bytes_answered);
        if bytes > FLOOD_MIB << 20 { Err(Fault::Flood(FLOOD_MIB)) } else { Ok(()) }
    }

    /// What was waited for has come.
    pub(super) fn answered(&mut self) {
        self.bytes_answered = self.bytes.load(Ordering::Relaxed);
    }

    /// Keeps a line that means nothing for reports.
    pub(super) fn keep_output(&self, line: &str) {
        self.last_output.push(line);
    }

    /// Gives the last lines of a program that has ended the time to arrive.
    pub(super) fn settle(&self) {
        let start = Instant::now();
        while !self.errors_reader.is_finished() && start.elapsed() < AFTERLIFE {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The last lines of standard error.
    pub(super) fn errors(&self) -> Vec<String> {
        self.errors.to_vec()
    }

    /// The last lines of standard output that meant nothing.
    pub(super) fn last_output(&self) -> Vec<String> {
        self.last_output.to_vec()
    }

    /// What it means that the output has ended.
    fn end_of_output(&mut self) -> Fault {
        match wait(&mut self.child, AFTERLIFE) {
            Some(status) => Fault::Crash(describe(status)),
            None => Fault::ClosedOutput,
        }
    }

    /// Asks the program to end, and waits a moment for that.
    pub(super) fn quit(mut self, farewell: &str) {
        let _ = self.send(farewell);
        self.input = None;
        let _ = wait(&mut self.child, FAREWELL);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The guard, which is dropped next, kills whatever else there is.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes lines on until there are no more, or nobody wants them.
fn forward(output: impl Read, lines: &SyncSender<Line>) {
    let mut input = Input::new(BufReader::new(output));
    loop {
        let text = match input.next_line() {
            Ok(Some(text)) => text,
            Ok(None) | Err(InputError::Io(_)) => return,
            // No answer of any protocol.
            Err(error @ (InputError::TooLong | InputError::NotUtf8(_))) => format!("({error})"),
        };
        if lines.send(Line { at: Instant::now(), text }).is_err() {
            return;
        }
    }
}

/// Keeps the last lines of an engine's standard error.
fn keep(errors: impl Read, kept: &LastLines) {
    let mut input = Input::new(BufReader::new(errors));
    loop {
        match input.next_line() {
            Ok(Some(line)) => kept.push(&line),
            Ok(None) | Err(InputError::Io(_)) => return,
            Err(error) => kept.push(&format!("({error})")),
        }
    }
}

/// Waits for a program's end, `None` if it does not come in time.
fn wait(child: &mut Child, time: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if start.elapsed() >= time {
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with status {code}"),
        None => "ended".to_owned(),
    }
}

/// Kills a group of processes when it is dropped, or when we are gone.
#[derive(Debug)]
struct Guard {
    #[cfg(unix)]
    shell: Child,
}

#[cfg(unix)]
impl Guard {
    /// A guard over what `command` will start.
    fn over(command: &mut Command) -> io::Result<Self> {
        use std::os::unix::process::CommandExt;

        let shell = Command::new("/bin/sh")
            .args(["-c", "trap '' HUP INT QUIT TERM; read _; kill -KILL 0"])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        command.process_group(i32::try_from(shell.id()).map_err(io::Error::other)?);
        Ok(Self { shell })
    }
}

#[cfg(unix)]
impl Drop for Guard {
    fn drop(&mut self) {
        self.shell.stdin = None;
        // A shell that somebody has stopped would make us wait for ever.
        if wait(&mut self.shell, FAREWELL).is_none() {
            let _ = self.shell.kill();
            let _ = self.shell.wait();
        }
    }
}

#[cfg(not(unix))]
impl Guard {
    fn over(_: &mut Command) -> io::Result<Self> {
        Ok(Self {})
    }
}
