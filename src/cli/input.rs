//! Standard input that does not keep a program from ending.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Standard input, which ends when the user interrupts the program.
pub(super) struct InterruptibleInput {
    #[cfg_attr(not(unix), expect(dead_code, reason = "only there can it be waited for"))]
    interrupted: Arc<AtomicBool>,
}

impl InterruptibleInput {
    /// Nobody else may read standard input from now on.
    pub(super) const fn new(interrupted: Arc<AtomicBool>) -> Self {
        Self { interrupted }
    }
}

impl Read for InterruptibleInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        {
            use std::sync::atomic::Ordering;

            use rustix::event::{PollFd, PollFlags, Timespec, poll};

            // How long the user waits at most.
            let wait = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
            let stdin = io::stdin();
            loop {
                if self.interrupted.load(Ordering::Relaxed) {
                    return Ok(0);
                }
                let mut input = [PollFd::new(&stdin, PollFlags::IN)];
                match poll(&mut input, Some(&wait)) {
                    Ok(0) | Err(rustix::io::Errno::INTR) => {}
                    Ok(_) => break,
                    Err(error) => return Err(error.into()),
                }
            }
            // Past what `Stdin` would keep for itself: what it keeps cannot be waited for.
            Ok(rustix::io::read(&stdin, buffer)?)
        }
        #[cfg(not(unix))]
        io::stdin().read(buffer)
    }
}
