//! Properties of a native file of a release: what it needs of its system, and how it was compiled.

use std::path::Path;

use crate::process::Run;
use crate::{Outcome, files};

/// The oldest glibc that the products run on.
const GLIBC: (u32, u32) = (2, 17);

/// Whether it needs musl and nothing else, by the name that musl's loader takes for itself.
pub fn musl_alone(library: &Path) -> Outcome {
    let said = readelf("--dynamic", library)?;
    let needed = needed(&said);
    match needed[..] {
        ["libc.so"] => Ok(()),
        _ => Err(format!("`{}` needs {needed:?} of the system", files::shown(library))),
    }
}

/// Whether the oldest glibc has all that it needs.
pub fn old_glibc(library: &Path) -> Outcome {
    let said = readelf("--version-info", library)?;
    let library = files::shown(library);
    match newest(&said) {
        Some(version) if version <= GLIBC => Ok(()),
        Some((major, minor)) => {
            Err(format!("`{library}` needs glibc {major}.{minor}, above {}.{}", GLIBC.0, GLIBC.1))
        }
        None => Err(format!("`{library}` does not say which glibc it needs")),
    }
}

/// The complaint about a program or library that checks each addition for overflow: debug builds do, release
/// builds never.
pub fn debug_build(file: &Path) -> Outcome<Option<String>> {
    for text in ["attempt to add with overflow", "attempt to subtract with overflow"] {
        // Not by this program: it is a debug build, which reads ten megabytes in ten seconds.
        let found = Run::new("grep").quiet().args(["-c", "-a", "-F", text]).arg(file).listen()?;
        match found.stdout.trim() {
            "0" => {}
            "" => return Err(format!("grep: {}", found.stderr.trim())),
            _ => return Ok(Some(format!("`{}` says `{text}`: a debug build", files::shown(file)))),
        }
    }
    Ok(None)
}

/// Refuses such a file.
pub fn optimised(file: &Path) -> Outcome {
    debug_build(file)?.map_or(Ok(()), Err)
}

fn readelf(what: &str, library: &Path) -> Outcome<String> {
    Run::new("readelf").quiet().args(["--wide", what]).arg(library).output()
}

/// The libraries that are needed.
fn needed(said: &str) -> Vec<&str> {
    let lines = said.lines().filter(|line| line.contains("(NEEDED)"));
    lines.filter_map(|line| line.split_once('[')?.1.split_once(']')).map(|(name, _)| name).collect()
}

/// The newest version of glibc whose symbols are needed.
fn newest(said: &str) -> Option<(u32, u32)> {
    let names = said.split("Name: GLIBC_").skip(1);
    let versions = names.filter_map(|rest| {
        let mut parts = rest.split_whitespace().next()?.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::{needed, newest};

    #[test]
    fn what_readelf_says_is_read() {
        let said = " 0x0000000000000001 (NEEDED)             Shared library: [libc.so]\n\
                    0x0000000000000001 (NEEDED)  Shared library: [libgcc_s.so.1]\n\
                    0x000000000000000e (SONAME)             Library soname: [x.so]\n";
        assert_eq!(needed(said), ["libc.so", "libgcc_s.so.1"]);
        assert!(needed("There is no dynamic section in this file.").is_empty());
        let said = "  0x0010:   Name: GLIBC_2.2.5  Flags: none  Version: 6\n\
                    0x0020:   Name: GLIBC_2.17  Flags: none  Version: 5\n\
                    0x0030:   Name: GLIBC_2.3  Flags: none  Version: 4\n";
        assert_eq!(newest(said), Some((2, 17)));
        assert_eq!(newest("No version information found in this file."), None);
    }
}
