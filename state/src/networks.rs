//! Network file systems, on which no lock can be trusted.

use rustix::fs::StatFs;

/// A file system: its number, as `statfs` gives it in the low 32 bits of its type, and its name.
pub type FileSystem = (u32, &'static str);

const NETWORK: [FileSystem; 11] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9P"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x0116_1970, "GFS2"),
    (0x7461_636f, "OCFS2"),
];

/// The name of the network file system on which a file lies, or of the one among `others`; `None` for any other.
pub fn name(facts: &StatFs, others: &[FileSystem]) -> Option<&'static str> {
    // The type is signed on some machines, and 64 bits wide on others.
    let kind = facts.f_type as u32;
    NETWORK.iter().chain(others).find(|(known, _)| *known == kind).map(|(_, name)| *name)
}
