//! What the rows of a workload allow: how near to memcpy a plan is expected to come.
//!
//! A row is what lies side by side in the output up to the innermost axis that is padded: of an image of `[h, w, 3]` whose
//! channels are not padded it is a line of whole pixels.

use pad_kernels::AxisPad;

use crate::workload::Workload;

/// Outputs of so many bytes are compared with memcpy; of smaller ones the time is what counts.
pub const LARGE: usize = 64 << 10;

/// Rows of so many bytes are long: a cache line, and a register of AVX-512.
pub const LONG_ROW: usize = 64;

/// What long rows allow, as a part of memcpy's speed.
pub const LONG_ROWS: f64 = 0.85;

/// What shorter rows allow, as a part of memcpy's speed.
pub const SHORT_ROWS: f64 = 0.5;

/// Nanoseconds that a row of a small output may take.
pub const ROW_NS: f64 = 1.5;

/// Nanoseconds that a call on a small output may take beside its rows.
pub const CALL_NS: f64 = 100.0;

/// The rows of a workload's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// How many there are.
    pub count: usize,
    /// Bytes of one; of packed types those that it has a part in.
    pub bytes: usize,
    /// Bytes of the output.
    pub output_bytes: usize,
}

impl Rows {
    /// The rows of `workload`.
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

    /// The least ratio to memcpy that is expected where memcpy takes `memcpy_ns`.
    ///
    /// A small output may take [`CALL_NS`] and [`ROW_NS`] a row. Where memcpy itself takes longer than that, the part of
    /// its speed that the length of the rows allows is expected of small outputs too.
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
        // 100 rows: 250 ns.
        let small = rows("[100,4]", "[[0,0],[1,1]]");
        assert_eq!(small.allow(50.0), 0.2);
        // memcpy takes longer than that.
        assert_eq!(small.allow(1000.0), SHORT_ROWS);
    }
}
