//! Runs of a case, compared slot by slot with the reference's answer.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use pad_kernels::{
    PadError, PadPlan,
    kernels::{Isa, PadKernel},
    tensor::ElementSize,
};

use super::{Placed, View, Window, whole};
use crate::case::{Case, Kind, paint};
use crate::oracles::{self, Junk, Mismatch, Place};
use crate::reach::{self, Way};
use crate::reference::Map;

/// What is to stand in a slot of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Kept,
    /// The fill of this number.
    Fill(usize),
    /// The element in this slot of the source.
    From(usize),
}

impl Slot {
    fn source(self) -> Option<usize> {
        match self {
            Slot::From(source) => Some(source),
            Slot::Kept | Slot::Fill(_) => None,
        }
    }
}

/// Elements, whatever they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Buffer {
    Bytes(Kind, Vec<u8>),
    Texts(Vec<String>),
}

impl Buffer {
    pub(crate) fn new(case: &Case, colour: u8, room: usize) -> Buffer {
        match case.kind.element_size() {
            ElementSize::Cloned => Buffer::Texts((0..room).map(|i| format!("{colour}-{i}")).collect()),
            _ => Buffer::Bytes(case.kind, paint(case.kind, room, colour)),
        }
    }

    /// The buffer after the slots were written with elements of `source` and with fill.
    pub(crate) fn drawn(mut self, slots: &[Slot], source: &Buffer, fill: &Buffer) -> Buffer {
        if let (Buffer::Bytes(kind, to), Buffer::Bytes(_, source), Buffer::Bytes(_, fill)) =
            (&mut self, source, fill)
            && let ElementSize::Bytes(size) = kind.element_size()
        {
            for (slot, to) in slots.iter().zip(to.chunks_exact_mut(size)) {
                match slot {
                    Slot::Kept => {}
                    Slot::Fill(number) => to.copy_from_slice(&fill[number * size..][..size]),
                    Slot::From(from) => to.copy_from_slice(&source[from * size..][..size]),
                }
            }
            return self;
        }
        for (at, &slot) in slots.iter().enumerate() {
            match slot {
                Slot::Kept => {}
                Slot::Fill(number) => self.put(at, fill, number),
                Slot::From(from) => self.put(at, source, from),
            }
        }
        self
    }

