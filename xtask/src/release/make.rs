//! Makes a release's files for each target, weighs them, and puts them into `dist/release`.

use std::path::{Path, PathBuf};

use super::targets::{self, ALL, Target};
use super::{publish, python};
use crate::build::{node, npm, wheel};
use crate::process::Run;
use crate::{Outcome, build, files, project, tools};

/// Size limits in bytes; a debug build is far above.
const MOST_ARCHIVE: u64 = 9_000_000;
const MOST_WHEEL: u64 = 2_500_000;
const MOST_ENGINE: u64 = 600_000;
const MOST_MAIN: u64 = 800_000;

/// Makes the store's binary: in an archive with manual pages, completions and unit; and for images.
pub fn binaries(targets: &[&Target]) -> Outcome<String> {
    let targets: Vec<_> = targets.iter().filter(|target| target.has_binary()).collect();
    for target in &targets {
        target.cargo("leafid-server")?.done()?;
        if target.is_linux() {
            files::install(&target.binary(), &targets::image(target.triple))?;
        }
    }
    // Pages and completions are the same everywhere, and written by a binary that runs here.
    let own = targets.iter().find(|target| target.is_own());
    let own = own.ok_or("no binary for this machine's processor, which would write the pages")?;
    let pages = pages(&own.binary())?;
    let packed = targets.iter().map(|target| publish(&archive(target, &pages)?, MOST_ARCHIVE));
    Ok(packed.collect::<Outcome<Vec<_>>>()?.join(", "))
}

fn pages(binary: &Path) -> Outcome<PathBuf> {
    let folder = fresh("pages")?;
    Run::new(binary).arg("man").arg(folder.join("man")).done()?;
    for (shell, file) in [("bash", "leafid.bash"), ("zsh", "_leafid"), ("fish", "leafid.fish")] {
        let script = Run::new(binary).quiet().args(["completions", shell]).output()?;
        files::write(&folder.join("completions").join(file), script)?;
    }
    Ok(folder)
}

fn archive(target: &Target, pages: &Path) -> Outcome<PathBuf> {
    let name = format!("leafid-{}-{}", project::VERSION, target.triple);
    let above = fresh("archive")?;
    let stage = above.join(&name);
    files::install(&target.binary(), &stage.join(project::program("leafid")))?;
    files::copy_dir(pages, &stage)?;
    files::copy_dir(&project::at("deploy/systemd"), &stage.join("systemd"))?;
    files::install(&project::at("README.md"), &stage.join("README.md"))?;
    npm::licences(&stage)?;
    // The same files make the same archive, except by the tar of Windows.
    let same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    Run::new(if cfg!(target_os = "macos") { "gtar" } else { "tar" })
        .args(same.iter().filter(|_| !cfg!(windows)))
        .arg("-czf")
        .args([format!("{name}.tar.gz"), name.clone()])
        .dir(&above)
        .env("GZIP", "-n")
        .done()?;
    Ok(above.join(format!("{name}.tar.gz")))
}

/// Makes two wheels of the package for each platform: for every CPython from 3.11 on, and for the one without the
/// global lock.
pub fn wheels(targets: &[&Target]) -> Outcome<String> {
    wheel::licences()?;
    let with_lock = all_wheels(targets, "bindings-py", "release", MOST_WHEEL, None)?;
    let without = Some(wheel::without_lock()?);
    Ok(format!(
        "{with_lock}, {}",
        all_wheels(targets, "bindings-py", "release", MOST_WHEEL, without)?
    ))
}

/// Makes a wheel of the store's binary for each platform.
pub fn server_wheels(targets: &[&Target]) -> Outcome<String> {
    all_wheels(targets, "server", "server", MOST_ARCHIVE, None)
}

fn all_wheels(
    targets: &[&Target],
    folder: &str,
    profile: &str,
    most: u64,
    interpreter: Option<PathBuf>,
) -> Outcome<String> {
    let mut told = Vec::new();
    for target in targets {
        tools::rust_target(target.triple)?;
        let out = fresh("wheel")?;
        let platform = target.wheel().map(|wheel| ["--compatibility", wheel, "--zig"]);
        python("maturin")?
            .args(["build", "--locked", "--profile", profile])
            .args(["--manifest-path", &format!("{folder}/Cargo.toml")])
            .args(["--target", target.triple])
            .args(platform.into_iter().flatten())
            .arg("--out")
            .arg(&out)
            .env("CARGO_TARGET_DIR", project::target())
            .envs(interpreter.as_ref().map(|config| ("PYO3_CONFIG_FILE", config)))
            .done()?;
        told.push(publish(&only(&out, ".whl")?, most)?);
    }
    Ok(told.join(", "))
}

