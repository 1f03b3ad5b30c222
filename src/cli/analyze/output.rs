//! Where records go, and what is there of an interrupted run.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail};

use super::super::UNWRITABLE;
use super::formats::Format;
use crate::analysis::Told;

/// Where records go.
pub(super) struct Output {
    format: Format,
    writer: Box<dyn Write>,
    earlier: Option<Earlier>,
    /// A file to write behind so many bytes of it, once there is something to be written.
    waiting: Option<(File, u64)>,
}

/// What an interrupted run has written, while it is compared with what this run would have.
struct Earlier {
    name: String,
    lines: BufReader<File>,
    /// Where the next of the lines begins, and its number, from 1.
    offset: u64,
    number: u64,
    /// Lines that have been read, with the offsets at which they begin, but not yet told again.
    expected: VecDeque<(u64, String)>,
    /// Lines that have been told already, but not yet read: they come next, or behind all that is there.
    more: VecDeque<String>,
}

impl Output {
    /// Writes to standard output or to a new file.
    pub(super) fn new(format: Format, path: Option<&Path>, force: bool) -> anyhow::Result<Self> {
        let writer: Box<dyn Write> = match path {
            None => Box::new(io::stdout()),
            Some(path) => {
                let file = create(path, force).with_context(|| path.display().to_string())?;
                Box::new(file)
            }
        };
        let mut output = Self { format, writer, earlier: None, waiting: None };
        if let Some(head) = format.head()? {
            output.line(head)?;
        }
        Ok(output)
    }

    /// Goes on with the file of an interrupted run: first what [`earlier`](Self::earlier) gives is to be
    /// told again, then [`go_on`](Self::go_on) to be called.
    pub(super) fn resume(format: Format, path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let open = || {
            match path.metadata() {
                Ok(there) if there.is_dir() => bail!("this is a folder"),
                Ok(there) if !there.is_file() => {
                    bail!("no regular file: --resume cannot go on with it")
                }
                _ => {}
            }
            let mut options = OpenOptions::new();
            Ok(options.read(true).write(true).create(true).truncate(false).open(path)?)
        };
        let file = open().with_context(|| name.clone())?;
        let earlier = Earlier {
            name,
            lines: BufReader::new(file),
            offset: 0,
            number: 0,
            expected: VecDeque::new(),
            more: VecDeque::new(),
        };
        let writer = Box::new(io::sink());
        let mut output = Self { format, writer, earlier: Some(earlier), waiting: None };
        if let Some(head) = format.head()? {
            output.earlier()?;
            output.line(head)?;
        }
        Ok(output)
    }

    /// The next whole line of what is there.
    pub(super) fn earlier(&mut self) -> anyhow::Result<Option<String>> {
        let Some(earlier) = &mut self.earlier else { return Ok(None) };
        let mut line = Vec::new();
        let length = earlier.lines.read_until(b'\n', &mut line);
        let length = length.with_context(|| earlier.name.clone())? as u64;
        if !line.ends_with(b"\n") {
            return Ok(None);
        }
        earlier.number += 1;
        line.pop();
        let Ok(line) = String::from_utf8(line) else { bail!(earlier.foreign()) };
        let begin = earlier.offset;
        earlier.offset += length;
        match earlier.more.pop_front() {
            None => earlier.expected.push_back((begin, line.clone())),
            Some(told) if told == line => {}
            Some(_) => bail!(earlier.foreign()),
        }
        Ok(Some(line))
    }

    /// The complaint that what is there, up to the last line read, is not of this run.
    pub(super) fn foreign(&self) -> String {
        self.earlier.as_ref().map(Earlier::foreign).unwrap_or_default()
    }

    /// Takes the last line read for one of this run.
    pub(super) fn accept(&mut self) {
        if let Some(earlier) = &mut self.earlier {
            earlier.expected.clear();
        }
    }

    /// How many of the lines read have not been told again.
    pub(super) fn missing(&self) -> usize {
        self.earlier.as_ref().map_or(0, |earlier| earlier.expected.len())
    }

    /// Writes behind what is there from now on. Half a line at the end is dropped, and lines that have not been
    /// told again are when they are.
    pub(super) fn go_on(&mut self) -> anyhow::Result<()> {
        let Some(Earlier { name, lines, offset, expected, more, .. }) = self.earlier.take() else {
            return Ok(());
        };
        let mut file = lines.into_inner();
        match expected.front() {
            Some(&(begin, _)) => self.waiting = Some((file, begin)),
            None => {
                cut(&mut file, offset).with_context(|| name)?;
                self.writer = Box::new(file);
            }
        }
        more.into_iter().try_for_each(|line| self.line(line))
    }

    /// Writes what is told.
    pub(super) fn tell(&mut self, told: &Told) -> anyhow::Result<()> {
        let line = self.format.line(told)?;
        line.map_or(Ok(()), |line| self.line(line))
    }

    fn line(&mut self, mut line: String) -> anyhow::Result<()> {
        if let Some(earlier) = &mut self.earlier {
            match earlier.expected.pop_front() {
                None => earlier.more.push_back(line),
                Some((_, expected)) if expected == line => {}
                Some(_) => bail!(earlier.foreign()),
            }
            return Ok(());
        }
        if let Some((mut file, begin)) = self.waiting.take() {
            cut(&mut file, begin).context(UNWRITABLE)?;
            self.writer = Box::new(file);
        }
        line.push('\n');
        // At once and whole, so that what is there is always of use.
        self.writer
            .write_all(line.as_bytes())
            .and_then(|()| self.writer.flush())
            .context(UNWRITABLE)
    }
}

impl Earlier {
    fn foreign(&self) -> String {
        let Self { name, number, .. } = self;
        format!(
            "{name}: line {number} or the one before is not of this run, but of another input or \
             other options: --force begins anew"
        )
    }
}

/// Makes so many bytes the end of a file, to go on behind them.
fn cut(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    Ok(())
}

fn create(path: &Path, force: bool) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    match path.metadata() {
        Ok(there) if there.is_dir() => bail!("this is a folder"),
        // A device or a pipe is just written to.
        Ok(there) if !there.is_file() => return Ok(options.open(path)?),
        _ => {}
    }
    if force {
        return Ok(options.create(true).truncate(true).open(path)?);
    }
    match options.create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!("the file exists: --force replaces it, --resume goes on with it")
        }
        file => Ok(file?),
    }
}
