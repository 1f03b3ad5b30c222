//! The transposition table.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use bytemuck::Zeroable;
use thiserror::Error;

use super::history::History;
use super::huge_pages::prefer_huge_pages;
use super::params::Parameters;
use super::prefetch::prefetch;
use super::score::{PROVEN, is_proven};
use crate::game::Move;

/// What a stored score says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    /// It is at most this.
    Upper = 1,
    /// It is at least this.
    Lower = 2,
    /// It is this.
    Exact = 3,
}

impl Bound {
    /// Whether a score with this bound decides a search with a window from `alpha` to `beta`.
    #[inline(always)]
    pub(super) fn decides(self, score: i32, alpha: i32, beta: i32) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => score >= beta,
            Self::Upper => score <= alpha,
        }
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) mv: Option<Move>,
    /// From the point of view of the side to move, proven results counted from this position.
    pub(super) score: i32,
    /// The evaluation, without search.
    pub(super) eval: i32,
    pub(super) depth: i32,
    pub(super) bound: Bound,
}

// An entry in 64 bits, from the lowest: move 16, score 16, evaluation 16, depth 8, bound 2, age 6.
const AGES: u8 = 64;

impl Entry {
    fn pack(&self, age: u8) -> u64 {
        let mv = self.mv.map_or(0, Move::to_bits);
        let word = |value: i32| u64::from(value as i16 as u16);
        u64::from(mv)
            | word(self.score) << 16
            | word(self.eval) << 32
            | (self.depth.clamp(0, 255) as u64) << 48
            | (self.bound as u64) << 56
            | u64::from(age) << 58
    }

    #[inline(always)]
    fn unpack(data: u64) -> Option<Self> {
        let word = |shift: u32| i32::from((data >> shift) as u16 as i16);
        Some(Self {
            mv: Move::from_bits(data as u16),
            score: word(16),
            eval: word(32),
            depth: packed_depth(data),
            bound: match data >> 56 & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                3 => Bound::Exact,
                _ => return None,
            },
        })
    }
}

