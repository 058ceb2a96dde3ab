//! A guest: a process that works on the store itself, and keeps no journal. It has a record while it waits for
//! the servers to note what it wrote; nobody waits for it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use leafid_core::Token;

use crate::problem::Problem;
use crate::register::{Beat, Change, Record, Server, waited_too_long};
use crate::row::Fenced;
use crate::write::ServerWrite;

/// A guest.
#[derive(Clone, Debug)]
pub struct Guest {
    /// The id of its record.
    pub id: Token,
    /// A random number of this request: acks of a record that was removed are not of the next one.
    pub salt: u32,
    /// Its name, for people.
    pub name: String,
}

/// What a guest's write waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// The beat that the servers have to ack.
    pub beat: Beat,
    /// How often the store had been fenced before.
    pub generation: u64,
}

/// Whether the servers have noted a guest's write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// They have; `last`: the guest has written nothing since, and removes its record.
    All {
        /// Whether it is the guest's last write.
        last: bool,
    },
    /// Not all have.
    Some,
    /// The store was fenced, or is not as the guest left it: the request is decided again.
    Again,
}

impl Guest {
    /// Whether no server has to note what this guest writes.
    pub fn is_alone(&self, servers: &[Server]) -> bool {
        !servers.iter().any(|server| server.is_awaited())
    }

    /// The write of its record with these bounds, beside those of earlier requests that still wait.
    pub fn sign(&self, servers: &[Server], generation: u64, lines: Vec<Change>) -> ServerWrite {
        let before = servers.iter().find(|server| server.id == self.id).cloned();
        let first = Beat { life: 1, salt: self.salt, count: 1 };
        let beat = before.as_ref().map_or(first, |before| before.beat.next());
        let mut record = Record {
            name: self.name.lines().next().unwrap_or_default().to_string(),
            guest: true,
            generation,
            waits: Some(beat),
            ..Record::default()
        };
        if let Some(before) = &before
            && unacked(servers, self.id, Waits { beat: before.beat, generation }).next().is_some()
        {
            (record.lines, record.all) = (before.record.lines.clone(), before.record.all);
        }
        record.announce(lines);
        let after = Server { id: self.id, beat, record, revision: 0 };
        ServerWrite { before, after: Some(after) }
    }
}

impl Waits {
    /// Whether the servers have noted what a guest wrote, with the servers read before the fence.
    pub fn noted(&self, guest: Token, servers: &[Server], fenced: Fenced) -> Noted {
        let own = servers.iter().find(|server| server.id == guest);
        if fenced.generation != self.generation {
            return Noted::Again;
        }
        if unacked(servers, guest, *self).next().is_none() {
            return Noted::All { last: own.is_some_and(|own| own.beat == self.beat) };
        }
        if own.is_some_and(|own| own.beat.is_since(self.beat)) { Noted::Some } else { Noted::Again }
    }

    /// The refusal of a request that waits too long.
    pub fn too_long(&self, guest: Token, servers: &[Server]) -> Problem {
        waited_too_long(unacked(servers, guest, *self), false)
    }
}

/// The servers that have not noted what a guest wrote.
fn unacked(servers: &[Server], guest: Token, waits: Waits) -> impl Iterator<Item = &Server> {
    servers.iter().filter(move |server| {
        server.is_awaited() && !server.has_acked(guest, waits.beat, waits.generation)
    })
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use leafid_core::Name;

    use super::*;
    use crate::register::Line;

    const ID: Token = Token::new([9; 16]);

    fn guest() -> Guest {
        Guest { id: ID, salt: 7, name: "host/1".to_string() }
    }

    fn member(acked: Option<Beat>, stopped: bool) -> Server {
        let mut record =
            Record { name: "a".to_string(), stopped, generation: 3, ..Record::default() };
        record.acks.extend(acked.map(|beat| (ID, beat)));
        Server { id: Token::new([1; 16]), beat: Beat::default(), record, revision: 0 }
    }

    fn line(end: u64) -> Change {
        Change { before: end - 10, line: Line::tag(Name::tag("orders").unwrap(), end) }
    }

    #[test]
    fn lines_stay_in_the_record_until_every_server_has_noted_them() {
        let first = guest().sign(&[member(None, false)], 3, vec![line(11)]);
        let own = first.after.unwrap();
        assert_eq!((first.before, own.beat.count), (None, 1));
        let second = guest().sign(&[member(None, false), own.clone()], 3, vec![line(21)]);
        let later = second.after.unwrap();
        assert_eq!(later.record.lines, [line(11), line(21)]);
        assert_eq!((second.before, later.beat), (Some(own.clone()), own.beat.next()));
        let noted = guest().sign(&[member(Some(own.beat), false), own], 3, vec![line(21)]);
        assert_eq!(noted.after.unwrap().record.lines, [line(21)]);
    }

    #[test]
    fn a_request_is_answered_when_every_running_server_has_noted_it_and_none_has_fenced() {
        let own = guest().sign(&[], 3, vec![line(11)]).after.unwrap();
        let waits = Waits { beat: own.beat, generation: 3 };
        let fenced = |generation| Fenced { generation, ..Fenced::default() };
        let noted = |acked, stopped, others: &[Server], generation| {
            let servers = [&[member(acked, stopped)], others].concat();
            waits.noted(ID, &servers, fenced(generation))
        };
        let acked = Some(own.beat);
        let mut later = own.clone();
        later.beat = later.beat.next();
        let mut anew = own.clone();
        anew.beat.salt = 8;
        let here = [own.clone()];
        assert_eq!(noted(acked, false, &here, 3), Noted::All { last: true });
        assert_eq!(noted(acked, false, &[later.clone()], 3), Noted::All { last: false });
        assert_eq!(noted(acked, false, &[], 3), Noted::All { last: false });
        assert_eq!(noted(None, true, &here, 3), Noted::All { last: true });
        assert_eq!(noted(None, false, &here, 3), Noted::Some);
        assert_eq!(noted(None, false, &[later], 3), Noted::Some);
        assert_eq!(noted(acked, false, &here, 4), Noted::Again);
        assert_eq!(noted(None, false, &[], 3), Noted::Again);
        assert_eq!(noted(None, false, &[anew], 3), Noted::Again);
        assert_eq!(noted(Some(Beat { salt: 8, ..own.beat }), false, &here, 3), Noted::Some);
        let refused = waits.too_long(ID, &[member(None, false), own]);
        assert!(refused.detail.contains("a (01010101)"), "{}", refused.detail);
    }
}
