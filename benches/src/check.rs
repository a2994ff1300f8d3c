//! Compares outputs with the reference, bit by bit, fast enough for 1 GiB.
//!
//! The reference computes each axis separately, one output position after another. The program keeps these results in one table
//! per axis. An output element combines one entry of each table (formula 7 of the reference). The program does not store the
//! expected output, and compares the largest output in about a second.
//!
//! The program also checks the tables. For a sample of output positions, it calls the reference once for all axes. The tables
//! must name the same input element. The tests check the tables for all positions.

use spec_tests::convert;
use spec_tests::reference::Request;

use crate::workload::Workload;

/// The entry of a table for a position that is fill.
const FILL: usize = usize::MAX;

/// The number of output positions per workload for which the tables are compared with the reference.
const SAMPLES: usize = 1000;

/// The expected output of a workload.
pub struct Expected {
    /// For each axis and output position, the offset in the input in elements, or [`FILL`]. There is at least one table.
    tables: Vec<Vec<usize>>,
    fill: Vec<u8>,
    bits: usize,
}

impl Expected {
    /// Computes the tables with the reference.
    ///
    /// # Panics
    ///
    /// The call panics if the reference refuses the workload, or disagrees with the tables.
    pub fn new(workload: &Workload) -> Expected {
        let mode = convert::mode(workload.mode);
        let request = Request::new(&workload.shape, &convert::axes(&workload.pads), mode, None);
        let bits = workload.element_bits();
        let out = request.output_shape(bits as u32);
        let out = out.unwrap_or_else(|refusal| panic!("{}: {refusal:?}", workload.id));
        let mut tables = Vec::new();
        let mut stride = 1;
        for axis in (0..out.len()).rev() {
            let length = workload.shape[axis];
            let along = Request::new(&[length], &[request.axes[axis]], mode, None);
            let table = (0..out[axis])
                .map(|o| along.source_of(&[o]).map_or(FILL, |source| source[0] * stride))
                .collect();
            tables.push(table);
            stride *= length;
        }
        if tables.is_empty() {
            tables.push(vec![0]);
        }
        tables.reverse();

        let expected = Expected { tables, fill: workload.fill.clone(), bits };
        let len: usize = out.iter().product();
        for sample in 0..SAMPLES.min(len) {
            let flat = (sample as u128 * len as u128 / SAMPLES.min(len) as u128) as usize;
            let position = position(flat, &out);
            let source = request.source_of(&position);
            let flat = source.map_or(FILL, |source| {
                source.iter().zip(&workload.shape).fold(0, |flat, (&i, &length)| flat * length + i)
            });
            assert_eq!(expected.source(&position), flat, "{}: output position {position:?}", workload.id);
        }
        expected
    }

    /// Returns the index of the input element for an output position, or [`FILL`].
    fn source(&self, position: &[usize]) -> usize {
        let offsets = position.iter().zip(&self.tables).map(|(&o, table)| table[o]);
        offsets.fold(0, |sum, offset| if sum == FILL || offset == FILL { FILL } else { sum + offset })
    }

    /// Compares a whole output with the expected one.
    ///
    /// # Errors
    ///
    /// The call fails if the outputs differ. The error names the first wrong element.
    pub fn check(&self, input: &[u8], output: &[u8]) -> Result<(), String> {
        let elements: usize = self.tables.iter().map(Vec::len).product();
        let bytes = (elements * self.bits).div_ceil(8);
        if output.len() != bytes {
            return Err(format!("{} bytes instead of {bytes}", output.len()));
        }
        let wrong = match self.bits {
            8 => self.first_wrong(|at, run, base| self.bytes::<1>(input, output, at, run, base)),
            16 => self.first_wrong(|at, run, base| self.bytes::<2>(input, output, at, run, base)),
            32 => self.first_wrong(|at, run, base| self.bytes::<4>(input, output, at, run, base)),
            64 => self.first_wrong(|at, run, base| self.bytes::<8>(input, output, at, run, base)),
            128 => self.first_wrong(|at, run, base| self.bytes::<16>(input, output, at, run, base)),
            _ => self.first_wrong(|at, run, base| self.packed(input, output, at, run, base)),
        };
        let spare = elements * self.bits % 8;
        match wrong {
            Some(at) => Err(format!("element {at} of {elements} is wrong")),
            None if spare > 0 && output[bytes - 1] >> spare > 0 => {
                Err("the bits after the last element are not zero".into())
            }
            None => Ok(()),
        }
    }

