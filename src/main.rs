//! The program `physarum`; all of it is in the library.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use physarum::cli::{self, Failure};

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has had enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // There may be nobody to hear it.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            let own = error.downcast_ref().map(|failure: &Failure| ExitCode::from(failure.status));
            own.unwrap_or(ExitCode::FAILURE)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
