//! A copy of the code, in a folder of its own, with some files changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use serde_json::Value;

use super::{Result, VARIABLE};

/// The copy, which is built once for all changes.
#[derive(Debug)]
pub struct Copy {
    /// The code.
    pub tree: PathBuf,
    /// Where cargo builds it.
    pub build: PathBuf,
    /// Where fuzz targets may write.
    pub scratch: PathBuf,
    profile: &'static [(&'static str, &'static str)],
}

impl Copy {
    /// Brings the copy in the folder `name` of cargo's target folder up to date. What has not changed is not written, so that
    /// it is not built again. `profile` are variables of cargo's environment.
    pub fn new(
        root: &Path,
        name: &str,
        changes: &BTreeMap<String, String>,
        profile: &'static [(&'static str, &'static str)],
    ) -> Result<Copy> {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let folder = std::path::absolute(target)?.join(name);
        let copy = Copy {
            tree: folder.join("tree"),
            build: folder.join("build"),
            scratch: folder.join("scratch"),
            profile,
        };
        let git = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .stderr(Stdio::inherit())
            .output()?;
        if !git.status.success() {
            return Err("git does not list the files to copy".into());
        }
        let mut files: BTreeSet<String> = String::from_utf8(git.stdout)?
            .split_terminator('\0')
            .filter(|file| root.join(file).is_file())
            .map(str::to_owned)
            .collect();
        files.extend(changes.keys().cloned());
        remove_others(&copy.tree, "", &files)?;
        for file in &files {
            let text = match changes.get(file) {
                Some(changed) => changed.clone().into_bytes(),
                None => fs::read(root.join(file))?,
            };
            let to = copy.tree.join(file);
            if fs::read(&to).ok().as_ref() != Some(&text) {
                fs::create_dir_all(to.parent().expect("a file is in a folder"))?;
                fs::write(to, text)?;
            }
        }
        Ok(copy)
    }

    /// Cargo for the copy, without a fault.
    pub fn cargo(&self) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // Lints are for the code as it is written.
        let flags = format!("{} --cap-lints allow", env::var("RUSTFLAGS").unwrap_or_default());
        cargo
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.build)
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("RUSTFLAGS", flags.trim())
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove(VARIABLE)
            .envs(self.profile.iter().copied())
            .stderr(Stdio::inherit());
        cargo
    }

    /// What cargo says as JSON, and whether it succeeded. `arguments` ask for JSON.
    pub fn messages(&self, arguments: &[&str]) -> Result<(bool, Vec<Value>)> {
        let output = self.cargo().args(arguments).output()?;
        let lines = String::from_utf8_lossy(&output.stdout);
        let messages = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok((output.status.success(), messages))
    }
}

/// Removes what is not listed from a folder, whose path from the root of the copy is `prefix`.
fn remove_others(folder: &Path, prefix: &str, files: &BTreeSet<String>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            remove_others(&path, &format!("{name}/"), files)?;
        } else if !files.contains(&name) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
