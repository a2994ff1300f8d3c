//! Tests of copies, permutations, programs and the staging buffer, for each instruction set of the machine.
//!
//! The buffers lie next to unmapped pages, so that a read or write outside of a buffer crashes the test.

use alloc::vec;
use alloc::vec::Vec;
use std::collections::BTreeSet;
use std::format;
use std::ops::Range;
use std::string::String;

#[cfg(target_arch = "x86_64")]
use crate::isa::Isa;
use crate::kernel::memory::{
    AHEAD, Fetch, OVERSHOOT, SHORT, copy_ends, copy_exact, copy_over, copy_within, fill_exact, fill_over,
    get, put, repeat,
};
use crate::kernel::program::{Draft, Lanes, Packing, Program, Run, Shells};
use crate::kernel::sheet::Sheet;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::kernel::simd::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::kernel::simd::Simd128;
#[cfg(target_arch = "x86_64")]
use crate::kernel::simd::{Avx2, Avx512, Avx512Vbmi};
use crate::kernel::simd::{LINE, Permute, Portable, STREAMS, Simd};
use crate::kernel::stream::{ROOM, Stage, Stream, copy_bypassing};
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::nest::Nest;
use crate::plan::pattern::Pattern;
use crate::spec::{AxisPad, PadMode};
use guard::Guarded;

// The tests against the reference use the same guarded pages.
#[expect(unreachable_pub, dead_code, unused_imports, reason = "there it is public, and more of it is used")]
mod guard;

/// Calls a test function once for each instruction set of this machine.
macro_rules! on_each {
    ($test:ident) => {{
        $test::<Portable>();
        #[cfg(target_arch = "x86_64")]
        {
            if Isa::Avx2.available() {
                $test::<Avx2>();
            }
            if Isa::Avx512.available() {
                $test::<Avx512>();
            }
            if Isa::Avx512Vbmi.available() {
                $test::<Avx512Vbmi>();
            }
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
        $test::<Neon>();
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        $test::<Simd128>();
    }};
}

const CASES: usize = if cfg!(miri) { 40 } else { 4000 };

/// A poison byte, which no source contains.
const JUNK: u8 = 0xee;

/// A generator of random numbers with a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn within(&mut self, range: Range<usize>) -> usize {
        range.start + self.next() as usize % range.len()
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.within(0..items.len())]
    }
}

/// The buffers of source and destination.
struct Memory {
    src: Guarded,
    dst: Guarded,
}

/// The side of a buffer that is next to an unmapped page.
#[derive(Clone, Copy)]
enum Side {
    Start,
    End,
}

const SIDES: [Side; 2] = [Side::Start, Side::End];

/// The number of bytes around a destination that must stay unchanged.
const BAND: usize = 256;

impl Memory {
    fn new(bytes: usize) -> Memory {
        Memory { src: Guarded::new(bytes), dst: Guarded::new(bytes) }
    }

    /// Calls `run` with a source, and with a destination of `room` poison bytes. Either both begin or both end at an unmapped page.
    ///
    /// Returns the destination. The call panics if bytes next to it have changed.
    fn run(&mut self, side: Side, src: &[u8], room: usize, run: impl FnOnce(*const u8, *mut u8)) -> Vec<u8> {
        let place = |all: usize, bytes: usize| match side {
            Side::Start => 0..bytes,
            Side::End => all - bytes..all,
        };
        let from = place(self.src.bytes().len(), src.len());
        self.src.bytes_mut()[from.clone()].copy_from_slice(src);
        let dst = self.dst.bytes_mut();
        let to = place(dst.len(), room);
        let around = to.start.saturating_sub(BAND)..dst.len().min(to.end + BAND);
        dst[around.clone()].fill(JUNK);
        run(self.src.bytes()[from].as_ptr(), dst[to.clone()].as_mut_ptr());
        for beside in [&dst[around.start..to.start], &dst[to.end..around.end]] {
            assert!(*beside == [JUNK; BAND][..beside.len()], "nothing beside the destination is written");
        }
        dst[to].to_vec()
    }
}

fn paint(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i * 7 + i / 251) % 230) as u8).collect()
}

/// The size of an output for which some machines prefetch, and for which long copies and fills may use libc.
const TOLD: usize = 1 << 20;

/// Returns lengths around the limits between different code paths.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=2 * LINE + 2).chain((3..=8).flat_map(|lines| lines * LINE - 1..=lines * LINE + 1)).chain([
        SHORT + OVERSHOOT - 1,
        SHORT + OVERSHOOT,
        1000,
        AHEAD + 1,
        3001,
    ])
}

