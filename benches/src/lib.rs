//! What the benchmarks share: workloads as data, the competitors, the check against the reference, and the measuring.
//!
//! Nothing is timed before its bytes were compared with the reference's.
#![forbid(unsafe_code)]

pub mod case;
pub mod check;
pub mod competitor;
pub mod data;
pub mod distribution;
pub mod drawn;
pub mod expectation;
pub mod fixed;
pub mod machine;
pub mod measure;
pub mod naive;
pub mod ours;
#[cfg(feature = "peers")]
pub mod peers;
pub mod record;
pub mod registry;
pub mod report;
mod verdict;
pub mod views;
pub mod workload;

/// Any error; the programs of this crate only print it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// All competitors, memcpy first, each of which may use `threads`.
///
/// # Errors
///
/// If threads cannot be limited, because rayon's global pool exists already.
pub fn competitors(threads: usize) -> Result<Vec<Box<dyn competitor::Competitor>>, Error> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    #[cfg(feature = "peers")]
    let peers = peers::all();
    #[cfg(not(feature = "peers"))]
    let peers = [];
    Ok(ours::all().into_iter().chain([fixed::competitor()]).chain(peers).collect())
}

/// The packages whose versions a report names.
pub fn packages() -> Vec<&'static str> {
    #[cfg(feature = "peers")]
    let peers = peers::PACKAGES;
    #[cfg(not(feature = "peers"))]
    let peers = [];
    ["pad-kernels", "ndarray"].into_iter().chain(peers).collect()
}
