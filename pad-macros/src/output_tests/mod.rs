//! Compares the generated code of small tables with files in this folder. A reviewer can read these files like handwritten code.
//!
//! Both sides are printed by prettyplease, so comments and spaces do not matter. After a wanted change, run the tests with
//! `PAD_BLESS=1` and review `git diff`.

use std::path::Path;
use std::{env, fs};

use proc_macro2::{TokenStream, TokenTree};
use similar::TextDiff;
use syn::parse::Parse;
use syn::{File, Item};

use crate::{check, expand, generate};

/// The first lines of a file of expected code. The tests do not compare comments.
const HEAD: &str = "// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.\n\n";

/// Tests two generated nests: a nest of one axis, and a nest with outer loops for an instruction set with features. Nests for
/// packed types write through another type, and exist only for the first instruction set.
#[test]
fn nests() {
    expect(
        "nests",
        &["mod r1_portable", "mod r3_avx2"],
        r#"
        ranks: 3;
        modes: [Edge];
        isas: [Portable, Avx2 on "x86_64" with "avx2"];
        elements: [bytes W4 = 4: [F32, I32], bytes Any: [], packed: [I4, U4]];
        "#,
    );
}

/// Tests the registry, which has an entry for each kind of element, and `find`, which returns the index of an entry. `Neon`
/// exists only in builds that enable it.
#[test]
fn registry() {
    expect(
        "registry",
        &["REGISTRY", "find"],
        r#"
        ranks: 1;
        modes: [Wrap];
        isas: [Portable, Neon on "aarch64" built with "neon"];
        elements: [bytes W1 = 1: [U8], bytes Any: [], packed: [U4], cloned: [String]];
        "#,
    );
}

/// Tests kernels that sum, and their registry.
#[test]
fn sums() {
    let table = r#"
        isas: [
            Portable,
            Avx2 as Portable on "x86_64" with "avx2" for [BF16],
        ];
        sums: [F32: [F32, C64], BF16: [BF16]];
    "#;
    compare("sums", &items(table, check::check_sums, expand::expand_sums, |_| true));
}

