//! Every file that an operator, another program or an earlier life of ours writes.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use leafid_core::{
    HostTime, Layout, Name, StateFile, StatePlace, StateRecord, StateWrite, StoreTime, Token,
};
use leafid_leaf::config::LeafConfig;
use leafid_store::fence::{file as journals, text};

use super::{Fate, Target};
use crate::{access, cli};

/// A file in a folder of its own, which is rewritten with each input.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn with(&self, name: &str, input: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, input).expect("a file");
        path
    }
}

const TOML: &str = "[[ | ]] | ''' | \"\"\" | true | nan | inf | 1e400 | 0x7f | -0 | 99999999999999999999 | \
    2026-01-01T00:00:00Z | \\u0000 | [tags.a] | [namespaces.a] | from = 0 | step = 1 | until = \"7\" | \
    layout = \"edge\" | workers = \"0..64\" | max_window = \"10m\" | [principals.a] | verbs = [\"lease\"] | \
    tags = [\"*\"] | listen | store | journal | dev | = true | = [\"a\", 7]";

#[test]
fn apply() {
    let place = Place::new();
    let target = Target { name: "apply", inputs: 3_000, words: TOML };
    target.fuzz(|input| {
        let path = place.with("tags.toml", input);
        Ok(Fate::from(&cli::apply::file::read(path.to_str().expect("text"))))
    });
}

#[test]
fn config() {
    let place = Place::new();
    let command = <cli::Cli as clap::CommandFactory>::command();
    let target = Target { name: "config", inputs: 1_500, words: TOML };
    target.fuzz(|input| {
        let path = place.with("leafid.toml", input);
        let words = ["leafid", "serve", "--config"].map(OsString::from);
        let words: Vec<OsString> = words.into_iter().chain([path.into_os_string()]).collect();
        let added = cli::config::file::added(&command, &words);
        if let Ok(Some((_, added))) = &added {
            if let Some(word) = added.iter().find(|w| !w.to_string_lossy().starts_with("--")) {
                return Err(format!("a value became a word by itself: {word:?}"));
            }
            // Whatever it says, the command line says what is wrong with it.
            let all = words.iter().chain(added);
            drop(command.clone().try_get_matches_from(all));
        }
        Ok(Fate::from(&added))
    });
}

/// An input that the fuzzer found: thousands of open brackets overflow the stack of the TOML parser, which
/// would end the process, even of a running server that reads its tokens again.
#[test]
fn brackets_left_open_end_no_process() {
    let place = Place::new();
    let open = "layout = { tick_ms = 10, sequence_bi001\nstep = 1000\nmax_step = 1000000\n\
                [tags.users]\nstep = 100\n[namespaces.edge]\nlayout = \"edge\"\n[namespaces.own]\n";
    let path = place.with("open.toml", open.repeat(20_000).as_bytes());
    let own = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&path, own).expect("a mode");
    let words = ["leafid", "serve", "--config"].map(OsString::from);
    let words: Vec<OsString> = words.into_iter().chain([path.clone().into_os_string()]).collect();
    let refused = [
        cli::apply::file::read(path.to_str().expect("text")).err(),
        cli::config::file::added(&<cli::Cli as clap::CommandFactory>::command(), &words).err(),
        access::file::read(&path).err(),
    ];
    for refused in refused {
        let detail = refused.expect("it is refused").detail;
        assert!(detail.contains("more than 100 `{` are open"), "{detail}");
    }
}

#[test]
fn tokens() {
    let place = Place::new();
    let path = place.with("tokens.toml", b"");
    let own = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&path, own).expect("a mode");
    let target = Target { name: "tokens", inputs: 2_000, words: TOML };
    target.fuzz(|input| {
        std::fs::write(&path, input).expect("a file");
        let read = access::file::read(&path);
        if let Ok(principals) = &read {
            let again = place.0.path().join("again.toml");
            access::file::write(&again, principals).map_err(|why| why.detail)?;
            let found = access::file::read(&again).map_err(|why| format!("reads back: {why}"))?;
            if format!("{found:?}") != format!("{principals:?}") {
                return Err(format!("{principals:?} reads back as {found:?}"));
            }
        }
        Ok(Fate::from(&read))
    });
}

