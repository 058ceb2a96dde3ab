//! How the values of fields are written and read: one small type for each form.

use super::schema::FieldForm;
use super::{FieldReader, FieldWriter, Fields};
use crate::protocol::registry::{
    DEFAULT_MAX_WINDOW_MS, MAX_WINDOW_CAP_MS, SHORTEST_WINDOW_MS, STEP_CAP,
};
use crate::protocol::strict::EXACT;
use crate::values::{Code, LINE_END, Layout, NAME_BYTES, Name, Range, Refusal, StoreTime, Token};

/// A form of a field.
pub(super) trait Codec {
    /// What it holds.
    type Value: Copy;
    /// What it is called in a description.
    const FORM: FieldForm;

    fn put(field: &'static str, value: Self::Value, to: &mut impl FieldWriter);
    fn get(
        field: &'static str,
        from: &mut impl FieldReader,
    ) -> Result<Option<Self::Value>, Refusal>;
}

/// A form that stands for a value where the field is absent.
pub(super) trait Absent: Codec {
    const ABSENT: Self::Value;
}

macro_rules! codec {
    ($(#[$doc:meta])* $name:ident($value:ty, $form:expr)
        put |$field:ident, $it:ident, $to:ident| $put:expr;
        get |$from:ident| $get:expr;
        $(absent $absent:expr;)?) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl Codec for $name {
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

        $(impl Absent for $name {
            const ABSENT: $value = $absent;
        })?
    };
}

codec! {
    /// A request, a key or a store's id.
    Id(Token, FieldForm::Token)
    put |field, it, to| to.token(field, it);
    get |from| from.token(field);
}
codec! {
    /// A length in ms; what it may be is the decision's to say.
    Length(u32, FieldForm::Number { least: 0, most: u32::MAX as u64 })
    put |field, it, to| to.number(field, it.into());
    get |from| from.small(field);
}
codec! {
    /// The longest window of a namespace, in ms.
    LongestWindow(u32, FieldForm::Number {
        least: SHORTEST_WINDOW_MS as u64,
        most: MAX_WINDOW_CAP_MS as u64,
    })
    put |field, it, to| to.number(field, it.into());
    get |from| from.small(field);
    absent DEFAULT_MAX_WINDOW_MS;
}
codec! {
    /// How many a caller waits for, whatever a lease may have.
    Wanted(u32, FieldForm::Number { least: 1, most: u32::MAX as u64 })
    put |field, it, to| to.number(field, it.into());
    get |from| from.small(field);
}
codec! {
    /// A step or a count.
    Count(u32, FieldForm::Number { least: 1, most: STEP_CAP as u64 })
    put |field, it, to| to.number(field, it.into());
    get |from| from.small(field);
}
codec! {
    /// A worker number.
    WorkerNumber(u32, FieldForm::Number { least: 0, most: u32::MAX as u64 })
    put |field, it, to| to.number(field, it.into());
    get |from| from.small(field);
}
codec! {
    /// One more than a worker number, or one.
    WorkerBound(u64, FieldForm::Number { least: 0, most: 1 << 32 })
    put |field, it, to| to.number(field, it);
    get |from| from.number(field);
}
codec! {
    /// A number, a tick or an end.
    Big(u64, FieldForm::Big { least: 0 })
    put |field, it, to| to.big(field, it);
    get |from| from.big(field);
    absent 0;
}
codec! {
    /// How many numbers are left; a store that does not say has not run out.
    Left(u64, FieldForm::Big { least: 0 })
    put |field, it, to| to.big(field, it);
    get |from| from.big(field);
    absent LINE_END;
}
codec! {
    /// The first number of a line: 0 is none.
    First(u64, FieldForm::Big { least: 1 })
    put |field, it, to| to.big(field, it);
    get |from| from.big(field);
}
codec! {
    /// A moment on the store's clock.
    Moment(StoreTime, FieldForm::Millis)
    put |field, it, to| to.millis(field, it.get());
    get |from| Ok(from.millis(field)?.map(StoreTime::new));
    absent StoreTime::new(0);
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
    /// The width of a layout's time, in bits.
    TimeWidth(u8, FieldForm::Number { least: 1, most: 63 })
    put |field, it, to| to.number(field, it.into());
    get |from| width(from.number(field)?);
}
codec! {
    /// The width of a layout's worker number, in bits.
    WorkerWidth(u8, FieldForm::Number { least: 0, most: 32 })
    put |field, it, to| to.number(field, it.into());
    get |from| width(from.number(field)?);
}
codec! {
    /// The width of a layout's sequence, in bits.
    SequenceWidth(u8, FieldForm::Number { least: 0, most: 63 })
    put |field, it, to| to.number(field, it.into());
    get |from| width(from.number(field)?);
}
codec! {
    /// True or false.
    Flag(bool, FieldForm::Flag)
    put |field, it, to| to.flag(field, it);
    get |from| from.flag(field);
    absent false;
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
    /// The label of a holder, or nobody's.
    OwnerOrNobody(Name, FieldForm::Text { least: 0, most: NAME_BYTES })
    put |field, it, to| to.text(field, it.as_str());
    get |from| {
        let owner = |text: &str| if text.is_empty() { Ok(Name::EMPTY) } else { Name::owner(text) };
        from.text(field, owner)?.transpose()
    };
    absent Name::EMPTY;
}
codec! {
    /// A layout, or the name of a preset.
    LayoutObject(Layout, FieldForm::Layout)
    put |field, it, to| to.nested(field, |to| it.put(to));
    get |from| from.layout(field);
}
codec! {
    /// Worker numbers, from `start` to below `end`.
    Workers(Range, FieldForm::Object(Range::SCHEMA))
    put |field, it, to| to.nested(field, |to| it.put(to));
    get |from| from.nested(field, Range::get);
}

/// What fits the widths together is the layout's to say.
fn width(bits: Option<u64>) -> Result<Option<u8>, Refusal> {
    bits.map(u8::try_from).transpose().map_err(|_| Code::LayoutInvalid.into())
}