/// Tests functions that pad, with the constants of a tensor and of a batch.
#[test]
fn fixed() {
    expect_fixed(
        "fixed",
        r"
        // The function `cells` writes the rows, and the fill between two rows as one piece.
        pub fn pad_conv3x3(f32; [64, 56, 56]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
        // The borders are read from the input in reverse. A link to a raw name has no `r#`.
        /// A frame of speech.
        #[inline] #[allow(clippy::all)] #[doc(hidden)]
        pub fn r#match(f32; [400]) = reflect { [200, 200] }
        // A border longer than a period repeats that period.
        fn pad_far(half::f16; [3]) = reflect { [20, 21] }
        // The copy unit is a pixel. The borders above and below copy rows of the output. Interior padding is filled.
        pub(crate) fn pad_images(u8; [.., 32, 32, 3]) = symmetric(9) uncropped { [-1, 2], [3, 3, 1], [0, 0] }
        // If the mirror image of a row is cropped, the border reads the input again.
        pub(crate) fn pad_cut(u8; [4, 8, 8]) = symmetric { [-3, 4], [-2, 2], [1, 1] }
        ",
        |name| !["mod pad_conv3x3", "mod pad_far", "mod pad_cut"].contains(&name),
    );
}

/// Tests four adjoints. The first is a crop, which copies rows, and the second sums whole rows. The third is a batch of pixels
/// with a long border, and the fourth has mode wrap and interior padding. Other tests compare the functions that pad.
#[test]
fn fixed_adjoint() {
    expect_fixed(
        "fixed_adjoint",
        r"
        /// The adjoint does not get this comment.
        #[inline] #[doc(hidden)]
        pub fn pad_conv3x3(f32; [64, 56, 56]) = constant { [0, 0], [1, 1], [1, 1] } adjoint crop_conv3x3
        pub(crate) fn pad_rows(f32; [3, 2]) = reflect { [1, 0], [1, 0] } adjoint rows_gradient
        fn pad_pixels(u8; [.., 8, 3]) = symmetric { [0, 1000], [0, 0] } adjoint pixels_gradient
        fn r#pad_far(half::bf16; [40]) = wrap { [8, 9, 1] } adjoint far_gradient
        ",
        |name| !name.contains("pad_"),
    );
}

/// Tests where the compiler reports a type that is no element (at the type) or that has no zero (at the mode).
#[test]
fn errors_of_types_point_at_what_is_written() {
    fn add(stream: TokenStream, found: &mut Vec<(String, usize)>) {
        for token in stream {
            match token {
                TokenTree::Group(group) => add(group.stream(), found),
                token => found.push((token.to_string(), token.span().start().column)),
            }
        }
    }
    let functions = "[pad_kernels] fn f(My; [4]) = constant { [1, 1] } adjoint g";
    let input = functions.parse().expect("the input is made of tokens");
    let mut found = Vec::new();
    add(generate(input, check::check_functions, expand::expand_fixed), &mut found);
    for (call, calls, at) in [("copy", 2, "My"), ("fill", 2, "My"), ("zero", 1, "constant")] {
        let columns: Vec<_> = found.iter().filter(|(word, _)| word == call).map(|word| word.1).collect();
        assert_eq!(columns, vec![functions.find(at).expect("it is written"); calls], "{call}");
    }
}

/// Tests kernels that compute values. If the computation or the type is `scalar`, only the first instruction set has a kernel.
#[test]
fn computed() {
    let table = r#"
        isas: [Portable, Avx2 on "x86_64" with "avx2"];
        computations: [
            vector Maximum = fold::run::<T, Extreme>,
            scalar Median = median::run::<T>,
            vector Minimum = fold::run::<T, Extreme>,
        ];
        elements: [vector f32: F32, scalar Complex<f32>: C64];
    "#;
    compare("computed", &items(table, check::check_computed, expand::expand_computed, |_| true));
}

/// Generates the code of `functions`, keeps the items that `is_compared` selects, and compares them with `name.expected.rs`.
#[track_caller]
fn expect_fixed(name: &str, functions: &str, is_compared: impl Fn(&str) -> bool) {
    let functions = format!("[pad_kernels] {functions}");
    compare(name, &items(&functions, check::check_functions, expand::expand_fixed, is_compared));
}

/// Generates the code of `table`, keeps the items that `listed` names, and compares them with `name.expected.rs`.
#[track_caller]
fn expect(name: &str, listed: &[&str], table: &str) {
    let generated = items(table, check::check, expand::expand, |name| listed.contains(&name));
    assert_eq!(generated.items.len(), listed.len(), "each of {listed:?} is generated once");
    compare(name, &generated);
}

/// Generates code from `input`, and returns the items that `is_kept` selects.
fn items<T: Parse, C>(
    input: &str,
    check: fn(T) -> syn::Result<C>,
    expand: fn(&C) -> TokenStream,
    is_kept: impl Fn(&str) -> bool,
) -> File {
    let generated = generate(input.parse().expect("the input is made of tokens"), check, expand);
    let mut generated: File = syn::parse2(generated).expect("the generated code is made of items");
    generated.items.retain(|item| name_of(item).is_none_or(|name| is_kept(&name)));
    generated
}

#[track_caller]
fn compare(name: &str, generated: &File) {
    let generated = prettyplease::unparse(generated);

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/output_tests/{name}.expected.rs"));
    if env::var_os("PAD_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, format!("{HEAD}{generated}")).expect("the expected code can be written");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let expected =
        prettyplease::unparse(&syn::parse_file(&expected).expect("the expected code is made of items"));
    if generated != expected {
        let diff = TextDiff::from_lines(&expected, &generated);
        let diff = diff.unified_diff().context_radius(4).header("expected", "generated").to_string();
        panic!(
            "{} differs from what is generated:\n\n{diff}\n\
             If this change is wanted, run `PAD_BLESS=1 cargo test -p pad-macros` and review `git diff`.",
            path.display()
        );
    }
}

fn name_of(item: &Item) -> Option<String> {
    match item {
        Item::Mod(item) => Some(format!("mod {}", item.ident)),
        Item::Static(item) => Some(item.ident.to_string()),
        Item::Fn(item) => Some(item.sig.ident.to_string()),
        _ => None,
    }
}
