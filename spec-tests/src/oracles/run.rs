//! Runs cases, and compares the results with the reference. A slot is the position of one element in a buffer.

use anyhow::{Context as _, Result, ensure};
use pad_kernels::{
    PadError, PadPlan,
    kernels::{Isa, PadKernel, Streaming},
};

use super::arena::{Junk, Place, observe};
use super::entry::{Call, Entry};
use super::plans::{fitting, with_isa};
use crate::case::{Case, Kind, negate, paint};
use crate::reach;
use crate::reference::{Map, copy};
use crate::views::{Layout, Part, Placed, count, lengths, whole};

/// The expected content of one slot of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Kept,
    /// The element of the fill with this index.
    Fill(usize),
    /// The element in this slot of the source. The flag says whether it is negated.
    From(usize, bool),
}

/// Writes each slot of `buffer` from `source` or from `fill`, or keeps its content. Returns the buffer.
fn drawn(kind: Kind, mut buffer: Vec<u8>, slots: &[Slot], source: &[u8], fill: &[u8]) -> Vec<u8> {
    for (at, &slot) in slots.iter().enumerate() {
        match slot {
            Slot::Kept => {}
            Slot::Fill(number) => copy(&mut buffer, at, fill, number, kind.bits()),
            Slot::From(from, turns) => {
                copy(&mut buffer, at, source, from, kind.bits());
                if turns {
                    let size = kind.bytes(1);
                    negate(kind, &mut buffer[at * size..][..size]);
                }
            }
        }
    }
    buffer
}

/// A case with its plan and the reference's answer.
pub(crate) struct Subject<'a> {
    pub(crate) case: &'a Case,
    pub(crate) plan: PadPlan,
    pub(crate) map: Map,
    /// For each element of the output, whether it is negated.
    pub(crate) turned: Vec<bool>,
}

/// A plan for a region of the output of a case, with the memory before a run and the memory expected after it.
pub(crate) struct Run<'a> {
    pub(super) case: &'a Case,
    layout: &'a Layout,
    pub(crate) plan: PadPlan,
    /// The memory layout of the input that the plan reads.
    pub(crate) input: Placed,
    /// The memory layout of the region of the output that the plan writes.
    pub(crate) output: Placed,
    /// For each element of the region, its slot in the destination.
    pub(crate) to: Vec<usize>,
    slots: Vec<Slot>,
    source: Vec<u8>,
    want: Vec<u8>,
    /// A mask of the bits that a run must write.
    written: Vec<u8>,
    /// Whether the output fills its memory from the first slot without holes (unused slots), and shares no byte with later data.
    dense: bool,
}

/// The places for each of the two kinds of junk. Junk is the content of the output before a run. A place is the position of a
/// buffer in its memory page. Under Miri, places make no difference, so fewer are tried.
const PLACES: [&[Place]; 2] =
    [if cfg!(miri) { &[Place::End] } else { &[Place::End, Place::Odd] }, &[Place::Start]];

