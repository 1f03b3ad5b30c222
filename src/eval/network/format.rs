//! Network files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

use super::features::ROWS;
use super::parameters::WIDTHS;
use super::{Network, ParameterError, Parameters};

/// The first bytes of every network file.
const MAGIC: [u8; 8] = *b"\x89PhysNet";
/// The version of the format.
const VERSION: u32 = 3;
/// The number of the one architecture that there is.
const ARCHITECTURE: u32 = 1;
/// The length of what comes before the description.
const PREFIX: usize = 36;
/// The longest description.
const MAX_DESCRIPTION: usize = 1 << 20;
/// No network file is longer.
const MAX_FILE: u64 = (PREFIX + MAX_DESCRIPTION + 4 + (ROWS + 4) * WIDTHS[2]) as u64;

/// Why a file is no network that can be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("not a network file")]
    Foreign,
    /// It is of a version that is not known.
    #[error("a network file of version {0}; this program knows version {VERSION}")]
    Version(u32),
    /// It ends too early.
    #[error("damaged: the file ends too early")]
    Short,
    /// There is something after its end, or it is far too long.
    #[error("damaged: the file is too long")]
    Long,
    /// Some of its bytes are not what they were.
    #[error("damaged: the checksum is wrong")]
    Checksum,
    /// The network is of a kind that is not known.
    #[error("a network of architecture {0}, unknown to this program")]
    Architecture(u32),
    /// The network has more outputs than are known.
    #[error("a network of {0} outputs; this program knows networks of one")]
    Outputs(u32),
    /// The description cannot be understood.
    #[error("the description is wrong")]
    Description(#[source] serde_json::Error),
    /// The parameters make no network.
    #[error("unusable: {0}")]
    Parameters(#[from] ParameterError),
}

impl Network {
    /// Reads a network file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or holds no network that this program can use.
    pub fn open(path: &Path) -> Result<Self, NetworkError> {
        // A pipe that nobody writes to would hold the program up.
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file").into());
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
    }

    /// The network that [`to_bytes`](Self::to_bytes) made into these bytes.
    ///
    /// # Errors
    ///
    /// When they hold no network that this program can use.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let magic = MAGIC.len().min(bytes.len());
        if bytes.is_empty() || bytes[..magic] != MAGIC[..magic] {
            return Err(NetworkError::Foreign);
        }
        let (rest, checksum) = bytes.split_last_chunk::<4>().ok_or(NetworkError::Short)?;
        if rest.len() < PREFIX {
            return Err(NetworkError::Short);
        }
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let version = word(8);
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        let [architecture, width, length] = [word(12), word(16), word(32)];
        let [width, length] = [width, length].map(|number| number as usize);
        // The lengths may be wrong too: what is compared here cannot overflow.
        let known = architecture == ARCHITECTURE && WIDTHS.contains(&width);
        if bytes.len() as u64 > MAX_FILE {
            return Err(NetworkError::Long);
        }
        if known && length <= MAX_DESCRIPTION {
            let expected = PREFIX + length + width * (ROWS + 4) + checksum.len();
            match bytes.len().cmp(&expected) {
                std::cmp::Ordering::Less => return Err(NetworkError::Short),
                std::cmp::Ordering::Equal => {}
                std::cmp::Ordering::Greater => return Err(NetworkError::Long),
            }
        }
        if crc32fast::hash(rest).to_le_bytes() != *checksum {
            return Err(NetworkError::Checksum);
        }
        if architecture != ARCHITECTURE {
            return Err(NetworkError::Architecture(architecture));
        }
        let outputs = word(20);
        if outputs != 1 {
            return Err(NetworkError::Outputs(outputs));
        }
        if !WIDTHS.contains(&width) {
            return Err(ParameterError::Width(width).into());
        }
        if length > MAX_DESCRIPTION {
            return Err(NetworkError::Long);
        }
        let (text, numbers) = rest[PREFIX..].split_at(length);
        let description = serde_json::from_slice(text).map_err(NetworkError::Description)?;
        let (ends, rows) = numbers.split_at(4 * width);
        let mut ends = ends.as_chunks().0.iter().map(|&bytes| i16::from_le_bytes(bytes));
        let mut next = |count: usize| ends.by_ref().take(count).collect::<Vec<i16>>();
        let parameters = Parameters {
            width,
            biases: next(width),
            outputs: next(width),
            rows: rows.iter().map(|&byte| byte as i8).collect(),
            output_bias: word(24) as i32,
            multiplier: word(28),
        };
        Ok(Self::new(parameters, description)?)
    }

    /// The network as the bytes of a file.
    ///
    /// All numbers have their lowest byte first:
    ///
    /// | bytes | content |
    /// | --- | --- |
    /// | 0–7 | `89` (hexadecimal) and the letters `PhysNet` |
    /// | 8–11 | the version of the format, 2 |
    /// | 12–15 | the architecture, 1: 36 windows, a layer with squared activations, one output |
    /// | 16–19 | the number of neurons, 64, 128 or 256 |
    /// | 20–23 | the number of outputs, 1 |
    /// | 24–27 | the output's bias, signed |
    /// | 28–31 | the output's multiplier |
    /// | 32–35 | the length of the description |
    /// | | the description: a [`Description`](super::Description) as JSON |
    /// | | the neurons' biases, two bytes each |
    /// | | the neurons' output weights, two bytes each |
    /// | | the rows' weights, a byte each |
    /// | | checksum of all before it: CRC-32 (IEEE 802.3), four bytes |
    ///
    /// # Errors
    ///
    /// When the description cannot be written, or is longer than a mebibyte.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        let parameters = self.parameters();
        let text = serde_json::to_vec(self.description()).map_err(NetworkError::Description)?;
        if text.len() > MAX_DESCRIPTION {
            return Err(NetworkError::Long);
        }
        let mut bytes = MAGIC.to_vec();
        let (width, length) = (parameters.width as u32, text.len() as u32);
        for word in [VERSION, ARCHITECTURE, width, 1] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(parameters.output_bias.to_le_bytes());
        bytes.extend(parameters.multiplier.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(text);
        bytes.extend(parameters.to_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Description;
    use super::*;

    fn network() -> Network {
        let description = Description { engine: "test".into(), ..Description::default() };
        Network::new(Parameters::random(64, 9), description).unwrap()
    }

    fn refusal(bytes: &[u8]) -> String {
        Network::from_bytes(bytes).unwrap_err().to_string()
    }

    /// The same with the right checksum.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(bytes.len() - 4);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    #[test]
    fn files_round_trip() {
        let network = network();
        let bytes = network.to_bytes().unwrap();
        let again = Network::from_bytes(&bytes).unwrap();
        assert_eq!(again.parameters(), network.parameters());
        assert_eq!(again.description(), network.description());
        assert_eq!(again.checksum(), network.checksum());
        assert_eq!(again.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn any_byte_changed_is_noticed() {
        let bytes = network().to_bytes().unwrap();
        let last = bytes.len() - 1;
        let interesting = (0..80).chain([200, 500, 600, 700, 5000, last / 2, last - 4, last]);
        for index in interesting {
            for mask in [1, 0xff] {
                let mut damaged = bytes.clone();
                damaged[index] ^= mask;
                let reason = refusal(&damaged);
                let expected = match index {
                    0..8 => "not a network file",
                    8..12 => "a network file of version",
                    _ => "damaged",
                };
                assert!(reason.starts_with(expected), "byte {index}: {reason}");
            }
        }
    }

    #[test]
    fn any_other_length_is_noticed() {
        let bytes = network().to_bytes().unwrap();
        for length in (0..100).chain([200, 5000, bytes.len() / 2, bytes.len() - 1]) {
            let reason = refusal(&bytes[..length]);
            let expected =
                if length == 0 { "not a network file" } else { "damaged: the file ends too early" };
            assert_eq!(reason, expected, "{length}");
        }
        let mut long = bytes.clone();
        long.push(0);
        assert_eq!(refusal(&long), "damaged: the file is too long");
        long.resize(MAX_FILE as usize + 1, 0);
        assert_eq!(refusal(&long), "damaged: the file is too long");
    }

    #[test]
    fn files_of_the_future_and_wrong_contents_are_named() {
        let bytes = network().to_bytes().unwrap();
        let with = |at: usize, word: u32| {
            let mut bytes = bytes.clone();
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            refusal(&sealed(bytes))
        };
        assert_eq!(with(8, 1), "a network file of version 1; this program knows version 3");
        assert_eq!(with(12, 7), "a network of architecture 7, unknown to this program");
        assert_eq!(with(20, 8), "a network of 8 outputs; this program knows networks of one");
        assert_eq!(with(16, 65), "unusable: 65 neurons; networks have 64, 128 or 256");
        assert_eq!(with(16, 128), "damaged: the file ends too early");
        assert_eq!(with(32, u32::MAX), "damaged: the file is too long");
        let last = bytes.len() - 8;
        let wrong = "unusable: one of the weights is -128, farther from zero than 31";
        assert_eq!(with(last, 0x80), wrong);
        assert_eq!(with(36, 0), "the description is wrong");
        assert_eq!(refusal(b"#!/bin/sh\n"), "not a network file");
    }

    #[test]
    fn files_that_are_none_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| Network::open(path).unwrap_err().to_string();
        assert_eq!(error(folder.path()), "not a regular file");
        assert!(error(&folder.path().join("none")).contains("No such file"));
        let path = folder.path().join("empty");
        std::fs::write(&path, "").unwrap();
        assert_eq!(error(&path), "not a network file");
    }
}
