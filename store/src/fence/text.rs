//! Notes as lines of a file.

use leafid_core::{StoreTime, Token};

use super::bounds::Note;
use super::file::{FIRST, Head};
use leafid_turn::hex;
use leafid_turn::journal::{seal, unseal};

/// Writes the first line of a file.
pub fn head(head: &Head) -> String {
    format!("{FIRST} {} {} {}\n", hex(head.store), head.since.get(), head.place.replace('\n', " "))
}

/// Reads a first line, without its line break; `None` if it is no journal's.
pub fn read_head(line: &str) -> Option<Head> {
    let (store, rest) = line.strip_prefix(FIRST)?.strip_prefix(' ')?.split_once(' ')?;
    let (since, place) = rest.split_once(' ')?;
    let (store, since) = (Token::parse(store).ok()?, StoreTime::new(since.parse().ok()?));
    Some(Head { store, since, place: place.to_owned() })
}

/// Writes a note as a line.
pub fn line(note: &Note) -> String {
    let said = match note {
        Note::Server(id) => format!("server {}", hex(*id)),
        Note::Beat(beat) => format!("beat {beat}"),
        Note::Next(beat) => format!("next {beat}"),
        Note::Members(members) => {
            let members: Vec<String> = members.iter().map(|id| hex(*id)).collect();
            format!("members {}", members.join(" "))
        }
        Note::Longest(ms) => format!("longest {ms}"),
        Note::Line(line) => line.to_string(),
    };
    seal(&said)
}

/// Reads a line, without its line break; `None` if its checksum is wrong.
pub fn read(line: &str) -> Option<Note> {
    let said = unseal(line)?;
    let (kind, rest) = said.split_once(' ').unwrap_or((said, ""));
    Some(match kind {
        "server" => Note::Server(Token::parse(rest).ok()?),
        "beat" => Note::Beat(rest.parse().ok()?),
        "next" => Note::Next(rest.parse().ok()?),
        "members" => {
            let members = rest.split(' ').filter(|id| !id.is_empty());
            Note::Members(members.map(Token::parse).collect::<Result<_, _>>().ok()?)
        }
        "longest" => Note::Longest(rest.parse().ok()?),
        _ => Note::Line(said.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use leafid_core::Name;
    use leafid_turn::register::{Beat, Line};

    use super::*;

    fn notes() -> Vec<Note> {
        let id = Token::new([7; 16]);
        vec![
            Note::Server(id),
            Note::Next(Beat { life: 3, salt: 1, count: 0 }),
            Note::Beat(Beat { life: 3, salt: 0xfeed, count: u64::MAX }),
            Note::Members([id, Token::new([8; 16])].into()),
            Note::Members([].into()),
            Note::Longest(600_000),
            Note::Line(Line::tag(Name::tag("a.b:c-d_e").unwrap(), 1)),
            Note::Line(Line { changed: true, ..Line::tag(Name::owner("订单 # 7%").unwrap(), 2) }),
            Note::Line(Line::worker(
                Name::namespace("n").unwrap(),
                u32::MAX,
                1_800_000_000_000,
                u64::MAX >> 1,
            )),
        ]
    }

    #[test]
    fn what_is_written_reads_back_and_no_part_or_change_of_it_does() {
        let mut refused = 0;
        for note in notes() {
            let line = line(&note);
            let line = line.strip_suffix('\n').unwrap();
            assert_eq!(read(line), Some(note), "{line}");
            for end in 0..line.len() {
                let mut spoilt = line.as_bytes().to_vec();
                spoilt[end] ^= 1;
                let (cut, spoilt) = (&line.as_bytes()[..end], String::from_utf8_lossy(&spoilt));
                assert_eq!(read(&String::from_utf8_lossy(cut)), None, "{end} of {line}");
                assert_eq!(read(&spoilt), None, "{spoilt}");
                refused += 2;
            }
        }
        assert!(refused > 300, "{refused}");
    }
}
