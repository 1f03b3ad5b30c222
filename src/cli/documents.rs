//! `physarum completions` and `physarum man`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{Cli, UNWRITABLE};

/// Print what a shell needs to complete commands and options
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum completions bash > ~/.local/share/bash-completion/completions/physarum
  physarum completions fish > ~/.config/fish/completions/physarum.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "physarum", &mut text);
    io::stdout().write_all(&text).context(UNWRITABLE)
}

/// Print the manual page, or write one for each command
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum man | man -l -
  physarum man --out ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// Write the pages of all commands into a folder, as physarum.1, physarum-match.1, …
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs) -> anyhow::Result<()> {
    let mut command = Cli::command();
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        return io::stdout().write_all(&page).context(UNWRITABLE);
    };
    command.build();
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("cannot write manual pages to {}", folder.display()))
}
