//! `physarum net`.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use serde::Serialize;

use super::UNWRITABLE;
use crate::eval::network::{DataSource, Description, Network, TrainingFigures};

/// Look at evaluation networks
#[derive(Debug, Args)]
pub(super) struct NetArgs {
    #[command(subcommand)]
    command: NetCommand,
}

#[derive(Debug, Subcommand)]
enum NetCommand {
    /// Show what a network file says about its network
    Info(InfoArgs),
}

#[derive(Debug, Args)]
struct InfoArgs {
    /// The file
    file: PathBuf,

    /// Write it as JSON
    #[arg(long)]
    json: bool,
}

/// All that there is to say about a network.
#[derive(Serialize)]
struct Info<'a> {
    /// As in `eval`.
    checksum: String,
    architecture: &'static str,
    hidden: usize,
    /// What evaluates on this machine.
    engine: &'static str,
    #[serde(flatten)]
    description: &'a Description,
}

pub(super) fn run(args: &NetArgs) -> anyhow::Result<()> {
    let NetCommand::Info(args) = &args.command;
    let network = Network::open(&args.file)
        .with_context(|| format!("cannot use the network {:?}", args.file))?;
    let info = Info {
        checksum: format!("{:08x}", network.checksum()),
        architecture: "36 windows of 2x2 squares, one layer, squared activations, one output",
        hidden: network.parameters().width,
        engine: network.engine(),
        description: network.description(),
    };
    let mut out = io::stdout();
    if args.json {
        serde_json::to_writer(&mut out, &info).map_err(io::Error::from).context(UNWRITABLE)?;
        return writeln!(out).context(UNWRITABLE);
    }
    out.write_all(text(&info).as_bytes()).context(UNWRITABLE)
}

/// A line for each thing.
fn text(info: &Info<'_>) -> String {
    let Info { checksum, architecture, hidden, engine, description } = info;
    let Description { created, engine: maker, data, training } = description;
    let mut text = format!(
        "checksum {checksum}\narchitecture {architecture}\nhidden {hidden}\n\
         computed with {engine}\ncreated {created} by version {maker}\n"
    );
    for DataSource { seed, nodes, generation, evaluation, games, positions } in data {
        let _ = writeln!(
            text,
            "data generation {generation} seed {seed} nodes {nodes} games {games} \
             positions {positions} evaluation {evaluation}"
        );
    }
    let TrainingFigures {
        steps,
        batch,
        seed,
        learning_rate,
        result_weight,
        lookahead,
        lookahead_halving,
        symmetric,
        scale,
        output_scale,
        positions,
        held_out,
        loss,
        validation_loss,
        mean_rounding,
        largest_rounding,
    } = training;
    let _ = writeln!(
        text,
        "training steps {steps} batch {batch} seed {seed} rate {learning_rate} \
         result weight {result_weight} lookahead {lookahead} \
         halving {lookahead_halving} symmetric {symmetric} scale {scale:.1}\n\
         positions {positions} held out {held_out}\n\
         loss {loss:.6} validation {validation_loss:.6}\n\
         output scale {output_scale:.1} rounding mean {mean_rounding:.2} max {largest_rounding:.2}"
    );
    // A file's text may hold anything.
    text.replace(|c: char| c.is_control() && c != '\n', "?")
}
