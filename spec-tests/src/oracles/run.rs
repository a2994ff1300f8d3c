//! Runs cases, and compares the results with the reference. A slot is the position of one element in a buffer.

use pad_kernels::{
    PadError, PadPlan,
    kernels::{Isa, PadKernel, Streaming},
    tensor::ElementSize,
};

use super::arena::{Junk, Place, observe};
use super::entry::Entry;
use super::plans::{Mismatch, fitting, planned, with_isa};
use crate::case::{Case, Kind, negate, paint, with_type};
use crate::reach;
use crate::reference::Map;
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

/// A buffer of elements of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Buffer {
    Bytes(Kind, Vec<u8>),
    Texts(Vec<String>),
}

impl Buffer {
    fn new(case: &Case, colour: u8, room: usize) -> Buffer {
        match case.kind.element_size() {
            ElementSize::Cloned => Buffer::Texts((0..room).map(|i| format!("{colour}-{i}")).collect()),
            _ => Buffer::Bytes(case.kind, paint(case.kind, room, colour)),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Buffer::Bytes(_, bytes) => bytes,
            Buffer::Texts(_) => &[],
        }
    }

    /// Writes each slot from `source` or from `fill`, or keeps its content. Returns the buffer.
    fn drawn(mut self, slots: &[Slot], source: &Buffer, fill: &Buffer) -> Buffer {
        for (at, &slot) in slots.iter().enumerate() {
            match slot {
                Slot::Kept => {}
                Slot::Fill(number) => self.put(at, fill, number, false),
                Slot::From(from, turns) => self.put(at, source, from, turns),
            }
        }
        self
    }

    fn put(&mut self, at: usize, source: &Buffer, from: usize, turns: bool) {
        match (self, source) {
            (Buffer::Texts(to), Buffer::Texts(source)) => to[at].clone_from(&source[from]),
            (Buffer::Bytes(kind, to), Buffer::Bytes(_, source)) => match kind.element_size() {
                ElementSize::Bits(bits) => {
                    let (byte, shift, mask) = (at * bits / 8, at * bits % 8, (1 << bits) - 1);
                    let field = source[from * bits / 8] >> (from * bits % 8) & mask;
                    to[byte] = to[byte] & !(mask << shift) | field << shift;
                }
                ElementSize::Bytes(size) => {
                    let to = &mut to[at * size..][..size];
                    to.copy_from_slice(&source[from * size..][..size]);
                    if turns {
                        negate(*kind, to);
                    }
                }
                ElementSize::Cloned => unreachable!("bytes"),
            },
            _ => unreachable!("buffers of one kind"),
        }
    }
}