impl<'a> Run<'a> {
    pub(crate) fn new(subject: &'a Subject<'_>, layout: &'a Layout) -> Result<Run<'a>> {
        let Subject { case, plan, map, turned } = subject;
        let Layout { part, window, places } = layout;
        let [shape, _] = layout.shapes(plan)?;
        let own = Placed::row_major(&lengths(window));
        let input = places.as_ref().map_or_else(|| Placed::row_major(&shape), |(input, _)| input.clone());
        let (mut output, to) = match (part, places) {
            (Part::InPlace, Some((_, output))) => (output.clone(), output.slots(window)),
            (Part::BoxOfView, _) | (_, None) => (own.clone(), own.slots(&whole(&lengths(window)))),
            (_, Some((_, output))) => (output.clone(), output.slots(&whole(&lengths(window)))),
        };
        output.offset = to.first().copied().unwrap_or(output.offset);
        // Find the slot in the source for each element of the input.
        let mut from = vec![None; count(&case.shape)];
        for (of_input, of_part) in layout.read(plan)? {
            let slots = input.slots(&of_part);
            for (number, slot) in Placed::row_major(&case.shape).slots(&of_input).into_iter().zip(slots) {
                *from.get_mut(number).with_context(|| format!("{of_input:?} is not in the input"))? =
                    Some(slot);
            }
        }
        let mut slots = vec![Slot::Kept; output.room];
        let coloured = case.coloured();
        for (number, &to) in Placed::row_major(&map.shape).slots(window).into_iter().zip(&to) {
            slots[to] = match map.source[number] {
                None => Slot::Fill(coloured.map_or(0, |axis| map.fill_along(number, axis))),
                Some(source) => {
                    let from = from[source].with_context(|| format!("{window:?} lacks element {source}"))?;
                    Slot::From(from, turned[number])
                }
            };
        }
        let mut sorted = to.clone();
        sorted.sort_unstable();
        // If the last element ends within a byte, an output with strides shares this byte with later data.
        let used = case.kind.bits() as usize * to.len() % 8;
        let shares = places.is_some() && *part != Part::BoxOfView && used > 0;
        let dense = sorted.into_iter().eq(0..to.len()) && (!shares || to.is_empty());
        let source = paint(case.kind, input.room, case.paint);
        let before = paint(case.kind, output.room, !case.paint);
        let mut want = drawn(case.kind, before, &slots, &source, &case.fill_bytes());
        let ones = |slot: &Slot| if *slot == Slot::Kept { Slot::Kept } else { Slot::Fill(0) };
        let (ones, one): (Vec<_>, _) = (slots.iter().map(ones).collect(), vec![0xff; case.kind.bytes(1)]);
        let mut written = drawn(case.kind, vec![0; want.len()], &ones, &[], &one);
        // A run without strides writes zeros to the unused bits of the last byte.
        if let (Part::Whole, None, 1..) = (part, places, used)
            && let (Some(last), Some(written)) = (want.last_mut(), written.last_mut())
        {
            (*last, *written) = (*last & !(u8::MAX << used), 0xff);
        }
        let plan = layout.plan(plan)?;
        Ok(Run { case, layout, plan, input, output, to, slots, source, want, written, dense })
    }

    /// Returns the bytes of the source and of the expected destination.
    pub(super) fn data(&self) -> (&[u8], &[u8]) {
        (&self.source, &self.want)
    }

    /// Returns the bytes of the source, and those of the destination before and after a run.
    pub(crate) fn memory(&self) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let [junk, _] = self.junk();
        (self.source.clone(), junk.bytes, self.want.clone())
    }

    /// Runs the plan with its own kernel, in the loop for any rank, on every instruction set, and on every kernel that fits.
    /// Plans that can stream also run with streaming. Checks each result.
    pub(crate) fn on_every_kernel(&self) -> Result<()> {
        let mut plans = vec![self.plan.clone(), self.plan.with_generic_kernel()];
        for isa in Isa::ALL {
            if let Some(plan) = with_isa(self.case, &self.plan, isa)? {
                let streaming = plan.with_streaming(Streaming::Always);
                plans.extend([plan].into_iter().chain(Some(streaming).filter(PadPlan::streams)));
            }
        }
        let junk = self.junk();
        plans.iter().try_for_each(|plan| self.pass(plan, &Entry::RUN, &junk, PLACES))?;
        fitting(&self.plan)
            .filter(|row| row.isa().available() && !self.case.kind.is_cloned())
            .try_for_each(|row| self.pass(&self.plan, &Entry { row: Some(row), ..Entry::RUN }, &junk, PLACES))
    }

    /// Runs the plan with the kernel `row`, once normally and once with streaming requested. Each run uses one place. Many
    /// cases together use all places.
    pub(super) fn on_row(&self, row: &'static PadKernel) -> Result<()> {
        ensure!(row.fits(&self.plan), "{} does not fit {:?}", row.name(), self.plan);
        let own_entry = self.case.paint.is_multiple_of(2) && !self.case.kind.is_cloned();
        let entry = Entry { row: Some(row).filter(|_| own_entry), ..Entry::RUN };
        let plan = if own_entry { Ok(self.plan.clone()) } else { self.plan.with_isa(row.isa()) };
        let plan = plan?;
        let streaming = plan.with_streaming(Streaming::Always);
        let (junk, [places, others]) = (self.junk(), Place::two_of(self.case));
        self.pass(&plan, &entry, &junk, [places, &[]])?;
        self.pass(&streaming, &entry, &junk, [&[], others])
    }

    /// Runs the plan with the function that `entry` names, with buffers at two places in a page. Many cases use all places.
    pub(crate) fn through(&self, entry: &Entry) -> Result<()> {
        let [places, _] = Place::two_of(self.case);
        self.pass(&self.plan, entry, &self.junk(), [places, &[Place::Odd]])
    }

    /// Runs the plan with the function that `entry` names, with buffers at all places of [`PLACES`].
    pub(super) fn everywhere(&self, entry: &Entry) -> Result<()> {
        self.pass(&self.plan, entry, &self.junk(), PLACES)
    }

