//! Rows as columns. A column is called what the core's table calls the field, so that table says how
//! each is written and read: an object within a row lies flat beside the others, a layout by the
//! names of its fields, a range as `workers_start` and `workers_end`.

use std::borrow::Cow;

use leafid_core::registry::Namespace;
use leafid_core::{
    Code, FieldForm, FieldReader, FieldSchema, FieldWriter, Fields, Layout, Refusal, Token,
};

use crate::backends::NamespaceRow;

/// What stands before the name of a column in a condition.
const WAS: &str = "was_";

/// A value of a column or of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A number, a time, or 0 and 1 for no and yes.
    Int(i64),
    /// A name or a label.
    Text(Cow<'a, str>),
    /// A token.
    Bytes(Cow<'a, [u8]>),
    /// A number that no column holds.
    TooLarge(u64),
}

/// The values that the names of a text stand for.
#[derive(Clone, Debug, Default)]
pub struct Params {
    values: Vec<(Cow<'static, str>, Value<'static>)>,
    prefix: Cow<'static, str>,
}

impl Params {
    /// What a name stands for.
    pub fn get(&self, name: &str) -> Option<&Value<'static>> {
        self.values.iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }

    /// Adds the columns of a row; what is absent of it is null.
    pub fn row<R: Fields>(&mut self, row: &R) {
        let first = self.values.len();
        row.put(self);
        for field in R::SCHEMA.iter().filter(|field| !field.required) {
            let name = self.name(field.name);
            if !self.values.iter().skip(first).any(|(found, _)| *found == name) {
                self.values.push((name, Value::Null));
            }
        }
    }

    /// Adds the columns of a row as it was, each after `was_`.
    pub fn before(&mut self, row: &impl Fields) {
        self.prefix = Cow::Borrowed(WAS);
        self.row(row);
        self.prefix = Cow::Borrowed("");
    }

    /// The columns that were otherwise.
    pub fn changed(&self) -> Vec<&str> {
        let was = self.values.iter().filter_map(|(name, was)| Some((name.strip_prefix(WAS)?, was)));
        was.filter(|(name, was)| self.get(name) != Some(was)).map(|(name, _)| name).collect()
    }

    fn name(&self, field: &'static str) -> Cow<'static, str> {
        match self.prefix.as_ref() {
            "" => Cow::Borrowed(field),
            prefix => Cow::Owned(format!("{prefix}{field}")),
        }
    }

    fn put(&mut self, field: &'static str, value: Value<'static>) {
        self.values.push((self.name(field), value));
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
        self.put(field, Value::Int(value.into()));
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.put(field, Value::Text(Cow::Owned(value.to_owned())));
    }

    fn token(&mut self, field: &'static str, value: Token) {
        self.put(field, Value::Bytes(Cow::Owned(value.bytes().to_vec())));
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Params)) {
        let within =
            if field == LAYOUT { self.prefix.clone() } else { prefixed(&self.prefix, field) };
        let outer = std::mem::replace(&mut self.prefix, within);
        write(self);
        self.prefix = outer;
    }
}

/// The object whose columns have no prefix: the names of its fields say enough.
const LAYOUT: &str = "layout";

fn prefixed(prefix: &str, field: &str) -> Cow<'static, str> {
    Cow::Owned(format!("{prefix}{field}_"))
}

/// A row that a database gave.
pub trait Source {
    /// How many columns it has.
    fn columns(&self) -> usize;
    /// The name of a column.
    fn name(&self, column: usize) -> Option<&str>;
    /// The value of a column; none where it has a type that is not one of ours.
    fn value(&self, column: usize) -> Option<Value<'_>>;
}

/// Reads a row by the names of its columns.
pub struct Columns<'r, S> {
    row: &'r S,
    /// The column after the last that was read: most texts have them in the table's order.
    next: usize,
    prefix: Cow<'static, str>,
}

impl<'r, S: Source> Columns<'r, S> {
    /// Of this row.
    pub fn of(row: &'r S) -> Columns<'r, S> {
        Columns { row, next: 0, prefix: Cow::Borrowed("") }
    }

    fn take<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        let is = |column: &usize| {
            let name = self.row.name(*column);
            name.and_then(|name| name.strip_prefix(self.prefix.as_ref())) == Some(field)
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
            Value::Int(0) => Some(false),
            Value::Int(1) => Some(true),
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
        self.take(field, |value| match value {
            Value::Bytes(bytes) => bytes.as_ref().try_into().ok().map(Token::new),
            _ => None,
        })
    }

    fn layout(&mut self, _: &'static str) -> Result<Option<Layout>, Refusal> {
        Layout::get(self).map(Some)
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let within = prefixed(&self.prefix, field);
        let outer = std::mem::replace(&mut self.prefix, within);
        let value = read(self);
        self.prefix = outer;
        value.map(Some)
    }
}

impl Fields for NamespaceRow {
    const SCHEMA: &'static [FieldSchema] = &[FieldSchema {
        name: "used_until",
        form: FieldForm::Big,
        required: true,
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
