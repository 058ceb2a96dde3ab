//! How field values are written and read, one small type per form; and the macro for the tables, with
//! one line per field. Writing, reading and the schema follow from that line, so they agree.

use leafid_core::registry::{MAX_WINDOW_CAP_MS, SHORTEST_WINDOW_MS, STEP_CAP};
use leafid_core::{Code, Layout, NAME_BYTES, Name, Range, Refusal, StoreTime, Token};

use super::schema::FieldForm;
use super::{FieldReader, FieldWriter, Fields};
use crate::strict::EXACT;

/// A form of a field.
pub(super) trait Codec {
    /// The type of its value.
    type Value;
    /// Its name in a description.
    const FORM: FieldForm;

    fn put(field: &'static str, value: Self::Value, to: &mut impl FieldWriter);
    fn get(
        field: &'static str,
        from: &mut impl FieldReader,
    ) -> Result<Option<Self::Value>, Refusal>;
}

/// The largest 32-bit number.
const WIDEST: u64 = u32::MAX as u64;

macro_rules! codec {
    ($(#[$doc:meta])* $name:ident$(<$($bound:ident),+>)?($value:ty, $form:expr)
        put |$field:ident, $it:ident, $to:ident| $put:expr;
        get |$from:ident| $get:expr;) => {
        $(#[$doc])*
        pub(super) struct $name$(<$(const $bound: u64),+>)?;

        impl$(<$(const $bound: u64),+>)? Codec for $name$(<$($bound),+>)? {
            type Value = $value;
            const FORM: FieldForm = $form;

            #[inline]
            fn put($field: &'static str, $it: $value, $to: &mut impl FieldWriter) {
                $put;
            }

            #[inline]
            fn get(
                $field: &'static str,
                $from: &mut impl FieldReader,
            ) -> Result<Option<$value>, Refusal> {
                $get
            }
        }
    };
}

codec! {
    /// A request, a key or a store's id.
    Id(Token, FieldForm::Token)
    put |field, it, to| to.token(field, it);
    get |from| from.token(field);
}
codec! {
    /// A 32-bit number.
    Small<LEAST, MOST>(u32, FieldForm::Number { least: LEAST, most: MOST })
    put |field, it, to| to.number(field, it.into());
    get |from| from.small(field);
}
/// A length in ms; the registry checks its limits.
pub(super) type Length = Small<0, WIDEST>;
/// The longest window of a namespace, in ms.
pub(super) type LongestWindow = Small<{ SHORTEST_WINDOW_MS as u64 }, { MAX_WINDOW_CAP_MS as u64 }>;
/// How many numbers a caller waits for, which may be more than a lease has.
pub(super) type Wanted = Small<1, WIDEST>;
/// A step or a count.
pub(super) type Count = Small<1, { STEP_CAP as u64 }>;
pub(super) type WorkerNumber = Small<0, WIDEST>;
codec! {
    /// A worker number, or one more than one.
    WorkerBound(u64, FieldForm::Number { least: 0, most: 1 << 32 })
    put |field, it, to| to.number(field, it);
    get |from| from.number(field);
}
codec! {
    /// A 64-bit number.
    Wide<LEAST>(u64, FieldForm::Big { least: LEAST })
    put |field, it, to| to.big(field, it);
    get |from| from.big(field);
}
/// A number, a tick or an end.
pub(super) type Big = Wide<0>;
/// The first number of a line.
pub(super) type First = Wide<1>;
codec! {
    /// A time on the store's clock.
    Moment(StoreTime, FieldForm::Millis)
    put |field, it, to| to.millis(field, it.get());
    get |from| Ok(from.millis(field)?.map(StoreTime::new));
}
codec! {
    /// The epoch of a layout.
    Epoch(i64, FieldForm::Number { least: 0, most: EXACT })
    put |field, it, to| to.millis(field, it);
    get |from| from.millis(field);
}
codec! {
    /// The tick of a layout.
    TickLength(u32, FieldForm::Number { least: 1, most: 86_400_000 })
    put |field, it, to| to.number(field, it.into());
    get |from| {
        let ms = from.number(field)?.map(u32::try_from).transpose();
        ms.map_err(|_| Code::LayoutInvalid.into())
    };
}
codec! {
    /// A width in bits. The layout checks the widths together.
    Width<LEAST, MOST>(u8, FieldForm::Number { least: LEAST, most: MOST })
    put |field, it, to| to.number(field, it.into());
    get |from| {
        let bits = from.number(field)?.map(u8::try_from).transpose();
        bits.map_err(|_| Code::LayoutInvalid.into())
    };
}
pub(super) type TimeWidth = Width<1, 63>;
pub(super) type WorkerWidth = Width<0, 32>;
pub(super) type SequenceWidth = Width<0, 63>;
codec! {
    /// True or false.
    Flag(bool, FieldForm::Flag)
    put |field, it, to| to.flag(field, it);
    get |from| from.flag(field);
}
codec! {
    /// A tag.
    Tag(Name, FieldForm::Name)
    put |field, it, to| to.text(field, it.as_str());
    get |from| from.text(field, Name::tag)?.transpose();
}
codec! {
    /// A namespace.
    NamespaceName(Name, FieldForm::Name)
    put |field, it, to| to.text(field, it.as_str());
    get |from| from.text(field, Name::namespace)?.transpose();
}
codec! {
    /// The label of a holder.
    Owner(Name, FieldForm::Text { least: 1, most: NAME_BYTES })
    put |field, it, to| to.text(field, it.as_str());
    get |from| from.text(field, Name::owner)?.transpose();
}
codec! {
    /// The label of a holder; empty for none.
    OptionalOwner(Name, FieldForm::Text { least: 0, most: NAME_BYTES })
    put |field, it, to| to.text(field, it.as_str());
    get |from| {
        let owner = |text: &str| if text.is_empty() { Ok(Name::EMPTY) } else { Name::owner(text) };
        from.text(field, owner)?.transpose()
    };
}
codec! {
    /// A layout, or the name of a preset.
    LayoutObject(Layout, FieldForm::Layout)
    put |field, it, to| to.nested(field, |to| it.put(to));
    get |from| from.layout(field);
}
codec! {
    /// Worker numbers, from `start` to below `end`.
    Workers(Range, FieldForm::Object(&[Range::SCHEMA]))
    put |field, it, to| to.nested(field, |to| it.put(to));
    get |from| from.nested(field, Range::get);
}

/// `required` fields must be present; `optional` ones are an `Option`; `defaulted` ones are always
/// written, and read as the value in brackets if absent; `derived` ones are always written, and an
/// `Option` when read, as their default depends on the others.
macro_rules! fields {
    ($(#[$outer:meta])* $name:ty, |$it:ident| {
        $($(#[doc = $about:literal])+
        $presence:ident$(($absent:expr))? $field:ident: $codec:ident = $value:expr;)+
    } => $build:expr) => {
        $(#[$outer])*
        impl Fields for $name {
            const SCHEMA: &'static [FieldSchema] = &[$(FieldSchema {
                name: stringify!($field),
                form: <$codec as Codec>::FORM,
                presence: fields!(@is $presence),
                about: concat!($($about),+).trim_ascii(),
            },)+];

            fn put(&self, to: &mut impl FieldWriter) {
                let $it = self;
                $(fields!(@put $presence $codec, stringify!($field), $value, to);)+
            }

            fn get(from: &mut impl FieldReader) -> Result<Self, Refusal> {
                $(let $field = $codec::get(stringify!($field), from)?;
                let $field = fields!(@read $presence$(($absent))? $field);)+
                Ok($build)
            }
        }
    };

    (@is required) => { Presence::Required };
    (@is optional) => { Presence::Optional };
    (@is $written:ident) => { Presence::Defaulted };

    (@put optional $codec:ident, $field:expr, $value:expr, $to:ident) => {
        if let Some(value) = $value {
            $codec::put($field, value, $to);
        }
    };
    (@put $presence:ident $codec:ident, $field:expr, $value:expr, $to:ident) => {
        $codec::put($field, $value, $to)
    };

    (@read required $read:ident) => { need($read)? };
    (@read defaulted($absent:expr) $read:ident) => { $read.unwrap_or($absent) };
    (@read $presence:ident $read:ident) => { $read };
}
pub(super) use fields;
