//! Plans for computed borders.

use alloc::vec::Vec;
use core::fmt;

use smallvec::{SmallVec, smallvec};

use super::spec::{ComputedMode, ComputedSpec, EndValue, RampPrecision};
use crate::dtype::{DType, ElementSize};
use crate::element::{Element, Elements};
use crate::error::PadError;
use crate::isa::Isa;
use crate::kernel::computed::{self, Borders, Computation, ComputedKernel, Image, Pass, scratch_bytes};
use crate::plan::Geometry;
use crate::plan::signs::{Loops, merged};
use crate::run::{PadPlan, tensor_sizes};
use crate::spec::{AxisPad, Fill, PadMode, PadSpec, Pads};
use crate::view::Strides;

/// A prepared pad call with computed borders, for one shape and element type, which you can run any number of times.
///
/// A run checks only the lengths of the slices. It allocates only the scratch memory that
/// [`scratch_bytes`](ComputedPlan::scratch_bytes) states.
///
/// ```
/// use pad_kernels::computed::{ComputedPlan, ComputedSpec};
/// let plan = ComputedPlan::new::<f32>(&ComputedSpec::mean([(0, 0), (1, 2)]), &[2, 3])?;
/// assert_eq!(plan.output_shape(), [2, 6]);
/// let mut dst = [0.0; 12];
/// plan.run(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0], &mut dst)?;
/// assert_eq!(dst, [2.0, 1.0, 2.0, 3.0, 2.0, 2.0, 6.0, 4.0, 5.0, 9.0, 6.0, 6.0]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct ComputedPlan {
    pub(super) spec: ComputedSpec,
    /// The geometry of a pad with the same widths and copied borders. It holds the shapes, and checks the memory of a run.
    pub(super) geometry: Geometry,
    /// The copies, in the order in which they run.
    pub(super) copies: Vec<Copy>,
    /// The passes that compute borders, in the order in which they run.
    pub(super) passes: Vec<Pass>,
    isa: Isa,
}

impl fmt::Debug for ComputedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ComputedPlan({}, {:?} {:?})", self.geometry, self.spec.mode, self.spec.widths)
    }
}

/// A region of the output that a [`PadPlan`] writes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Copy {
    pub(super) plan: PadPlan,
    /// The index of the region's first element in the output.
    corner: SmallVec<[usize; 6]>,
    /// True if the copy reads the input of the computed plan. Otherwise, the copy only writes fill, and its input is empty.
    pub(super) of_input: bool,
}

impl ComputedPlan {
    /// Makes a plan for a contiguous tensor with this shape and elements of type `T`.
    ///
    /// # Errors
    ///
    /// - [`PadError::AxisCount`], [`PadError::ArgumentCount`]: The number of widths, or of values in an argument, is not the
    ///   number of axes.
    /// - [`PadError::AxisOverflow`], [`PadError::SizeOverflow`]: The output would be too large.
    /// - [`PadError::NotComputed`]: The element type has no arithmetic. Constants and [`ComputedMode::Empty`] allow all types
    ///   of whole bytes.
    /// - [`PadError::EmptyAxis`]: An axis without elements gets a border that is computed from elements.
    /// - [`PadError::EmptyStatistic`]: The border would be a statistic of no elements.
    /// - [`PadError::EndValue`]: An end value is complex, and the data is real.
    /// - [`PadError::FillType`], [`PadError::FillBool`]: The constant of a border, or the first
    ///   constant, is not a value of the element type.
    pub fn new<T: Element>(spec: &ComputedSpec, shape: &[usize]) -> Result<ComputedPlan, PadError> {
        ComputedPlan::of(spec, shape, Elements::of::<T>())
    }

    /// Makes a plan for elements whose type is known only at run time. Run the plan on bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](ComputedPlan::new).
    pub fn for_dtype(spec: &ComputedSpec, shape: &[usize], dtype: DType) -> Result<ComputedPlan, PadError> {
        if !matches!(dtype.element_size(), ElementSize::Bytes(_)) {
            return Err(PadError::NotComputed { dtype: Some(dtype) });
        }
        ComputedPlan::of(spec, shape, Elements::of_dtype(dtype))
    }

