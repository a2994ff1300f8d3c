//! Memory for runs: every byte is known before a run and checked after it.

use std::cell::RefCell;
use std::ops::Range;

use anyhow::{Context as _, Result, bail, ensure};
use pad_kernels::PadError;

use crate::case::Case;
use crate::guard::Guarded;

/// The number of bytes on each side of a destination that a run must not change.
const BAND: usize = 64;

const CANARY: u8 = 0xc5;

/// The position of source and destination in their buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Both end directly before an unmapped page.
    End,
    /// Both start directly after an unmapped page.
    Start,
    /// Both start at odd addresses, with canaries on both sides.
    Odd,
}

impl Place {
    pub const ALL: [Place; 3] = [Place::End, Place::Start, Place::Odd];

    /// Returns one place for each of the two kinds of [`Junk`]. The places depend on the case, so that many cases together use
    /// all places.
    pub(crate) fn two_of(case: &Case) -> [&'static [Place]; 2] {
        let first = usize::from(case.paint) % 3;
        [first, (first + 1) % 3].map(|at| &Place::ALL[at..=at])
    }

    fn range(self, room: usize, len: usize) -> Range<usize> {
        let start = match self {
            Place::End => room - len,
            Place::Start => 0,
            Place::Odd => BAND + 1,
        };
        start..start + len
    }
}

/// The source and destination buffers of runs.
#[derive(Debug)]
struct Arena {
    src: Guarded,
    dst: Guarded,
}

/// Masks that turn an output into junk (wrong bytes) by exclusive or. Each mask changes every byte.
const JUNK: [u8; 2] = [0xff, 0x5a];

impl Arena {
    /// Returns buffers for small runs. They grow if a run needs more.
    fn new() -> Arena {
        Arena { src: Guarded::new(1), dst: Guarded::new(1) }
    }

    fn prepare(&mut self, place: Place, junk: &Junk<'_>, src: &[u8]) -> (Range<usize>, Range<usize>) {
        for (guarded, bytes) in [(&mut self.src, src.len()), (&mut self.dst, junk.output.len())] {
            let bytes = bytes + 2 * BAND + 2;
            if guarded.bytes().len() < bytes {
                *guarded = Guarded::new(2 * bytes);
            }
        }
        let from = place.range(self.src.bytes().len(), src.len());
        self.src.bytes_mut()[from.clone()].copy_from_slice(src);
        let dst = self.dst.bytes_mut();
        let to = place.range(dst.len(), junk.output.len());
        let (before, behind) = bands(&to, dst.len());
        dst[before].fill(CANARY);
        dst[behind].fill(CANARY);
        dst[to.clone()].copy_from_slice(&junk.bytes);
        (from, to)
    }

    fn verify(&self, to: Range<usize>, junk: &Junk<'_>) -> Result<()> {
        let dst = self.dst.bytes();
        let (before, behind) = bands(&to, dst.len());
        let got = &dst[to];
        ensure!(got == junk.output, describe(got, junk));
        for (side, band) in [("before", before), ("behind", behind)] {
            let band = &dst[band];
            if *band == [CANARY; BAND][..band.len()] {
                continue;
            }
            if let Some(at) = band.iter().position(|&byte| byte != CANARY) {
                let distance = if side == "before" { band.len() - at } else { at + 1 };
                bail!("wrote {:#04x} {distance} bytes {side} the destination", band[at]);
            }
        }
        Ok(())
    }
}

fn bands(to: &Range<usize>, room: usize) -> (Range<usize>, Range<usize>) {
    (to.start.saturating_sub(BAND)..to.start, to.end..room.min(to.end + BAND))
}

/// An expected output, and the bytes that the destination holds before a run.
#[derive(Debug)]
pub struct Junk<'a> {
    output: &'a [u8],
    pub(super) bytes: Vec<u8>,
}

impl<'a> Junk<'a> {
    /// Returns two kinds of junk for `output`. Every byte of both differs from the output.
    pub fn twice(output: &'a [u8]) -> [Junk<'a>; 2] {
        JUNK.map(|junk| Junk { output, bytes: output.iter().map(|byte| byte ^ junk).collect() })
    }