#[test]
fn leaf_properties() {
    const WORDS: &str = "\\\n | \\u0041 | \\u12 | \\uD800 | leaf.segment.enable=true | leaf.jdbc.url= | \
        leaf.snowflake.port= | server.port=65536";
    let target = Target { name: "leaf-properties", inputs: 3_000, words: WORDS };
    target.fuzz(|input| Ok(Fate::from(&LeafConfig::parse(input, |_| ()))));
}

#[test]
fn journal() {
    const WORDS: &str = "tag | changed | worker | server | beat | members | longest | afresh | -1 | \
        18446744073709551616";
    let place = Place::new();
    let store = Token::new([7; 16]);
    let target = Target { name: "journal", inputs: 3_000, words: WORDS };
    target.fuzz(|input| {
        let path = journals::path(place.0.path(), store, 1);
        place.with(path.file_name().and_then(|name| name.to_str()).expect("a name"), input);
        let read = journals::known(place.0.path(), store);
        // Whatever a line says, with the checksum that belongs to it.
        let lines = String::from_utf8_lossy(input);
        let summed = lines.lines().filter_map(|line| {
            let said = line.rsplit_once(" #").map_or(line, |(said, _)| said);
            let mix = |sum: u32, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            text::read(&format!("{said} #{:08x}", said.bytes().fold(0x811c_9dc5, mix)))
        });
        let notes: Vec<_> = read.iter().flatten().flat_map(|found| found.bounds.notes()).collect();
        for line in notes.into_iter().chain(summed) {
            let written = text::line(&line);
            let again = text::read(written.trim_end_matches('\n'));
            if again.map(|again| text::line(&again)).as_ref() != Some(&written) {
                return Err(format!("{line:?} is written as `{written}`, and does not read back"));
            }
        }
        Ok(Fate::from(&read))
    });
}

/// A state file holds a right: whatever is read of one is what was written as a whole.
#[test]
fn state() {
    const BOOT: HostTime = HostTime::new(0);
    const WORDS: &str = "leafid | \u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}";
    let place = StatePlace { machine: [1; 16], boot: [2; 16], device: 3, lock: 4 };
    let record = |reserved| StateRecord {
        namespace: Name::namespace("default").expect("a name"),
        store: Token::new([5; 16]),
        worker: 7,
        key: Token::new([6; 16]),
        layout: Layout::LEAF,
        end: 90_000,
        reserved,
        now: StoreTime::new(1_800_000_000_000),
    };
    let records = [record(80_000), record(81_000)];
    // The corpus is a file that was written twice; it is compared, so that it is never another form's.
    let mut file = StateFile::new(place);
    let mut written = [0; StateFile::BYTES];
    for record in records {
        let (at, slot) = file.slot(&StateWrite::Record(record), BOOT);
        written[at..at + slot.len()].copy_from_slice(&slot);
        file.written();
    }
    let corpus = include_bytes!("state/written-twice");
    assert!(corpus == &written, "the corpus is of another form");
    let target = Target { name: "state", inputs: 4_000, words: WORDS };
    target.fuzz(|input| {
        let mut bytes = [0; StateFile::BYTES];
        let length = input.len().min(bytes.len());
        bytes[..length].copy_from_slice(&input[..length]);
        let (mut file, read) = StateFile::read(place, BOOT, &bytes);
        file.look(&bytes);
        match &read {
            Ok(Some(found)) if !records.contains(found) => Err(format!("nobody wrote {found:?}")),
            // A slot with the highest rank, written over the old one, is the one that is read.
            _ => {
                let (at, slot) = file.slot(&StateWrite::Void, BOOT);
                bytes[at..at + slot.len()].copy_from_slice(&slot);
                match StateFile::read(place, BOOT, &bytes).1 {
                    Ok(Some(found)) => Err(format!("{found:?} outlives a void")),
                    _ => Ok(Fate::from(&read)),
                }
            }
        }
    });
}
