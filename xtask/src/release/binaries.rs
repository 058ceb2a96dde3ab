//! The store's binary for each platform, in an archive with its manual pages and completions.

use std::path::{Path, PathBuf};

use super::targets::{self, Target};
use super::{at, needs, programs};
use crate::process::Run;
use crate::{Outcome, files, project};

/// The largest that the program may be, in bytes: about 1.3 times what it is.
const MOST: u64 = 21_000_000;
const SHELLS: &[(&str, &str)] =
    &[("bash", "leafid.bash"), ("zsh", "_leafid"), ("fish", "leafid.fish")];

/// Builds, looks at and packs each.
pub fn make(targets: &[&Target]) -> Outcome<String> {
    let targets: Vec<_> = targets.iter().filter(|target| target.has_binary).collect();
    let mut told = Vec::new();
    for target in &targets {
        let binary = build(target)?;
        if target.is_linux() {
            is_static(&binary)?;
            let image = project::dist().join("image").join(target.image_arch()).join("leafid");
            files::install(&binary, &image)?;
        }
        let size = files::size(&binary)?;
        if size > MOST {
            return Err(format!("`leafid` for {} has {size} bytes, above {MOST}", target.triple));
        }
        told.push(format!("{} {:.1} MB", target.triple, size as f64 / 1e6));
    }
    // Pages and completions are the same everywhere, and written by a binary that runs here.
    let own = targets.iter().find(|target| target.triple.starts_with(std::env::consts::ARCH));
    let own =
        own.ok_or("no binary for this machine's own processor, which would write the pages")?;
    let pages = project::target().join("release/pages");
    write_pages(&targets::built(own, "leafid"), &pages)?;
    for target in &targets {
        pack(target, &pages)?;
    }
    Ok(told.join(", "))
}

/// The store's binary for a target.
pub fn build(target: &Target) -> Outcome<PathBuf> {
    programs::cargo(target)?.args(["-p", "leafid-server"]).done()?;
    Ok(targets::built(target, "leafid"))
}

/// Whether a program runs without anything else: it names no loader.
pub fn is_static(binary: &Path) -> Outcome {
    let said = Run::new("readelf").quiet().args(["--wide", "--program-headers", "--dynamic"]);
    let said = said.arg(binary).output()?;
    match said.contains("INTERP") || said.contains("(NEEDED)") {
        true => Err(format!("`{}` needs libraries of the system", files::shown(binary))),
        false => Ok(()),
    }
}

/// Unpacks each archive as a user does, and starts the program: also that of another processor, where
/// qemu can be had.
#[cfg(unix)]
pub fn look() -> Outcome<String> {
    let archives = files::ending(&at(""), "-musl.tar.gz");
    if archives.is_empty() {
        return Err("no archive in dist/release: `cargo xtask release --only binaries`".to_owned());
    }
    let mut told = Vec::new();
    for archive in &archives {
        let folder = project::target().join("release/unpacked");
        files::remove_dir(&folder)?;
        files::make_dir(&folder)?;
        Run::new("tar").quiet().arg("-xzf").arg(archive).arg("-C").arg(&folder).done()?;
        let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = name.trim_end_matches(".tar.gz");
        for file in NEEDED {
            if !folder.join(stem).join(file).is_file() {
                return Err(format!("`{name}` has no `{file}`"));
            }
        }
        let program = folder.join(stem).join("leafid");
        needs::optimised(&program)?;
        told.push(started(&program, stem)?);
    }
    Ok(told.join(", "))
}

/// What an archive has, beside the program's other pages.
#[cfg(unix)]
const NEEDED: &[&str] = &[
    "leafid",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "man/leafid.1",
    "man/leafid-serve.1",
    "completions/leafid.bash",
    "completions/_leafid",
    "completions/leafid.fish",
    "systemd/leafid.service",
    "systemd/leafid.sysusers",
    "systemd/leafid.toml",
];

#[cfg(unix)]
fn started(program: &Path, stem: &str) -> Outcome<String> {
    let arch = targets::ALL.iter().map(|target| target.triple.split('-').next().unwrap_or(""));
    let arch = arch.into_iter().find(|arch| stem.contains(arch)).unwrap_or_default();
    let run = if arch == std::env::consts::ARCH {
        Run::new(program)
    } else {
        let names = [format!("qemu-{arch}"), format!("qemu-{arch}-static")];
        let there = |name: &&String| Run::new(name).quiet().arg("-version").listen().is_ok();
        let Some(qemu) = names.iter().find(there) else {
            return Ok(format!("{arch} NOT RUN: there is no `{}`", names[0]));
        };
        Run::new(qemu).arg(program)
    };
    let said = run.quiet().args(["next", "orders", "--count", "3", "--store", "sqlite:none.db"]);
    let said = said.dir(program.parent().unwrap_or(program)).listen()?;
    // Every part that a first use needs has come up: settings, TLS, SQLite, the texts.
    if said.success || !said.stderr.contains("leafid init --store sqlite:none.db") {
        return Err(format!("`leafid` for {arch} says {}{}", said.stdout, said.stderr));
    }
    Ok(format!("{arch} runs"))
}

fn write_pages(binary: &Path, folder: &Path) -> Outcome {
    files::remove_dir(folder)?;
    Run::new(binary).arg("man").arg(folder.join("man")).done()?;
    for (shell, file) in SHELLS {
        let script = Run::new(binary).quiet().args(["completions", shell]).output()?;
        files::write(&folder.join("completions").join(file), script)?;
    }
    Ok(())
}

fn pack(target: &Target, pages: &Path) -> Outcome {
    let name = format!("leafid-{}-{}", project::version(), target.triple);
    let stage = project::target().join("release/stage").join(&name);
    files::remove_dir(&stage)?;
    files::install(&targets::built(target, "leafid"), &stage.join("leafid"))?;
    files::copy_dir(pages, &stage)?;
    for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        files::install(&project::at(file), &stage.join(file))?;
    }
    files::copy_dir(&project::at("deploy/systemd"), &stage.join("systemd"))?;
    let archive = at(format!("{name}.tar.gz"));
    files::make_dir(&at(""))?;
    // The same files make the same archive.
    let tar = if cfg!(target_os = "macos") { "gtar" } else { "tar" };
    Run::new(tar)
        .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "-czf"])
        .arg(archive)
        .arg("-C")
        .arg(stage.parent().unwrap_or(&stage))
        .arg(&name)
        .env("GZIP", "-n")
        .done()
}
