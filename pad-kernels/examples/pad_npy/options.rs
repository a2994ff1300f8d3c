//! Parses the options of `pad_npy` and `pad_zarr`, and prints their help.

use std::io::{self, Write};

use pad_kernels::{AxisMode, PadMode};

pub(crate) fn mode(text: &str) -> Result<AxisMode, String> {
    let (low, high) = text.split_once(',').unwrap_or((text, text));
    let found = |name: &str| PadMode::ALL.into_iter().find(|mode| mode.name() == name.trim());
    found(low)
        .zip(found(high))
        .map(AxisMode::from)
        .ok_or_else(|| format!("the modes are {}", PadMode::ALL.map(PadMode::name).join(", ")))
}

pub(crate) fn pad(text: &str) -> Result<(i64, i64), String> {
    let (low, high) = text.split_once(',').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<i64>().ok();
    number(low).zip(number(high)).ok_or_else(|| "a pad is LOW,HIGH in whole numbers".into())
}

pub(crate) fn interior(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "--interior takes a whole number, at least 0")
}

/// Prints a text. If the reader has closed the pipe, it wants no more of the text. This is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
