//! What every run is held against.
//!
//! - The output equals the reference's, bit for bit.
//! - Every byte of it was written: it is filled beforehand with bytes that are all wrong, twice with different ones.
//! - Nothing else was: canaries stand on both sides.
//! - Nothing was read or written across the end or the start of source and destination, which lie at unmapped pages.
//! - Addresses are odd.
//! - What is refused is what the reference refuses.
//!
//! With `PAD_TRACE` in the environment every case is printed before it runs, for those that end the process.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::ops::Range;
use std::sync::LazyLock;
use std::{env, error, fmt};

use pad_kernels::{
    Isa, Layout, PadError, PadMode, PadPlan, Row, Streaming, pad_bytes_into, pad_cloned, registry,
};

use crate::case::{Case, Kind};
use crate::guard::Guarded;
use crate::reach::Way;
use crate::reference::{Map, Refusal};
use crate::{convert, reach, typed};

/// A difference, told so that it can be reproduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch(String);

impl Mismatch {
    /// A difference that [`check`] finds again.
    pub(crate) fn new(case: &Case, what: impl fmt::Display) -> Mismatch {
        Mismatch(format!("{case}\n{what}\n\n{}", case.as_test()))
    }

    /// A difference that this call finds again: something of this crate, given `case` and what `imports` names.
    pub(crate) fn of_call(case: &Case, what: impl fmt::Display, imports: &str, call: &str) -> Mismatch {
        Mismatch(format!("{case}\n{what}\n\n{}", case.as_test_of(imports, call)))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for Mismatch {}

/// Bytes on each side of a destination that must stay as they are.
const BAND: usize = 64;
const CANARY: u8 = 0xc5;

/// Where source and destination lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Both end where no page is mapped.
    End,
    /// Both start where no page is mapped.
    Start,
    /// Both at odd addresses, canaries all around.
    Odd,
}

impl Place {
    /// All places.
    pub const ALL: [Place; 3] = [Place::End, Place::Start, Place::Odd];

    /// A place for each kind of junk, which the case says: for one of many cases, which together come to all.
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

/// Memory to run kernels in.
#[derive(Debug)]
pub struct Arena {
    src: Guarded,
    dst: Guarded,
}

/// Junk that is wrong everywhere, by exclusive or.
const JUNK: [u8; 2] = [0xff, 0x5a];

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}

impl Arena {
    /// Memory for small runs; it grows.
    pub fn new() -> Arena {
        Arena { src: Guarded::new(1), dst: Guarded::new(1) }
    }

    fn reserve(&mut self, src: usize, dst: usize) {
        let enough = |guarded: &mut Guarded, bytes: usize| {
            let bytes = bytes + 2 * BAND + 2;
            if guarded.bytes().len() < bytes {
                *guarded = Guarded::new(2 * bytes);
            }
        };
        enough(&mut self.src, src);
        enough(&mut self.dst, dst);
    }

    /// Runs `run` on a source at `place` and a destination there that holds nothing of `output`, and compares.
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn observe(
        &mut self,
        place: Place,
        junk: &Junk<'_>,
        src: &[u8],
        run: impl FnOnce(&[u8], &mut [u8]) -> Result<(), PadError>,
    ) -> Result<(), String> {
        let (from, to) = self.prepare(place, junk, src);
        let result = run(&self.src.bytes()[from], &mut self.dst.bytes_mut()[to.clone()]);
        match result {
            Ok(()) => self.verify(to, junk).map_err(|difference| format!("{difference}, {place:?}")),
            Err(error) => Err(format!("refused to run: {error}")),
        }
    }

    fn prepare(&mut self, place: Place, junk: &Junk<'_>, src: &[u8]) -> (Range<usize>, Range<usize>) {
        self.reserve(src.len(), junk.output.len());
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

    fn verify(&self, to: Range<usize>, junk: &Junk<'_>) -> Result<(), String> {
        let dst = self.dst.bytes();
        let (before, behind) = bands(&to, dst.len());
        let got = &dst[to];
        if got != junk.output {
            return Err(describe(got, junk));
        }
        for (side, band) in [("before", before), ("behind", behind)] {
            let band = &dst[band];
            if *band == [CANARY; BAND][..band.len()] {
                continue;
            }
            if let Some(at) = band.iter().position(|&byte| byte != CANARY) {
                let distance = if side == "before" { band.len() - at } else { at + 1 };
                return Err(format!("wrote {:#04x} {distance} bytes {side} the destination", band[at]));
            }
        }
        Ok(())
    }
}

fn bands(to: &Range<usize>, room: usize) -> (Range<usize>, Range<usize>) {
    (to.start.saturating_sub(BAND)..to.start, to.end..room.min(to.end + BAND))
}

/// An output and bytes of which none is right.
#[derive(Debug)]
pub struct Junk<'a> {
    output: &'a [u8],
    bytes: Vec<u8>,
}

impl<'a> Junk<'a> {
    /// Two kinds of it.
    pub fn twice(output: &'a [u8]) -> [Junk<'a>; 2] {
        JUNK.map(|junk| Junk { output, bytes: output.iter().map(|byte| byte ^ junk).collect() })
    }

