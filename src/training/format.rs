//! The bytes of a data file; the module's documentation says what they are.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{SAMPLE_SIZE, Sample, SampleError};

/// What every data file begins with.
pub(super) const MAGIC: [u8; 8] = *b"\x89PhysDat";
/// The format's version.
pub(super) const VERSION: u32 = 1;
/// What comes before the header's text: magic, version and the text's length.
pub(super) const PREFIX_SIZE: usize = MAGIC.len() + 4 + 4;
/// The longest header's text.
pub(super) const MAX_HEADER: usize = 64 << 20;
/// The length of what comes before a game's samples.
pub(super) const GAME_HEADER_SIZE: usize = SAMPLE_SIZE;
/// The most samples of a game.
pub(super) const MAX_GAME: usize = u16::MAX as usize;

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum GameEnd {
    /// By the rules.
    Rules = 0,
    /// A search proved who wins.
    Proof = 1,
    /// One side was far ahead for several plies.
    Decided = 2,
    /// The same position came for the third time: a draw.
    Repetition = 3,
    /// It went on for too long: a draw.
    Length = 4,
}

impl GameEnd {
    /// All ends.
    pub const ALL: [Self; 5] =
        [Self::Rules, Self::Proof, Self::Decided, Self::Repetition, Self::Length];

    /// The end's name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Proof => "proof",
            Self::Decided => "decided",
            Self::Repetition => "repetition",
            Self::Length => "length",
        }
    }
}

/// A game in a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// The index of where it comes from in the header's sources.
    pub source: u32,
    /// Its number in that source.
    pub index: u64,
    /// Why it ended.
    pub end: GameEnd,
    /// Its positions in order, except those of the random opening and those with nothing but a
    /// pass.
    pub samples: Vec<Sample>,
}

impl StoredGame {
    /// Appends the game as bytes.
    ///
    /// # Panics
    ///
    /// When it has more than 65,535 samples.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        assert!(self.samples.len() <= MAX_GAME);
        let start = bytes.len();
        bytes.extend([0; GAME_HEADER_SIZE]);
        for sample in &self.samples {
            bytes.extend(sample.encode());
        }
        let checksum = crc32fast::hash(&bytes[start + GAME_HEADER_SIZE..]);
        let head = GameHeader {
            source: self.source,
            index: self.index,
            end: self.end,
            samples: self.samples.len() as u32,
            checksum,
        };
        bytes[start..][..GAME_HEADER_SIZE].copy_from_slice(&head.encode());
    }
}

/// What comes before a game's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GameHeader {
    pub(super) source: u32,
    pub(super) index: u64,
    pub(super) end: GameEnd,
    /// At most [`MAX_GAME`].
    pub(super) samples: u32,
    /// Of the samples' bytes.
    pub(super) checksum: u32,
}

impl GameHeader {
    fn encode(self) -> [u8; GAME_HEADER_SIZE] {
        let mut bytes = [0; GAME_HEADER_SIZE];
        bytes[..4].copy_from_slice(&self.samples.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.source.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.index.to_le_bytes());
        bytes[16] = self.end as u8;
        bytes[20..24].copy_from_slice(&self.checksum.to_le_bytes());
        let own = crc32fast::hash(&bytes[..24]);
        bytes[24..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// The header in some bytes; `None` where there is none, or a damaged one.
    pub(super) fn decode(bytes: &[u8; GAME_HEADER_SIZE]) -> Option<Self> {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let header = Self {
            samples: word(0),
            source: word(4),
            index: u64::from(word(8)) | u64::from(word(12)) << 32,
            end: *GameEnd::ALL.get(usize::from(bytes[16]))?,
            checksum: word(20),
        };
        let valid = header.encode() == *bytes && header.samples as usize <= MAX_GAME;
        valid.then_some(header)
    }
}

/// What is wrong with a data file.
#[derive(Debug, Error)]
pub enum DataError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A new file would take its place.
    #[error("it is there already, and is not replaced")]
    Exists,
    /// It is a folder, a device, a pipe, …
    #[error("it is not a regular file")]
    Irregular,
    /// Somebody else is writing to it.
    #[error("another program is writing to it")]
    Busy,
    /// It is something else.
    #[error("not training data of Physarum: it begins with other bytes")]
    Foreign,
    /// A later program made it.
    #[error("its format is version {0}, and this program knows none later than {VERSION}")]
    Version(u32),
    /// It ends before the first game could begin.
    #[error("it ends within its header")]
    TornHeader,
    /// The header is not what was written.
    #[error("its header is damaged: the checksum is wrong")]
    DamagedHeader,
    /// The header's text says something else than expected.
    #[error("its header cannot be understood")]
    Header(#[source] serde_json::Error),
    /// The header would be longer than any file's.
    #[error("its header is too long")]
    LongHeader,
    /// A game is not what was written.
    #[error("the game at byte {offset} is damaged: {fault}")]
    Game {
        /// Where in the file the game begins.
        offset: u64,
        /// What is wrong with it.
        fault: GameFault,
    },
}

/// What is wrong with one of several files.
#[derive(Debug, Error)]
#[error("{}: {error}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub error: DataError,
}

impl FileError {
    /// Says of errors to which file they belong.
    pub(super) fn of<E: Into<DataError>>(path: &Path) -> impl Fn(E) -> Self {
        move |error| Self { path: path.to_owned(), error: error.into() }
    }
}

/// What is wrong with a game in a data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GameFault {
    /// Its header is not what was written.
    #[error("the checksum of its header is wrong")]
    Header,
    /// Its samples are not what was written.
    #[error("the checksum of its positions is wrong")]
    Checksum,
    /// Its source is not among those of the file.
    #[error("it comes from source {0}, which the file's header does not have")]
    Source(u32),
    /// A sample is none.
    #[error("position {index}: {error}")]
    Sample {
        /// The sample's number in the game, from 1.
        index: usize,
        /// What is wrong with it.
        error: SampleError,
    },
}
