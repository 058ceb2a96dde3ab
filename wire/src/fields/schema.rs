//! The types of a field's description, for a description of the wire.

/// One field of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSchema {
    /// Its name.
    pub name: &'static str,
    /// The form of its value.
    pub form: FieldForm,
    /// Whether it is always present.
    pub presence: Presence,
    /// Its meaning.
    pub about: &'static str,
}

/// Whether a field is always present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Reading fails without it.
    Required,
    /// It is always written, and has a default if absent.
    Defaulted,
    /// It may be absent.
    Optional,
}

/// The form of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldForm {
    /// 32 lower-case hex digits.
    Token,
    /// A whole number within these bounds, both included.
    Number {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A 64-bit number: a decimal string on the wire.
    Big {
        /// The smallest.
        least: u64,
    },
    /// A time or a difference of times, in ms.
    Millis,
    /// True or false.
    Flag,
    /// The name of a tag or a namespace.
    Name,
    /// A text without control characters, within these lengths.
    Text {
        /// The fewest bytes.
        least: usize,
        /// The most bytes.
        most: usize,
    },
    /// A layout: an object, or the name of a preset.
    Layout,
    /// Any text.
    Words,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A code that a store can answer with.
    Code,
    /// IDs, each as a decimal string.
    Ids,
    /// An object with these fields.
    Object(Object),
    /// Objects with these fields.
    Rows(Object),
}

/// The fields of an object: those of each table, in their order.
pub type Object = &'static [&'static [FieldSchema]];
