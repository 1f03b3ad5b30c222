//! Physarum, an engine for Ataxx (also known as Assimilation), as a library.
//!
//! The modules stand on each other in this order, and none uses what stands above it:
//! [`game`], [`record`], [`eval`], [`search`], [`protocol`], [`referee`], [`analysis`],
//! [`training`], [`tuning`], [`cli`].

pub mod analysis;
mod chart;
pub mod cli;
pub mod eval;
pub mod game;
mod parallel;
pub mod protocol;
mod random;
pub mod record;
pub mod referee;
pub mod search;
pub mod training;
pub mod tuning;