#[test]
fn copies_touch_what_they_say() {
    fn check<S: Simd>() {
        let mut memory = Memory::new(1 << 13);
        for (side, bytes) in SIDES.into_iter().flat_map(|side| lengths().map(move |bytes| (side, bytes))) {
            let src = paint(bytes + OVERSHOOT);
            type Copy = unsafe fn(Fetch, *const u8, *mut u8, usize);
            let exactly: [(bool, Copy); 3] = [
                (true, |_, src, dst, bytes| {
                    // SAFETY: the caller passes buffers of this length.
                    unsafe { copy_exact(src, dst, bytes) }
                }),
                ((1..=SHORT).contains(&bytes), copy_ends::<S>),
                (bytes > SHORT, copy_within::<S>),
            ];
            for (_, copy) in exactly.into_iter().filter(|(is_for, _)| *is_for) {
                // SAFETY: both buffers have this many bytes, and the machine has the instruction set.
                let got = memory.run(side, &src[..bytes], bytes, |src, dst| unsafe {
                    copy(Fetch::of::<S::Register>(TOLD), src, dst, bytes)
                });
                assert!(got == src[..bytes], "{bytes} bytes");
            }
            if bytes > 0 {
                let room = bytes + OVERSHOOT;
                // SAFETY: both buffers have this many bytes and room to overshoot.
                let got = memory.run(side, &src, room, |src, dst| unsafe {
                    copy_over::<S>(Fetch::of::<S::Register>(TOLD), src, dst, bytes)
                });
                assert!(got[..bytes] == src[..bytes], "{bytes} bytes, and more");
            }
        }
    }
    on_each!(check);
}

#[test]
fn overlapping_copies_repeat() {
    fn check<S: Simd>() {
        let mut memory = Memory::new(1 << 13);
        let distances = (1..=LINE + 1).chain([100, 127, 200, 511, 600]);
        for (distance, bytes) in distances.flat_map(|distance| lengths().map(move |bytes| (distance, bytes)))
        {
            if cfg!(miri) && (distance % 16 > 1 || bytes % 16 > 1) {
                continue;
            }
            let period = paint(distance);
            let got = memory.run(Side::End, &period, distance + bytes, |src, dst| {
                // SAFETY: the period lies before its repetitions, and together they are the whole destination.
                unsafe {
                    copy_exact(src, dst, distance);
                    repeat::<S>(Fetch::of::<S::Register>(TOLD), dst.add(distance), distance, bytes);
                }
            });
            let want: Vec<u8> = period.iter().copied().cycle().take(distance + bytes).collect();
            assert!(got == want, "{bytes} bytes of every {distance}");
        }
    }
    on_each!(check);
}

#[test]
fn fill_is_whole_elements() {
    fn check<S: Simd>() {
        let mut memory = Memory::new(1 << 13);
        for size in [1, 2, 3, 4, 5, 8, 12, 16, 24, 33, 63, 64, 65, 100] {
            for (element, uniform) in [(paint(size), size == 1), (vec![9; size], true)] {
                let fill = Pattern::of_bytes(&element);
                assert_eq!(fill.uniform().is_some(), uniform);
                for elements in (0..20).chain([40, 100, 515]).filter(|elements| elements * size < 4000) {
                    check_fill::<S>(&mut memory, &fill, elements * size, &element.repeat(elements));
                }
            }
        }
    }
    on_each!(check);
}

fn check_fill<S: Simd>(memory: &mut Memory, fill: &Pattern, bytes: usize, want: &[u8]) {
    for side in SIDES {
        // SAFETY: the destination has this many bytes.
        let got = memory.run(side, &[], bytes, |_, dst| unsafe { fill_exact(fill, dst, bytes) });
        assert!(got == want, "{bytes} bytes");
        if fill.step() > 0 {
            // SAFETY: the destination has room to overshoot.
            let got = memory.run(side, &[], bytes + OVERSHOOT, |_, dst| unsafe {
                fill_over::<S>(Fetch::of::<S::Register>(TOLD), fill, dst, bytes);
            });
            assert!(got[..bytes] == *want, "{bytes} bytes, and more");
        }
    }
}

