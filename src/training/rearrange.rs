//! Making one data file of others: merging and shuffling.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use thiserror::Error;

use super::program::now;
use super::{DataError, DataHeader, DataReader, DataWriter, FileError, Source};
use crate::random::Random;

/// Why a data file could not be made of others.
#[derive(Debug, Error)]
pub enum RearrangeError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A game came for the second time.
    #[error("{}: the game at byte {offset} came before: number {index} of seed {seed}", path.display())]
    Duplicate {
        /// The file that has it for the second time.
        path: PathBuf,
        /// Where it is in the file.
        offset: u64,
        /// Its number in its source.
        index: u64,
        /// The source's seed.
        seed: u64,
    },
    /// The work was to be broken off.
    #[error("the work was broken off")]
    Interrupted,
}

/// What has been written, and what has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rearranged {
    /// Games written.
    pub games: u64,
    /// Positions written.
    pub positions: u64,
    /// Games left out because they had come before.
    pub duplicates: u64,
    /// Damaged places in the files; the games there were left out.
    pub damaged: u64,
}

/// What to do with games that are not as they should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeOptions {
    /// Leave out a game that came before, instead of giving up.
    pub skip_duplicates: bool,
    /// Leave out damaged games, instead of giving up.
    pub salvage: bool,
}

/// Writes the games of some files into a new one, in their order.
///
/// Games are the same if their sources (all of it: seed, settings, program) and numbers are.
/// The new file appears only when it is complete.
///
/// # Errors
///
/// When a file cannot be read or written, when one is damaged or a game comes twice and `options`
/// do not say to leave it out, or when `interrupted` was set. There is no new file then.
pub fn merge(
    inputs: &[PathBuf],
    out: &Path,
    options: MergeOptions,
    interrupted: &AtomicBool,
) -> Result<Rearranged, RearrangeError> {
    let mut sources: Vec<Source> = Vec::new();
    // For each input, the new numbers of its sources.
    let mut numbers: Vec<Vec<u32>> = Vec::new();
    for path in inputs {
        let reader = DataReader::open(path).map_err(FileError::of(path))?;
        let of_input = reader.header().sources.iter().map(|source| {
            let known = sources.iter().position(|other| other == source);
            known.unwrap_or_else(|| {
                sources.push(source.clone());
                sources.len() - 1
            }) as u32
        });
        numbers.push(of_input.collect());
    }
    let header = DataHeader { created: now(), sources, shuffles: Vec::new() };
    let mut writer = DataWriter::begin(out, header).map_err(FileError::of(out))?;
    let mut seen = HashSet::new();
    let mut done = Rearranged::default();
    for (path, numbers) in inputs.iter().zip(numbers) {
        let mut reader = DataReader::open(path).map_err(FileError::of(path))?;
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Err(RearrangeError::Interrupted);
            }
            let mut game = match reader.next_stored() {
                Ok(Some(game)) => game,
                Ok(None) => break,
                Err(error @ DataError::Game { .. }) if options.salvage => {
                    log::warn!("{}: {error}", path.display());
                    done.damaged += 1;
                    continue;
                }
                Err(error) => return Err(FileError::of(path)(error).into()),
            };
            // The file has not changed since its header was read, as nobody changes one.
            let Some(&source) = numbers.get(game.source as usize) else {
                return Err(FileError::of(path)(DataError::DamagedHeader).into());
            };
            game.source = source;
            if !seen.insert((game.source, game.index)) {
                if !options.skip_duplicates {
                    return Err(RearrangeError::Duplicate {
                        path: path.clone(),
                        offset: reader.last_game(),
                        index: game.index,
                        seed: writer.header().sources[source as usize].recipe.seed,
                    });
                }
                done.duplicates += 1;
                continue;
            }
            writer.append(&game).map_err(FileError::of(out))?;
            done.games += 1;
            done.positions += game.samples.len() as u64;
        }
        if reader.torn() > 0 {
            log::warn!("{}: the last game is incomplete and left out", path.display());
        }
    }
    writer.publish().map_err(FileError::of(out))?;
    Ok(done)
}

/// Writes the games of a file into a new one, in a random order that depends on the seed alone.
///
/// Only the places of the games are kept in memory. The new file appears only when it is complete.
///
/// # Errors
///
/// When a file cannot be read or written, when the first is damaged, or when `interrupted` was
/// set. There is no new file then.
pub fn shuffle(
    input: &Path,
    out: &Path,
    seed: u64,
    interrupted: &AtomicBool,
) -> Result<Rearranged, RearrangeError> {
    let mut reader = DataReader::open(input).map_err(FileError::of(input))?;
    let mut places = Vec::new();
    while reader.next_stored().map_err(FileError::of(input))?.is_some() {
        places.push(reader.last_game());
        if interrupted.load(Ordering::Relaxed) {
            return Err(RearrangeError::Interrupted);
        }
    }
    if reader.torn() > 0 {
        log::warn!("{}: the last game is incomplete and left out", input.display());
    }
    let mut header = reader.header().clone();
    header.created = now();
    header.shuffles.push(seed);
    Random::new(seed).shuffle(&mut places);

    // Games are short, and every one is somewhere else: a large buffer would be filled in vain.
    let file = File::open(input).map_err(FileError::of(input))?;
    let small = BufReader::with_capacity(4096, file);
    let mut reader = DataReader::new(small).map_err(FileError::of(input))?;
    let mut writer = DataWriter::begin(out, header).map_err(FileError::of(out))?;
    let mut done = Rearranged::default();
    for place in places {
        if interrupted.load(Ordering::Relaxed) {
            return Err(RearrangeError::Interrupted);
        }
        reader.seek(place).map_err(FileError::of(input))?;
        if let Some(game) = reader.next_stored().map_err(FileError::of(input))? {
            writer.append(&game).map_err(FileError::of(out))?;
            done.games += 1;
            done.positions += game.samples.len() as u64;
        }
    }
    writer.publish().map_err(FileError::of(out))?;
    Ok(done)
}
