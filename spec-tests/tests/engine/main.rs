//! The program `conform`: with an engine that crashes, hangs and lies where a case's name says so, every outcome is right, no case is
//! lost, and the smallest case of each kind is found. The engine is `src/bin/unruly.rs`. The archive of `conform --export` is whole.

mod adapters;
#[path = "../common/mod.rs"]
mod common;
#[cfg(not(target_family = "wasm"))]
mod export;
// Emulators run this program, but not the engine that it starts.
#[cfg(all(unix, any(target_arch = "x86_64", target_os = "macos")))]
mod minimise;
#[cfg(all(unix, any(target_arch = "x86_64", target_os = "macos")))]
mod outcomes;