    /// Makes a plan for elements whose type is unknown and whose size in bytes is known. The mode must be [`ComputedMode::Empty`], or it
    /// must have constants made by [`Fill::untyped`](crate::Fill::untyped).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](ComputedPlan::new).
    pub fn for_bytes(
        spec: &ComputedSpec,
        shape: &[usize],
        element_bytes: usize,
    ) -> Result<ComputedPlan, PadError> {
        ComputedPlan::of(spec, shape, Elements::of_bytes(element_bytes))
    }

    fn of(spec: &ComputedSpec, shape: &[usize], elements: Elements) -> Result<ComputedPlan, PadError> {
        let spec = &broadcast(spec, shape);
        let mut geometry = Geometry::blank();
        geometry.set(&frame(spec, shape)?, shape, Elements { has_zero: true, ..elements })?;
        check(spec, &geometry, elements.tag.dtype())?;
        let copies = copies(spec, &geometry, elements)?;
        let mut plan =
            ComputedPlan { spec: spec.clone(), geometry, copies, passes: Vec::new(), isa: Isa::best() };
        let output = Strides::row_major(&plan.geometry.output.shape);
        let input = Strides::row_major(&plan.geometry.input.shape);
        plan.place(&input, &output)?;
        Ok(plan)
    }

    /// Returns a plan for an input and an output with these strides. A run does not write between or after the elements of the
    /// output.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PadPlan::with_strides`].
    pub fn with_strides(&self, input: &Strides, output: &Strides) -> Result<ComputedPlan, PadError> {
        let mut plan = self.clone();
        plan.geometry = self.geometry.with_strides(input, output)?;
        plan.place(input, output)?;
        Ok(plan)
    }

    /// Returns a plan that uses kernels for the instruction set `isa` or a smaller set.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::IsaUnavailable`] if this machine does not have `isa`.
    pub fn with_isa(&self, isa: Isa) -> Result<ComputedPlan, PadError> {
        if !isa.available() {
            return Err(PadError::IsaUnavailable { isa });
        }
        let mut plan = self.clone();
        for pass in &mut plan.passes {
            let row = &computed::kernels()[pass.row];
            pass.row = computed::find(row.computation(), row.dtype(), isa).expect("there is a portable row");
        }
        plan.copies.iter_mut().for_each(|copy| copy.plan.limit_isa(isa));
        plan.isa = isa;
        Ok(plan)
    }

    /// Changes copies and passes to the strides of the tensors.
    fn place(&mut self, input: &Strides, output: &Strides) -> Result<(), PadError> {
        for copy in &mut self.copies {
            let none = Strides::row_major(copy.plan.input_shape());
            let input = if copy.of_input { input } else { &none };
            copy.plan = copy.plan.with_strides(input, &output.at(&copy.corner)?)?;
        }
        self.passes = passes(&self.spec, &self.geometry, output, self.isa);
        Ok(())
    }

    /// Returns the element type, or `None` if it has no [`DType`].
    pub fn dtype(&self) -> Option<DType> {
        self.geometry.dtype()
    }

    /// Returns the number of bytes of scratch memory that a run allocates. It is 0, except for medians.
    pub fn scratch_bytes(&self) -> usize {
        self.passes.iter().map(scratch_bytes).max().unwrap_or(0)
    }

    /// Returns the kernels that run, one for each axis with computed borders.
    pub fn kernels(&self) -> impl Iterator<Item = &'static ComputedKernel> {
        self.passes.iter().map(|pass| &computed::kernels()[pass.row])
    }
}

tensor_sizes!(ComputedPlan, "input", "output", ".");

/// Returns the spec with one pair of widths per axis.
fn broadcast(spec: &ComputedSpec, shape: &[usize]) -> ComputedSpec {
    let mut spec = spec.clone();
    if let [widths] = spec.widths[..] {
        spec.widths = alloc::vec![widths; shape.len()];
    }
    spec
}

