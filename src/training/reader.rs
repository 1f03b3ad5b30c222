//! Reading data files.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use super::format::{GAME_HEADER_SIZE, GameHeader, MAGIC, MAX_HEADER, PREFIX_SIZE, VERSION};
use super::{DataError, DataHeader, GameFault, SAMPLE_SIZE, Sample, StoredGame};

/// Reads a data file, game by game.
///
/// A file whose last game was never completed, as its writer was killed or is still at work, ends
/// before that game; [`torn`](Self::torn) says so.
///
/// ```no_run
/// use std::path::Path;
/// use physarum::training::DataReader;
///
/// let mut reader = DataReader::open(Path::new("data/gen1"))?;
/// let mut positions = 0;
/// while let Some(samples) = reader.next_game()? {
///     positions += samples.len();
/// }
/// println!("{positions} positions");
/// # Ok::<(), physarum::training::DataError>(())
/// ```
#[derive(Debug)]
pub struct DataReader<R = BufReader<File>> {
    input: R,
    header: DataHeader,
    /// Where the next game begins.
    offset: u64,
    /// Where the last game began.
    last_game: u64,
    torn: u64,
    /// Whether a game's header was damaged, so that nobody knows where the next one is.
    lost: bool,
    buffer: Vec<u8>,
}

impl DataReader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no data file, is of a later version, or has a damaged
    /// header.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(DataError::Irregular);
        }
        Self::new(BufReader::with_capacity(1 << 18, file))
    }
}

impl<R: Read> DataReader<R> {
    /// Reads the header of something that is like a file.
    ///
    /// # Errors
    ///
    /// As [`open`](DataReader::open).
    pub fn new(mut input: R) -> Result<Self, DataError> {
        let mut bytes = vec![0; PREFIX_SIZE];
        let got = read_up_to(&mut input, &mut bytes)?;
        let magic = MAGIC.len().min(got);
        if got == 0 || bytes[..magic] != MAGIC[..magic] {
            return Err(DataError::Foreign);
        }
        if got < PREFIX_SIZE {
            return Err(DataError::TornHeader);
        }
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let (version, length) = (word(MAGIC.len()), word(MAGIC.len() + 4) as usize);
        if version != VERSION {
            return Err(DataError::Version(version));
        }
        if length > MAX_HEADER {
            return Err(DataError::LongHeader);
        }
        // No more memory is taken than there are bytes.
        let got = (&mut input).take(length as u64 + 4).read_to_end(&mut bytes)?;
        if got < length + 4 {
            return Err(DataError::TornHeader);
        }
        let (rest, checksum) = bytes.split_at(PREFIX_SIZE + length);
        if crc32fast::hash(rest).to_le_bytes() != checksum {
            return Err(DataError::DamagedHeader);
        }
        let header = serde_json::from_slice(&rest[PREFIX_SIZE..]).map_err(DataError::Header)?;
        let offset = bytes.len() as u64;
        Ok(Self {
            input,
            header,
            offset,
            last_game: offset,
            torn: 0,
            lost: false,
            buffer: Vec::new(),
        })
    }

    /// What the file says about itself.
    pub const fn header(&self) -> &DataHeader {
        &self.header
    }

    /// Where in the file the next game begins, or the file's good part ends.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Where in the file the last game that was read begins.
    pub const fn last_game(&self) -> u64 {
        self.last_game
    }

    /// After the last game: how many bytes of an incomplete game come after it.
    pub const fn torn(&self) -> u64 {
        self.torn
    }

    /// The next game's samples; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or the game is damaged. The next call goes on with the next
    /// game that can be found.
    pub fn next_game(&mut self) -> Result<Option<Vec<Sample>>, DataError> {
        Ok(self.next_stored()?.map(|game| game.samples))
    }

    /// The next game with all that the file says about it; `None` at the end.
    ///
    /// # Errors
    ///
    /// As [`next_game`](Self::next_game).
    pub fn next_stored(&mut self) -> Result<Option<StoredGame>, DataError> {
        let Some((offset, header)) = self.next_header()? else { return Ok(None) };
        let mut samples = Vec::with_capacity(header.samples as usize);
        let fault = |fault| DataError::Game { offset, fault };
        if crc32fast::hash(&self.buffer) != header.checksum {
            return Err(fault(GameFault::Checksum));
        }
        if header.source as usize >= self.header.sources.len() {
            return Err(fault(GameFault::Source(header.source)));
        }
        for (index, bytes) in self.buffer.as_chunks::<SAMPLE_SIZE>().0.iter().enumerate() {
            let sample = Sample::decode(bytes);
            let named = |error| fault(GameFault::Sample { index: index + 1, error });
            samples.push(sample.map_err(named)?);
        }
        let GameHeader { source, index, end, .. } = header;
        Ok(Some(StoredGame { source, index, end, samples }))
    }

    /// Reads the next game's header and, into the buffer, the bytes of its samples.
    fn next_header(&mut self) -> Result<Option<(u64, GameHeader)>, DataError> {
        loop {
            let offset = self.offset;
            let mut bytes = [0; GAME_HEADER_SIZE];
            let got = read_up_to(&mut self.input, &mut bytes)?;
            if got < bytes.len() {
                self.torn = got as u64;
                return Ok(None);
            }
            let Some(header) = GameHeader::decode(&bytes) else {
                // Headers and samples are of one size: sooner or later a header comes.
                self.offset += bytes.len() as u64;
                if self.lost {
                    continue;
                }
                self.lost = true;
                return Err(DataError::Game { offset, fault: GameFault::Header });
            };
            self.lost = false;
            self.buffer.resize(header.samples as usize * SAMPLE_SIZE, 0);
            let got = read_up_to(&mut self.input, &mut self.buffer)?;
            if got < self.buffer.len() {
                self.torn = (bytes.len() + got) as u64;
                return Ok(None);
            }
            self.last_game = offset;
            self.offset += (bytes.len() + got) as u64;
            return Ok(Some((offset, header)));
        }
    }
}

impl<R: Read + Seek> DataReader<R> {
    /// Goes to a game, of which it is known where it begins.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn seek(&mut self, offset: u64) -> Result<(), DataError> {
        self.input.seek(SeekFrom::Start(offset))?;
        self.offset = offset;
        self.torn = 0;
        self.lost = false;
        Ok(())
    }
}

/// Reads until the buffer is full or the input at its end; how many bytes came.
fn read_up_to(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match input.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