    /// The same for a run that is to write these bits alone: the others are right from the start.
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

/// [`Arena::observe`] in an arena of this thread.
///
/// # Errors
///
/// What is wrong, in words.
pub fn observe(
    place: Place,
    junk: &Junk<'_>,
    src: &[u8],
    run: impl FnOnce(&[u8], &mut [u8]) -> Result<(), PadError>,
) -> Result<(), String> {
    ARENA.with_borrow_mut(|arena| arena.observe(place, junk, src, run))
}

/// What came of a case that is as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran.
    Ran,
    /// It was refused, rightly.
    Refused(PadError),
}

/// Runs `case` in every way there is: on all instruction sets, on every row that fits, on the any-rank kernel and
/// through the typed entries.
///
/// # Errors
///
/// The first difference from the reference.
pub fn check(case: &Case) -> Result<Outcome, Mismatch> {
    trace(case);
    let (plan, map) = match planned(case)? {
        Ok(planned) => planned,
        Err(error) => return Ok(Outcome::Refused(error)),
    };
    if case.kind.layout() == Layout::Cloned {
        return check_texts(case, &plan, &map).map(|()| Outcome::Ran);
    }
    let data = case.data();
    let output = case.output(&map, &data);
    let is_run = || data.windows(output.len()).any(|run| run == output);
    if plan.is_copy() && matches!(case.kind.layout(), Layout::Bytes(_)) && !is_run() {
        return Err(Mismatch::new(case, "the plan is a copy, but the output is no run of the input"));
    }
    let unpadded = case
        .axes
        .iter()
        .zip(&case.shape)
        .all(|(pad, &length)| (pad.low, pad.high) == (0, 0) && (pad.interior == 0 || length < 2));
    if unpadded && !plan.is_empty() && !plan.is_copy() {
        return Err(Mismatch::new(case, "nothing is padded, but the plan is not a copy"));
    }
    for isa in Isa::ALL {
        if let Some(plan) = with_isa(case, &plan, isa)? {
            compare(case, &plan, None, &data, &output)?;
            let streaming = plan.with_streaming(Streaming::Always);
            if streaming.streams() {
                compare(case, &streaming, None, &data, &output)?;
            }
        }
    }
    compare(case, &plan.clone().with_generic_kernel(), None, &data, &output)?;
    // Small ones run as a list of moves.
    compare(case, &plan, None, &data, &output)?;
    for row in fitting(&plan).filter(|row| row.isa().available()) {
        compare(case, &plan, Some(row), &data, &output)?;
    }
    compare_once(case, &data, &output)?;
    typed::check(case, &data, &output).map_err(|what| Mismatch::new(case, what))?;
    Ok(Outcome::Ran)
}

/// Runs `case` on `row` alone, which must fit: once, and once streamed if it can be, each on its kind of junk and in its place.
/// To come to all places is for many cases.
///
/// # Errors
///
/// The first difference from the reference.
pub fn check_row(row: &'static Row, case: &Case) -> Result<(), Mismatch> {
    trace(case);
    let (plan, map) = match planned(case)? {
        Ok(planned) => planned,
        Err(error) => return Err(Mismatch::new(case, format_args!("is refused: {error}"))),
    };
    if !row.fits(&plan) {
        return Err(Mismatch::new(case, format_args!("{} does not fit {plan:?}", row.name())));
    }
    if case.kind.layout() == Layout::Cloned {
        return check_texts(case, &plan, &map);
    }
    let data = case.data();
    let output = case.output(&map, &data);
    let streaming = plan.clone().with_streaming(Streaming::Always);
    compare_in(Place::two_of(case), case, [&plan, &streaming], Some(row), &data, &output)
}

/// Checks what `case` is planned or refused as, without running it: for requests of any size.
///
/// # Errors
///
/// The first difference from the reference.
pub fn check_plan(case: &Case) -> Result<Outcome, Mismatch> {
    trace(case);
    Ok(match planned_shape(case)? {
        Ok(_) => Outcome::Ran,
        Err(error) => Outcome::Refused(error),
    })
}

/// The library's plan, if the reference agrees that there is one of this shape.
fn planned_shape(case: &Case) -> Result<Result<PadPlan, PadError>, Mismatch> {
    let shape = case.output_shape();
    let plan = case.plan();
    match (&plan, &shape) {
        (Ok(plan), Ok(shape)) => {
            reach::accepted();
            if case.lacks_fill() {
                return Err(Mismatch::new(case, "planned without the fill that it needs"));
            }
            let elements = |shape: &[usize]| if shape.contains(&0) { 0 } else { shape.iter().product() };
            let told = (plan.input_shape(), plan.output_shape(), plan.input_len(), plan.output_len());
            let right = (&case.shape[..], &shape[..], elements(&case.shape), elements(shape));
            if told != right {
                return Err(Mismatch::new(case, format_args!("told {told:?}, not {right:?}")));
            }
            let bytes = (plan.input_bytes(), plan.output_bytes());
            let right = (case.kind.bytes(plan.input_len()), case.kind.bytes(plan.output_len()));
            if bytes != right || plan.is_empty() != (elements(shape) == 0) {
                return Err(Mismatch::new(case, format_args!("told bytes {bytes:?}, not {right:?}")));
            }
        }
        (Err(error), Err(refusal)) => {
            reach::refused(error);
            let details = convert::details_match(error, &case.shape, &case.axes, case.kind.layout());
            if convert::refusal(error) != Some(*refusal) || !details {
                let what = format_args!("refused as {error:?}, by the reference as {refusal:?}");
                return Err(Mismatch::new(case, what));
            }
        }
        (Err(error @ PadError::FillRequired { .. }), Ok(_)) if case.lacks_fill() => reach::refused(error),
        (plan, reference) => {
            let plan = plan.as_ref().map(PadPlan::output_shape);
            let what = format_args!("the library says {plan:?}, the reference {reference:?}");
            return Err(Mismatch::new(case, what));
        }
    }
    Ok(plan)
}

/// The library's plan and the reference's answer, or that both refuse `case`.
pub(crate) fn planned(case: &Case) -> Result<Result<(PadPlan, Map), PadError>, Mismatch> {
    let plan = match planned_shape(case)? {
        Ok(plan) => plan,
        Err(error) => return Ok(Err(error)),
    };
    let map = case.map().map_err(|refusal: Refusal| Mismatch::new(case, format_args!("{refusal:?}")))?;
    Ok(Ok((plan, map)))
}

/// The plan with a kernel of `isa`, if there is one; there must be if a row fits and the machine has it.
fn with_isa(case: &Case, plan: &PadPlan, isa: Isa) -> Result<Option<PadPlan>, Mismatch> {
    let expected = isa.available() && fitting(plan).any(|row| row.isa() == isa);
    match plan.clone().with_isa(isa) {
        Ok(plan) => {
            let right = plan.kernel().is_some_and(|row| {
                row.isa() == isa
                    && row.fits(&plan)
                    && row.rank() == plan.axes().len()
                    && row.mode() == plan.mode()
            });
            if expected && right {
                return Ok(Some(plan));
            }
            Err(Mismatch::new(case, format_args!("{isa}: chose {:?}", plan.kernel())))
        }
        Err(PadError::IsaUnavailable { isa: of_error }) if of_error == isa && !expected => Ok(None),
        Err(error) => Err(Mismatch::new(case, format_args!("{isa}: {error}"))),
    }
}

/// The rows that fit `plan`.
pub fn fitting(plan: &PadPlan) -> impl Iterator<Item = &'static Row> {
    /// Rows by rank and mode.
    static ROWS: LazyLock<Vec<[Vec<&'static Row>; PadMode::ALL.len()]>> = LazyLock::new(|| {
        let mut rows: Vec<[Vec<_>; PadMode::ALL.len()]> = Vec::new();
        for row in registry() {
            rows.resize_with(rows.len().max(row.rank() + 1), Default::default);
            rows[row.rank()][mode_index(row.mode())].push(row);
        }
        rows
    });
    let rows = ROWS.get(plan.axes().len()).map_or(&[][..], |rows| &rows[mode_index(plan.mode())]);
    rows.iter().copied().filter(|row| row.fits(plan))
}

