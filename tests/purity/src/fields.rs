//! Reads and writes the wire's fields: everything that crosses to and from a host.

use leafid_core::registry::{Namespace, NamespaceSpec, TagRow, TagSpec, WorkerRow};
use leafid_core::{
    AcquireAsk, Ask, Grant, Layout, Range, Refusal, Release, RenewAsk, SegmentAsk, SegmentConfig,
    SegmentGrant, SnowflakeConfig, Stats, Token, WindowGrant,
};
use leafid_wire::{
    FieldReader, FieldWriter, Fields, need, put_ask, put_stats, segment_config, snowflake_config,
};

/// An object from a host: any field may be absent, of a wrong type, or have any value of its type.
pub struct Object {
    whole: Result<Option<u64>, Refusal>,
    time: Result<Option<i64>, Refusal>,
    flag: Result<Option<bool>, Refusal>,
    text: Result<Option<&'static str>, Refusal>,
    nested: Result<Option<()>, Refusal>,
    fields: usize,
    sum: u64,
}

impl Object {
    fn note(&mut self, field: &str, value: u64) {
        self.fields = self.fields.wrapping_add(field.len());
        self.sum = self.sum.wrapping_add(value);
    }
}

impl FieldWriter for Object {
    fn number(&mut self, field: &'static str, value: u64) {
        self.note(field, value);
    }

    fn millis(&mut self, field: &'static str, value: i64) {
        self.note(field, value.unsigned_abs());
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.note(field, value);
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.note(field, value.into());
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.note(field, value.bytes().map(u64::from).fold(0, u64::wrapping_add));
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self)) {
        self.note(field, 0);
        write(self);
    }
}

impl FieldReader for Object {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.note(field, 0);
        self.whole
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        self.note(field, 0);
        self.time
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.note(field, 0);
        self.whole
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        self.note(field, 0);
        self.flag
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        self.note(field, 0);
        Ok(self.text?.map(read))
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        self.note(field, 0);
        match self.nested? {
            Some(()) => read(self).map(Some),
            None => Ok(None),
        }
    }
}

/// Writes and reads a type's fields, behind names that begin with `$whose`.
macro_rules! both_ways {
    ($($module:ident $whose:literal $type:ty;)*) => {$(
        mod $module {
            use super::*;

            verbs! {
                of $whose;
                put(of: &$type, to: &mut Object) -> () { of.put(to) }
                get(from: &mut Object) -> Result<$type, Refusal> { <$type>::get(from) }
            }
        }
    )*};
}

both_ways! {
    layout "layout" Layout;
    range "range" Range;
    segment_ask "segment_ask" SegmentAsk;
    acquire_ask "acquire_ask" AcquireAsk;
    renew_ask "renew_ask" RenewAsk;
    release "release" Release;
    segment_grant "segment_grant" SegmentGrant;
    window_grant "window_grant" WindowGrant;
    tag_row "tag_row" TagRow;
    tag_spec "tag_spec" TagSpec;
    namespace "namespace" Namespace;
    namespace_spec "namespace_spec" NamespaceSpec;
    worker_row "worker_row" WorkerRow;
}

verbs! {
    ask_put(of: &Ask, to: &mut Object) -> Token { put_ask(of, to); of.request() }
    need_number(read: &Option<u64>) -> Result<u64, Refusal> { need(*read) }
    grant_request(of: &Grant) -> Token { of.request() }
    stats_put(of: &Stats, to: &mut Object) -> () { put_stats(of, to) }
    segment_config_get(from: &mut Object) -> Result<SegmentConfig, Refusal> {
        segment_config(from)
    }
    snowflake_config_get(from: &mut Object) -> Result<SnowflakeConfig, Refusal> {
        snowflake_config(from)
    }
}