#[test]
fn permutations_are_by_their_indices() {
    fn check_one<P: Permute>() {
        let mut numbers = Numbers(P::BYTES as u64);
        let mut memory = Memory::new(1 << 12);
        let (bytes, grain) = (P::BYTES, P::GRAIN);
        for _ in 0..CASES / 4 {
            let from: Vec<u8> = (0..bytes).map(|_| numbers.next() as u8).collect();
            let base: Vec<u8> = (0..bytes).map(|_| numbers.next() as u8).collect();
            let mut index = vec![0x80; bytes];
            let mut want = base.clone();
            for at in (0..bytes).step_by(grain) {
                if numbers.within(0..3) > 0 {
                    let taken = numbers.within(0..bytes / grain);
                    index[at..at + grain].fill(0);
                    index[at] = taken as u8;
                    want[at..at + grain].copy_from_slice(&from[taken * grain..][..grain]);
                }
            }
            // SAFETY: all buffers have the length of a register, and the machine has the instruction set.
            let got = memory.run(Side::End, &from, 2 * bytes, |from, to| unsafe {
                put(to, P::permute(get(base.as_ptr()), get(from), get(index.as_ptr())));
                put(to.add(bytes), P::permute_at(get(base.as_ptr()), from, get(index.as_ptr())));
            });
            assert!(got == want.repeat(2), "{index:?}");
        }
        for (side, part) in SIDES.into_iter().flat_map(|side| (0..=bytes).map(move |part| (side, part))) {
            let src = paint(part);
            // SAFETY: both buffers have this many bytes.
            let got = memory.run(side, &src, part, |src, dst| unsafe {
                P::store_part(dst, P::load_part(src, part), part);
            });
            assert!(got == src, "{part} of {bytes} bytes");
        }
        for side in SIDES.into_iter().cycle().take(CASES / 4) {
            let grains: Vec<bool> = (0..bytes / grain).map(|_| numbers.within(0..3) == 0).collect();
            let (Some(first), Some(last)) =
                (grains.iter().position(|&taken| taken), grains.iter().rposition(|&taken| taken))
            else {
                continue;
            };
            let taken: Vec<bool> = grains.iter().flat_map(|&taken| vec![taken; grain]).collect();
            let mask = taken.iter().rev().fold(0, |mask, &taken| mask << 1 | u64::from(taken));
            let (first, behind) = (first * grain, (last + 1) * grain);
            let src = paint(behind - first);
            // SAFETY: all bytes from the first named one to the last named one are readable.
            let got = memory.run(side, &src, bytes, |src, dst| unsafe {
                put(dst, P::load_taken(src.wrapping_sub(first), mask));
            });
            let is_wrong = |&at: &usize| taken[at] && got[at] != src[at - first];
            assert_eq!((0..bytes).find(is_wrong), None, "{mask:x}");
        }
    }
    fn check<S: Simd>() {
        if S::Narrow::BYTES > 0 {
            check_one::<S::Narrow>();
            check_one::<S::Wide>();
        }
    }
    on_each!(check);
}

/// Returns the source index of every output position, or `None` for fill.
fn positions(segments: &Segments) -> Vec<Option<isize>> {
    let mut positions = Vec::new();
    for segment in segments.iter() {
        match *segment {
            Segment::Fill { count } => positions.resize(positions.len() + count, None),
            Segment::Source { from, step, count, gap } => {
                for i in 0..count as isize {
                    positions.resize(positions.len() + if i > 0 { gap } else { 0 }, None);
                    positions.push(Some(from + i * step));
                }
            }
            Segment::Again { from, count, .. } => {
                for i in from..from + count {
                    positions.push(positions[i]);
                }
            }
        }
    }
    positions
}

/// Returns two axes: an axis of columns and its row. The units of the row are far apart, and consecutive rows are close together.
fn far_rows(numbers: &mut Numbers, mode: PadMode, unit: usize) -> Option<Vec<Axis>> {
    let (length, row) = (numbers.within(1..90), numbers.within(2..10));
    let pad = AxisPad::new(numbers.within(0..6) as i64, numbers.within(0..6) as i64);
    let apart = numbers.one_of(&[1, 1, 1, 2]) * unit as isize;
    let mut outer = Axis::new(0, length, pad, mode.into(), mode.default_frame()).ok()?;
    outer.src_stride = apart * numbers.one_of(&[1, 1, -1]);
    let mut inner = Axis::new(1, row, AxisPad::default(), mode.into(), mode.default_frame()).ok()?;
    inner.src_stride = apart * length as isize * numbers.one_of(&[1, 1, -1]);
    Some(vec![outer, inner])
}

