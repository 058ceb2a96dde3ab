//! Rows as values of keys: JSON with the core's field names, which an operator can read.

use leafid_core::registry::{Namespace, TagRow, WorkerRow};
use leafid_core::{Name, Range, Refusal, StoreTime, Token};
use leafid_wire::{FieldReader, FieldWriter, Fields, need};
use serde_json::{Map, Value};

use super::engine::Stored;
use super::space::{Held, Space};
use crate::backends::far::Meta;
use crate::backends::opening::NewStore;
use crate::json::{Reader, Writer};
use leafid_turn::register::{self, Server};
use leafid_turn::row::Fenced;

/// The version of the keys; that of the tables is `leafid_turn::sql::VERSION`.
pub const VERSION: i64 = 1;

/// Why a value is not readable as ours.
pub(super) type Nonsense = String;

pub(super) fn meta(new: &NewStore) -> String {
    let mut to = Writer::default();
    to.millis("version", VERSION);
    to.token("store", new.id);
    to.millis("created_ms", new.now.get());
    to.millis("floor_ms", new.floor.get());
    to.end()
}

/// Reads a store's row about itself, ignoring unknown fields, as another version may have.
pub(super) fn read_meta(stored: &Stored) -> Result<Meta, Nonsense> {
    let from = Reader::new(object(&stored.text)?);
    let read = |from: &mut Reader| {
        Ok::<_, Refusal>(Meta {
            version: need(from.millis("version")?)?,
            store: need(from.token("store")?)?,
            floor: StoreTime::new(from.millis("floor_ms")?.unwrap_or(0)),
            beat: StoreTime::new(0),
            revision: stored.revision,
        })
    };
    from.known(read).map_err(|invalid| invalid.detail)
}

pub(super) fn beat(now: StoreTime) -> String {
    let mut to = Writer::default();
    to.millis("beat_ms", now.get());
    to.end()
}

pub(super) fn read_beat(text: &[u8]) -> Result<StoreTime, Nonsense> {
    all(object(text)?, |from| Ok(StoreTime::new(need(from.millis("beat_ms")?)?)))
}

pub(super) fn fence(fenced: &Fenced) -> String {
    let mut to = Writer::default();
    fenced.put(&mut to);
    to.end()
}

pub(super) fn read_fence(text: &[u8]) -> Result<Fenced, Nonsense> {
    all(object(text)?, Fenced::get)
}

/// A server's row: its beat, and its record below that.
pub(super) fn server(server: &Server) -> String {
    let (beat, record) = register::columns(server);
    format!("{beat}\n{record}")
}

pub(super) fn read_server(id: &Name, stored: &Stored) -> Result<Server, Nonsense> {
    let text = str::from_utf8(&stored.text).map_err(|_| "it is not text")?;
    let (beat, record) = text.split_once('\n').ok_or("it has one line")?;
    let id = Token::parse(id.as_str()).map_err(|_| "its name is no id")?;
    Server::read(id, beat, record, stored.revision)
}

pub(super) fn tag(row: &TagRow) -> String {
    Writer::object(row)
}

pub(super) fn read_tag(text: &[u8]) -> Result<TagRow, Nonsense> {
    all(object(text)?, TagRow::get)
}

pub(super) fn space(space: &Space) -> String {
    let mut to = Writer::default();
    space.namespace.put(&mut to);
    to.number("moves", space.moves);
    to.array("past", &space.past, |to, range| range.put(to));
    to.end()
}

pub(super) fn read_space(text: &[u8]) -> Result<Space, Nonsense> {
    let mut fields = object(text)?;
    let Some(Value::Array(ranges)) = fields.remove("past") else {
        return Err("field `past` must be a list".to_owned());
    };
    let mut past = Vec::new();
    for range in ranges {
        let Value::Object(range) = range else {
            return Err("`past` must be a list of objects".to_owned());
        };
        past.push(all(range, Range::get)?);
    }
    all(fields, |from| {
        let moves = need(from.number("moves")?)?;
        Ok(Space { moves, past, namespace: Namespace::get(from)? })
    })
}

/// Writes a worker number's row.
pub fn worker(held: &Held) -> String {
    let mut to = Writer::default();
    held.row.put(&mut to);
    to.number("moves", held.moves);
    to.end()
}

pub(super) fn read_worker(text: &[u8]) -> Result<Held, Nonsense> {
    all(object(text)?, |from| {
        Ok(Held { moves: need(from.number("moves")?)?, row: WorkerRow::get(from)? })
    })
}

fn all<T>(
    fields: Map<String, Value>,
    read: impl FnOnce(&mut Reader) -> Result<T, Refusal>,
) -> Result<T, Nonsense> {
    Reader::new(fields).all(read).map_err(|invalid| invalid.detail)
}

fn object(text: &[u8]) -> Result<Map<String, Value>, Nonsense> {
    match serde_json::from_slice(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("it is not a JSON object".to_owned()),
        Err(error) => Err(format!("it is not JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use leafid_core::Layout;

    use super::*;

    #[test]
    fn what_is_written_reads_back_and_nonsense_is_named() {
        let namespace = Namespace::create(Layout::EDGE, Some(Range::new(2, 9)), None).unwrap();
        let shown = Space { namespace, moves: 3, past: vec![Range::new(0, 9)] };
        assert_eq!(read_space(space(&shown).as_bytes()), Ok(shown));
        let row = WorkerRow {
            owner: Name::owner("a/1").unwrap(),
            sticky: true,
            key: Some(Token::new([3; 16])),
            held_from: 5,
            reserved_until: u64::MAX >> 1,
            granted: StoreTime::new(1_800_000_000_000),
        };
        let held = Held { row, moves: 3 };
        assert_eq!(read_worker(worker(&held).as_bytes()), Ok(held));
        for (text, word) in [
            ("", "not JSON"),
            ("7", "not a JSON object"),
            (r#"{"max_id":"x","step":1,"max_step":1}"#, "max_id"),
            (r#"{"max_id":"1","step":1,"max_step":1,"color":"red"}"#, "color"),
        ] {
            let nonsense = read_tag(text.as_bytes()).unwrap_err();
            assert!(nonsense.contains(word), "{text}: {nonsense}");
        }
    }
}
