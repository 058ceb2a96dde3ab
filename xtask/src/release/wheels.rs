//! The wheels, one for each platform and every CPython from 3.11 on, and the source package.

use std::path::{Path, PathBuf};

use super::targets::Target;
use super::{at, needs, programs, publish};
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// The largest that a wheel may be, in bytes.
const MOST: u64 = 2_500_000;
/// What importing may take above an empty native module, in µs.
const MOST_IMPORT_US: u64 = 5_000;

/// What a user does first, without a server.
const FIRST: &str = "import leafid; ids = leafid.Segment('orders', store='memory:'); \
                     assert ids.take(3) == [1, 2, 3]; print(leafid.__file__)";

/// Builds each.
pub fn make(targets: &[&Target]) -> Outcome<String> {
    let mut told = Vec::new();
    for target in targets {
        tools::rust_target(target.triple)?;
        let fresh = project::target().join("release/wheels").join(target.triple);
        files::remove_dir(&fresh)?;
        let mut run = programs::python("maturin")?
            .args(["build", "--locked", "--release", "--manifest-path", "bindings-py/Cargo.toml"])
            .args(["--target", target.triple, "--out"])
            .arg(&fresh);
        if let Some(wheel) = target.wheel {
            run = run.args(["--compatibility", wheel, "--zig"]);
        }
        run.env("CARGO_TARGET_DIR", project::target()).done()?;
        let wheel = publish(&only(&fresh, ".whl")?)?;
        let size = files::size(&wheel)?;
        let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if size > MOST {
            return Err(format!("`{name}` has {size} bytes, above {MOST}"));
        }
        if let Some(platform) = target.wheel.filter(|platform| !name.contains(platform)) {
            return Err(format!("`{name}` is not for {platform}"));
        }
        told.push(format!("{} {:.2} MB", target.triple, size as f64 / 1e6));
    }
    Ok(told.join(", "))
}

/// Makes the source package, and a wheel out of it where nothing else of the project is.
pub fn source(_: &[&Target]) -> Outcome<String> {
    let fresh = project::target().join("release/sdist");
    files::remove_dir(&fresh)?;
    programs::python("maturin")?
        .args(["sdist", "--manifest-path", "bindings-py/Cargo.toml", "--out"])
        .arg(&fresh)
        .done()?;
    let source = publish(&only(&fresh, ".tar.gz")?)?;
    let python = venv("sdist")?;
    // A folder of its own: what the checkout's settings of cargo do is not there for a user.
    Run::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-binary", "leafid"])
        .arg(&source)
        .dir(std::env::temp_dir())
        .without("CARGO_TARGET_DIR")
        .done()?;
    first(&python)?;
    Ok(format!("{} bytes; installed from it in a new environment", files::size(&source)?))
}

/// Looks at the wheels as their users and their registry do.
pub fn look() -> Outcome<String> {
    let wheels = files::ending(&at(""), ".whl");
    if wheels.is_empty() {
        return Err("no wheel in dist/release: `cargo xtask release --only wheels`".to_owned());
    }
    programs::python("twine")?
        .args(["check", "--strict"])
        .args(&wheels)
        .args(files::ending(&at(""), &format!("leafid-{}.tar.gz", project::version())))
        .done()?;
    for wheel in &wheels {
        licensed(wheel)?;
        programs::python("abi3audit")?.args(["--strict"]).arg(wheel).done()?;
        let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let module = module(wheel)?;
        needs::optimised(&module)?;
        if name.contains("musllinux") {
            // Not by auditwheel: for a `libc.so` it takes the one of this machine, which is glibc's, and a text.
            needs::musl_alone(&module)?;
        } else if name.contains(std::env::consts::ARCH) {
            let said = programs::python("auditwheel")?.quiet().arg("show").arg(wheel).output()?;
            if !said.contains("manylinux_2_17") {
                return Err(format!("auditwheel does not find manylinux_2_17: {said}"));
            }
        }
    }
    let python = venv("wheel")?;
    Run::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-index", "--find-links"])
        .arg(at(""))
        .arg("leafid")
        .done()?;
    let place = first(&python)?;
    if !place.contains("site-packages") {
        return Err(format!("`import leafid` finds `{place}`"));
    }
    let import = import_us(&python)?;
    if import > MOST_IMPORT_US {
        return Err(format!("`import leafid` takes {import} µs, above {MOST_IMPORT_US}"));
    }
    Ok(format!("{} wheels; import takes {import} µs above an empty native module", wheels.len()))
}

/// The native module of a wheel, unpacked.
fn module(wheel: &Path) -> Outcome<PathBuf> {
    let folder = project::target().join("release/unpacked-wheel");
    files::remove_dir(&folder)?;
    let unpack = programs::python("python")?.quiet().args(["-m", "zipfile", "-e"]);
    unpack.arg(wheel).arg(&folder).done()?;
    only(&folder.join("leafid"), ".so")
}

/// Both licences must go with what they permit.
fn licensed(wheel: &Path) -> Outcome {
    let listed = programs::python("python")?.quiet().args(["-m", "zipfile", "-l"]).arg(wheel);
    let listed = listed.output()?;
    match ["LICENSE-APACHE", "LICENSE-MIT"].iter().find(|name| !listed.contains(**name)) {
        None => Ok(()),
        Some(name) => Err(format!("`{}` has no `{name}`", files::shown(wheel))),
    }
}

/// What `import leafid` takes beyond the smallest native module of Python's own library: processor
/// time, the least of several, since what else the machine does can only add to it.
fn import_us(python: &Path) -> Outcome<u64> {
    let least = |module: &str| -> Outcome<u64> {
        let took = (0..15).map(|_| processor_us(python, module)).collect::<Outcome<Vec<_>>>()?;
        Ok(took.into_iter().min().unwrap_or(0))
    };
    Ok(least("leafid")?.saturating_sub(least("_queue")?))
}

fn processor_us(python: &Path, module: &str) -> Outcome<u64> {
    let program = format!(
        "import time; begun = time.process_time_ns(); import {module}; \
         print((time.process_time_ns() - begun) // 1000)"
    );
    let said =
        Run::new(python).quiet().args(["-c", &program]).dir(std::env::temp_dir()).output()?;
    said.trim().parse().map_err(|_| format!("importing `{module}` says `{said}`"))
}

fn first(python: &Path) -> Outcome<String> {
    let run = Run::new(python).quiet().args(["-c", FIRST]).dir(std::env::temp_dir());
    Ok(run.without("PYTHONPATH").output()?.trim().to_owned())
}

fn venv(name: &str) -> Outcome<PathBuf> {
    let folder = project::target().join("release/venv").join(name);
    tools::make_venv(&folder)?;
    Ok(folder.join("bin/python"))
}

fn only(folder: &Path, end: &str) -> Outcome<PathBuf> {
    match files::ending(folder, end).as_slice() {
        [one] => Ok(one.clone()),
        other => Err(format!("{} files `*{end}` instead of one", other.len())),
    }
}
