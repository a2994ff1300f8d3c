//! Makes one chunk of the output at a time, from the parts of the input that it needs.

use std::borrow::Cow;
use std::error::Error;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use pad_kernels::{
    AxisMode, AxisPad, Fill, Modes, PadMode, PadPlan, PadSpec, Pads, Strides, tensor::InputRegions,
};
use zarrs::array::{
    Array, ArrayBytes, ArrayMetadata, ArraySubset, CodecOptions, FillValue, FillValueMetadata, unravel_index,
};
use zarrs::filesystem::FilesystemStore;
use zarrs::node::meta_key_v3;
use zarrs::storage::{ReadableStorageTraits, WritableStorageTraits};

use crate::store::{Unfinished, WholeFiles};

pub(crate) type Failure = Box<dyn Error + Send + Sync>;
pub(crate) type Source = Array<FilesystemStore>;

/// The request of the user.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// One mode per axis, one mode for all axes, or none.
    pub(crate) modes: Vec<AxisMode>,
    /// One pair per axis, or one pair for all axes.
    pub(crate) pads: Vec<(i64, i64)>,
    /// One number per axis, one number for all axes, or none.
    pub(crate) interior: Vec<u64>,
    pub(crate) value: Option<String>,
}

/// Opens the array in a folder.
pub(crate) fn open(folder: &Path) -> Result<Source, Failure> {
    let source = Array::open(Arc::new(FilesystemStore::new(folder)?), "/")?;
    match source.metadata() {
        ArrayMetadata::V3(_) => Ok(source),
        ArrayMetadata::V2(_) => Err("it is of zarr version 2: convert it to version 3 first".into()),
    }
}

/// Returns the plan of the whole output.
pub(crate) fn plan(source: &Source, request: &Request) -> Result<PadPlan, Failure> {
    let rank = source.dimensionality();
    let pads = per_axis("--pad", &request.pads, rank, (0, 0))?;
    let gaps = per_axis("--interior", &request.interior, rank, 0)?;
    let modes = Modes::from(per_axis("--mode", &request.modes, rank, AxisMode::default())?);
    let takes_value = modes.contains(PadMode::Constant) || gaps.iter().any(|&gap| gap > 0);
    if request.value.is_some() && !takes_value {
        return Err("--value has an effect only with mode constant or --interior".into());
    }
    let Some(item) = source.data_type().fixed_size().filter(|_| !source.data_type().is_optional()) else {
        return Err(format!("its elements, {}, are not of a fixed size", source.data_type()).into());
    };
    let axes = pads.iter().zip(gaps).map(|(&pad, gap)| AxisPad::from(pad).with_interior(gap));
    let mut spec = PadSpec::new(modes, axes.collect::<Pads>());
    spec.fill = Some(Fill::untyped(value(source, request)?.as_ne_bytes()));
    let lengths: Result<Vec<usize>, _> =
        source.shape().iter().map(|&length| usize::try_from(length)).collect();
    Ok(PadPlan::for_bytes(&spec, &lengths?, item)?)
}

/// Returns the fill.
fn value(source: &Source, request: &Request) -> Result<FillValue, Failure> {
    let Some(text) = &request.value else { return Ok(source.fill_value().clone()) };
    // A word without quotes is not JSON. It is read as a string.
    let value: FillValueMetadata =
        serde_json::from_str(text).unwrap_or_else(|_| FillValueMetadata::from(text.as_str()));
    let form = source.data_type().metadata_fill_value(source.fill_value())?;
    source.data_type().fill_value_v3(&value).map_err(|_| {
        let name = source.data_type();
        format!("--value {text} is no value of {name}: write it in the form of IN's fill_value, {form}")
            .into()
    })
}

/// Describes the request and the input. Two descriptions are equal only if the paths and the metadata of the inputs are.
pub(crate) fn terms(input: &Path, source: &Source, request: &Request) -> Result<String, Failure> {
    let Request { modes, pads, interior, value } = request;
    let modes: Vec<_> = modes.iter().map(|mode| [mode.low.name(), mode.high.name()]).collect();
    let terms = serde_json::json!({
        "path": input.canonicalize()?.to_string_lossy(), "input": source.metadata(),
        "modes": modes, "pads": pads, "interior": interior, "value": value,
    });
    Ok(terms.to_string())
}

fn per_axis<T: Copy>(name: &str, given: &[T], rank: usize, none: T) -> Result<Vec<T>, String> {
    match *given {
        [] => Ok(vec![none; rank]),
        [all] => Ok(vec![all; rank]),
        _ if given.len() == rank => Ok(given.to_vec()),
        _ => Err(format!(
            "{name} is given {} times, but the array has {rank} axes: give it once per axis, or once for all",
            given.len()
        )),
    }
}

/// The input array, and the output array that is made from it.
pub(crate) struct Job {
    source: Source,
    target: Array<WholeFiles>,
    /// The metadata of the output as JSON.
    metadata: serde_json::Value,
    plan: PadPlan,
    /// The size of an element in bytes.
    item: usize,
    options: CodecOptions,
    chunks: u64,
}

