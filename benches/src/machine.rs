//! Describes the machine and the build, which a reader needs to judge the numbers.

use std::fs;
use std::process::Command;

use pad_kernels::kernels::Isa;

/// Returns the lines for the start of a report.
pub fn describe() -> Vec<String> {
    let mut lines = vec![format!("{}, {} processors", processor(), processors())];
    lines.push(format!("caches of the first processor: {}", caches()));
    let isas: Vec<_> = Isa::ALL.into_iter().filter(|isa| isa.available()).map(Isa::name).collect();
    lines.push(format!("instruction sets that the library can use: {}", isas.join(", ")));
    lines.push(format!("{} {}", std::env::consts::OS, read("/proc/sys/kernel/osrelease")));
    if let Ok(rustc) = Command::new("rustc").arg("-V").output() {
        lines.push(String::from_utf8_lossy(&rustc.stdout).trim().to_string());
    }
    lines
}

/// Returns the versions of these packages in the lock file of this build.
pub fn versions(names: &[&str]) -> Vec<String> {
    let lock = include_str!("../../Cargo.lock");
    // If the lock file has several versions of a package, it lists the one of this crate as `name version`.
    let own = lock.split_once("name = \"benches\"\n").map_or("", |(_, rest)| rest);
    let own = own.split("\n\n").next().unwrap_or_default();
    let version = |name: &&str| {
        let of_own = own.split_once(&format!(" \"{name} ")).map(|(_, rest)| rest);
        let of_any = || Some(lock.split_once(&format!("name = \"{name}\"\nversion = \""))?.1);
        Some(format!("{name} {}", of_own.or_else(of_any)?.split('"').next()?))
    };
    names.iter().filter_map(version).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_string()
}

fn processor() -> String {
    let info = read("/proc/cpuinfo");
    let field = |name: &str| {
        let line = info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let model = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_string());
    match (field("cpu family"), field("model")) {
        (Some(family), Some(number)) => format!("{model} (family {family}, model {number})"),
        _ => model,
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn caches() -> String {
    let cache = |index| {
        let file = |name| read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
        let (level, kind, size) = (file("level"), file("type"), file("size"));
        (!size.is_empty() && kind != "Instruction").then(|| format!("L{level} {size}"))
    };
    let caches: Vec<_> = (0..8).filter_map(cache).collect();
    if caches.is_empty() { "unknown".into() } else { caches.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        let versions = versions(&["pad-kernels", "no-such-package"]);
        assert_eq!(versions, [format!("pad-kernels {}", env!("CARGO_PKG_VERSION"))]);
        // Other packages depend on another version.
        assert_eq!(super::versions(&["ndarray"]), ["ndarray 0.17.2"]);
    }

    #[test]
    fn the_machine_has_a_description() {
        assert!(describe().iter().any(|line| line.contains("portable")));
    }
}
