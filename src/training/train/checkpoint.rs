//! A training written down, so that it can be taken up again.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::TrainSettings;
use super::curve::CurvePoint;

const MAGIC: [u8; 8] = *b"\x89PhysChk";
const VERSION: u32 = 1;
/// The length of what comes before the text.
const PREFIX: usize = 16;

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("not a checkpoint")]
    Foreign,
    /// It is of a version that is not known.
    #[error("a checkpoint of version {0}; this program knows version {VERSION}")]
    Version(u32),
    /// Its bytes are not what they were.
    #[error("damaged")]
    Damaged,
    /// It belongs to a training with other data.
    #[error("it was made with other data")]
    OtherData,
    /// It belongs to a training with other settings.
    #[error("it was made with another {name}: {value}")]
    OtherSetting {
        /// The setting that differs.
        name: String,
        /// Its value in the checkpoint.
        value: String,
    },
}

/// What is known of a training under way, beside the numbers that are learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub(super) settings: TrainSettings,
    /// The fingerprint of the data.
    pub(super) data: u32,
    pub(super) step: u64,
    /// The sum of the losses since the last point of the curve, and of how many positions.
    pub(super) recent: (f64, u64),
    pub(super) curve: Vec<CurvePoint>,
}

impl Checkpoint {
    /// A file: magic, version, length of the text, the text (JSON), the numbers, a checksum.
    pub(super) fn to_bytes(&self, state: &[f32]) -> Vec<u8> {
        // Numbers, lists and names of fields: nothing here cannot be written as JSON.
        let text = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        bytes.extend(state.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    pub(super) fn open(path: &Path) -> Result<(Self, Vec<f32>), CheckpointError> {
        let mut bytes = Vec::new();
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file").into());
        }
        (&file).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Result<(Self, Vec<f32>), CheckpointError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(CheckpointError::Foreign);
        }
        let (rest, checksum) = bytes.split_last_chunk::<4>().ok_or(CheckpointError::Damaged)?;
        let (prefix, rest) = rest.split_at_checked(PREFIX).ok_or(CheckpointError::Damaged)?;
        let word = |at: usize| {
            u32::from_le_bytes([prefix[at], prefix[at + 1], prefix[at + 2], prefix[at + 3]])
        };
        if word(8) != VERSION {
            return Err(CheckpointError::Version(word(8)));
        }
        if crc32fast::hash(&bytes[..bytes.len() - 4]).to_le_bytes() != *checksum {
            return Err(CheckpointError::Damaged);
        }
        let split = rest.split_at_checked(word(12) as usize);
        let (text, numbers) = split.ok_or(CheckpointError::Damaged)?;
        let checkpoint = serde_json::from_slice(text).map_err(|_| CheckpointError::Damaged)?;
        let numbers = numbers.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        Ok((checkpoint, numbers.collect()))
    }

    /// Whether it belongs to a training with these settings and data.
    pub(super) fn check(&self, settings: &TrainSettings, data: u32) -> Result<(), CheckpointError> {
        let fields = |settings: &TrainSettings| match serde_json::to_value(settings) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let now = fields(settings);
        for (name, value) in fields(&self.settings) {
            if now.get(&name) != Some(&value) {
                let value = value.to_string();
                return Err(CheckpointError::OtherSetting { name, value });
            }
        }
        if self.data == data { Ok(()) } else { Err(CheckpointError::OtherData) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_data::settings;
    use super::*;

    fn checkpoint() -> Checkpoint {
        let point =
            CurvePoint { step: 7, learning_rate: 0.1, loss: 0.3, validation_loss: 0.1 + 0.2 };
        let (settings, curve) = (settings(), vec![point; 3]);
        Checkpoint { settings, data: 5, step: 9, recent: (1.0 / 3.0, 100), curve }
    }

    #[test]
    fn checkpoints_round_trip() {
        let state = [1.5, -0.1, f32::MIN_POSITIVE];
        let bytes = checkpoint().to_bytes(&state);
        let (again, numbers) = Checkpoint::from_bytes(&bytes).unwrap();
        assert_eq!(again, checkpoint());
        assert_eq!(numbers, state);
    }

    #[test]
    fn damage_is_noticed() {
        let bytes = checkpoint().to_bytes(&[1.0; 10]);
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0x10;
            let error = Checkpoint::from_bytes(&damaged).unwrap_err();
            match index {
                0..8 => assert!(matches!(error, CheckpointError::Foreign)),
                8..12 => assert!(matches!(error, CheckpointError::Version(_))),
                _ => assert!(matches!(error, CheckpointError::Damaged), "{index}"),
            }
            assert!(Checkpoint::from_bytes(&bytes[..index]).is_err());
        }
    }
}
