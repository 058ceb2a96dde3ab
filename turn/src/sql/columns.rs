//! Rows as columns. A column has the name of its field in the wire's table, by which it is written and
//! read. Objects within a row are flattened: a layout by the names of its fields, a range as `workers_start`
//! and `workers_end`.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use leafid_core::registry::Namespace;
use leafid_core::{Code, Layout, Refusal, Token};
use leafid_wire::{FieldForm, FieldReader, FieldSchema, FieldWriter, Fields, Presence};

use crate::row::NamespaceRow;

/// The prefix of a column's old value in a condition.
const WAS: &str = "was_";
/// The object whose columns have no prefix: its fields' names are clear without one.
const LAYOUT: &str = "layout";

/// The value of a column or a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// None.
    Null,
    /// A number or a time; also a flag as 0 or 1.
    Int(i64),
    /// A flag; a database may give it back as a number.
    Flag(bool),
    /// A text.
    Text(Cow<'a, str>),
    /// 16 bytes.
    Token(Token),
    /// A number that no column holds.
    TooLarge(u64),
}

/// The values of a query's parameters.
#[derive(Clone, Debug, Default)]
pub struct Params {
    values: Vec<(Path, Value<'static>)>,
    at: Path,
}

/// The parts of a parameter's name: whether it is a row's old value, the object of the field, and the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Path {
    was: bool,
    within: &'static str,
    field: &'static str,
}

impl Path {
    fn is(self, name: &str) -> bool {
        let rest = if self.was { name.strip_prefix(WAS) } else { Some(name) };
        rest.and_then(|rest| behind(self.within, rest)) == Some(self.field)
    }
}

/// The name without the object's prefix, if it has that.
fn behind<'n>(within: &str, name: &'n str) -> Option<&'n str> {
    match within {
        "" => Some(name),
        within => name.strip_prefix(within)?.strip_prefix('_'),
    }
}

impl Params {
    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&Value<'static>> {
        self.find(name, 0).map(|(value, _)| value)
    }

    /// The value of a name, and where to begin the search for the next one: most texts name them in this order.
    pub fn find(&self, name: &str, from: usize) -> Option<(&Value<'static>, usize)> {
        let (before, behind) = self.values.split_at(from.min(self.values.len()));
        let found = behind.iter().chain(before).position(|(path, _)| path.is(name))?;
        let at = (from + found) % self.values.len();
        self.values.get(at).map(|(_, value)| (value, at + 1))
    }

    /// Every parameter, by its name in the text.
    pub fn all(&self) -> impl Iterator<Item = (String, &Value<'static>)> {
        self.values.iter().map(|(path, value)| {
            let was = if path.was { WAS } else { "" };
            let within = if path.within.is_empty() { "" } else { "_" };
            (format!("{was}{}{within}{}", path.within, path.field), value)
        })
    }

    /// Adds the columns of a row, absent fields as null. Those of a row without objects are in its table's order.
    pub fn row<R: Fields>(&mut self, row: &R) {
        let first = self.values.len();
        row.put(self);
        for (place, field) in R::SCHEMA.iter().enumerate() {
            let path = Path { field: field.name, ..self.at };
            let absent = || !self.values.iter().skip(first).any(|(found, _)| *found == path);
            if field.presence == Presence::Optional && absent() {
                let place = (first + place).min(self.values.len());
                self.values.insert(place, (path, Value::Null));
            }
        }
    }

    /// Adds the columns of a row's old value, prefixed with `was_`.
    pub fn before(&mut self, row: &impl Fields) {
        self.at.was = true;
        self.row(row);
        self.at.was = false;
    }

    fn put(&mut self, field: &'static str, value: Value<'static>) {
        self.values.push((Path { field, ..self.at }, value));
    }
}

impl FieldWriter for Params {
    fn number(&mut self, field: &'static str, value: u64) {
        self.big(field, value);
    }

    fn millis(&mut self, field: &'static str, value: i64) {
        self.put(field, Value::Int(value));
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.put(field, i64::try_from(value).map_or(Value::TooLarge(value), Value::Int));
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.put(field, Value::Flag(value));
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.put(field, Value::Text(Cow::Owned(value.to_owned())));
    }