    fn put(&mut self, at: usize, source: &Buffer, from: usize) {
        match (self, source) {
            (Buffer::Texts(to), Buffer::Texts(source)) => to[at].clone_from(&source[from]),
            (Buffer::Bytes(kind, to), Buffer::Bytes(_, source)) => match kind.element_size() {
                ElementSize::Bits(bits) => {
                    let (byte, shift, mask) = (at * bits / 8, at * bits % 8, (1 << bits) - 1);
                    let field = source[from * bits / 8] >> (from * bits % 8) & mask;
                    to[byte] = to[byte] & !(mask << shift) | field << shift;
                }
                ElementSize::Bytes(_) | ElementSize::Cloned => unreachable!("bits"),
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
    pub(crate) fill: Buffer,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(case: &'a Case) -> Result<Result<Subject<'a>, PadError>, Mismatch> {
        let fill = match case.kind.element_size() {
            ElementSize::Cloned => Buffer::Texts(vec![Case::TEXT_FILL.to_string()]),
            _ => Buffer::Bytes(case.kind, case.fill_bytes()),
        };
        let planned = oracles::planned(case)?;
        Ok(planned.map(|(plan, map)| Subject { case, plan, map, fill }))
    }

    fn input(&self, room: usize) -> Buffer {
        Buffer::new(self.case, self.case.paint, room)
    }

    /// What is to stand in a buffer of `room` elements after the elements of `window` were written to the slots `to`,
    /// where the input's elements are in the slots `from`.
    pub(crate) fn slots(
        &self,
        window: &[Range<usize>],
        to: &[usize],
        from: &[usize],
        room: usize,
    ) -> Vec<Slot> {
        let mut slots = vec![Slot::Kept; room];
        let numbers = Placed::row_major(&self.map.shape).slots(window);
        let coloured = self.case.coloured();
        for (number, &to) in numbers.into_iter().zip(to) {
            let fill = coloured.map_or(0, |axis| self.map.filler_along(number, axis));
            slots[to] = self.map.source[number].map_or(Slot::Fill(fill), |source| Slot::From(from[source]));
        }
        slots
    }

    /// The whole, between these strides.
    pub(super) fn strided(
        &self,
        input: &Placed,
        output: &Placed,
        row: Option<&'static PadKernel>,
    ) -> Result<(), String> {
        let plan = self.plan.with_strides(&input.strides(), &output.strides()).map_err(refused)?;
        let window = whole(&self.map.shape);
        let (from, to) = (input.slots(&whole(&self.case.shape)), output.slots(&window));
        let slots = self.slots(&window, &to, &from, output.room);
        let source = self.input(input.room);
        self.run(Way::Strided, &plan, row, &source, &slots, &source)
    }

    /// A box, into a buffer of its own.
    pub(super) fn window(&self, window: &Window, row: Option<&'static PadKernel>) -> Result<(), String> {
        let plan = self.plan.window(window).map_err(refused)?;
        let (source, slots) = self.alone(window);
        self.run(Way::Windowed, &plan, row, &source, &slots, &source)
    }

    /// A box, from the part of the input that it needs.
    pub(super) fn part(&self, window: &Window) -> Result<(), String> {
        let plan = self.plan.window_from_region(window).map_err(refused)?;
        let part = self.plan.input_region(window).map_err(refused)?;
        if part.iter().zip(&self.case.shape).any(|(range, &length)| range.end > length) {
            return Err(format!("the source of {window:?} is {part:?}, which is not in the input"));
        }
        let (source, slots) = self.alone(window);
        let taken: Vec<_> =
            Placed::row_major(&self.case.shape).slots(&part).into_iter().map(Slot::From).collect();
        let part = Buffer::new(self.case, 0, taken.len()).drawn(&taken, &source, &self.fill);
        self.run(Way::Windowed, &plan, None, &part, &slots, &source)
    }

    /// A box, from the parts of the input that it takes: no element more, and none twice.
    pub(super) fn parts(&self, window: &Window) -> Result<(), String> {
        let plan = self.plan.window_from_regions(window).map_err(refused)?;
        let parts = self.plan.input_regions(window).map_err(refused)?;
        let (source, slots) = self.alone(window);
        let taken: BTreeSet<usize> = slots.iter().filter_map(|slot| slot.source()).collect();
        let boxes = || parts.boxes();
        let told = boxes().flat_map(|(from, _)| Placed::row_major(&self.case.shape).slots(&from));
        let mut told: Vec<usize> = told.collect();
        told.sort_unstable();
        if !told.iter().eq(&taken) || parts.is_empty() != taken.is_empty() {
            return Err(format!("{window:?} takes {taken:?}, and its parts {parts:?} are {told:?}"));
        }
        if parts.axes().any(|parts| parts.windows(2).any(|pair| pair[0].end >= pair[1].start)) {
            return Err(format!("{window:?} has the parts {parts:?}, some of which could be one"));
        }
        let lengths = parts.shape();
        if lengths != plan.input_shape() {
            return Err(format!(
                "{window:?} of the parts {parts:?} is planned from {:?}",
                plan.input_shape()
            ));
        }
        let of_parts = Placed::row_major(&lengths);
        let mut taken = vec![Slot::Kept; of_parts.room];
        for (from, to) in boxes() {
            let from = Placed::row_major(&self.case.shape).slots(&from);
            for (from, to) in from.into_iter().zip(of_parts.slots(&to)) {
                taken[to] = Slot::From(from);
            }
        }
        if parts.is_slice() != (slots == taken && boxes().count() == 1) {
            return Err(format!("{window:?} with the parts {parts:?} is made of {slots:?}"));
        }
        // One interval an axis is the part that is needed, of which the box was made before.
        if parts.axes().all(|parts| parts.len() == 1) {
            let of_part = self.plan.window_from_region(window).map_err(refused)?;
            return match plan == of_part {
                true => Ok(()),
                false => Err(format!("{window:?} of the one part {parts:?}: {plan:?}, and not {of_part:?}")),
            };
        }
        let part = Buffer::new(self.case, 0, taken.len()).drawn(&taken, &source, &self.fill);
        self.run(Way::Windowed, &plan, None, &part, &slots, &source)
    }

    /// The contiguous input, and what a contiguous output of `window` has to hold.
    fn alone(&self, window: &Window) -> (Buffer, Vec<Slot>) {
        let count = window.iter().map(Range::len).product();
        let (from, to): (Vec<_>, Vec<_>) = ((0..self.plan.input_len()).collect(), (0..count).collect());
        (self.input(from.len()), self.slots(window, &to, &from, count))
    }

    /// A box, written to its place in the whole.
    pub(super) fn in_place(&self, window: &Window, view: &View) -> Result<(), String> {
        let Some(plan) = self.tile(window, view)? else { return Ok(()) };
        let (from, to) = (view.input.slots(&whole(&self.case.shape)), view.output.slots(window));
        let slots = self.slots(window, &to, &from, view.output.room);
        let source = self.input(view.input.room);
        self.run(Way::Windowed, &plan, None, &source, &slots, &source)
    }

    /// The plan that writes a box to its place; none for an empty one, which has no first element to stand anywhere.
    fn tile(&self, window: &Window, view: &View) -> Result<Option<PadPlan>, String> {
        if window.iter().any(Range::is_empty) {
            return Ok(None);
        }
        let start: Vec<_> = window.iter().map(|range| range.start).collect();
        let output = view.output.strides().at(&start).map_err(refused)?;
        let plan =
            self.plan.window(window).and_then(|plan| plan.with_strides(&view.input.strides(), &output));
        plan.map(Some).map_err(refused)
    }

    /// Boxes written to their places in this order are the whole.
    pub(super) fn one_after_the_other(&self, tiles: &[Window], view: &View) -> Result<(), String> {
        let window = whole(&self.map.shape);
        let (from, to) = (view.input.slots(&whole(&self.case.shape)), view.output.slots(&window));
        let slots = self.slots(&window, &to, &from, view.output.room);
        let source = self.input(view.input.room);
        let before = Buffer::new(self.case, !self.case.paint, view.output.room);
        let want = before.clone().drawn(&slots, &source, &self.fill);
        let mut got = before.clone();
        for tile in tiles {
            let Some(plan) = self.tile(tile, view)? else { continue };
            reach::ran(Way::Windowed, plan.kernel());
            match (&source, &mut got, &self.fill) {
                (Buffer::Bytes(_, source), Buffer::Bytes(_, got), _) => plan.run_bytes(source, got),
                (Buffer::Texts(source), Buffer::Texts(got), Buffer::Texts(fill)) => {
                    plan.run_cloned(source, &fill[0], got)
                }
                _ => unreachable!("buffers of one kind"),
            }
            .map_err(refused)?;
        }
        if let (Buffer::Bytes(kind, got), Buffer::Bytes(_, before)) = (&mut got, &before) {
            keep_tail(*kind, &slots, got, before);
        }
        if got == want {
            return Ok(());
        }
        Err(format!("tiles {tiles:?} are not the whole\n  got  {got:?}\n  want {want:?}"))
    }

    /// Runs `plan` on `source` with every kernel there is, or `row` alone; `slots` are filled from `data`.
    fn run(
        &self,
        way: Way,
        plan: &PadPlan,
        row: Option<&'static PadKernel>,
        source: &Buffer,
        slots: &[Slot],
        data: &Buffer,
    ) -> Result<(), String> {
        let before = Buffer::new(self.case, !self.case.paint, slots.len());
        let want = before.clone().drawn(slots, data, &self.fill);
        let mut plans: Vec<_> = match row {
            Some(row) => plan.with_isa(row.isa()).into_iter().collect(),
            None => Isa::ALL.iter().filter_map(|&isa| plan.with_isa(isa).ok()).collect(),
        };
        if row.is_none() {
            plans.push(plan.with_generic_kernel());
        }
        let told = |kernel: Option<&PadKernel>, what: &dyn fmt::Display| {
            format!("{way:?}, {}: {what}\n  {plan:?}", kernel.map_or("any-rank kernel", PadKernel::name))
        };
        match (source, before, want, &self.fill) {
            (Buffer::Texts(source), Buffer::Texts(before), Buffer::Texts(want), Buffer::Texts(fill)) => {
                for plan in plans {
                    let mut got = before.clone();
                    reach::ran(way, plan.kernel());
                    let ran = plan.run_cloned(source, &fill[0], &mut got);
                    if ran.is_err() || got != want {
                        return Err(told(plan.kernel(), &format_args!("{ran:?} {got:?}, not {want:?}")));
                    }
                }
                Ok(())
            }
            (Buffer::Bytes(kind, source), Buffer::Bytes(_, before), Buffer::Bytes(_, want), _) => {
                let written = written(*kind, slots);
                let junk = Junk::where_written(&want, &written);
                // Those of one row are many cases, which together come to all places.
                let all = [&[Place::End, Place::Odd][..], &[Place::Start]];
                let places = row.map_or(all, |_| Place::two_of(self.case));
                let observe = |kernel: Option<&'static PadKernel>, run: &Entry<'_>| {
                    for (places, junk) in places.into_iter().zip(&junk) {
                        for &place in places {
                            reach::ran(way, kernel);
                            let run = |src: &[u8], dst: &mut [u8]| {
                                run(src, dst).map(|()| keep_tail(*kind, slots, dst, &before))
                            };
                            let seen = oracles::observe(place, junk, source, run);
                            seen.map_err(|what| told(kernel, &what))?;
                        }
                    }
                    Ok(())
                };
                // A row alone is run through its own door or through a plan that chose it.
                let row_door = self.case.paint.is_multiple_of(2);
                if row.is_none() || !row_door {
                    for plan in &plans {
                        observe(plan.kernel(), &|src, dst| plan.run_bytes(src, dst))?;
                    }
                }
                let rows = match row {
                    Some(row) if row_door => vec![row],
                    Some(_) => Vec::new(),
                    None => oracles::fitting(plan).filter(|row| row.isa().available()).collect(),
                };
                rows.into_iter().try_for_each(|row| observe(Some(row), &|src, dst| row.run(plan, src, dst)))
            }
            _ => unreachable!("buffers of one kind"),
        }
    }
}

/// A way to run bytes.
type Entry<'a> = dyn Fn(&[u8], &mut [u8]) -> Result<(), PadError> + 'a;

/// The bits that runs have to write.
pub(crate) fn written(kind: Kind, slots: &[Slot]) -> Vec<u8> {
    if let ElementSize::Bytes(size) = kind.element_size() {
        let mut written = Vec::with_capacity(slots.len() * size);
        for &slot in slots {
            written.resize(written.len() + size, if slot == Slot::Kept { 0 } else { 0xff });
        }
        return written;
    }
    let one = Buffer::Bytes(kind, vec![0xff; kind.bytes(1)]);
    let fills: Vec<_> = slots
        .iter()
        .map(|&slot| match slot {
            Slot::Kept => Slot::Kept,
            _ => Slot::Fill(0),
        })
        .collect();
    match Buffer::Bytes(kind, vec![0; kind.bytes(slots.len())]).drawn(&fills, &one, &one) {
        Buffer::Bytes(_, written) => written,
        Buffer::Texts(_) => unreachable!("bytes"),
    }
}

/// The bits behind the last element of a packed output are nobody's if the buffer holds nothing else: there a run may
/// write zeros, and this puts back what was there.
pub(crate) fn keep_tail(kind: Kind, slots: &[Slot], got: &mut [u8], before: &[u8]) {
    let ElementSize::Bits(bits) = kind.element_size() else { return };
    let used = slots.len() * bits % 8;
    if let (Some(last), Some(before), 1..) = (got.last_mut(), before.last(), used)
        && !slots.contains(&Slot::Kept)
    {
        let unused = u8::MAX << used;
        if *last & unused == 0 {
            *last |= before & unused;
        }
    }
}

fn refused(error: PadError) -> String {
    format!("refused: {error}")
}

#[cfg(test)]
mod tests {
    use pad_kernels::{AxisPad, DType, PadMode};

    use super::*;
    use crate::oracles::Outcome;
    use crate::views::check;

    fn case(kind: Kind) -> Case {
        Case::new(kind, PadMode::Edge, [2, 3], [AxisPad::new(0, 1), AxisPad::new(1, 1)])
    }

    #[test]
    fn drawing_is_by_element() {
        let slots = [Slot::Fill(0), Slot::Kept, Slot::From(2)];
        let drawn = |kind: Kind, before: &[u8], source: &[u8], fill: &[u8]| {
            let [before, source, fill] =
                [before, source, fill].map(|bytes| Buffer::Bytes(kind, bytes.to_vec()));
            before.drawn(&slots, &source, &fill)
        };
        let u16s = Kind::Tagged(DType::U16);
        let want = Buffer::Bytes(u16s, vec![8, 9, 0, 0, 5, 6]);
        assert_eq!(drawn(u16s, &[0; 6], &[1, 2, 3, 4, 5, 6], &[8, 9]), want);
        let u4s = Kind::Tagged(DType::U4);
        assert_eq!(drawn(u4s, &[0xee, 0xee], &[0x21, 0x43], &[7]), Buffer::Bytes(u4s, vec![0xe7, 0xe3]));
        assert_eq!(written(u4s, &slots), [0x0f, 0x0f]);
        assert_eq!(written(Kind::Tagged(DType::I2), &slots), [0b11_00_11]);
    }

    #[test]
    fn tail_of_a_buffer_may_become_zero() {
        let kept = |slots: &[Slot], mut got: [u8; 1]| {
            keep_tail(Kind::Tagged(DType::I2), slots, &mut got, &[0x90]);
            got
        };
        assert_eq!(kept(&[Slot::Fill(0); 2], [0x01]), [0x91]);
        assert_eq!(kept(&[Slot::Fill(0); 2], [0x51]), [0x51]);
        assert_eq!(kept(&[Slot::Fill(0), Slot::Fill(0), Slot::Kept], [0x01]), [0x01]);
        assert_eq!(kept(&[Slot::Fill(0); 4], [0x01]), [0x01]);
    }

    /// The whole way: a plan between other strides than the slots are for.
    #[test]
    fn elements_in_the_wrong_place_are_found() {
        for dtype in [DType::U16, DType::I4, DType::String] {
            let case = case(Kind::Tagged(dtype));
            let right = View {
                input: Placed { offset: 0, strides: vec![1, 2], room: 6 },
                output: Placed { offset: 1, strides: vec![7, 1], room: 21 },
                tiles: vec![vec![0..3, 0..2], vec![0..3, 2..5]],
            };
            assert_eq!(check(&case, &right), Ok(Outcome::Ran));
            let subject = Subject::new(&case).expect("agreed").expect("valid");
            let plan = |view: &View| {
                subject.plan.with_strides(&view.input.strides(), &view.output.strides()).expect("valid")
            };
            let window = whole(&[3, 5]);
            let (from, to) = (right.input.slots(&whole(&[2, 3])), right.output.slots(&window));
            let slots = subject.slots(&window, &to, &from, 21);
            let source = subject.input(6);
            let run = |plan: &PadPlan| subject.run(Way::Strided, plan, None, &source, &slots, &source);
            assert_eq!(run(&plan(&right)), Ok(()));
            let mut wrong = right.clone();
            wrong.input.strides = vec![3, 1];
            assert!(run(&plan(&wrong)).is_err(), "{dtype}");
            wrong = right.clone();
            wrong.output.strides = vec![6, 1];
            assert!(run(&plan(&wrong)).is_err(), "{dtype}");
            // Tiles that leave something out.
            let short = [vec![0..3, 0..2], vec![0..3, 2..4]];
            let found = subject.one_after_the_other(&short, &right);
            assert!(found.is_err_and(|what| what.contains("are not the whole")), "{dtype}");
        }
    }
}