    fn junk(&self) -> [Junk<'_>; 2] {
        Junk::where_written(&self.want, &self.written)
    }

    /// Runs a plan with the function that `entry` names, and checks the results. Each kind of junk has its own places. A call
    /// that fills new memory must refuse an output with holes.
    fn pass(&self, plan: &PadPlan, entry: &Entry, junk: &[Junk<'_>; 2], places: [&[Place]; 2]) -> Result<()> {
        let kernel = entry.row.or(plan.kernel());
        let told = || {
            let kernel = kernel.map_or("any-rank kernel", PadKernel::name);
            format!("{:?}, {entry:?}, {kernel}, {plan:?}", self.layout)
        };
        let makes_output = matches!(entry.call, Call::Pad | Call::ToVec | Call::RunUninit);
        if makes_output && !self.dense {
            let ran = entry.run(self, plan, &self.source, &mut self.want.clone());
            ensure!(ran == Err(PadError::OutputHasHoles), "{}: {ran:?}", told());
            return Ok(());
        }
        for (places, junk) in places.into_iter().zip(junk) {
            for &place in places {
                reach::ran(self.layout.way(), kernel);
                let run = |src: &[u8], dst: &mut [u8]| {
                    entry.run(self, plan, src, dst).map(|()| self.keep_tail(dst))
                };
                observe(place, junk, &self.source, run).with_context(told)?;
            }
        }
        Ok(())
    }

    /// Restores the unused bits after the last element of a packed output, if a run set them to zero. A run may do so if it
    /// writes every slot of the buffer.
    fn keep_tail(&self, got: &mut [u8]) {
        let used = self.slots.len() * self.case.kind.bits() as usize % 8;
        if let (Some(last), Some(before), 1..) = (got.last_mut(), self.want.last(), used)
            && !self.slots.contains(&Slot::Kept)
        {
            let unused = u8::MAX << used;
            if *last & unused == 0 {
                *last |= before & unused;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pad_kernels::{AxisPad, DType, PadMode};

    use super::*;
    use crate::oracles::{check, with_subject};

    #[test]
    fn drawing_is_by_element() {
        let slots = |turns| [Slot::Fill(0), Slot::Kept, Slot::From(2, turns)];
        let bytes = drawn(Kind::Tagged(DType::I8), vec![0; 3], &slots(true), &[1, 2, 3], &[8]);
        assert_eq!(bytes, [8, 0, 253]);
        let u4s = drawn(Kind::Tagged(DType::U4), vec![0xee, 0xee], &slots(false), &[0x21, 0x43], &[7]);
        assert_eq!(u4s, [0xe7, 0xe3]);
    }

    #[test]
    fn tail_of_a_buffer_may_become_zero() {
        let case = Case {
            paint: 100,
            ..Case::new(Kind::Tagged(DType::I2), PadMode::Edge, [2], [AxisPad::new(0, 0)])
        };
        let places = Some((Placed::row_major(&[2]), Placed::row_major(&[2])));
        let strided = Layout { places, ..Layout::whole(&[2]) };
        let before = paint(case.kind, 2, !100)[0] & 0xf0;
        assert!(before != 0);
        let tried = with_subject(&case, |subject| {
            for (layout, got, right) in [
                (&strided, 0x01, (before | 1, before)),
                (&strided, 0x11, (0x11, before)),
                (&Layout::whole(&[2]), 0x01, (0x01, 0)),
            ] {
                let run = Run::new(subject, layout)?;
                let mut got = [got];
                run.keep_tail(&mut got);
                assert_eq!((got[0], run.want[0] & 0xf0), right);
            }
            Ok(())
        });
        tried.expect("a run");
    }

    /// Checks that the comparison finds a kernel that runs another request than the reference.
    #[test]
    fn kernel_of_another_request_is_found() {
        let axes = [AxisPad::new(0, 1), AxisPad::new(1, 1)];
        let case = Case::new(Kind::Tagged(DType::U16), PadMode::Reflect, [2, 3], axes);
        check(&case).expect("a right kernel");
        let other = Case { mode: PadMode::Symmetric.into(), ..case.clone() };
        let found = with_subject(&case, |subject| {
            let layout = Layout::whole(&subject.map.shape);
            let wrong = Run { plan: other.plan()?, ..Run::new(subject, &layout)? };
            wrong.on_every_kernel()
        });
        let found = found.expect_err("another mode").to_string();
        for part in ["r2_symmetric_u16_", "byte 0 is", "Entry"] {
            assert!(found.contains(part), "{part}\n{found}");
        }
    }
}
