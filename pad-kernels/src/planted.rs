//! Bugs that are planted to see whether the tests find them: `--cfg pad_planted` compiles all of them in, and `PAD_PLANTED`
//! in the environment of the process chooses one by its name. Without the cfg there is nothing of them.

/// What is right; or, if the bug of this name is planted, what is wrong.
#[cfg(not(pad_planted))]
macro_rules! planted {
    ($name:literal, $right:expr, $wrong:expr) => {
        $right
    };
}

/// What is right; or, if the bug of this name is planted, what is wrong.
#[cfg(pad_planted)]
macro_rules! planted {
    ($name:literal, $right:expr, $wrong:expr) => {
        if crate::planted::is(const { crate::planted::number_of($name) }) { $wrong } else { $right }
    };
}

#[cfg(pad_planted)]
mod chosen {
    use std::env;
    use std::sync::LazyLock;

    /// All bugs: the name, and what goes wrong.
    pub const PLANTED: &[(&str, &str)] = &[
        ("reflect-period", "reflect repeats after 2n elements, not 2(n - 1)"),
        ("symmetric-period", "symmetric repeats after 2n - 1 elements"),
        ("wrap-period", "wrap repeats after n - 1 elements"),
        (
            "modulus-of-negatives",
            "a coordinate before the window is taken modulo the period with the wrong sign",
        ),
        ("origin-clamped-short", "an edge border longer than its output begins one too near"),
        ("cropped-frame-low", "a negative low is not taken from what the border sees"),
        ("cropped-frame-high", "a negative high is not taken from what the border sees"),
        ("default-frame", "wrap crops after wrapping unless told otherwise"),
        ("gap-after-the-last", "the last element has a gap too"),
        ("negative-output", "one element too many may be removed"),
        ("empty-window", "one element may be taken from a window of none"),
        ("mirror-overflow", "twice the window may overflow"),
        ("window-origin", "a box begins one element early"),
        ("backward-output", "an output written backwards begins one element too far"),
        ("inside-low", "the data begins one element early"),
        ("inside-high", "the data ends one element late"),
        ("edge-low", "a leading edge border holds the second element"),
        ("edge-high", "a trailing edge border holds the last element but one"),
        ("reflect-of-one", "the period of a single mirrored element is none"),
        ("reflect-repeats-the-edge", "reflect begins with the outermost element"),
        ("symmetric-skips-the-edge", "symmetric begins with the second element"),
        ("period-reached", "the cursor goes one past its period"),
        ("mirrored-rows-forward", "mirrored rows of an outer axis are taken upwards"),
        ("gap-phase", "gaps come before their elements"),
        ("modulus-in-a-part", "gaps before the first element of a part have the wrong phase"),
        ("source-window-short", "the part that a box needs ends one element early"),
        ("source-window-of-a-mirror", "the part that a mirrored box needs is above its first element"),
        ("size-unchecked", "a tensor may have more than isize::MAX bytes"),
        ("size-of-an-empty-axis", "an empty axis makes room for any others"),
        ("size-names-the-next-axis", "a size that overflows names the next axis"),
        ("last-byte-not-counted", "the last byte of packed elements is not counted if it is not full"),
        ("errors-name-the-first-axis", "all errors of axes name the first one"),
        ("fill-not-required", "a type without a zero is filled with zeros"),
        ("fill-of-another-type", "a fill of another type of the same size is taken"),
        ("bool-of-two", "a bool may be filled with 2"),
        ("length-too-long", "a slice may be longer than its tensor"),
        ("holes-in-a-new-vector", "a new vector may have holes"),
        ("kernel-of-another-isa", "an instruction set that was asked for is not what runs"),
        ("kernel-of-another-mode", "reflect runs on the kernel of symmetric"),
        ("kernel-of-another-rank", "three axes run on the kernel of two"),
        ("crop-not-an-offset", "what a crop removes before a slice is not passed over"),
        ("axes-merged-in-any-mode", "axes are merged where a border turns round"),
        ("axes-merged-across-gaps-in-the-source", "axes are merged whatever their source strides"),
        ("axes-merged-across-gaps-in-the-output", "axes are merged whatever their output strides"),
        ("axes-merged-with-gaps", "an axis with interior padding takes in another"),
        ("merged-origin", "a merged axis begins where the outer one did"),
        ("unit-of-scattered-elements", "elements that are not neighbours become one unit"),
        ("fill-in-any-mode", "an axis outside of its window is fill in every mode"),
        ("half-bytes-as-bytes", "packed elements at half bytes run as bytes"),
        ("mirrored-bits-as-bytes", "packed elements are mirrored byte by byte"),
        ("holes-overwritten", "an output with holes is written as one without"),
        ("fill-phase", "the second block of a fill of 3 bytes begins in mid-element"),
        ("fill-uniform-by-its-ends", "a fill whose first and last byte agree is all that byte"),
        ("fill-unmasked", "bits above a packed fill leak into its neighbours"),
        ("negative-zero-is-zero", "a fill is zero if its low byte is: -0.0 becomes 0.0"),
        ("buffer-one-short", "a buffer may be one element too short"),
        ("stride-before-the-buffer", "a stride may lead before the buffer"),
        ("overlap-of-neighbours", "two elements of an output may share a place"),
        ("part-counts-no-gaps", "a part's coordinates do not count the gaps before it"),
        ("shared-byte-overwritten", "a tile that ends within a byte zeroes what follows"),
        ("window-beyond-the-output", "a box may pass the output by one"),
        ("cloned-mirror", "cloned elements are mirrored upwards"),
        ("cloned-gaps", "cloned elements have no gaps"),
        ("nibble-order", "the two halves of a byte change places"),
        ("bits-of-the-ninth-byte", "a word at an odd offset loses its last bits"),
        ("bits-lost-at-a-word", "bits that do not fit a word are lost"),
        ("bits-behind-the-end", "bits behind the last element are cleared"),
        ("bits-gap-after-the-last", "packed cells end with a gap"),
        ("spill-past-the-end", "stores overshoot the end of the output"),
        ("overshoot-of-the-source", "loads overshoot the end of the source"),
        ("mirror-before-the-source", "a mirrored register begins before the source"),
        ("fill-tail-unwritten", "the last byte of a long fill is not written"),
        ("one-byte-past-the-end", "a fill is written one byte too far"),
        ("rows-with-too-little-room", "rows are written at once up to the end of the output"),
        ("gap-phase-of-a-row", "a row that begins in a gap has the wrong phase"),
        ("gap-phase-of-a-mirror", "a mirrored row that begins in a gap has the wrong phase"),
        ("mirrored-run-forward", "a mirrored run is copied upwards"),
        ("gap-between-batches-of-lines", "lines that are written in two goes have no gap where they meet"),
        ("gap-of-dilated-rows", "between dilated rows one row of fill is missing"),
        ("begun-line-lost", "a streamed line that was begun before begins with another's bytes"),
        ("script-without-fill", "the moves of a small plan leave the fill out"),
        ("script-mirror-forward", "the moves of a small plan go upwards in a mirrored border"),
        ("piece-of-the-next-rows", "a piece for a thread takes the last rows of its axis"),
        ("short-vector-tail", "the last cells of a row that do not fill a register are not written"),
        ("last-permutation", "the last register of a border holds one unit too many"),
        ("zeroed-pages", "a large new vector counts on zeros whatever the fill"),
        ("negative-axes", "negative axes count from the last but one"),
        ("reflect-limit", "reflect may take as many elements as there are"),
        ("symmetric-limit", "symmetric may take one element more than there is"),
        ("negative-interior", "a negative interior is taken as its amount"),
        ("low-and-high-swapped", "begin and end change places"),
        ("numpy-list-of-one", "a NumPy list of two widths is one per axis"),
        ("numpy-value-in-any-mode", "NumPy takes a value in every mode"),
        ("torch-order", "PyTorch's pairs begin with the first axis"),
        ("torch-circular-limit", "PyTorch's circular may add more than is left"),
        ("torch-rank", "PyTorch's reflect takes tensors of three axes more"),
        ("torch-crop", "PyTorch's constant removes one element more than there is"),
        ("onnx-one-side", "ONNX's ends are its begins"),
        ("onnx-repeated-axis", "an axis of ONNX may be named twice"),
        ("onnx-wrap-version", "ONNX knows wrap one version early"),
        ("onnx-frame", "ONNX reflects what was cropped away"),
        ("onnxruntime-reflect", "onnxruntime's reflect takes a single element"),
        ("openvino-signed", "Pad-1 takes negative pads"),
        ("openvino-clamp", "Pad-12 does not clamp what is removed"),
        ("tensorflow-mirror-rank", "TensorFlow mirrors one axis more"),
        ("ngraph-edge-of-nothing", "nGraph's edge takes an empty axis"),
        ("ngraph-reflect-of-one", "nGraph's reflect takes a single element"),
        ("value-through-f32", "a value becomes a double through binary32"),
        ("ties-away-from-even", "half way between two narrow floats the upper is taken"),
        ("negative-zero-of-a-value", "the sign of a zero value is lost"),
    ];

    /// The number of a bug that is listed; one that is not does not compile.
    pub(crate) const fn number_of(name: &str) -> usize {
        let mut number = 0;
        while !same(PLANTED[number].0.as_bytes(), name.as_bytes()) {
            number += 1;
        }
        number
    }

    const fn same(a: &[u8], b: &[u8]) -> bool {
        let mut i = 0;
        while i < a.len() && i < b.len() && a[i] == b[i] {
            i += 1;
        }
        i == a.len() && i == b.len()
    }

    /// Whether this is the bug of the process.
    pub(crate) fn is(number: usize) -> bool {
        static CHOSEN: LazyLock<Option<usize>> = LazyLock::new(|| {
            let name = env::var("PAD_PLANTED").ok()?;
            let found = PLANTED.iter().position(|(listed, _)| *listed == name);
            Some(found.unwrap_or_else(|| panic!("no bug is called {name}")))
        });
        *CHOSEN == Some(number)
    }
}

#[cfg(pad_planted)]
pub use chosen::PLANTED;
#[cfg(pad_planted)]
pub(crate) use chosen::{is, number_of};
