//! Work on several threads whose results come out in order.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::search::STACK_SIZE;

/// The sink is called at least this often.
const INTERVAL: Duration = Duration::from_millis(100);

/// Does jobs on as many threads as there are workers, and gives the results to `sink` in the order
/// of the jobs, however long each takes. Threads that are far ahead of the slowest wait for it, so that
/// little is held however many jobs there are.
///
/// `work` returns `None` when it was broken off: its worker then does nothing more. `sink` is also
/// called, with `None`, when there is no news for a while; when it breaks, no new jobs are begun,
/// the results that still come are dropped, and whoever breaks should see to it that `work` ends.
///
/// # Errors
///
/// When a thread cannot be started; what the others do is completed first.
///
/// # Panics
///
/// When `work` does, once the others have ended what they do.
pub(crate) fn in_order<W: Send, J: Send, R: Send>(
    workers: Vec<W>,
    jobs: impl Iterator<Item = J> + Send,
    work: impl Fn(&mut W, J) -> Option<R> + Sync,
    mut sink: impl FnMut(Option<R>) -> ControlFlow<()>,
) -> io::Result<()> {
    let jobs = Mutex::new(jobs.enumerate());
    let (sender, receiver) = mpsc::channel();
    let lead = Lead::new(LEAD_PER_WORKER * workers.len());
    thread::scope(|scope| {
        // Dropped, as is the receiver, before the threads are waited for.
        let _end = EndOfLead(&lead);
        let receiver = receiver;
        for mut worker in workers {
            let (sender, jobs, work, lead) = (sender.clone(), &jobs, &work, &lead);
            let run = move || {
                let _end = EndOfLeadByPanic(lead);
                while lead.take() {
                    let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((number, job)) = job else { break };
                    let Some(result) = work(&mut worker, job) else { break };
                    if sender.send((number, result)).is_err() {
                        break;
                    }
                }
            };
            let builder = thread::Builder::new().stack_size(STACK_SIZE);
            builder.spawn_scoped(scope, run)?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut next = 0;
        loop {
            match receiver.recv_timeout(INTERVAL) {
                Ok((number, result)) => {
                    early.insert(number, result);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if sink(None).is_break() {
                        return Ok(());
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Some(result) = early.remove(&next) {
                next += 1;
                lead.give_back();
                if sink(Some(result)).is_break() {
                    return Ok(());
                }
            }
        }
    })
}

/// For each worker so many jobs may have been begun whose results have not come out.
const LEAD_PER_WORKER: usize = 1000;

/// How many more jobs may be begun; `None` when it matters no more.
struct Lead {
    left: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Lead {
    const fn new(jobs: usize) -> Self {
        Self { left: Mutex::new(Some(jobs)), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Option<usize>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a job may be begun; false if none is to be begun any more.
    fn take(&self) -> bool {
        let wait = self.changed.wait_while(self.lock(), |left| *left == Some(0));
        let mut left = wait.unwrap_or_else(PoisonError::into_inner);
        *left = left.map(|left| left - 1);
        left.is_some()
    }

    fn give_back(&self) {
        let mut left = self.lock();
        *left = left.map(|left| left + 1);
        self.changed.notify_one();
    }

    fn end(&self) {
        *self.lock() = None;
        self.changed.notify_all();
    }
}

/// Lets nobody wait any more when it goes.
struct EndOfLead<'a>(&'a Lead);

impl Drop for EndOfLead<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The same if a panic makes it go: the result that is missing then is not waited for.
struct EndOfLeadByPanic<'a>(&'a Lead);

impl Drop for EndOfLeadByPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for threads in [1, 2, 5] {
            let mut results = Vec::new();
            let work = |worker: &mut usize, job: u64| {
                thread::sleep(Duration::from_millis(job * 7 % 5));
                *worker += 1;
                Some(job)
            };
            in_order(vec![0; threads], 0..40, work, |result| {
                results.extend(result);
                ControlFlow::Continue(())
            })
            .unwrap();
            assert!(results.into_iter().eq(0..40));
        }
    }

    #[test]
    fn nobody_runs_far_ahead() {
        let begun = AtomicUsize::new(0);
        let work = |(): &mut (), job: u64| {
            begun.fetch_add(1, Ordering::Relaxed);
            if job == 0 {
                // As many as may be, but no more, are done meanwhile.
                while begun.load(Ordering::Relaxed) < 2 * LEAD_PER_WORKER {
                    thread::yield_now();
                }
                thread::sleep(Duration::from_millis(50));
                assert_eq!(begun.load(Ordering::Relaxed), 2 * LEAD_PER_WORKER);
            }
            Some(job)
        };
        let mut count = 0;
        in_order(vec![(); 2], 0..5000, work, |result| {
            count += usize::from(result.is_some());
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(count, 5000);
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_passed_on() {
        let work = |(): &mut (), job: u64| {
            assert_ne!(job, 7, "as is expected of this test");
            Some(job)
        };
        let _ = in_order(vec![(); 2], 0.., work, |_| ControlFlow::Continue(()));
    }

    #[test]
    fn a_break_ends_endless_work() {
        let mut sum = 0;
        in_order(
            vec![(); 3],
            1..,
            |(), job: u64| Some(job),
            |result| {
                sum += result.unwrap_or(0);
                if sum >= 55 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )
        .unwrap();
        assert_eq!(sum, 55);
    }
}
