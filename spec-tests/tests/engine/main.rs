//! Tests the program `conform` with the engine `src/bin/unruly.rs`, which crashes, hangs or gives wrong answers if the name of a
//! case says so. Every outcome must be right, no case may be lost, and the smallest case of each kind must be found. Other tests
//! check the archive of `conform --export`.

mod adapters;
#[path = "../common/mod.rs"]
mod common;
#[cfg(not(target_family = "wasm"))]
mod export;
// Emulators can run this program, but not the engine that it starts.
#[cfg(all(unix, any(target_arch = "x86_64", target_os = "macos")))]
mod minimise;
#[cfg(all(unix, any(target_arch = "x86_64", target_os = "macos")))]
mod outcomes;