    /// Returns two kinds of junk for a run that writes only the bits set in `written`. All other bits are right from the start.
    pub fn where_written(output: &'a [u8], written: &[u8]) -> [Junk<'a>; 2] {
        let wrong =
            |junk| output.iter().zip(written).map(move |(byte, written)| byte ^ junk & written).collect();
        JUNK.map(|junk| Junk { output, bytes: wrong(junk) })
    }
}

fn describe(got: &[u8], junk: &Junk<'_>) -> String {
    let wrong = || (0..got.len()).filter(|&i| got[i] != junk.output[i]);
    let unwritten = wrong().filter(|&i| got[i] == junk.bytes[i]).count();
    let at = wrong().next().unwrap_or(0);
    let near = at.saturating_sub(8)..got.len().min(at + 24);
    format!(
        "{} of {} bytes are wrong, {unwritten} of them unwritten; byte {at} is {:#04x}, not {:#04x}\n  \
         bytes from {}\n    got  {:02x?}\n    want {:02x?}\n",
        wrong().count(),
        got.len(),
        got[at],
        junk.output[at],
        near.start,
        &got[near.clone()],
        &junk.output[near.clone()],
    )
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::new(Arena::new());
}

/// Calls `run` on `src` and on a destination full of junk, both at `place`, and compares the destination with the output.
pub fn observe(
    place: Place,
    junk: &Junk<'_>,
    src: &[u8],
    run: impl FnOnce(&[u8], &mut [u8]) -> Result<(), PadError>,
) -> Result<()> {
    ARENA.with_borrow_mut(|arena| {
        let (from, to) = arena.prepare(place, junk, src);
        let result = run(&arena.src.bytes()[from], &mut arena.dst.bytes_mut()[to.clone()]);
        result.context("refused to run")?;
        arena.verify(to, junk).with_context(|| format!("{place:?}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: [u8; 5] = [1, 2, 3, 4, 5];

    const SOURCE: [u8; 3] = [7, 8, 9];

    #[test]
    fn wrong_bits_and_unwritten_bytes_are_found() {
        let message = |at: usize, is_written: bool, junk: &Junk<'_>, place| {
            let ran = observe(place, junk, &SOURCE, |_, dst| {
                let before = dst[at];
                dst.copy_from_slice(&OUTPUT);
                dst[at] = if is_written { OUTPUT[at] ^ 0x10 } else { before };
                Ok(())
            });
            format!("{:#}", ran.expect_err("one byte is wrong"))
        };
        for (junk, place) in
            Junk::twice(&OUTPUT).iter().flat_map(|junk| Place::ALL.map(|place| (junk, place)))
        {
            let wrong = message(3, true, junk, place);
            assert!(wrong.contains("0 of them unwritten; byte 3 is 0x14, not 0x04"), "{wrong}");
            assert!(
                message(0, false, junk, place)
                    .contains("1 of 5 bytes are wrong, 1 of them unwritten; byte 0")
            );
        }
    }

    #[test]
    fn canaries_are_watched() {
        let mut arena = Arena::new();
        for place in Place::ALL {
            let [junk, _] = Junk::twice(&OUTPUT);
            let (_, to) = arena.prepare(place, &junk, &SOURCE);
            for (offset, words) in [(-1, "1 bytes before"), (-64, "64 bytes before"), (5, "1 bytes behind")] {
                let Some(at) = to.start.checked_add_signed(offset) else { continue };
                let dst = arena.dst.bytes_mut();
                dst[to.clone()].copy_from_slice(&OUTPUT);
                let Some(byte) = dst.get_mut(at) else { continue };
                *byte = 0;
                let found = arena.verify(to.clone(), &junk).expect_err("a byte is wrong").to_string();
                assert!(found.contains(words), "{place:?}: {found}");
                arena.dst.bytes_mut()[at] = CANARY;
                arena.verify(to.clone(), &junk).expect("all bytes are right");
            }
        }
    }
}