impl Job {
    pub(crate) fn new(
        source: Source,
        plan: PadPlan,
        request: &Request,
        unfinished: &Unfinished,
    ) -> Result<Job, Failure> {
        let mut target = source.with_storage(unfinished.files.clone());
        target.set_shape(plan.output_shape().iter().map(|&length| length as u64).collect())?;
        // Only the shape differs from the metadata of the input. The crate `zarrs` would add an attribute, and would write codecs in a
        // short form that zarr-python cannot read.
        let metadata =
            source.storage().get(&meta_key_v3(source.path()))?.ok_or("its input has no metadata")?;
        let mut metadata: serde_json::Value = serde_json::from_slice(&metadata)?;
        metadata["shape"] = target.shape().into();
        let chunks = target.chunk_grid_shape().iter().try_fold(1u64, |all, &axis| all.checked_mul(axis));
        Ok(Job {
            item: value(&source, request)?.size(),
            chunks: chunks.ok_or("it would have more chunks than can be counted")?,
            // Each thread works on its own chunk, so a codec gets one thread.
            options: CodecOptions::default().with_concurrent_target(1),
            source,
            target,
            metadata,
            plan,
        })
    }

    /// The number of chunks of the output.
    pub(crate) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Makes a missing chunk. A chunk that contains only the array's fill value is never stored, so each run makes it again.
    pub(crate) fn make(&self, number: u64) -> Result<(), Failure> {
        let chunk = unravel_index(number, self.target.chunk_grid_shape()).ok_or("no such chunk")?;
        if self.target.storage().path(&self.target.chunk_key(&chunk)).exists() {
            return Ok(());
        }
        // Both regions fit the memory, because the plan has checked their sizes.
        let window: Vec<_> =
            (self.target.chunk_subset_bounded(&chunk)?.to_ranges().iter()).map(in_memory).collect();
        let parts = self.plan.input_regions(&window)?;
        let read = self.read(&parts)?;
        let lengths: Vec<usize> = self.target.chunk_shape_usize(&chunk)?;
        let whole = window.iter().zip(&lengths).all(|(range, &length)| range.len() == length);
        let bytes = if parts.is_slice() && whole { read } else { self.pad(&window, &read, &lengths)?.into() };
        self.target.store_chunk_opt(&chunk, ArrayBytes::new_flen(bytes), &self.options)?;
        Ok(())
    }

    /// Returns a region of the output in a chunk of these lengths. The part of the chunk outside the array has the array's fill value.
    fn pad(&self, window: &[Range<usize>], parts: &[u8], lengths: &[usize]) -> Result<Vec<u8>, Failure> {
        let plan = self.plan.window_from_regions(window)?;
        if plan.output_shape() == lengths {
            return Ok(plan.to_vec_bytes(parts)?);
        }
        let elements: usize = lengths.iter().product();
        let mut bytes = self.target.fill_value().as_ne_bytes().repeat(elements);
        let rows = (Strides::row_major(plan.input_shape()), Strides::row_major(lengths));
        plan.with_strides(&rows.0, &rows.1)?.run_bytes(parts, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the parts of the input side by side.
    fn read(&self, parts: &InputRegions) -> Result<Cow<'static, [u8]>, Failure> {
        let mut boxes = parts.boxes().peekable();
        let Some((first, _)) = boxes.next() else { return Ok(Cow::Borrowed(&[])) };
        if boxes.peek().is_none() {
            return self.read_box(&first);
        }
        let shape = parts.shape();
        let all = Strides::row_major(&shape);
        let mut bytes = vec![0; shape.iter().product::<usize>() * self.item];
        for (from, to) in parts.boxes() {
            let lengths: Vec<usize> = to.iter().map(Range::len).collect();
            let start: Vec<usize> = to.iter().map(|range| range.start).collect();
            // This plan does not pad. It copies a part to its place.
            let spec = PadSpec::new(PadMode::Edge, 0);
            let plan = PadPlan::for_bytes(&spec, &lengths, self.item)?;
            let plan = plan.with_strides(&Strides::row_major(&lengths), &all.at(&start)?)?;
            plan.run_bytes(&self.read_box(&from)?, &mut bytes)?;
        }
        Ok(bytes.into())
    }

    fn read_box(&self, part: &[Range<usize>]) -> Result<Cow<'static, [u8]>, Failure> {
        let ranges: Vec<_> = part.iter().map(|range| range.start as u64..range.end as u64).collect();
        let subset = ArraySubset::new_with_ranges(&ranges);
        let read = |part: &ArraySubset| -> Result<ArrayBytes<'static>, _> {
            self.source.retrieve_array_subset_opt(part, &self.options)
        };
        let bytes = read(&subset);
        if bytes.is_err() {
            // Each chunk is read again by itself, so that the error can name the chunk.
            for chunk in self.source.chunks_in_array_subset(&subset)?.iter().flat_map(ArraySubset::indices) {
                read(&subset.overlap(&self.source.chunk_subset(&chunk)?)?)
                    .map_err(|error| format!("chunk {} of IN: {error}", self.source.chunk_key(&chunk)))?;
            }
        }
        Ok(bytes?.into_fixed()?)
    }

    /// Writes the metadata, which turns the chunks into an array.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        let bytes = serde_json::to_vec_pretty(&self.metadata)?;
        Ok(self.target.storage().set(&meta_key_v3(self.target.path()), bytes.into())?)
    }
}

fn in_memory(range: &Range<u64>) -> Range<usize> {
    range.start as usize..range.end as usize
}
