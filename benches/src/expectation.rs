//! The speed that is expected of a plan, relative to memcpy. It depends on the length of the output's rows.
//!
//! A row contains the innermost axis with padding and all axes inside of it. It is contiguous in the output. For an image
//! `[h, w, 3]` without padding on the channels, a row is a line of pixels.

use pad_kernels::AxisPad;

use crate::workload::Workload;

/// The minimum size in bytes for which outputs are compared with memcpy. Smaller outputs are compared with a fixed time.
pub const LARGE: usize = 64 << 10;

/// The minimum length of a long row in bytes. It is a cache line, or a register of AVX-512.
pub const LONG_ROW: usize = 64;

/// The expected speed for long rows, relative to memcpy.
pub const LONG_ROWS: f64 = 0.85;

/// The expected speed for short rows, relative to memcpy.
pub const SHORT_ROWS: f64 = 0.5;

/// The nanoseconds per row that a small output may take.
pub const ROW_NS: f64 = 1.5;

/// The nanoseconds per call that a small output may take in addition to its rows.
pub const CALL_NS: f64 = 100.0;

/// The rows of a workload's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The number of rows.
    pub count: usize,
    /// The size of a row in bytes. For packed types, it includes partly used bytes.
    pub bytes: usize,
    /// The size of the output in bytes.
    pub output_bytes: usize,
}

impl Rows {
    /// Returns the rows of `workload`.
    pub fn of(workload: &Workload) -> Rows {
        let output = workload.output_shape();
        let padded = |pad: &AxisPad| *pad != AxisPad::default();
        let innermost = workload.pads.iter().rposition(padded).unwrap_or(0);
        let elements: usize = output[innermost..].iter().product();
        Rows {
            count: output[..innermost].iter().product(),
            bytes: (elements * workload.element_bits()).div_ceil(8),
            output_bytes: workload.output_bytes(),
        }
    }

    /// Returns the minimum expected speed relative to memcpy, if memcpy takes `memcpy_ns`.
    ///
    /// For a small output, the minimum is the lower one of two speeds: the speed for its row length, and the speed of an output
    /// that takes [`CALL_NS`] plus [`ROW_NS`] per row.
    pub fn allow(&self, memcpy_ns: f64) -> f64 {
        let of_length = if self.bytes >= LONG_ROW { LONG_ROWS } else { SHORT_ROWS };
        if self.output_bytes >= LARGE {
            return of_length;
        }
        of_length.min(memcpy_ns / (CALL_NS + ROW_NS * self.count as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::parse;

    fn rows(shape: &str, pads: &str) -> Rows {
        let text = format!(
            r#"[{{"id":"a","class":"c","dtype":"f32","shape":{shape},"pads":{pads},"mode":"edge"}}]"#
        );
        Rows::of(&parse(&text).unwrap()[0])
    }

    #[test]
    fn rows_end_with_the_innermost_padded_axis() {
        let of = |count, bytes| Rows { count, bytes, output_bytes: count * bytes };
        assert_eq!(rows("[2,3,4]", "[[0,0],[1,1],[1,2]]"), of(10, 28));
        assert_eq!(rows("[3,4,5]", "[[0,0],[1,1],[0,0]]"), of(3, 120));
        assert_eq!(rows("[3,4]", "[[0,0],[0,0]]"), of(1, 48));
        assert_eq!(rows("[]", "[]"), of(1, 4));
    }

    #[test]
    fn long_rows_allow_more_and_small_outputs_a_time() {
        assert_eq!(rows("[200,100]", "[[1,1],[1,1]]").allow(1e4), LONG_ROWS);
        assert_eq!(rows("[20000,3]", "[[1,1],[1,1]]").allow(1e4), SHORT_ROWS);
        // 100 rows may take 250 ns.
        let small = rows("[100,4]", "[[0,0],[1,1]]");
        assert_eq!(small.allow(50.0), 0.2);
        // memcpy takes longer than 250 ns.
        assert_eq!(small.allow(1000.0), SHORT_ROWS);
    }
}