/// A case with its plan and the reference's answer.
pub(crate) struct Subject<'a> {
    pub(crate) case: &'a Case,
    pub(crate) plan: PadPlan,
    pub(crate) map: Map,
    fill: Buffer,
    /// For each element of the output, whether it is negated.
    pub(crate) turned: Vec<bool>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(case: &'a Case) -> Result<Result<Subject<'a>, PadError>, Mismatch> {
        let fill = match case.kind.element_size() {
            ElementSize::Cloned => Buffer::Texts(vec![Case::TEXT_FILL.to_string()]),
            _ => Buffer::Bytes(case.kind, case.fill_bytes()),
        };
        let planned = planned(case)?;
        Ok(planned.map(|(plan, map)| Subject {
            case,
            plan,
            turned: case.turned(&map, |_, _| true),
            map,
            fill,
        }))
    }
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
    source: Buffer,
    before: Buffer,
    want: Buffer,
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
    pub(crate) fn new(subject: &'a Subject<'_>, layout: &'a Layout) -> Result<Run<'a>, String> {
        let refused = |error: PadError| format!("refused: {error}");
        let Subject { case, plan, map, fill, turned } = subject;
        let Layout { part, window, places } = layout;
        let [shape, _] = layout.shapes(plan).map_err(refused)?;
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
        for (of_input, of_part) in layout.read(plan).map_err(refused)? {
            let slots = input.slots(&of_part);
            for (number, slot) in Placed::row_major(&case.shape).slots(&of_input).into_iter().zip(slots) {
                let place: &mut Option<usize> =
                    from.get_mut(number).ok_or_else(|| format!("{of_input:?} is not in the input"))?;
                *place = Some(slot);
            }
        }
        let mut slots = vec![Slot::Kept; output.room];
        let coloured = case.coloured();
        for (number, &to) in Placed::row_major(&map.shape).slots(window).into_iter().zip(&to) {
            slots[to] = match map.source[number] {
                None => Slot::Fill(coloured.map_or(0, |axis| map.filler_along(number, axis))),
                Some(source) => {
                    let from = from[source];
                    let from = from.ok_or_else(|| format!("{window:?} lacks element {source}"))?;
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
        let source = Buffer::new(case, case.paint, input.room);
        let before = Buffer::new(case, !case.paint, output.room);
        let mut want = before.clone().drawn(&slots, &source, fill);
        let ones = |slot: &Slot| if *slot == Slot::Kept { Slot::Kept } else { Slot::Fill(0) };
        let one = Buffer::Bytes(case.kind, vec![0xff; case.kind.bytes(1)]);
        let mut written = match &want {
            Buffer::Texts(_) => Vec::new(),
            Buffer::Bytes(kind, bytes) => Buffer::Bytes(*kind, vec![0; bytes.len()])
                .drawn(&slots.iter().map(ones).collect::<Vec<_>>(), &one, &one)
                .bytes()
                .to_vec(),
        };
        // A run without strides writes zeros to the unused bits of the last byte.
        if let (Part::Whole, None, 1.., Buffer::Bytes(_, want)) = (part, places, used, &mut want)
            && let (Some(last), Some(written)) = (want.last_mut(), written.last_mut())
        {
            (*last, *written) = (*last & !(u8::MAX << used), 0xff);
        }
        let plan = layout.plan(plan).map_err(refused)?;
        Ok(Run { case, layout, plan, input, output, to, slots, source, before, want, written, dense })
    }

    /// Returns the bytes of the source and of the expected destination.
    pub(super) fn data(&self) -> (&[u8], &[u8]) {
        (self.source.bytes(), self.want.bytes())
    }

    /// Runs the plan with its own kernel, in the loop for any rank, on every instruction set, and on every kernel that fits.
    /// Plans that can stream also run with streaming. Checks each result.
    pub(crate) fn on_every_kernel(&self) -> Result<(), String> {
        let mut plans = vec![self.plan.clone(), self.plan.with_generic_kernel()];
        for isa in Isa::ALL {
            if let Some(plan) = with_isa(self.case, &self.plan, isa)? {
                let streaming = plan.with_streaming(Streaming::Always);
                plans.extend([plan].into_iter().chain(Some(streaming).filter(PadPlan::streams)));
            }
        }
        let junk = self.junk();
        plans.iter().try_for_each(|plan| self.pass(plan, &Entry::RUN, &junk, PLACES))?;
        if let Buffer::Texts(_) = self.source {
            return Ok(());
        }
        fitting(&self.plan)
            .filter(|row| row.isa().available())
            .try_for_each(|row| self.pass(&self.plan, &Entry { row: Some(row), ..Entry::RUN }, &junk, PLACES))
    }

    /// Runs the plan with the kernel `row`, once normally and once with streaming requested. Each run uses one place. Many
    /// cases together use all places.
    pub(super) fn on_row(&self, row: &'static PadKernel) -> Result<(), String> {
        if !row.fits(&self.plan) {
            return Err(format!("{} does not fit {:?}", row.name(), self.plan));
        }
        let own_entry = self.case.paint.is_multiple_of(2) && matches!(self.source, Buffer::Bytes(..));
        let entry = Entry { row: Some(row).filter(|_| own_entry), ..Entry::RUN };
        let plan = if own_entry { Ok(self.plan.clone()) } else { self.plan.with_isa(row.isa()) };
        let plan = plan.map_err(|error| error.to_string())?;
        let (streaming, junk, [places, others]) =
            (plan.with_streaming(Streaming::Always), self.junk(), Place::two_of(self.case));
        self.pass(&plan, &entry, &junk, [places, &[]])?;
        self.pass(&streaming, &entry, &junk, [&[], others])
    }

    /// Runs the plan with the function that `entry` names, with buffers at two places in their memory pages. Many cases
    /// together use all places.
    pub(crate) fn through(&self, entry: &Entry) -> Result<(), String> {
        let [places, _] = Place::two_of(self.case);
        self.pass(&self.plan, entry, &self.junk(), [places, &[Place::Odd]])
    }

    /// Runs the plan with the function that `entry` names, with buffers at all places of [`PLACES`].
    pub(super) fn everywhere(&self, entry: &Entry) -> Result<(), String> {
        self.pass(&self.plan, entry, &self.junk(), PLACES)
    }

    fn junk(&self) -> [Junk<'_>; 2] {
        Junk::where_written(self.want.bytes(), &self.written)
    }

    /// Runs a plan with the function that `entry` names, and checks the results. Each kind of junk has its own places. A call
    /// that fills new memory must refuse an output with holes.
    fn pass(
        &self,
        plan: &PadPlan,
        entry: &Entry,
        junk: &[Junk<'_>; 2],
        places: [&[Place]; 2],
    ) -> Result<(), String> {
        let kernel = entry.row.or(plan.kernel());
        let told = |what: String| {
            let kernel = kernel.map_or("any-rank kernel", PadKernel::name);
            format!("{:?}, {entry:?}, {kernel}: {what}\n  {plan:?}", self.layout)
        };
        let refuses = entry.makes_output() && !self.dense;
        let right = if refuses { Err(PadError::OutputHasHoles) } else { Ok(()) };
        match (&self.source, &self.before, &self.want) {
            (Buffer::Texts(source), Buffer::Texts(before), Buffer::Texts(want)) => {
                let mut got = before.clone();
                reach::ran(self.layout.way(), kernel);
                let ran = entry.run_texts(self.case, plan, source, &mut got);
                let want = if refuses { before } else { want };
                let is_right = ran == right && got == *want;
                if is_right { Ok(()) } else { Err(told(format!("{ran:?} {got:?}, not {want:?}"))) }
            }
            (Buffer::Bytes(kind, source), Buffer::Bytes(_, before), Buffer::Bytes(..)) => {
                let run = |src: &[u8], dst: &mut [u8]| match entry.typed {
                    true => with_type!(*kind, T => entry.run_typed::<T>(self, plan, src, dst))
                        .expect("a Rust type"),
                    false => entry.run_bytes(self, plan, src, dst),
                };
                if refuses {
                    let ran = run(source, &mut before.clone());
                    return if ran == right { Ok(()) } else { Err(told(format!("{ran:?}, not {right:?}"))) };
                }
                for (places, junk) in places.into_iter().zip(junk) {
                    for &place in places {
                        reach::ran(self.layout.way(), kernel);
                        let run = |src: &[u8], dst: &mut [u8]| run(src, dst).map(|()| self.keep_tail(dst));
                        observe(place, junk, source, run).map_err(told)?;
                    }
                }
                Ok(())
            }
            _ => unreachable!("buffers of one kind"),
        }
    }

    /// Restores the unused bits after the last element of a packed output, if a run set them to zero. A run may do so if it
    /// writes every slot of the buffer.
    fn keep_tail(&self, got: &mut [u8]) {
        let used = self.slots.len() * self.case.kind.bits() as usize % 8;
        if let (Some(last), Some(before), 1..) = (got.last_mut(), self.want.bytes().last(), used)
            && !self.slots.contains(&Slot::Kept)
        {
            let unused = u8::MAX << used;
            if *last & unused == 0 {
                *last |= before & unused;
            }
        }
    }
}

/// Checks that the typed plan equals the untyped one. Returns `false` if the tests use no Rust type for the elements.
pub(super) fn check_typed(subject: &Subject<'_>) -> Result<bool, String> {
    let Subject { case, plan, .. } = subject;
    match with_type!(case.kind, T => PadPlan::new::<T>(&case.spec(), &case.shape)) {
        None => Ok(false),
        Some(Ok(typed)) if typed == *plan => Ok(true),
        Some(other) => Err(format!("the typed plan is another than the untyped one: {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use pad_kernels::{AxisPad, DType, PadMode};

    use super::*;
    use crate::oracles::{Outcome, check};

    #[test]
    fn drawing_is_by_element() {
        let slots = [Slot::Fill(0), Slot::Kept, Slot::From(2, true)];
        let drawn = |kind: Kind, before: &[u8], source: &[u8], fill: &[u8]| {
            let [before, source, fill] =
                [before, source, fill].map(|bytes| Buffer::Bytes(kind, bytes.to_vec()));
            before.drawn(&slots, &source, &fill)
        };
        let bytes = Kind::Tagged(DType::I8);
        assert_eq!(drawn(bytes, &[0; 3], &[1, 2, 3], &[8]), Buffer::Bytes(bytes, vec![8, 0, 253]));
        let u4s = Kind::Tagged(DType::U4);
        assert_eq!(drawn(u4s, &[0xee, 0xee], &[0x21, 0x43], &[7]), Buffer::Bytes(u4s, vec![0xe7, 0xe3]));
    }

    fn case(kind: Kind, mode: PadMode) -> Case {
        Case::new(kind, mode, [2, 3], [AxisPad::new(0, 1), AxisPad::new(1, 1)])
    }

    #[test]
    fn tail_of_a_buffer_may_become_zero() {
        let case = Case {
            paint: 100,
            ..Case::new(Kind::Tagged(DType::I2), PadMode::Edge, [2], [AxisPad::new(0, 0)])
        };
        let subject = Subject::new(&case).expect("agreed").expect("valid");
        let places = Some((Placed::row_major(&[2]), Placed::row_major(&[2])));
        let kept = |layout: &Layout, got: u8| {
            let run = Run::new(&subject, layout).expect("a run");
            let mut got = [got];
            run.keep_tail(&mut got);
            (got[0], run.want.bytes()[0] & 0xf0)
        };
        let strided = Layout { places, ..Layout::whole(&[2]) };
        let before = paint(case.kind, 2, !100)[0] & 0xf0;
        assert!(before != 0);
        assert_eq!(kept(&strided, 0x01), (before | 1, before));
        assert_eq!(kept(&strided, 0x11), (0x11, before));
        assert_eq!(kept(&Layout::whole(&[2]), 0x01), (0x01, 0));
    }

    /// Checks that the comparison finds a kernel that runs another request than the reference.
    #[test]
    fn kernel_of_another_request_is_found() {
        let case = case(Kind::Tagged(DType::U16), PadMode::Reflect);
        assert_eq!(check(&case), Ok(Outcome::Ran));
        let other = Case { mode: PadMode::Symmetric.into(), ..case.clone() };
        let subject = Subject::new(&case).expect("agreed").expect("valid");
        let layout = Layout::whole(&subject.map.shape);
        let run = Run::new(&subject, &layout).expect("a run");
        let wrong = Run { plan: other.plan().expect("valid"), ..run };
        let found = wrong.on_every_kernel().expect_err("another mode");
        for part in ["r2_symmetric_u16_", "byte 0 is", "Entry"] {
            assert!(found.contains(part), "{part}\n{found}");
        }
    }
}
