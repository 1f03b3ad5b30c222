//! Values that are written to files as their text.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub(super) fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

pub(super) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

/// A text that a file of settings may also have as a number, or as true or false.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a text, a number, true or false is expected")]
pub(super) enum Scalar {
    Text(String),
    Bool(bool),
    Natural(u64),
    Integer(i64),
    Float(f64),
}

impl Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => text.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::Natural(number) => number.fmt(f),
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
        }
    }
}