#[inline(always)]
fn packed_depth(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

/// A position's key, exclusive-or its data, and its data: a pair torn by two writers at once fits
/// no position (R. Hyatt and T. Mann, "A lock-less transposition table implementation for parallel
/// search", 2002).
#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// A position may be stored in any of this many slots side by side, which fill a cache line.
const BUCKET: usize = 4;
const CACHE_LINE: usize = 64;
const _: () = assert!(BUCKET * size_of::<Slot>() == CACHE_LINE);

/// The memory for a transposition table could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no memory for a table of {mebibytes} MiB")]
pub struct TableError {
    /// The size that was asked for.
    pub mebibytes: usize,
}

/// A hash table of searched positions, shared by all threads of a search without locks.
pub struct Table {
    /// The buckets, and a few slots more, so that the first bucket can begin at a cache line.
    slots: Box<[Slot]>,
    first: usize,
    buckets: usize,
    age: AtomicU8,
    /// What the threads of earlier searches have learnt besides.
    histories: Mutex<Vec<History>>,
}

impl Table {
    /// An empty table.
    ///
    /// # Errors
    ///
    /// When the system has not that much memory to give; none has been taken then.
    pub fn new(mebibytes: usize) -> Result<Self, TableError> {
        let error = TableError { mebibytes };
        let bytes = mebibytes.checked_mul(1 << 20).ok_or(error)?;
        // A system that promises more than it has ends a program that takes it at its word.
        if available_memory().is_some_and(|available| bytes as u64 > available) {
            return Err(error);
        }
        let buckets = (bytes / CACHE_LINE).max(1);
        // Zeroed by the system, page by page, when first used: large tables are made in no time.
        // That goes only for types without an alignment of their own, hence the search for the
        // first cache line.
        let mut slots: Box<[Slot]> =
            bytemuck::try_zeroed_slice_box((buckets + 1) * BUCKET).map_err(|()| error)?;
        prefer_huge_pages(&mut slots);
        let beyond = slots.as_ptr().addr() % CACHE_LINE;
        let first = (CACHE_LINE - beyond) % CACHE_LINE / size_of::<Slot>();
        Ok(Self { slots, first, buckets, age: AtomicU8::new(0), histories: Mutex::default() })
    }

    /// The table's size in MiB.
    pub fn mebibytes(&self) -> usize {
        (self.buckets * CACHE_LINE) >> 20
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        // The system empties large tables in no time, for small ones it is not worth being asked.
        const LARGE: usize = 32;
        if self.mebibytes() > LARGE
            && let Ok(empty) = Self::new(self.mebibytes())
        {
            *self = empty;
            return;
        }
        bytemuck::fill_zeroes(&mut self.slots);
        *self.age.get_mut() = 0;
        self.histories.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// How full the table is with entries of the latest search, in per mille (of a sample).
    pub fn hashfull(&self) -> usize {
        let age = self.age.load(Relaxed);
        let sample = &self.slots[self.first..][..(self.buckets * BUCKET).min(1000)];
        let used = |slot: &&Slot| {
            let data = slot.data.load(Relaxed);
            data != 0 && (data >> 58) as u8 == age
        };
        sample.iter().filter(used).count() * 1000 / sample.len()
    }

    /// What a thread of an earlier search has learnt, for one of the next.
    pub(super) fn take_history(&self) -> History {
        let mut histories = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        histories.pop().unwrap_or_else(History::new)
    }

    /// Keeps what a thread has learnt.
    pub(super) fn put_history(&self, history: History) {
        self.histories.lock().unwrap_or_else(PoisonError::into_inner).push(history);
    }

    /// Makes all entries older by one search.
    pub(super) fn next_age(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[Slot] {
        let index = (u128::from(key) * self.buckets as u128) >> 64;
        &self.slots[self.first + index as usize * BUCKET..][..BUCKET]
    }

    /// Has what is known of a position brought near, as it will be asked for soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(&self.bucket(key)[0]);
    }

    /// What is known of a position that is `ply` plies from the root.
    #[inline]
    pub(super) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data != key {
                return None;
            }
            let mut entry = Entry::unpack(data)?;
            entry.score = from_node(entry.score, ply);
            Some(entry)
        })
    }

    /// Stores what has been found out about a position that is `ply` plies from the root.
    #[inline]
    pub(super) fn store(&self, key: u64, ply: usize, mut entry: Entry, parameters: &Parameters) {
        let age = self.age.load(Relaxed);
        let mut place = &self.bucket(key)[0];
        let mut lowest = i32::MAX;
        for slot in self.bucket(key) {
            let data = slot.data.load(Relaxed);
            let years = i32::from(age.wrapping_sub((data >> 58) as u8) % AGES);
            if data != 0 && slot.check.load(Relaxed) ^ data == key {
                if entry.mv.is_none() {
                    entry.mv = Move::from_bits(data as u16);
                }
                let deeper = packed_depth(data) > entry.depth + parameters.table_keep;
                if deeper && years == 0 && entry.bound != Bound::Exact && !is_proven(entry.score) {
                    return;
                }
                place = slot;
                break;
            }
            let worth = if data == 0 {
                i32::MIN
            } else {
                packed_depth(data) - parameters.table_age * years
            };
            if worth < lowest {
                (place, lowest) = (slot, worth);
            }
        }
        entry.score = to_node(entry.score, ply);
        let data = entry.pack(age);
        place.check.store(key ^ data, Relaxed);
        place.data.store(data, Relaxed);
    }
}

/// Proven scores count the plies from the root; in the table they count from the node.
fn to_node(score: i32, ply: usize) -> i32 {
    match score {
        PROVEN.. => score + ply as i32,
        _ if score <= -PROVEN => score - ply as i32,
        _ => score,
    }
}

