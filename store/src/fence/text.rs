//! Notes as lines of a file. Each ends with a checksum: a line that was cut off by a crash, or corrupted, is
//! skipped, and the others count.

use leafid_core::registry::Mark;
use leafid_core::{Name, StoreTime, Token};
use percent_encoding::{
    AsciiSet, CONTROLS, PercentEncode, percent_decode_str, utf8_percent_encode,
};

use super::file::{FIRST, Head};
use super::witness::{Note, Noted, Window};
use leafid_turn::hex;

/// Writes the first line of a file.
pub fn head(head: &Head) -> String {
    let (store, place) = (hex(head.store), utf8_percent_encode(&head.place, &APART));
    format!("{FIRST} {store} {} {place}\n", head.since.get())
}

/// Reads a first line, without its line break; `None` if it is no journal's.
pub fn read_head(line: &str) -> Option<Head> {
    let (store, rest) = line.strip_prefix(FIRST)?.strip_prefix(' ')?.split_once(' ')?;
    let (since, place) = rest.split_once(' ')?;
    let place = percent_decode_str(place).decode_utf8().ok()?.into_owned();
    let (store, since) = (Token::parse(store).ok()?, StoreTime::new(since.parse().ok()?));
    Some(Head { store, since, place })
}

/// Writes a note as a line.
pub fn line(note: &Note) -> String {
    let said = match note {
        Note::Afresh => "afresh".to_owned(),
        Note::Store(Noted { mark, fenced, latest, longest_ms, database }) => {
            let (generation, position) = (mark.generation, mark.position);
            let (fenced, latest, database) = (fenced.get(), latest.get(), word(database));
            format!("store {generation} {position} {fenced} {latest} {longest_ms} {database}")
        }
        Note::Tag(tag, end) => format!("tag {} {end}", coded(tag)),
        Note::Worker(name, worker, Window { granted, end }) => {
            format!("worker {} {worker} {} {end}", coded(name), granted.get())
        }
    };
    format!("{said} #{:08x}\n", checksum(&said))
}

/// Reads a line, without its line break; `None` if its checksum is wrong.
pub fn read(line: &str) -> Option<Note> {
    let (said, sum) = line.rsplit_once(" #")?;
    if u32::from_str_radix(sum, 16) != Ok(checksum(said)) {
        return None;
    }
    let mut words = said.split(' ');
    let kind = words.next()?;
    let note = match kind {
        "afresh" => Note::Afresh,
        "store" => {
            let (generation, position) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let fenced = StoreTime::new(words.next()?.parse().ok()?);
            let latest = StoreTime::new(words.next()?.parse().ok()?);
            let longest_ms = words.next()?.parse().ok()?;
            let database = words.next().filter(|word| *word != "-").unwrap_or_default().to_owned();
            let mark = Mark { generation, position };
            Note::Store(Noted { mark, fenced, latest, longest_ms, database })
        }
        "tag" => Note::Tag(name(words.next()?)?, words.next()?.parse().ok()?),
        "worker" => {
            let name = name(words.next()?)?;
            let worker = words.next()?.parse().ok()?;
            let granted = StoreTime::new(words.next()?.parse().ok()?);
            Note::Worker(name, worker, Window { granted, end: words.next()?.parse().ok()? })
        }
        _ => return None,
    };
    words.next().is_none().then_some(note)
}

/// The characters that are percent-encoded in a name.
const APART: AsciiSet = CONTROLS.add(b' ').add(b'#').add(b'%');

/// Encodes a name as one word: names in Leaf's table may have any characters.
fn coded(name: &Name) -> PercentEncode<'_> {
    utf8_percent_encode(name.as_str(), &APART)
}

fn name(word: &str) -> Option<Name> {
    let text = percent_decode_str(word).decode_utf8().ok()?;
    Name::tag(&text).or_else(|_| Name::owner(&text)).ok()
}

fn word(database: &str) -> String {
    match database {
        "" => "-".to_owned(),
        name => name.replace(|c: char| c.is_whitespace() || c == '#', "_"),
    }
}

/// FNV-1a: detects lines that were cut off or corrupted, but not forgery.
fn checksum(said: &str) -> u32 {
    said.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes() -> Vec<Note> {
        let mark = Mark { generation: 3, position: u64::MAX };
        let (latest, longest_ms) = (StoreTime::new(1_800_000_000_000), 600_000);
        let database = "7348/00000001".to_owned();
        let noted = Noted { mark, fenced: latest, latest, longest_ms, database };
        let window = Window { granted: latest, end: u64::MAX >> 1 };
        vec![
            Note::Afresh,
            Note::Store(Noted { database: String::new(), ..noted.clone() }),
            Note::Store(noted),
            Note::Tag(Name::tag("a.b:c-d_e").unwrap(), 1),
            Note::Tag(Name::owner("订单 # 7%").unwrap(), 2),
            Note::Worker(Name::namespace("n").unwrap(), u32::MAX, window),
        ]
    }

    #[test]
    fn what_is_written_reads_back_and_no_part_or_change_of_it_does() {
        let mut refused = 0;
        for note in notes() {
            let line = line(&note);
            let line = line.trim_end();
            assert_eq!(read(line), Some(note), "{line}");
            for end in 0..line.len() {
                assert_eq!(read(&line[..end]), None, "{}", &line[..end]);
                let mut spoilt = line.as_bytes().to_vec();
                spoilt[end] ^= 1;
                let spoilt = String::from_utf8(spoilt).unwrap();
                assert_eq!(read(&spoilt), None, "{spoilt}");
                refused += 2;
            }
        }
        assert!(refused > 300, "{refused}");
    }
}