fn mode_index(mode: PadMode) -> usize {
    PadMode::ALL.iter().position(|&listed| listed == mode).expect("all modes are listed")
}

/// Runs the plan, or `row` on it, in every place on both kinds of junk.
fn compare(
    case: &Case,
    plan: &PadPlan,
    row: Option<&'static Row>,
    data: &[u8],
    output: &[u8],
) -> Result<(), Mismatch> {
    // One of them twice; under Miri, for which all places are alike, one each.
    let places =
        if cfg!(miri) { [&Place::ALL[..1], &Place::ALL[1..2]] } else { [&Place::ALL[..2], &Place::ALL[1..]] };
    compare_in(places, case, [plan, plan], row, data, output)
}

/// Runs a plan, or `row` on it, in some places on each kind of junk.
fn compare_in(
    places: [&[Place]; 2],
    case: &Case,
    plans: [&PadPlan; 2],
    row: Option<&'static Row>,
    data: &[u8],
    output: &[u8],
) -> Result<(), Mismatch> {
    for ((places, plan), junk) in places.into_iter().zip(plans).zip(&Junk::twice(output)) {
        for &place in places {
            let run = |src: &[u8], dst: &mut [u8]| match row {
                Some(row) => row.run(plan, src, dst),
                None => plan.run_bytes(src, dst),
            };
            reach::ran(Way::Contiguous, row.or(plan.kernel()));
            observe(place, junk, data, run).map_err(|what| {
                let kernel = row.or(plan.kernel()).map_or("any-rank kernel", Row::name);
                Mismatch::new(case, format_args!("{kernel}: {what}\n  {plan:?}"))
            })?;
        }
    }
    Ok(())
}

