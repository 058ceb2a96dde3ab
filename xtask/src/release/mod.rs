//! `cargo xtask release`: what a release has, made as its workflow makes it, into `dist/release`. With
//! `--rehearse` all that can be made on this machine is made, and looked at as its users will.

mod binaries;
#[cfg(unix)]
mod chart;
#[cfg(unix)]
mod image;
pub mod needs;
mod notes;
mod npm;
mod programs;
#[cfg(unix)]
mod root;
mod sbom;
mod sums;
#[cfg(unix)]
mod systems;
mod targets;
#[cfg(unix)]
mod unit;
mod wheels;
#[cfg(unix)]
mod workflows;

use std::path::PathBuf;

use crate::args::Args;
use crate::parts::Parts;
use crate::{Outcome, files, project};
use targets::Target;

/// A part: it makes something for some targets, or looks at what is there.
struct Part {
    name: &'static str,
    run: fn(&[&Target]) -> Outcome<String>,
}

/// In this order: the image is made of a binary, the sums are of everything.
const PARTS: &[Part] = &[
    Part { name: "binaries", run: binaries::make },
    Part { name: "wheels", run: wheels::make },
    Part { name: "sdist", run: wheels::source },
    Part { name: "npm", run: npm::make },
    Part { name: "npm-main", run: npm::main },
    Part { name: "sbom", run: sbom::make },
    Part { name: "notes", run: |_| notes::make() },
    Part { name: "sums", run: |_| sums::make() },
];

/// What is looked at in a rehearsal, beside each part's own looks.
#[cfg(unix)]
const LOOKS: &[Part] = &[
    Part { name: "binary-looks", run: |_| binaries::look() },
    Part { name: "wheel-looks", run: |_| wheels::look() },
    Part { name: "npm-looks", run: |_| npm::look() },
    Part { name: "systems", run: |_| systems::look() },
    Part { name: "image", run: |_| image::look() },
    Part { name: "chart", run: |_| chart::look() },
    Part { name: "unit", run: |_| unit::look() },
    Part { name: "workflows", run: |_| workflows::look() },
];
#[cfg(not(unix))]
const LOOKS: &[Part] = &[];

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let rehearse = args.flag("--rehearse");
    let only = args.value("--only")?;
    let target = args.value("--target")?;
    args.finish()?;
    if rehearse && LOOKS.is_empty() {
        return Err("a release is rehearsed on Linux".to_owned());
    }
    let targets = targets::chosen(target.as_deref())?;
    if let Some(only) = &only {
        part(only)?;
    }
    let asked = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let looks = LOOKS.iter().filter(|_| rehearse || only.is_some());
    let chosen: Vec<_> = PARTS.iter().chain(looks).filter(|part| asked(part.name)).collect();
    let parts = Parts::new("release", chosen.len());
    for part in chosen {
        parts.part(part.name, || (part.run)(&targets));
    }
    parts.close()
}

/// The part of this name.
fn part(name: &str) -> Outcome<&'static Part> {
    let mut known = PARTS.iter().chain(LOOKS);
    known.clone().find(|part| part.name == name).ok_or_else(|| {
        let names: Vec<_> = known.by_ref().map(|part| part.name).collect();
        format!("there is no part `{name}`: {}", names.join(", "))
    })
}

/// All of it, for the nightly job.
#[cfg(unix)]
pub fn rehearse() -> Outcome<String> {
    let words = ["--rehearse".to_owned()];
    main(Args::new("release", &words)).map(|()| "every part that can be made here".to_owned())
}

/// A file of the release.
fn at(name: impl AsRef<std::path::Path>) -> PathBuf {
    project::dist().join("release").join(name)
}

/// Copies a product into the release.
fn publish(product: &std::path::Path) -> Outcome<PathBuf> {
    let place = at(product.file_name().unwrap_or_default());
    files::install(product, &place)?;
    Ok(place)
}
