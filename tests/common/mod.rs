//! What several test programs share.

// Each test program compiles all of this and uses a part of it.
#![allow(dead_code)]

pub mod games;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;

/// A program that some tests need and not everybody has: the one that the environment variable names, else
/// the one of that name.
///
/// `None`, after a word on standard error, means that the test is to be skipped.
///
/// # Panics
///
/// Where there is none although `PHYSARUM_REQUIRE_TOOLS` is 1.
pub fn tool(variable: &str, name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os(variable).unwrap_or(name.into()));
    let problem = match Command::new(&path).arg("--version").output() {
        Ok(output) if output.status.success() => return Some(path),
        Ok(output) => output.status.to_string(),
        Err(error) => error.to_string(),
    };
    let required = std::env::var_os("PHYSARUM_REQUIRE_TOOLS").is_some_and(|value| value == "1");
    assert!(!required, "{}: {problem}", path.display());
    let _ = writeln!(io::stderr(), "test skipped: {}: {problem}", path.display());
    None
}

/// A Python interpreter that has the package `ataxx`; see [`python_with`].
pub fn python() -> Option<PathBuf> {
    python_with("ataxx")
}

/// A Python interpreter that has a package: the one that `PHYSARUM_PYTHON` names, else `python3`.
///
/// `None`, after a word on standard error, means that the test is to be skipped, as not everybody
/// has one.
///
/// # Panics
///
/// Where there is none although `PHYSARUM_REQUIRE_PYTHON` is 1.
pub fn python_with(package: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("PHYSARUM_PYTHON").unwrap_or("python3".into()));
    let problem = match Command::new(&path).args(["-c", &format!("import {package}")]).output() {
        Ok(output) if output.status.success() => return Some(path),
        Ok(output) => {
            // A traceback ends with what matters.
            let text = String::from_utf8_lossy(&output.stderr);
            text.lines().last().unwrap_or("it failed").to_owned()
        }
        Err(error) => error.to_string(),
    };
    let required = std::env::var_os("PHYSARUM_REQUIRE_PYTHON").is_some_and(|value| value == "1");
    assert!(!required, "{}: {problem}", path.display());
    // `eprintln!` would be hidden, as the test passes.
    let _ = writeln!(io::stderr(), "test skipped: {} with {package}: {problem}", path.display());
    None
}