    fn token(&mut self, field: &'static str, value: Token) {
        self.put(field, Value::Token(value));
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Params)) {
        let within = if field == LAYOUT { self.at.within } else { field };
        let outer = core::mem::replace(&mut self.at.within, within);
        write(self);
        self.at.within = outer;
    }
}

/// A row as a driver gives it.
pub trait Source {
    /// The number of its columns.
    fn columns(&self) -> usize;
    /// The name of a column.
    fn name(&self, column: usize) -> Option<&str>;
    /// The value of a column; `None` if its type is not one of ours.
    fn value(&self, column: usize) -> Option<Value<'_>>;
}

/// Reads a row by its fields' names.
pub struct Columns<'r, S> {
    row: &'r S,
    /// The column after the last one read: most texts have them in the table's order.
    next: usize,
    within: &'static str,
}

impl<'r, S: Source> Columns<'r, S> {
    /// A reader of a row.
    pub fn of(row: &'r S) -> Columns<'r, S> {
        Columns { row, next: 0, within: "" }
    }

    /// A message about the value read last, which this code refuses.
    pub fn odd(&self, code: Code) -> String {
        let column = self.next.saturating_sub(1);
        let name = self.row.name(column).unwrap_or_default();
        match self.row.value(column) {
            Some(Value::Int(value)) => format!("`{name}` is `{value}`"),
            Some(Value::Text(value)) => format!("`{name}` is `{value:.80}`"),
            Some(Value::Null) => format!("`{name}` is null"),
            _ => format!("`{name}`: {code}"),
        }
    }

    fn take<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        let is = |column: &usize| {
            let name = self.row.name(*column);
            name.and_then(|name| behind(self.within, name)) == Some(field)
        };
        let column = Some(self.next).filter(is).or_else(|| (0..self.row.columns()).find(is));
        let Some(column) = column else { return Err(Code::RequestInvalid.into()) };
        self.next = column + 1;
        match self.row.value(column) {
            Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or(Code::RequestInvalid.into()),
            None => Err(Code::RequestInvalid.into()),
        }
    }
}

impl<S: Source> FieldReader for Columns<'_, S> {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.big(field)
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        self.take(field, |value| if let Value::Int(value) = value { Some(value) } else { None })
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let value = self.millis(field)?.map(u64::try_from).transpose();
        value.map_err(|_| Code::RequestInvalid.into())
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        self.take(field, |value| match value {
            Value::Int(0) | Value::Flag(false) => Some(false),
            Value::Int(1) | Value::Flag(true) => Some(true),
            _ => None,
        })
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        self.take(
            field,
            |value| if let Value::Text(text) = value { Some(read(&text)) } else { None },
        )
    }

    fn token(&mut self, field: &'static str) -> Result<Option<Token>, Refusal> {
        self.take(field, |value| if let Value::Token(token) = value { Some(token) } else { None })
    }

    fn layout(&mut self, _: &'static str) -> Result<Option<Layout>, Refusal> {
        Layout::get(self).map(Some)
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let outer = core::mem::replace(&mut self.within, field);
        let value = read(self);
        self.within = outer;
        value.map(Some)
    }
}

impl Fields for NamespaceRow {
    const SCHEMA: &'static [FieldSchema] = &[FieldSchema {
        name: "used_until",
        form: FieldForm::Big { least: 0 },
        presence: Presence::Required,
        about: "Every number up to this one has a row; beside it the fields of the namespace.",
    }];

    fn put(&self, to: &mut impl FieldWriter) {
        self.namespace.put(to);
        to.big("used_until", self.used_until);
    }

    fn get(from: &mut impl FieldReader) -> Result<NamespaceRow, Refusal> {
        let namespace = Namespace::get(from)?;
        let used_until = from.big("used_until")?.ok_or(Code::RequestInvalid)?;
        Ok(NamespaceRow { namespace, used_until })
    }
}
