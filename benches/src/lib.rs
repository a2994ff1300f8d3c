//! The library behind the benchmark programs: workloads, competitors, the check against the reference, and measurements.
//!
//! A competitor is only measured after its output was compared with the reference.
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

/// An error of the programs, which print it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Returns all competitors, memcpy first. Each may use `threads` threads.
///
/// # Errors
///
/// The call fails if rayon's global pool exists already, so that threads cannot be limited.
pub fn competitors(threads: usize) -> Result<Vec<competitor::Competitor>, Error> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let all = ours::all();
    #[cfg(feature = "peers")]
    let all = all.into_iter().chain(peers::all()).collect();
    Ok(all)
}

/// Returns the packages whose versions a report lists.
pub fn packages() -> Vec<&'static str> {
    let all = vec!["pad-kernels", "ndarray"];
    #[cfg(feature = "peers")]
    let all = all.into_iter().chain(peers::PACKAGES).collect();
    all
}
