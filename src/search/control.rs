//! Talking to a running search.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lets other threads stop a search, or tell it that the move it ponders on was played.
///
/// One `Control` serves one search.
#[derive(Debug)]
pub struct Control {
    start: Instant,
    stop: AtomicBool,
    /// When the clock began to run, in microseconds after `start`; `PONDERING` before that.
    clock_start: AtomicU64,
    changed: (Mutex<()>, Condvar),
}

const PONDERING: u64 = u64::MAX;

impl Control {
    /// A control for a search that was asked for at `start`; with `ponder` its clock runs from
    /// [`ponder_hit`](Self::ponder_hit) on, otherwise from `start`.
    pub fn new(start: Instant, ponder: bool) -> Self {
        Self {
            start,
            stop: AtomicBool::new(false),
            clock_start: AtomicU64::new(if ponder { PONDERING } else { 0 }),
            changed: Default::default(),
        }
    }

    /// Ends the search as soon as it has a move.
    pub fn stop(&self) {
        self.change(|| self.stop.store(true, Ordering::Release));
    }

    /// The move that the search ponders on was played: its clock runs from now on.
    pub fn ponder_hit(&self) {
        let now = self.start.elapsed().as_micros() as u64;
        self.change(|| {
            let _ = self.clock_start.compare_exchange(
                PONDERING,
                now,
                Ordering::Release,
                Ordering::Relaxed,
            );
        });
    }

    fn change(&self, change: impl FnOnce()) {
        let _guard = self.changed.0.lock().unwrap_or_else(PoisonError::into_inner);
        change();
        self.changed.1.notify_all();
    }

    /// Whether the search was told to stop.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag behind [`is_stopped`](Self::is_stopped).
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether the search still waits to hear that its move was played.
    pub fn is_pondering(&self) -> bool {
        self.clock_start.load(Ordering::Acquire) == PONDERING
    }

    /// The time since the search was asked for.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The time that the clock has been running; `None` while pondering.
    pub(super) fn clock_elapsed(&self) -> Option<Duration> {
        match self.clock_start.load(Ordering::Acquire) {
            PONDERING => None,
            started => Some(self.elapsed().saturating_sub(Duration::from_micros(started))),
        }
    }

    /// Waits until the search may answer: until it is stopped or, unless `infinite`, no longer
    /// pondering.
    pub(super) fn wait_for_leave(&self, infinite: bool) {
        let mut guard = self.changed.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self.changed.1.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
