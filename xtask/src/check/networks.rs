//! Which file systems are not trusted with locks: four programs look for themselves, each in its own
//! language, and must not differ.

use crate::{Outcome, files, project};

/// The number that Linux has for it, its name in messages, and what it is called where it is mounted.
type Network = (u32, &'static str, &'static [&'static str]);

const NETWORKS: &[Network] = &[
    (0x6969, "NFS", &["nfs", "nfs4"]),
    (0x517b, "SMB", &["smbfs"]),
    (0xff53_4d42, "CIFS", &["cifs"]),
    (0xfe53_4d42, "SMB2", &["smb3"]),
    (0x0102_1997, "9P", &["9p"]),
    (0x5346_414f, "AFS", &["afs"]),
    (0x00c3_6400, "Ceph", &["ceph"]),
    (0x0bd0_0bd0, "Lustre", &["lustre"]),
    (0x4750_4653, "GPFS", &["gpfs"]),
    (0x0116_1970, "GFS2", &["gfs2"]),
    (0x7461_636f, "OCFS2", &["ocfs2"]),
];

/// Whatever is behind it: a state file is not worth the risk, and a store's own file may lie in a
/// container whose disk is one.
const FUSE: Network = (0x6573_5546, "FUSE", &[]);

const SERVER: &str = "server/src/backends/sqlite/file/open.rs";
const STATE: &str = "state/src/files.rs";
const SCRIPT: &str = "bindings-js/src/files/place.ts";
const PYTHON: &str = "bindings-py/python/leafid/_sql/file/places.py";

/// Each of the four.
pub fn check() -> Outcome<String> {
    let plain: Vec<_> = NETWORKS.iter().collect();
    let with_fuse: Vec<_> = NETWORKS.iter().chain([&FUSE]).collect();
    for (file, wanted) in [(SERVER, &plain), (SCRIPT, &plain), (STATE, &with_fuse)] {
        let rows = wanted.iter().map(|(number, name, _)| format!("{number:#x} {name}"));
        let text = files::read(&project::at(file))?;
        if let Some(complaint) = differs(file, numbers(&text), rows.collect()) {
            return Err(complaint);
        }
    }
    let mounted = NETWORKS.iter().flat_map(|(_, _, mounted)| mounted.iter());
    let text = files::read(&project::at(PYTHON))?;
    let complaint = differs(PYTHON, mounts(&text), mounted.map(ToString::to_string).collect());
    complaint.map_or(Ok(format!("{} file systems, the same in four places", NETWORKS.len())), Err)
}

/// The complaint about a list that has others.
pub fn differs(file: &str, mut found: Vec<String>, mut wanted: Vec<String>) -> Option<String> {
    found.sort();
    wanted.sort();
    let (lacks, more) = (but(&wanted, &found), but(&found, &wanted));
    (found != wanted).then(|| {
        format!("`{file}` lacks {lacks:?} and has {more:?} beyond `xtask/src/check/networks.rs`")
    })
}

fn but<'a>(all: &'a [String], known: &[String]) -> Vec<&'a String> {
    all.iter().filter(|one| !known.contains(one)).collect()
}

/// The rows of a table: `(0x6969, "NFS")`, or with other brackets and quotes.
fn numbers(text: &str) -> Vec<String> {
    let row = |line: &str| {
        let (number, rest) = line.trim().trim_start_matches(['(', '[']).split_once(", ")?;
        let digits = number.strip_prefix("0x")?.replace('_', "");
        let name = rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next()?;
        Some(format!("{:#x} {name}", u32::from_str_radix(&digits, 16).ok()?))
    };
    text.lines().filter_map(row).collect()
}

/// The words of Python's set.
fn mounts(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("_NETWORK = "));
    let words = line.and_then(|line| line.split('"').nth(1)).unwrap_or_default();
    words.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{mounts, numbers};

    #[test]
    fn tables_are_read_in_each_language() {
        let rust = "const A: [(u32, &str); 1] = [\n    (0xff53_4d42, \"CIFS\"),\n];";
        assert_eq!(numbers(rust), ["0xff534d42 CIFS"]);
        assert_eq!(numbers("  [0x6969, 'NFS'],\n  [1, 'x'],"), ["0x6969 NFS"]);
        assert_eq!(mounts("_NETWORK = set(\"nfs 9p\".split())"), ["nfs", "9p"]);
    }
}