/// Returns a request with the widths of `spec` and copied borders. In mode constant, its fill is the first constant of `spec`. In
/// other modes, the borders repeat the edge. If the tensor is empty, they are fill, which nobody reads. Therefore the caller says
/// that the type has a zero.
fn frame(spec: &ComputedSpec, shape: &[usize]) -> Result<PadSpec, PadError> {
    let constant = matches!(spec.mode, ComputedMode::Constants(_)) || shape.contains(&0);
    let mode = if constant { PadMode::Constant } else { PadMode::Edge };
    let mut frame =
        PadSpec::new(mode, spec.widths.iter().map(|&(low, high)| pad(low, high)).collect::<Pads>());
    if let ComputedMode::Constants(values) = &spec.mode {
        let all = (0..shape.len()).filter_map(|axis| values.get(axis)).flat_map(|(low, high)| [low, high]);
        if let Some(axis) = all.clone().find_map(|fill| fill.axis) {
            return Err(PadError::FillAlong { axis });
        }
        frame.fill = values.get(0).map(|(low, _)| low.clone());
    }
    Ok(frame)
}

/// Converts widths to a pad. A width that exceeds `i64` becomes the maximum, which the plan refuses, because no axis is that long.
fn pad(low: usize, high: usize) -> AxisPad {
    let side = |width: usize| i64::try_from(width).unwrap_or(i64::MAX);
    AxisPad::new(side(low), side(high))
}

