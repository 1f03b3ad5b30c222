//! Writing data files.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::format::{MAGIC, MAX_HEADER, PREFIX_SIZE, VERSION};
use super::{DataError, DataHeader, DataReader, StoredGame};

/// Appends games to a data file, whole ones only.
///
/// While it is there nobody else gets one for the same file.
#[derive(Debug)]
pub struct DataWriter {
    file: File,
    header: DataHeader,
    /// Where the file's good part ends.
    length: u64,
    buffer: Vec<u8>,
    unpublished: Option<Unpublished>,
}

impl DataWriter {
    /// Begins a new file, which appears with its header complete.
    ///
    /// # Errors
    ///
    /// When there is something with this name already, or it cannot be written.
    pub fn create(path: &Path, header: DataHeader) -> Result<Self, DataError> {
        let mut writer = Self::begin(path, header)?;
        writer.publish()?;
        Ok(writer)
    }

    /// Begins a new file under another name next to its own; [`publish`](Self::publish) gives it
    /// its own, and without that it disappears again.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn begin(path: &Path, header: DataHeader) -> Result<Self, DataError> {
        if path.symlink_metadata().is_ok() {
            return Err(DataError::Exists);
        }
        let bytes = encode_header(&header)?;
        let mut other = OsString::from(path);
        other.push(".tmp");
        let other = PathBuf::from(other);
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&other)?;
        lock(&file)?;
        let unpublished = Unpublished { other, path: path.to_owned() };
        // What is in it now is from a writer that was killed.
        file.set_len(0)?;
        let length = bytes.len() as u64;
        let mut writer =
            Self { file, header, length, buffer: bytes, unpublished: Some(unpublished) };
        writer.file.write_all(&writer.buffer)?;
        writer.file.sync_all()?;
        Ok(writer)
    }

    /// Goes on with a file. `seen` is told of each game that is in it; what comes after the last
    /// complete one is cut off.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, is no data file, is of another version, is
    /// damaged, or somebody else is writing to it. It is unchanged then.
    pub fn resume(path: &Path, seen: &mut dyn FnMut(&StoredGame)) -> Result<Self, DataError> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(DataError::Irregular);
        }
        lock(&file)?;
        let mut reader = DataReader::new(io::BufReader::with_capacity(1 << 18, &file))?;
        while let Some(game) = reader.next_stored()? {
            seen(&game);
        }
        let (header, length, torn) = (reader.header().clone(), reader.offset(), reader.torn());
        if torn > 0 {
            log::info!("{torn} bytes of an incomplete game are cut off");
            file.set_len(length)?;
        }
        file.seek(SeekFrom::Start(length))?;
        Ok(Self { file, header, length, buffer: Vec::new(), unpublished: None })
    }

    /// What the file says about itself.
    pub const fn header(&self) -> &DataHeader {
        &self.header
    }

    /// Appends a game. If that fails, the file keeps what it had before, as far as the system
    /// allows.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    ///
    /// # Panics
    ///
    /// When the game has more than 65,535 samples.
    pub fn append(&mut self, game: &StoredGame) -> Result<(), DataError> {
        self.buffer.clear();
        game.encode(&mut self.buffer);
        if let Err(error) = self.file.write_all(&self.buffer) {
            // If this fails too, the next reader leaves the incomplete game out.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(error.into());
        }
        self.length += self.buffer.len() as u64;
        Ok(())
    }

    /// Waits until what was appended would survive a loss of power.
    ///
    /// # Errors
    ///
    /// When the system cannot promise it.
    pub fn sync(&mut self) -> Result<(), DataError> {
        Ok(self.file.sync_data()?)
    }

    /// Gives a file from [`begin`](Self::begin) its own name; does nothing the second time.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or there is something with this name now.
    pub fn publish(&mut self) -> Result<(), DataError> {
        let Some(unpublished) = &self.unpublished else { return Ok(()) };
        self.file.sync_all()?;
        if unpublished.path.symlink_metadata().is_ok() {
            return Err(DataError::Exists);
        }
        fs::rename(&unpublished.other, &unpublished.path)?;
        self.unpublished = None;
        Ok(())
    }
}

/// A file that has not got its name yet.
#[derive(Debug)]
struct Unpublished {
    other: PathBuf,
    path: PathBuf,
}

impl Drop for DataWriter {
    fn drop(&mut self) {
        if let Some(unpublished) = &self.unpublished {
            // What cannot be removed is overwritten by the next writer.
            let _ = fs::remove_file(&unpublished.other);
        }
    }
}

/// Makes sure that nobody else writes to a file.
fn lock(file: &File) -> Result<(), DataError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(DataError::Busy),
        // Some network file systems have no locks; that's no reason not to write there.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn encode_header(header: &DataHeader) -> Result<Vec<u8>, DataError> {
    let text = serde_json::to_vec(header).map_err(DataError::Header)?;
    if text.len() > MAX_HEADER {
        return Err(DataError::LongHeader);
    }
    let mut bytes = Vec::with_capacity(PREFIX_SIZE + text.len() + 4);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(&text);
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    Ok(bytes)
}