/// Returns one or two random axes in normal form, the outer one first.
fn axes(numbers: &mut Numbers, mode: PadMode, unit: usize) -> Vec<Axis> {
    if numbers.within(0..6) == 0 {
        return far_rows(numbers, mode, unit).unwrap_or_default();
    }
    let mut stride = unit as isize;
    let mut axes = Vec::new();
    for _ in 0..numbers.one_of(&[1, 1, 2]) {
        let length = numbers.one_of(&[1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 70]);
        // Few blocks are longer than the staging buffer.
        let length = if numbers.within(0..80) == 0 { 700 } else { length };
        let length = if axes.is_empty() { length } else { length.min(5) };
        let (low, high) = (numbers.within(0..12) as i64 - 2, numbers.within(0..40) as i64 - 2);
        let interior = numbers.one_of(&[0, 0, 1, 2, 3, 20]);
        let pad = AxisPad { low, high, interior };
        let Ok(mut axis) = Axis::new(0, length, pad, mode.into(), mode.default_frame()) else { continue };
        if axis.out == 0 {
            continue;
        }
        // Consecutive units are contiguous in the source, have gaps, or come in reverse order.
        let apart = numbers.one_of(&[1, 1, 1, 2, 3]);
        axis.src_stride = stride * apart * numbers.one_of(&[1, 1, -1]);
        stride *= length as isize * apart;
        axes.insert(0, axis);
    }
    axes
}

/// Checks that programs read only their source and write only their blocks. The test runs them exactly, with overshoot, and with
/// non-temporal stores.
#[test]
fn programs_keep_to_their_blocks() {
    fn check<S: Shells>() {
        let mut numbers = Numbers(size_of::<S::Register>() as u64);
        let mut memory = Memory::new(1 << 17);
        let (mut met, mut listed) = (BTreeSet::new(), 0);
        for _ in 0..CASES {
            let unit = numbers.one_of(&[1, 1, 2, 2, 3, 4, 4, 6, 8, 12, 16, 24, 40]);
            let mode = numbers.one_of(&PadMode::ALL);
            let axes = axes(&mut numbers, mode, unit);
            let segments: Vec<_> = axes.iter().map(|axis| axis.segments()).collect();
            // The source offset of every unit of a block.
            let mut block = vec![Some(0)];
            for (axis, segments) in axes.iter().zip(&segments) {
                let inner = |place: Option<isize>| {
                    let along = positions(segments).into_iter();
                    along.map(move |index| Some(place? + index? * axis.src_stride))
                };
                block = block.into_iter().flat_map(inner).collect();
            }
            let bytes = block.len() * unit;
            if axes.is_empty() || bytes > 3 * ROOM / 2 || bytes > 4000 && block.len() < 600 {
                continue;
            }
            let once = numbers.one_of(&[false, true]);
            let lanes = Lanes::of::<S>(unit);
            let lanes = numbers.one_of(&[lanes, lanes.apart(), Lanes::NONE]);
            let packing = Packing { lanes, once };
            let mut draft = Draft::new();
            let segments = segments.iter().collect::<Vec<_>>();
            let mut program = Program::packed(&mut draft, packing, unit, &axes, &segments, (0, 1), 0);
            if numbers.one_of(&[false, true]) {
                program.list_registers(lanes, unit, None);
            }
            listed += usize::from(program.is_registers());
            let told = format!("{program:?}");
            let kinds = ["Copy", "Fill", "Permute", "Merge", "Interleave", "Again"];
            met.extend(kinds.into_iter().filter(|kind| told.contains(kind)));

            let taken = || block.iter().flatten();
            let first = taken().min().copied().unwrap_or(0);
            let behind = taken().max().map_or(0, |last| last + unit as isize);
            let step = if taken().next().is_none() { 0 } else { numbers.one_of(&[0, 1, 3]) * unit as isize };
            let count = numbers.within(1..6);
            let src = paint((behind - first + (count as isize - 1) * step) as usize);
            let len = block.len() * unit;
            let element: Vec<u8> = (0..unit).map(|i| 240 + (i % 5) as u8).collect();
            let fill = Pattern::of_bytes(&element);
            let want: Vec<u8> = (0..count as isize)
                .flat_map(|i| block.iter().map(move |place| (i, place)))
                .flat_map(|(i, place)| match place {
                    Some(place) => src[(place - first + i * step) as usize..][..unit].to_vec(),
                    None => element.clone(),
                })
                .collect();
            let nest = Nest::blank();
            let run = Run { src: -first, step, dst: 0, pitch: len as isize, count };
            let ways = [(false, false), (true, false), (false, true)];
            for (side, exact) in SIDES.into_iter().flat_map(|side| [(side, false), (side, true)]) {
                for (streamed, filled) in ways.into_iter().filter(|way| STREAMS || !way.0) {
                    let got = memory.run(side, &src, want.len(), |from, to| {
                        if filled {
                            // SAFETY: the destination has this length.
                            unsafe { fill_exact(&fill, to, want.len()) };
                        }
                        let mut stage = Stage::new();
                        let stream = streamed.then(|| Stream::new(&raw mut stage, to));
                        let (src_len, dst_len) = (src.len(), want.len());
                        let (nest, fill) = (&nest, &fill);
                        let mut sheet = Sheet {
                            src: from,
                            src_len,
                            dst: to,
                            dst_len,
                            fill,
                            filled,
                            exact,
                            bypass: false,
                            nest,
                            stream,
                        };
                        // SAFETY: source and destination have room for all blocks. The machine has the instruction set.
                        unsafe {
                            if streamed {
                                S::stream_program(&mut sheet, &program, run);
                                S::finish_stream(&mut sheet);
                            } else {
                                S::run_program(&sheet, &program, run);
                            }
                        }
                    });
                    let wrong = || got.iter().zip(&want).position(|(got, want)| got != want);
                    assert!(got == want, "byte {:?}, {mode} {axes:?} {unit} {run:?}: {told}", wrong());
                }
            }
        }
        let all = ["Again", "Copy", "Fill", "Interleave", "Merge", "Permute"];
        let permutes = S::Narrow::BYTES > 0;
        let expected: BTreeSet<_> = all
            .into_iter()
            .filter(|kind| permutes || *kind != "Permute")
            .filter(|kind| S::Wide::MASKS || *kind != "Merge")
            .collect();
        assert!(cfg!(miri) || met == expected, "{met:?}");
        assert!(cfg!(miri) || !permutes || listed > 100, "{listed} programs with lists");
    }
    on_each!(check);
}

