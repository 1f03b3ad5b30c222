//! Engines as processes: started, spoken to in lines, and ended whatever they do.
//!
//! A program may start others, and we may be killed ourselves. So, where there are process groups,
//! each engine is put into the group of a guard: a shell that waits for the end of its input, which
//! comes when we die, and then kills the group, itself included. While we live we do that ourselves.

use std::collections::VecDeque;
use std::io::{self, BufReader, ErrorKind, Read, Write};
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
/// A glance that takes so much longer shows that we did not run meanwhile.
const STALL: Duration = Duration::from_secs(1);
/// How long an engine may take to end when it was asked to.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long a full pipe may wait for an engine to read from it.
const UNREAD: Duration = Duration::from_secs(1);
/// How long an engine that has closed a pipe may take to end too, to count as crashed.
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
    /// We were suspended, or starved of processor time: what was measured means nothing.
    Stalled,
    /// We cannot do our own part, and why.
    Unable(String),
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
    /// [`Fault::Start`] when the system does not, or [`Halt::Unable`] when that is not for the
    /// program's sake.
    pub(super) fn start(program: &Program) -> Result<Self, Halt> {
        let failed = |error: io::Error| {
            let at = program.dir.as_ref().map(|dir| format!(" in {}", dir.display()));
            let what = format!("{}{}: {error}", program.cmd, at.unwrap_or_default());
            if is_shortage(&error) { Halt::Unable(what) } else { Fault::Start(what).into() }
        };
        let mut command = Command::new(&program.cmd);
        command.args(&program.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &program.dir {
            command.current_dir(dir);
        }
        let guard = Guard::over(&mut command)
            .map_err(|error| Halt::Unable(format!("the shell that guards engines: {error}")))?;
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Halt::Unable("the pipes of an engine are missing".to_owned()));
        };
        // Else an engine that never reads could make us wait for ever.
        #[cfg(unix)]
        rustix::io::ioctl_fionbio(&input, true).map_err(|error| failed(error.into()))?;
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

    /// Sends lines.
    ///
    /// # Errors
    ///
    /// When nobody reads them any more.
    pub(super) fn send(&mut self, lines: &str) -> Result<(), Fault> {
        match self.input.as_mut().map(|input| write_all(input, lines.as_bytes())) {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if error.kind() == ErrorKind::TimedOut => Err(Fault::Deaf),
            _ => Err(self.end_or(Fault::Deaf)),
        }
    }

    /// The next line; `None` if none has come by the deadline.
    ///
    /// # Errors
    ///
    /// When none can come any more, too much has come, `stop` has become true, or we did not run for a
    /// while.
    pub(super) fn next_line(
        &mut self,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<Option<Line>, Halt> {
        let mut ended = None;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Halt::Interrupted);
            }
            self.check_flood()?;
            let now = Instant::now();
            let left = deadline.saturating_duration_since(now);
            let received = self.lines.recv_timeout(left.min(GLANCE));
            if now.elapsed() > GLANCE + STALL {
                return Err(Halt::Stalled);
            }
            match received {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {
                    // Whoever it has started may keep its output open. What it said itself has come
                    // by the next time.
                    if let Some(status) = ended {
                        return Err(Fault::Crash(describe(status)).into());
                    }
                    ended = self.child.try_wait().ok().flatten();
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.end_or(Fault::ClosedOutput).into());
                }
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

    /// What it means that a pipe is closed: the program has ended, or, if it has not, `fault`.
    fn end_or(&mut self, fault: Fault) -> Fault {
        match wait(&mut self.child, AFTERLIFE) {
            Some(status) => Fault::Crash(describe(status)),
            None => fault,
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
        let _ = wait(&mut self.child, FAREWELL);
    }
}

/// Whether a program was not started because the system, or what it grants us, is used up.
fn is_shortage(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let shortages = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM];
        Errno::from_io_error(error).is_some_and(|error| shortages.contains(&error))
    }
    #[cfg(not(unix))]
    {
        error.kind() == ErrorKind::OutOfMemory
    }
}

/// Lets us have as many files, and so engines, as the system allows at most.
pub(super) fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        // If not, there may still be enough.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

/// Writes to a pipe, however little is read from it at a time.
fn write_all(pipe: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    let start = Instant::now();
    while !bytes.is_empty() {
        match pipe.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if start.elapsed() >= UNREAD {
                    return Err(ErrorKind::TimedOut.into());
                }
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
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
        use rustix::process::{Pid, Signal, kill_process_group};

        // An engine may have stopped or killed the shell, so it is not left to it. Nobody else can
        // have its number as long as we have not waited for it.
        let _ = kill_process_group(Pid::from_child(&self.shell), Signal::KILL);
        let _ = wait(&mut self.shell, FAREWELL);
    }
}

#[cfg(not(unix))]
impl Guard {
    fn over(_: &mut Command) -> io::Result<Self> {
        Ok(Self {})
    }
}
