//! Ending the searches of several threads at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::search::Control;

/// Ends the searches that run, and those that are begun later. Each search has a control of its own,
/// as its clock begins with it.
pub(super) struct Halt {
    halted: AtomicBool,
    /// What controls each thread's last search.
    controls: Vec<Mutex<Arc<Control>>>,
}

impl Halt {
    /// For so many threads, each with one search at a time.
    pub(super) fn new(threads: usize) -> Self {
        let control = || Mutex::new(Arc::new(Control::new(Instant::now(), false)));
        let controls = (0..threads).map(|_| control()).collect();
        Self { halted: AtomicBool::new(false), controls }
    }

    /// What controls a thread's next search, which begins now.
    pub(super) fn control(&self, thread: usize) -> Arc<Control> {
        let control = Arc::new(Control::new(Instant::now(), false));
        if let Some(slot) = self.controls.get(thread) {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&control);
        }
        // Looked at after the control is where `halt` finds it: one of the two stops the search.
        if self.is_halted() {
            control.stop();
        }
        control
    }

    /// Ends all searches.
    pub(super) fn halt(&self) {
        self.halted.store(true, Ordering::SeqCst);
        for control in &self.controls {
            control.lock().unwrap_or_else(PoisonError::into_inner).stop();
        }
    }

    /// Whether the searches were ended: what they have found is worth nothing then.
    pub(super) fn is_halted(&self) -> bool {
        self.halted.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_end_whenever_they_begin() {
        let halt = Halt::new(2);
        let [before, other] = [0, 1].map(|thread| halt.control(thread));
        assert!(!before.is_stopped() && !other.is_stopped());
        halt.halt();
        assert!(before.is_stopped() && other.is_stopped());
        assert!(halt.control(0).is_stopped() && halt.is_halted());
    }
}
