//! What lies in `dist/` was built as it is published: optimised, and small. A newcomer times exactly
//! these files.

use std::path::{Path, PathBuf};

use crate::process::Run;
use crate::{Outcome, build, files, project};

/// A native file of a package, and how many bytes it may have: about twice what it has.
struct Native {
    /// How its name ends.
    end: &'static str,
    most: u64,
}

const SERVER: Native = Native { end: "leafid", most: 25_000_000 };
const WHEEL: Native = Native { end: ".so", most: 5_000_000 };
const NODE: Native = Native { end: ".node", most: 2_000_000 };

/// What a program says that checks each addition for overflow: debug builds do, release builds never.
const CHECKED: &[&str] = &["attempt to add with overflow", "attempt to subtract with overflow"];

const CURE: &str = "this is not a release build; build one with `cargo xtask build`";

/// The server, the wheel and the platform's npm package, each looked at as a user unpacks it.
pub fn check() -> Outcome<String> {
    build::all()?;
    let [_, platform] = build::npm_tarballs()?;
    let wheel = unpacked("wheel", |folder| {
        let python = crate::tools::python("python")?;
        Ok(Run::new(python).args(["-m", "zipfile", "-e"]).arg(build::wheel_file()?).arg(folder))
    })?;
    let node = unpacked("node", |folder| {
        Ok(Run::new("tar").arg("-xzf").arg(&platform).arg("-C").arg(folder))
    })?;
    let mut told = Vec::new();
    let mut wrong = Vec::new();
    for (folder, native) in [(project::dist(), SERVER), (wheel, WHEEL), (node, NODE)] {
        let file = only_one(&folder, native.end)?;
        let size = files::size(&file)?;
        told.push(format!("{} {}", name(&file), megabytes(size)));
        wrong.extend(too_large(&file, size, native.most));
        wrong.extend(checked(&file)?);
    }
    if wrong.is_empty() { Ok(told.join(", ")) } else { Err(wrong.join("\n")) }
}

/// The complaint about a native file of so many bytes.
pub fn too_large(file: &Path, size: u64, most: u64) -> Option<String> {
    (size > most).then(|| {
        let (name, size, most) = (name(file), megabytes(size), megabytes(most));
        format!("`{name}` has {size}, more than {most}: {CURE}")
    })
}

/// The complaint about a native file that checks its additions.
pub fn checked(file: &Path) -> Outcome<Option<String>> {
    for text in CHECKED {
        // Not by ourselves: this program is a debug build, which reads ten megabytes in ten seconds.
        let found = Run::new("grep").quiet().args(["-c", "-a", "-F", text]).arg(file).listen()?;
        match found.stdout.trim() {
            "0" => {}
            "" => return Err(format!("grep: {}", found.stderr.trim())),
            _ => return Ok(Some(format!("`{}` says `{text}`: {CURE}", name(file)))),
        }
    }
    Ok(None)
}

fn unpacked(what: &str, unpack: impl FnOnce(&Path) -> Outcome<Run>) -> Outcome<PathBuf> {
    let folder = project::target().join("published").join(what);
    files::remove_dir(&folder)?;
    files::make_dir(&folder)?;
    unpack(&folder)?.quiet().output()?;
    Ok(folder)
}

fn only_one(folder: &Path, end: &str) -> Outcome<PathBuf> {
    let found = files::walk(folder)?.into_iter().filter(|file| name(file).ends_with(end));
    match found.collect::<Vec<_>>().as_slice() {
        [one] => Ok(one.clone()),
        other => Err(format!("{} files `*{end}` in `{}`", other.len(), files::shown(folder))),
    }
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}
