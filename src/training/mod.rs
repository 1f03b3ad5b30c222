//! Training data: games that the engine plays against itself, in files.
//!
//! # The format
//!
//! All numbers have their lowest byte first; checksums are CRC-32 (IEEE 802.3). A file is a header
//! and then games, one after the other, to the end of the file:
//!
//! | header | bytes |
//! | --- | --- |
//! | magic: `89` (hexadecimal) and the letters `PhysDat` | 8 |
//! | the format's version, 1 | 4 |
//! | the text's length | 4 |
//! | the text: a [`DataHeader`] as JSON | |
//! | checksum of all before it | 4 |
//!
//! | game | bytes |
//! | --- | --- |
//! | the number of samples, at most 65,535 | 4 |
//! | the source, an index into the header's list | 4 |
//! | the game's number in that source | 8 |
//! | the number of a [`GameEnd`] | 1 |
//! | zeros | 3 |
//! | checksum of the samples | 4 |
//! | checksum of the 24 bytes before it | 4 |
//! | the samples, see [`Sample`] | 28 each |
//!
//! A writer that is killed leaves at most one incomplete game, at the end, which readers leave out
//! and the next writer cuts off. A game of seven positions or more takes less than 32 bytes for
//! each, and a position costs 28.5 in games of usual length.

mod chances;
mod check;
mod format;
mod generate;
mod header;
mod openings;
mod program;
mod reader;
mod rearrange;
mod recipe;
mod rescore;
mod resumable;
mod sample;
mod self_play;
mod statistics;
mod train;
mod writer;

pub(crate) use openings::random_opening;
pub(crate) use program::signature;
pub(crate) use self_play::search_nodes;
pub(crate) use train::replace;

pub use chances::ChanceFit;
pub use check::{Inconsistency, check_game};
pub use format::{DataError, FileError, GameEnd, GameFault, StoredGame};
pub use generate::{Generation, generate};
pub use header::{DataHeader, Rescore, Source};
pub use reader::DataReader;
pub use rearrange::{MergeOptions, RearrangeError, Rearranged, merge, shuffle};
pub use recipe::Recipe;
pub use rescore::{Rescoring, rescore};
pub use resumable::{JobError, Progress};
pub use sample::{PROVEN_SCORE, SAMPLE_SIZE, Sample, SampleError, SampleResult};
pub use statistics::{EmptyRange, EndCount, Results, ScoreRange, Share, Statistics};
pub use train::{
    CheckpointError, CurvePoint, TrainError, TrainJob, TrainNews, TrainSettings, TrainSummary,
    train,
};
pub use writer::DataWriter;