/// Plans and pads in one call, in every place on both kinds of junk.
fn compare_once(case: &Case, data: &[u8], output: &[u8]) -> Result<(), Mismatch> {
    let Kind::Tagged(dtype) = case.kind else { return Ok(()) };
    let spec = case.spec();
    for (places, junk) in [&Place::ALL[..2], &Place::ALL[1..]].into_iter().zip(&Junk::twice(output)) {
        for &place in places {
            observe(place, junk, data, |src, dst| pad_bytes_into(src, &case.shape, dtype, &spec, dst))
                .map_err(|what| Mismatch::new(case, format_args!("pad_bytes_into: {what}")))?;
        }
    }
    Ok(())
}

/// Runs a plan of cloned elements through every entry for them.
fn check_texts(case: &Case, plan: &PadPlan, map: &Map) -> Result<(), Mismatch> {
    let src = case.texts();
    let fill = Case::TEXT_FILL.to_string();
    let output = map.apply(&src, &fill);
    let same = |entry: &str, result: Result<Vec<String>, PadError>| match result {
        Ok(got) if got == output => Ok(()),
        other => Err(Mismatch::new(case, format_args!("{entry}: {other:?}, not {output:?}"))),
    };
    let mut plans = vec![plan.clone(), plan.clone().with_generic_kernel()];
    for isa in Isa::ALL {
        plans.extend(with_isa(case, plan, isa)?);
    }
    for plan in plans {
        for junk in ["", "junk"] {
            let mut dst = vec![junk.to_string(); plan.output_len()];
            reach::ran(Way::Contiguous, plan.kernel());
            same("run_cloned", plan.run_cloned(&src, &fill, &mut dst).map(|()| dst))?;
        }
        reach::ran(Way::Contiguous, plan.kernel());
        same("to_vec_cloned", plan.to_vec_cloned(&src, &fill))?;
    }
    same("pad_cloned", pad_cloned(&src, &case.shape, &case.spec(), &fill))
}

fn trace(case: &Case) {
    static TRACE: LazyLock<bool> = LazyLock::new(|| env::var_os("PAD_TRACE").is_some());
    if *TRACE {
        eprintln!("{case}");
    }
}

#[cfg(test)]
mod tests {
    use pad_kernels::{AxisPad, DType};

    use super::*;
    use crate::case::Kind;

    const OUTPUT: [u8; 5] = [1, 2, 3, 4, 5];
    const SOURCE: [u8; 3] = [7, 8, 9];

    fn observe(run: impl Fn(&mut [u8])) -> Vec<Result<(), String>> {
        let mut arena = Arena::new();
        let mut results = Vec::new();
        for junk in Junk::twice(&OUTPUT) {
            for place in Place::ALL {
                results.push(arena.observe(place, &junk, &SOURCE, |src, dst| {
                    assert_eq!(src, SOURCE);
                    run(dst);
                    Ok(())
                }));
            }
        }
        results
    }

    fn all_say(results: &[Result<(), String>], words: &str) {
        for result in results {
            assert!(result.as_ref().is_err_and(|what| what.contains(words)), "{result:?}");
        }
    }

    #[test]
    fn right_output_passes() {
        assert!(observe(|dst| dst.copy_from_slice(&OUTPUT)).iter().all(Result::is_ok));
    }

