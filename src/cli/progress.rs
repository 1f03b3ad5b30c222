//! How far a long piece of work is, on standard error; and breaking it off.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Without a terminal, a line is written this often.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// Shows how far a piece of work is: a bar on a terminal, else now and then a line.
pub(super) struct Meter {
    /// `None` where nobody knows.
    total: Option<u64>,
    unit: &'static str,
    bar: Option<ProgressBar>,
    start: Instant,
    last_line: Instant,
}

impl Meter {
    /// A meter for so many things of some kind (as a word in plural).
    pub(super) fn new(total: u64, unit: &'static str) -> Self {
        Self::open(Some(total), unit)
    }

    /// The same where it may not be known how many there are.
    pub(super) fn open(total: Option<u64>, unit: &'static str) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(4));
            let template = match total {
                Some(_) => format!(
                    "{{elapsed}} {{wide_bar}} {{human_pos}}/{{human_len}} {unit}, {{msg}}, {{eta}} left"
                ),
                None => format!("{{elapsed}} {{spinner}} {{human_pos}} {unit}, {{msg}}"),
            };
            // The template is ours and valid; the usual style does as well.
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar
        });
        let start = Instant::now();
        Self { total, unit, bar, start, last_line: start }
    }

    /// Shows how many of the things are done, and how many of them had been before the work began;
    /// `more` is shown as it is.
    pub(super) fn show(&mut self, done: u64, before: u64, more: &str) {
        let rate = done.saturating_sub(before) as f64 / self.start.elapsed().as_secs_f64();
        if let Some(bar) = &self.bar {
            if bar.position() == 0 && before > 0 {
                bar.set_position(before);
                bar.reset_eta();
            }
            bar.set_position(done);
            bar.set_message(format!("{more}, {rate:.0}/s"));
            return;
        }
        if self.last_line.elapsed() < LINE_INTERVAL {
            return;
        }
        self.last_line = Instant::now();
        let unit = self.unit;
        let line = match self.total {
            Some(total) => {
                let left = time_left(total.saturating_sub(done), rate);
                let left = indicatif::HumanDuration(left);
                format!("{done} of {total} {unit}, {more}, {rate:.0}/s, {left} left")
            }
            None => format!("{done} {unit}, {more}, {rate:.0}/s"),
        };
        // The work goes on although nobody can see it.
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Takes the bar away.
    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How long so many things take at a rate, in things a second.
fn time_left(things: u64, rate: f64) -> Duration {
    // At first there may be no rate yet.
    Duration::try_from_secs_f64(things as f64 / rate).unwrap_or(Duration::MAX)
}

/// A second signal this soon after the first is the same wish, as some programs and shells send one to
/// the program and to its group.
#[cfg(unix)]
const SAME_WISH: Duration = Duration::from_millis(500);

/// A flag that becomes true when the user interrupts the program, or the system asks it to end; once
/// more, a while later, ends it at once.
pub(super) fn interruption() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use std::sync::atomic::Ordering;

        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let raised = Arc::clone(&flag);
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            let mut first = None;
            for _ in signals.forever() {
                raised.store(true, Ordering::Relaxed);
                if first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
                    std::process::exit(super::INTERRUPTED.into());
                }
            }
        })?;
    }
    Ok(flag)
}