/// Makes Python's source package.
pub fn sdist() -> Outcome<String> {
    wheel::licences()?;
    let folder = fresh("sdist")?;
    let words = ["sdist", "--manifest-path", "bindings-py/Cargo.toml", "--out"];
    python("maturin")?.args(words).arg(&folder).done()?;
    publish(&only(&folder, ".tar.gz")?, MOST_WHEEL)
}

/// Makes the native engine of each platform, as an npm package.
pub fn npm(targets: &[&Target]) -> Outcome<String> {
    let mut told = Vec::new();
    for target in targets {
        let mut run = target.cargo("leafid-node")?;
        if target.is_musl() {
            // An add-on is loaded by a program that already has the C library.
            run = run.env("RUSTFLAGS", "-C target-feature=-crt-static");
        }
        run.done()?;
        let library = match target.triple {
            name if name.contains("windows") => "leafid_node.dll",
            name if name.contains("apple") => "libleafid_node.dylib",
            _ => "libleafid_node.so",
        };
        let folder = fresh("npm")?;
        let addon = folder.join(format!("leafid.{}.node", target.npm));
        files::install(&target.built(library), &addon)?;
        told.push(publish(&node::pack(target.npm, &addon, &folder)?, MOST_ENGINE)?);
    }
    Ok(told.join(", "))
}

/// Makes the store's binary of each platform that has one, as an npm package.
pub fn npm_server(targets: &[&Target]) -> Outcome<String> {
    let mut told = Vec::new();
    for target in targets.iter().filter(|target| target.has_binary()) {
        target.cargo("leafid-server")?.done()?;
        let (name, program) = (npm::program_for(target.npm), target.binary());
        let packed = npm::pack_program(&name, &program, &fresh("npm-server")?)?;
        told.push(publish(&packed, MOST_ARCHIVE)?);
    }
    Ok(told.join(", "))
}

/// Makes the main npm packages with the engines and programs of all platforms. `cargo xtask build` names only this
/// machine's: npm would ask its registry for the others on each installation of a test.
pub fn npm_main() -> Outcome<String> {
    build::need(&["npm"])?;
    let (stage, packed) = (fresh("npm-main")?, fresh("npm-packed")?);
    npm::stage(&stage, &ALL.iter().map(|target| target.npm).collect::<Vec<_>>())?;
    let main = publish(&npm::pack(&stage, &packed)?, MOST_MAIN)?;
    let programs = ALL.iter().filter(|target| target.has_binary());
    let programs: Vec<_> = programs.map(|target| npm::program_for(target.npm)).collect();
    Ok(format!("{main}, {}", publish(&npm::pack_server(&programs, &packed)?, MOST_MAIN)?))
}

/// Writes the release's notes, its section of the changelog, to `dist/notes.md`.
pub fn notes() -> Outcome<String> {
    let (changes, version) = (files::read(&project::at("CHANGELOG.md"))?, project::VERSION);
    let notes = section(&changes, version).ok_or_else(|| {
        format!("CHANGELOG.md has no changes under `## {version}`: rename `## Unreleased`")
    })?;
    files::write(&project::dist().join("notes.md"), notes)?;
    Ok(format!("{} lines for {version}", notes.lines().count()))
}

/// The text below a version's heading, if any.
fn section<'a>(changes: &'a str, version: &str) -> Option<&'a str> {
    let mut parts = changes.split("\n## ").filter_map(|part| part.split_once('\n'));
    let (_, text) = parts.find(|(heading, _)| heading.split(' ').next() == Some(version))?;
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// Makes an empty folder for the release below the target folder.
pub fn fresh(name: &str) -> Outcome<PathBuf> {
    let folder = project::target().join("release-parts").join(name);
    files::remove(&folder)?;
    files::make_dir(&folder)?;
    Ok(folder)
}

/// The only file in a folder with this ending.
pub fn only(folder: &Path, end: &str) -> Outcome<PathBuf> {
    match files::ending(folder, end).as_slice() {
        [one] => Ok(one.clone()),
        other => Err(format!("{} files `*{end}` instead of one", other.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn a_version_has_its_own_lines_alone() {
        let changes = "# Changes\n\nx\n\n## 0.2.0 (2026-12-01)\n\n- a\n- b\n\n## 0.2.0-rc.1\n\n## 0.1.0\n\nc\n";
        assert_eq!(section(changes, "0.2.0"), Some("- a\n- b"));
        assert_eq!(section(changes, "0.1.0"), Some("c"));
        assert_eq!(section(changes, "0.2.0-rc.1"), None, "nothing stands there");
        assert_eq!(section(changes, "0.2"), None);
    }
}
