//! The field names of the wire: everything that crosses a border, written and read.

use leafid_core::registry::{Namespace, NamespaceSpec, TagRow, TagSpec, WorkerRow};
use leafid_core::{
    AcquireAsk, Ask, FieldReader, FieldWriter, Fields, Grant, Layout, Range, Refusal, Release,
    RenewAsk, SegmentAsk, SegmentConfig, SegmentGrant, SnowflakeConfig, Stats, Token, WindowGrant,
};

/// An object of a host: any field may be absent, of another type, or anything of its type.
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

verbs! {
    layout_put(of: &Layout, to: &mut Object) -> () { of.put(to) }
    layout_get(from: &mut Object) -> Result<Layout, Refusal> { Layout::get(from) }
    range_put(of: &Range, to: &mut Object) -> () { of.put(to) }
    range_get(from: &mut Object) -> Result<Range, Refusal> { Range::get(from) }
    segment_ask_put(of: &SegmentAsk, to: &mut Object) -> () { of.put(to) }
    segment_ask_get(from: &mut Object) -> Result<SegmentAsk, Refusal> { SegmentAsk::get(from) }
    acquire_ask_put(of: &AcquireAsk, to: &mut Object) -> () { of.put(to) }
    acquire_ask_get(from: &mut Object) -> Result<AcquireAsk, Refusal> { AcquireAsk::get(from) }
    renew_ask_put(of: &RenewAsk, to: &mut Object) -> () { of.put(to) }
    renew_ask_get(from: &mut Object) -> Result<RenewAsk, Refusal> { RenewAsk::get(from) }
    ask_put(of: &Ask, to: &mut Object) -> () { of.put(to) }
    ask_verb(of: &Ask) -> (usize, Token) { (of.verb().len(), of.request()) }
    release_put(of: &Release, to: &mut Object) -> () { of.put(to) }
    release_get(from: &mut Object) -> Result<Release, Refusal> { Release::get(from) }
    grant_request(of: &Grant) -> Token { of.request() }
    segment_grant_put(of: &SegmentGrant, to: &mut Object) -> () { of.put(to) }
    segment_grant_get(from: &mut Object) -> Result<SegmentGrant, Refusal> {
        SegmentGrant::get(from)
    }
    window_grant_put(of: &WindowGrant, to: &mut Object) -> () { of.put(to) }
    window_grant_get(from: &mut Object) -> Result<WindowGrant, Refusal> { WindowGrant::get(from) }
    tag_row_put(of: &TagRow, to: &mut Object) -> () { of.put(to) }
    tag_spec_put(of: &TagSpec, to: &mut Object) -> () { of.put(to) }
    tag_spec_get(from: &mut Object) -> Result<TagSpec, Refusal> { TagSpec::get(from) }
    tag_row_get(from: &mut Object) -> Result<TagRow, Refusal> { TagRow::get(from) }
    namespace_put(of: &Namespace, to: &mut Object) -> () { of.put(to) }
    namespace_get(from: &mut Object) -> Result<Namespace, Refusal> { Namespace::get(from) }
    namespace_spec_put(of: &NamespaceSpec, to: &mut Object) -> () { of.put(to) }
    namespace_spec_get(from: &mut Object) -> Result<NamespaceSpec, Refusal> {
        NamespaceSpec::get(from)
    }
    worker_row_put(of: &WorkerRow, to: &mut Object) -> () { of.put(to) }
    worker_row_get(from: &mut Object) -> Result<WorkerRow, Refusal> { WorkerRow::get(from) }
    stats_put(of: &Stats, to: &mut Object) -> () { of.put(to) }
    segment_config_get(from: &mut Object) -> Result<SegmentConfig, Refusal> {
        SegmentConfig::get(from)
    }
    snowflake_config_get(from: &mut Object) -> Result<SnowflakeConfig, Refusal> {
        SnowflakeConfig::get(from)
    }
}