    /// Calls `row` for every innermost row, with the number of its first element, the last table, and the row's offset in the
    /// input. `row` returns the number of right elements. Returns the number of the first wrong element.
    fn first_wrong(&self, row: impl Fn(usize, &[usize], usize) -> usize) -> Option<usize> {
        let (inner, outer) = self.tables.split_last().expect("a table at least");
        let shape: Vec<usize> = outer.iter().map(Vec::len).collect();
        (0..shape.iter().product()).find_map(|line: usize| {
            let base = self.source(&position(line, &shape));
            let at = line * inner.len();
            Some(row(at, inner, base)).filter(|&right| right < inner.len()).map(|right| at + right)
        })
    }

    fn bytes<const N: usize>(
        &self,
        input: &[u8],
        output: &[u8],
        at: usize,
        row: &[usize],
        base: usize,
    ) -> usize {
        let (input, _) = input.as_chunks::<N>();
        let fill: [u8; N] = self.fill[..].try_into().expect("a fill of the element's size");
        let output = &output.as_chunks::<N>().0[at..][..row.len()];
        let right = output.iter().zip(row).position(|(got, &offset)| {
            let want = if base == FILL || offset == FILL { fill } else { input[base + offset] };
            *got != want
        });
        right.unwrap_or(row.len())
    }

    fn packed(&self, input: &[u8], output: &[u8], at: usize, row: &[usize], base: usize) -> usize {
        let mask = (1 << self.bits) - 1;
        let element = |bytes: &[u8], i: usize| bytes[i * self.bits / 8] >> (i * self.bits % 8) & mask;
        let right = row.iter().enumerate().position(|(i, &offset)| {
            let filled = base == FILL || offset == FILL;
            element(output, at + i)
                != if filled { self.fill[0] & mask } else { element(input, base + offset) }
        });
        right.unwrap_or(row.len())
    }
}

/// Returns the position of an element with this row-major number.
fn position(mut flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut position = vec![0; shape.len()];
    for (o, &length) in position.iter_mut().zip(shape).rev() {
        *o = flat % length;
        flat /= length;
    }
    position
}

#[cfg(test)]
mod tests {
    use pad_kernels::PadMode;

    use super::*;
    use crate::data::{Buffer, paint};
    use crate::workload::parse;

    fn small() -> Vec<Workload> {
        let entry = |dtype: &str, mode: &str, value: &str| {
            format!(
                r#"{{"id":"{dtype} {mode}","class":"","dtype":"{dtype}","shape":[3,1,5],"mode":"{mode}",
                "pads":[[1,2],[2,0],[-1,3]],"interior":[0,1,2],"value":{value}}}"#
            )
        };
        let modes = PadMode::ALL.map(PadMode::name);
        let entries = ["u8", "i16", "f32", "i64", "c128", "u4", "i2"];
        let entries = entries.iter().flat_map(|dtype| modes.map(|mode| entry(dtype, mode, "1")));
        parse(&format!("[{}]", entries.collect::<Vec<_>>().join(","))).unwrap()
    }

    fn whole(workload: &Workload, input: &[u8]) -> Vec<u8> {
        let (axes, mode) = (convert::axes(&workload.pads), convert::mode(workload.mode));
        let bits = workload.element_bits() as u32;
        let map = Request::new(&workload.shape, &axes, mode, None).map(bits).unwrap();
        map.apply_bits(input, &workload.fill, None, bits)
    }

    #[test]
    fn says_what_the_reference_says() {
        for workload in small() {
            let elements: usize = workload.shape.iter().product();
            let mut input = Buffer::filled((elements * workload.element_bits()).div_ceil(8), 0);
            paint(&mut input, workload.dtype);
            let mut output = whole(&workload, &input);
            let expected = Expected::new(&workload);
            assert_eq!(expected.check(&input, &output), Ok(()), "{}", workload.id);
            for byte in 0..output.len() {
                output[byte] ^= 1;
                assert!(expected.check(&input, &output).is_err(), "{} byte {byte}", workload.id);
                output[byte] ^= 1;
            }
            output.push(0);
            assert!(expected.check(&input, &output).is_err(), "{} length", workload.id);
        }
    }
}
