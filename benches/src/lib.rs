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
pub mod machine;
pub mod measure;
pub mod ours;
#[cfg(feature = "peers")]
pub mod peers;
pub mod record;
pub mod report;
pub mod verdict;
pub mod workload;

/// Any error; the programs of this crate only print it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// All competitors, memcpy first, each of which may use `threads`.
///
/// # Errors
///
/// If threads cannot be limited, because rayon's global pool exists already.
pub fn competitors(threads: usize) -> Result<Vec<competitor::Competitor>, Error> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let all = ours::all();
    #[cfg(feature = "peers")]
    let all = all.into_iter().chain(peers::all()).collect();
    Ok(all)
}

/// The packages whose versions a report names.
pub fn packages() -> Vec<&'static str> {
    let all = vec!["pad-kernels", "ndarray"];
    #[cfg(feature = "peers")]
    let all = all.into_iter().chain(peers::PACKAGES).collect();
    all
}
