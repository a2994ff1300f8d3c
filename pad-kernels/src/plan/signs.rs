//! Finds the positions of an axis whose sign changes because a side is negated. Merges nested loops, for signs and for borders.

use core::ops::Range;

use smallvec::SmallVec;

use super::axis::Axis;
use crate::dtype::DType;
use crate::spec::{AxisMode, AxisPad, PadMode};

/// Nested loops. Each has a count, and a stride in atoms. Borders consist of bytes.
pub(crate) type Loops = SmallVec<[(usize, isize); 6]>;

/// Sorts loops by stride, the longest stride first. Merges two loops if together they visit equally spaced positions.
pub(crate) fn merged(mut loops: Loops) -> Loops {
    loops.retain(|&mut (count, _)| count > 1);
    loops.sort_by_key(|&(_, stride)| core::cmp::Reverse(stride.unsigned_abs()));
    let mut merged = Loops::new();
    for (count, stride) in loops {
        match merged.last_mut() {
            Some(last) if last.1 == stride * count as isize => *last = (last.0 * count, stride),
            _ => merged.push((count, stride)),
        }
    }
    merged
}

/// The sides of an axis that negate, and the position of the output relative to the window.
///
/// The window is the part of the axis that borders repeat. A position outside of the window maps back into the window through one
/// or more mirrors or periods. Its sign changes each time this path passes a side that negates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signs {
    /// The window coordinate of output position 0. It is not reduced modulo a period, because a period may change signs.
    /// It is an `i128`, because `-i64::MIN` exceeds an `i64`.
    start: i128,
    /// The length of the window.
    len: i64,
    /// For each side, the mode, and true if the side negates.
    low: (PadMode, bool),
    high: (PadMode, bool),
}

impl Signs {
    /// Returns the signs of one axis of a plan, for this padding and mode.
    pub(super) fn new(axis: &Axis, pad: AxisPad, mode: AxisMode, (low, high): (bool, bool)) -> Signs {
        let start = -i128::from(pad.low) - i128::from(axis.start);
        Signs { start, len: axis.len, low: (mode.low, low), high: (mode.high, high) }
    }

    /// Returns the signs for the output positions from `first` on.
    pub(crate) fn from(self, first: usize) -> Signs {
        Signs { start: self.start + first as i128, ..self }
    }

    /// Returns the output positions inside the window. The output has `out` positions.
    ///
    /// An [`Axis`] that consists of fill does not keep the position of its window, but its signs do.
    pub(super) fn inside(self, out: usize) -> Range<usize> {
        let position = |window: i64| i128::from(window) - self.start;
        let [begin, end] = [0, self.len].map(|window| position(window).clamp(0, out as i128) as usize);
        begin..end
    }

    /// Lists the positions whose sign changes: before the window if `is_low`, otherwise after it. The output has `out` positions.
    ///
    /// Each entry consists of a range, the number of its repetitions, and their distance.
    pub(super) fn negated(self, is_low: bool, out: usize) -> SmallVec<[(Range<usize>, usize, isize); 6]> {
        let ((mode, own), (_, other)) = if is_low { (self.low, self.high) } else { (self.high, self.low) };
        let (start, end, len) = (self.start, self.start + out as i128, i128::from(self.len));
        // `near` and `far` are distances from the outermost position of the window: to the nearest and to the farthest border
        // position on this side. `pass` is the number of border positions up to the next mirror or period. In mode edge,
        // it is the whole border.
        let (near, far) = if is_low { (1.max(1 - end), -start) } else { (1.max(start + 1 - len), end - len) };
        let (pass, is_mirror) = match mode {
            PadMode::Constant => (0, false),
            PadMode::Edge => (far, false),
            PadMode::Reflect => (len - 1, true),
            PadMode::Symmetric => (len, true),
            PadMode::Wrap => (len, false),
        };
        let mut runs = SmallVec::new();
        if pass <= 0 || near > far {
            return runs;
        }
        // Tells whether the sign changes an odd number of times. Every second mirror belongs to the other side.
        let turns = |passes: i128| {
            let others = if is_mirror { passes / 2 } else { 0 };
            (own && (passes - others) % 2 == 1) != (other && others % 2 == 1)
        };
        let mut push = |passes: i128, count: i128| {
            if turns(passes) {
                let (from, to) = (near.max((passes - 1) * pass + 1), far.min(passes * pass));
                let first = if is_low { -to - start } else { len - 1 + from - start };
                let step = if count == 1 { 0 } else { AGAIN * pass };
                let run = first as usize..(first + to - from + 1) as usize;
                runs.push((run, count as usize, if is_low { -step } else { step } as isize));
            }
        };
        let (first, last) = ((near + pass - 1) / pass, (far + pass - 1) / pass);
        push(first, 1);
        (first + 1..last.min(first + 1 + AGAIN))
            .for_each(|passes| push(passes, (last - 1 - passes) / AGAIN + 1));
        if last > first {
            push(last, 1);
        }
        runs
    }
}

/// The signs of a border repeat after this number of passes. Each pass is one mirror or period farther away from the window.
const AGAIN: i128 = 4;

/// Describes how the numbers of an element type are negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sign {
    /// The size of a number in bytes.
    pub(crate) bytes: usize,
    /// The number of numbers in an element.
    pub(crate) parts: usize,
    /// True if the sign is the top bit. Otherwise the numbers are two's complement.
    pub(crate) is_bit: bool,
}

impl Sign {
    /// Returns the sign of a type, or `None` if the type has no negative numbers.
    pub(crate) fn of(dtype: DType) -> Option<Sign> {
        let (bytes, parts, is_bit) = match dtype {
            DType::I8 => (1, 1, false),
            DType::I16 => (2, 1, false),
            DType::I32 => (4, 1, false),
            DType::I64 => (8, 1, false),
            DType::F16 | DType::BF16 => (2, 1, true),
            DType::F32 => (4, 1, true),
            DType::F64 => (8, 1, true),
            DType::C64 => (4, 2, true),
            DType::C128 => (8, 2, true),
            _ => return None,
        };
        Some(Sign { bytes, parts, is_bit })
    }
}
