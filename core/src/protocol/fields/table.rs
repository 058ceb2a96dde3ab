//! The table's macro: one line a field, from which writing, reading and the schema follow. So a
//! field that is written is read, and described, and under one name.

/// `required` fields have to be there; `optional` ones are an `Option`; `defaulted` ones are
/// always written and have a value where they are absent; `derived` ones are always written, and an
/// `Option` when read: what stands for them depends on the others.
macro_rules! fields {
    ($(#[$outer:meta])* $name:ty, |$it:ident| {
        $($(#[doc = $about:literal])+ $presence:ident $field:ident: $codec:ident = $value:expr;)+
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
                $(let $field = fields!(@get $presence $codec, stringify!($field), from);)+
                Ok($build)
            }
        }
    };

    (@is required) => { Presence::Required };
    (@is optional) => { Presence::Optional };
    (@is defaulted) => { Presence::Defaulted };
    (@is derived) => { Presence::Defaulted };

    (@put optional $codec:ident, $field:expr, $value:expr, $to:ident) => {
        if let Some(value) = $value {
            $codec::put($field, value, $to);
        }
    };
    (@put $presence:ident $codec:ident, $field:expr, $value:expr, $to:ident) => {
        $codec::put($field, $value, $to)
    };

    (@get required $codec:ident, $field:expr, $from:ident) => {
        need($codec::get($field, $from))?
    };
    (@get optional $codec:ident, $field:expr, $from:ident) => {
        $codec::get($field, $from)?
    };
    (@get derived $codec:ident, $field:expr, $from:ident) => {
        $codec::get($field, $from)?
    };
    (@get defaulted $codec:ident, $field:expr, $from:ident) => {
        $codec::get($field, $from)?.unwrap_or($codec::ABSENT)
    };
}
pub(super) use fields;