#[inline(always)]
fn from_node(score: i32, ply: usize) -> i32 {
    match score {
        PROVEN.. => score - ply as i32,
        _ if score <= -PROVEN => score + ply as i32,
        _ => score,
    }
}

/// The memory that the system could give, in bytes, where it says so.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let available = kibibytes.checked_mul(1024)?;
    Some(available.min(container_memory().unwrap_or(u64::MAX)))
}

/// The memory that a container leaves its processes, in bytes, if there is a limit.
fn container_memory() -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        let path = format!("/sys/fs/cgroup/memory.{file}");
        std::fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    Some(number("max")?.saturating_sub(number("current")?))
}

#[cfg(test)]
mod tests {
    use super::super::score::MATE;
    use super::*;

    fn entry(depth: i32, score: i32) -> Entry {
        Entry { mv: Some(Move::PASS), score, eval: -77, depth, bound: Bound::Lower }
    }

    fn store(table: &Table, key: u64, ply: usize, entry: Entry) {
        table.store(key, ply, entry, &Parameters::default());
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.mebibytes(), 1);
        assert_eq!(table.probe(1, 0), None);
        for (i, score) in [-MATE, -500, -1, 0, 1, 500, MATE].into_iter().enumerate() {
            let key = u64::MAX / 7 * i as u64 + 5;
            store(&table, key, 0, entry(i as i32, score));
            assert_eq!(table.probe(key, 0), Some(entry(i as i32, score)));
        }
    }

    #[test]
    fn proven_scores_count_from_the_node() {
        let table = Table::new(1).unwrap();
        // Found 5 plies from the root, won 8 plies from it; met again 2 plies from the root.
        store(&table, 9, 5, entry(3, MATE - 8));
        assert_eq!(table.probe(9, 2).unwrap().score, MATE - 5);
        store(&table, 10, 5, entry(3, 8 - MATE));
        assert_eq!(table.probe(10, 2).unwrap().score, 5 - MATE);
    }

    #[test]
    fn old_and_shallow_entries_make_room_first() {
        let table = Table::new(1).unwrap();
        for key in 0..BUCKET as u64 {
            store(&table, key, 0, entry(10 + key as i32, 0));
        }
        store(&table, 100, 0, entry(1, 0));
        assert_eq!(table.probe(0, 0), None);
        table.next_age();
        store(&table, 1, 0, entry(9, 0)); // touched in this search
        store(&table, 101, 0, entry(7, 0));
        store(&table, 102, 0, entry(7, 0));
        assert!(table.probe(1, 0).is_some());
        assert_eq!(table.probe(100, 0), None);
        assert_eq!(table.probe(2, 0), None);
    }

    #[test]
    fn a_move_is_kept_when_none_is_known_anew() {
        let table = Table::new(1).unwrap();
        store(&table, 3, 0, entry(2, 0));
        store(&table, 3, 0, Entry { mv: None, ..entry(5, 40) });
        assert_eq!(table.probe(3, 0), Some(entry(5, 40)));
    }

    #[test]
    fn clearing_forgets_and_fullness_counts_this_search() {
        let mut table = Table::new(1).unwrap();
        for i in 0..200_000u64 {
            store(&table, i.wrapping_mul(0x9e37_79b9_7f4a_7c15), 0, entry(1, 0));
        }
        assert!(table.hashfull() > 900, "{}", table.hashfull());
        table.next_age();
        assert_eq!(table.hashfull(), 0);
        table.put_history(History::new());
        table.clear();
        assert_eq!((table.mebibytes(), table.probe(0, 0)), (1, None));
        assert_eq!(*table.age.get_mut(), 0);
        assert!(table.histories.get_mut().unwrap().is_empty());
    }

    #[test]
    fn too_much_memory_is_an_error() {
        let error = Table::new(usize::MAX >> 20).err();
        assert_eq!(error, Some(TableError { mebibytes: usize::MAX >> 20 }));
    }
}