/// Checks that the staging buffer sends every byte once, for all offsets of the output's start and end.
#[test]
fn stage_sends_every_byte_once() {
    fn check<S: Simd>() {
        if !STREAMS {
            return;
        }
        let mut numbers = Numbers(3);
        let mut memory = Memory::new(1 << 16);
        let source = paint(3 * ROOM);
        let fill = Pattern::of_bytes(&[250, 251, 252]);
        for _ in 0..CASES / 4 {
            // The kind of each part of the output, and its length.
            let pieces: Vec<(usize, usize)> = (0..numbers.within(1..12))
                .map(|_| {
                    let long = numbers.one_of(&[1, 60, 200, ROOM, 3 * ROOM]);
                    (numbers.within(0..3), numbers.within(1..long + 1))
                })
                .collect();
            let mut want = Vec::new();
            for &(kind, bytes) in &pieces {
                match kind {
                    0 => want.extend_from_slice(&source[..bytes.min(ROOM)]),
                    1 => want.extend_from_slice(&source[..bytes]),
                    _ => want.extend([250, 251, 252].into_iter().cycle().take(bytes / 3 * 3)),
                }
            }
            if want.len() > 1 << 15 {
                continue;
            }
            for side in SIDES {
                let got = memory.run(side, &source, want.len(), |src, dst| {
                    let mut stage = Stage::new();
                    let mut stream = Stream::new(&raw mut stage, dst);
                    for &(kind, bytes) in &pieces {
                        // SAFETY: the parts are the whole destination in order, and each fits the staging buffer. The machine has
                        // the instruction set.
                        unsafe {
                            match kind {
                                0 => {
                                    let bytes = bytes.min(ROOM);
                                    copy_over::<S>(
                                        Fetch::of::<S::Register>(TOLD),
                                        src,
                                        stream.place::<S>(bytes, src),
                                        bytes,
                                    );
                                }
                                1 => copy_bypassing::<S>(src, stream.skip::<S>(bytes), bytes),
                                _ => stream.fill::<S>(&fill, bytes / 3 * 3),
                            }
                        }
                    }
                    // SAFETY: the machine has the instruction set, and nobody else uses the buffer.
                    unsafe { stream.finish::<S>() };
                });
                let wrong: Option<usize> = got.iter().zip(&want).position(|(got, want)| got != want);
                let told: String = format!("byte {wrong:?} of {}: {pieces:?}", want.len());
                assert!(got == want, "{told}");
            }
        }
    }
    on_each!(check);
}