    #[test]
    fn one_wrong_bit_is_found() {
        let results = observe(|dst| {
            dst.copy_from_slice(&OUTPUT);
            dst[3] ^= 0x10;
        });
        all_say(&results, "1 of 5 bytes are wrong, 0 of them unwritten; byte 3 is 0x14, not 0x04");
    }

    #[test]
    fn one_unwritten_byte_is_found() {
        let results = observe(|dst| dst[..4].copy_from_slice(&OUTPUT[..4]));
        all_say(&results, "1 of 5 bytes are wrong, 1 of them unwritten; byte 4");
        // Whatever it held before.
        let results = observe(|dst| {
            dst[1..].copy_from_slice(&OUTPUT[1..]);
        });
        all_say(&results, "byte 0");
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
                let result = arena.verify(to.clone(), &junk);
                assert!(result.as_ref().is_err_and(|what| what.contains(words)), "{place:?}: {result:?}");
                arena.dst.bytes_mut()[at] = CANARY;
                assert_eq!(arena.verify(to.clone(), &junk), Ok(()));
            }
        }
    }

    #[test]
    fn places_are_what_they_say() {
        let mut arena = Arena::new();
        let [junk, _] = Junk::twice(&OUTPUT);
        for place in Place::ALL {
            let (from, to) = arena.prepare(place, &junk, &SOURCE);
            let (src, dst) = (arena.src.bytes(), arena.dst.bytes());
            match place {
                Place::End => assert!(from.end == src.len() && to.end == dst.len()),
                Place::Start => assert!(from.start == 0 && to.start == 0),
                Place::Odd => {
                    assert!(from.start > 0 && to.start > BAND && to.end + BAND <= dst.len());
                    #[cfg(not(miri))]
                    assert_eq!(dst[to].as_ptr().addr() % 2, 1);
                }
            }
        }
    }

    #[test]
    fn refusal_to_run_is_a_difference() {
        let [junk, _] = Junk::twice(&OUTPUT);
        let refuse = |_: &[u8], _: &mut [u8]| Err(PadError::ZeroSized);
        let result = Arena::new().observe(Place::Odd, &junk, &SOURCE, refuse);
        assert!(result.is_err_and(|what| what.contains("size 0")));
    }

    fn case() -> Case {
        Case {
            shape: vec![4, 5],
            axes: vec![AxisPad::new(2, 1), AxisPad::new(1, 3)],
            mode: PadMode::Reflect.into(),
            frame: None,
            kind: Kind::Tagged(DType::U16),
            fill: None,
            paint: 3,
        }
    }

    /// The whole way: a kernel that is given another request than the reference.
    #[test]
    fn kernel_of_another_request_is_found() {
        let case = case();
        assert_eq!(check(&case), Ok(Outcome::Ran));
        let mut other = case.clone();
        other.mode = PadMode::Symmetric.into();
        let data = case.data();
        let output = case.output(&case.map().expect("valid"), &data);
        let wrong = other.plan().expect("valid");
        let mismatch = compare(&case, &wrong, None, &data, &output).expect_err("another mode").to_string();
        for part in ["u16 [4, 5] reflect", "r2_symmetric_u16_", "byte 0 is", "#[test]", "PadMode::Reflect"] {
            assert!(mismatch.contains(part), "{part}\n{mismatch}");
        }
    }

    #[test]
    fn refusals_are_compared() {
        let mut case = case();
        case.axes[1] = AxisPad::new(-3, -4);
        let outcome = check(&case).expect("both refuse");
        assert!(matches!(outcome, Outcome::Refused(PadError::NegativeOutput { axis: 1, output: -2, .. })));

        let e8m0 = Case { kind: Kind::Tagged(DType::F8E8M0), mode: PadMode::Constant.into(), ..self::case() };
        let outcome = check(&e8m0).expect("the library wants a fill");
        assert!(matches!(outcome, Outcome::Refused(PadError::FillRequired { .. })));
    }

    #[test]
    #[cfg_attr(miri, ignore = "rows are not counted")]
    fn runs_are_counted() {
        let case = case();
        let plan = case.plan().expect("valid");
        let runs = || {
            reach::runs(Way::Contiguous)
                .filter(|(row, _)| row.fits(&plan))
                .map(|(_, runs)| runs)
                .collect::<Vec<_>>()
        };
        let before = runs();
        check(&case).expect("right");
        let available = fitting(&plan).filter(|row| row.isa().available()).count();
        let more = before.iter().zip(runs()).filter(|(before, after)| *before < after).count();
        assert!(more >= available && available >= 3);
    }
}