fn check(spec: &ComputedSpec, geometry: &Geometry, dtype: Option<DType>) -> Result<(), PadError> {
    let rank = geometry.input.shape.len();
    let (name, given) = spec.mode.argument();
    if given > 1 && given != rank {
        return Err(PadError::ArgumentCount { name, given, shape: rank });
    }
    let Some(computation) = spec.mode.computation() else { return Ok(()) };
    let Some(dtype) = dtype.filter(|&dtype| computed::find(computation, dtype, Isa::Portable).is_some())
    else {
        return Err(PadError::NotComputed { dtype });
    };
    // An empty axis is an error only if it gets a border.
    for (axis, (&(low, high), &length)) in spec.widths.iter().zip(&geometry.input.shape).enumerate() {
        if length == 0 && low.max(high) > 0 {
            return Err(PadError::EmptyAxis { axis, pad: pad(low, high) });
        }
    }
    if geometry.input.len == 0 {
        return Ok(());
    }
    for (axis, &(low, high)) in spec.widths.iter().enumerate() {
        match &spec.mode {
            // As in numpy, lengths are checked even if there is no border.
            ComputedMode::Maximum(lengths)
            | ComputedMode::Minimum(lengths)
            | ComputedMode::NanMaximum(lengths)
            | ComputedMode::NanMinimum(lengths)
                if lengths.get(axis).is_some_and(|&(low, high)| low == Some(0) || high == Some(0)) =>
            {
                return Err(PadError::EmptyStatistic { axis });
            }
            ComputedMode::Mean(lengths)
            | ComputedMode::Median(lengths)
            | ComputedMode::NanMean(lengths)
            | ComputedMode::NanMedian(lengths)
                if is_integer(dtype) =>
            {
                let none = |width, length| width > 0 && length == Some(0);
                if lengths.get(axis).is_some_and(|&lengths| none(low, lengths.0) || none(high, lengths.1)) {
                    return Err(PadError::EmptyStatistic { axis });
                }
            }
            ComputedMode::LinearRamp { ends, .. }
                if !matches!(dtype, DType::C64 | DType::C128)
                    && ends.get(axis).is_some_and(|(low, high)| low.im != 0.0 || high.im != 0.0) =>
            {
                return Err(PadError::EndValue { axis, dtype });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Tells whether the type is an integer. Integers cannot represent NaN, the mean and the median of no elements.
fn is_integer(dtype: DType) -> bool {
    use DType::{I8, I16, I32, I64, U8, U16, U32, U64};
    matches!(dtype, I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
}

/// Returns the plans of all copies.
fn copies(spec: &ComputedSpec, geometry: &Geometry, elements: Elements) -> Result<Vec<Copy>, PadError> {
    let (input, output) = (&geometry.input.shape, &geometry.output.shape);
    let rank = input.len();
    let mut copies = Vec::new();
    if let ComputedMode::Constants(values) = &spec.mode {
        // Returns the fill of a border, if the border exists.
        let of = |axis: usize, width: usize, side: fn(&(Fill, Fill)) -> &Fill| {
            (width > 0).then(|| values.get(axis).map(|pair| side(pair).clone()))
        };
        let fills: Vec<[Option<Option<Fill>>; 2]> = (spec.widths.iter().enumerate())
            .map(|(axis, &(low, high))| [of(axis, low, |pair| &pair.0), of(axis, high, |pair| &pair.1)])
            .collect();
        // The first plan writes the whole output, so that the memory may be uninitialised.
        let mut whole = frame(spec, input)?;
        // Without a border, the plan keeps the fill of the frame, because types without a zero need one.
        if let Some(fill) = fills.iter().flatten().flatten().next() {
            whole.fill.clone_from(fill);
        }
        let (plan, corner) = (PadPlan::made(&whole, input, elements)?, SmallVec::from_elem(0, rank));
        copies.push(Copy { plan, corner, of_input: true });
        for (axis, fills) in fills.into_iter().enumerate() {
            let (low, high) = spec.widths[axis];
            let sides = [(low, 0), (high, low + input[axis])];
            for (fill, (width, at)) in fills.into_iter().zip(sides) {
                let Some(fill) = fill.filter(|fill| *fill != whole.fill) else { continue };
                // A plan that writes one border has an empty input of this shape.
                let shape = |i: usize| match i {
                    _ if i < axis => output[i],
                    _ if i == axis => 0,
                    _ => input[i],
                };
                let corner = |i: usize| match i {
                    _ if i < axis => 0,
                    _ if i == axis => at,
                    _ => spec.widths[i].0,
                };
                let pads = (0..rank).map(|i| if i == axis { pad(width, 0) } else { AxisPad::default() });
                let mut border = PadSpec::new(PadMode::Constant, pads.collect::<Pads>());
                border.fill = fill;
                let shape: SmallVec<[usize; 6]> = (0..rank).map(shape).collect();
                let plan = PadPlan::made(&border, &shape, elements)?;
                if plan.is_empty() {
                    // If a border is empty, its corner may lie outside of the output.
                    continue;
                }
                copies.push(Copy { plan, corner: (0..rank).map(corner).collect(), of_input: false });
            }
        }
        return Ok(copies);
    }
    push_inside(&mut copies, spec, geometry, elements)?;
    Ok(copies)
}

/// Adds the plan that copies the interior, unless the interior is empty.
fn push_inside(
    copies: &mut Vec<Copy>,
    spec: &ComputedSpec,
    geometry: &Geometry,
    elements: Elements,
) -> Result<(), PadError> {
    if geometry.input.len > 0 {
        let inside = PadSpec::new(PadMode::Edge, alloc::vec![(0, 0); spec.widths.len()]);
        let plan = PadPlan::made(&inside, &geometry.input.shape, elements)?;
        let corner = spec.widths.iter().map(|&(low, _)| low).collect();
        copies.push(Copy { plan, corner, of_input: true });
    }
    Ok(())
}

/// Returns the passes, axis by axis, for an output with these strides.
fn passes(spec: &ComputedSpec, geometry: &Geometry, output: &Strides, isa: Isa) -> Vec<Pass> {
    let (Some(computation), Some(dtype)) = (spec.mode.computation(), geometry.dtype()) else {
        return Vec::new();
    };
    if geometry.input.len == 0 {
        return Vec::new();
    }
    // A pass has its offsets and strides in bytes. `Strides::place` has checked them in elements.
    let size = geometry.layout.atoms() as isize;
    let mut passes = Vec::new();
    for (axis, &(low, high)) in spec.widths.iter().enumerate() {
        if low == 0 && high == 0 {
            continue;
        }
        let len = geometry.input.shape[axis];
        let mut corner: SmallVec<[usize; 6]> = spec.widths.iter().map(|&(low, _)| low).collect();
        corner[..=axis].fill(0);
        let mut lines = Loops::new();
        for other in (0..spec.widths.len()).filter(|&other| other != axis) {
            let shape = if other < axis { &geometry.output.shape } else { &geometry.input.shape };
            if shape[other] > 1 {
                lines.push((shape[other], output.strides[other] * size));
            }
        }
        let from_corner: isize =
            corner.iter().zip(&output.strides).map(|(&at, &stride)| at as isize * stride).sum();
        let (computation, borders) = borders(spec, computation, axis, low, len, high);
        passes.push(Pass {
            row: computed::find(computation, dtype, isa).expect("every number has a portable row"),
            start: (output.offset as isize + from_corner) * size,
            stride: output.strides[axis] * size,
            low,
            len,
            high,
            lines: merged(lines),
            borders,
        });
    }
    passes
}

/// Returns the kernel's computation for the borders of an axis, and its parameters.
pub(super) fn borders(
    spec: &ComputedSpec,
    computation: Computation,
    axis: usize,
    low: usize,
    len: usize,
    high: usize,
) -> (Computation, Borders) {
    if let Some(lengths) = spec.mode.lengths() {
        let (low, high) = lengths.get(axis).copied().unwrap_or_default();
        let length = |given: Option<usize>| given.unwrap_or(len).min(len);
        return (computation, Borders::Statistic { low: length(low), high: length(high) });
    }
    let borders = match &spec.mode {
        ComputedMode::LinearRamp { ends, precision } => {
            let part = |end: EndValue| [end.re, end.im];
            let (low, high) = ends.get(axis).copied().unwrap_or_default();
            Borders::Ramp { ends: [part(low), part(high)], double: *precision == RampPrecision::Double }
        }
        // numpy repeats a single element. The maximum of one element is this element.
        _ if len == 1 => return (Computation::Maximum, Borders::Statistic { low: 1, high: 1 }),
        ComputedMode::Smooth => Borders::Smooth,
        mode => Borders::Odd { images: images(matches!(mode, ComputedMode::OddSymmetric), low, len, high) },
    };
    (computation, borders)
}

/// Returns the mirror images that make up odd borders, in the order in which numpy writes them. Each image mirrors the data and
/// the images before it. It is at most as long as the whole periods that they contain.
fn images(repeats_edge: bool, low: usize, len: usize, high: usize) -> SmallVec<[Image; 4]> {
    let edge = usize::from(repeats_edge);
    let period = len - 1 + edge;
    let end = low + len + high;
    let (mut low, mut high) = (low, high);
    let mut images = smallvec![];
    while low > 0 || high > 0 {
        let there = end - low - high;
        let whole = (there - 1 + edge) / period * period;
        let (left, right) = (whole.min(low), whole.min(high));
        if left > 0 {
            images.push(Image { to: low - left, from: low - edge + left, about: low, count: left });
        }
        if right > 0 {
            let about = end - high - 1;
            images.push(Image { to: about + 1, from: about - 1 + edge, about, count: right });
        }
        (low, high) = (low - left, high - right);
    }
    images
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::PadKernel;
    use crate::spec::PerSide;

    /// The copies of a plan run on the instruction set that the caller names, too.
    #[test]
    fn copies_are_limited_to_the_set() {
        let spec = ComputedSpec::constants([(3, 5), (3, 5)], PerSide::sides(1u8, 2u8));
        let plan = ComputedPlan::new::<u8>(&spec, &[200, 300]).unwrap().with_isa(Isa::Portable).unwrap();
        let sets: Vec<_> =
            plan.copies.iter().filter_map(|copy| copy.plan.kernel().map(PadKernel::isa)).collect();
        assert!(!sets.is_empty() && sets.iter().all(|&isa| isa == Isa::Portable), "{sets:?}");
    }
}
