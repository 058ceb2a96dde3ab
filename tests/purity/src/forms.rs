//! Values: layouts, text forms, names, tokens, ranges, time, codes.

use core::fmt::Write;

use leafid_core::{
    Clocks, Code, HostTime, Layout, Name, Offset, Parts, Range, Refusal, StoreTime, Text, Token,
};
use leafid_wire::{Sentence, Subject, advice, event, from_http, http_status, strict};

verbs! {
    strict_decimal(text: &&str) -> Result<u64, Refusal> { strict::decimal(text) }
    strict_millis(ms: &i64) -> Result<i64, Refusal> { strict::millis(*ms) }
    strict_double(number: &f64) -> Result<i64, Refusal> { strict::double(*number) }
    offset_to_store(offset: &Offset, host: &HostTime) -> StoreTime { offset.to_store(*host) }
    offset_to_host(offset: &Offset, store: &StoreTime) -> HostTime { offset.to_host(*store) }
    layout_new(epoch: &i64, tick: &u32, bits: &[u8; 3]) -> Result<Layout, Refusal> {
        Layout::new(*epoch, *tick, bits[0], bits[1], bits[2])
    }
    layout_named(name: &&str) -> Option<Layout> { Layout::named(name) }
    layout_compose(of: &Layout, at: &StoreTime, worker: &u32, n: &u64) -> Result<u64, Refusal> {
        of.compose(*at, *worker, *n)
    }
    layout_decompose(of: &Layout, id: &u64) -> Result<Parts, Refusal> { of.decompose(*id) }
    layout_first_id(of: &Layout, at: &StoreTime) -> Result<u64, Refusal> { of.first_id(*at) }
    layout_last_id(of: &Layout, at: &StoreTime) -> Result<u64, Refusal> { of.last_id(*at) }
    layout_last_end(of: &Layout) -> u64 { of.last_end() }
    layout_tick(of: &Layout, at: &StoreTime) -> Result<u64, Refusal> { of.tick(*at) }
    layout_time(of: &Layout, tick: &u64) -> StoreTime { of.time(*tick) }
    layout_ticks(of: &Layout, ms: &u64) -> u64 { of.ticks(*ms) }
    layout_last(of: &Layout) -> StoreTime { of.last() }
    layout_rates(of: &Layout) -> [u64; 4] {
        [of.workers(), of.per_tick(), of.per_second(), of.end_tick()]
    }
    layout_widths(of: &Layout) -> (i64, u32, [u8; 3]) {
        (of.epoch_ms(), of.tick_ms(), [of.time_bits(), of.worker_bits(), of.sequence_bits()])
    }

    text_decimal(id: &u64) -> Result<Text, Refusal> { Text::decimal(*id) }
    text_base32(id: &u64) -> Result<Text, Refusal> { Text::base32(*id) }
    text_as_str(text: &Text) -> usize { text.as_str().len() }
    text_parse_decimal(text: &&str) -> Result<u64, Refusal> { Text::parse_decimal(text) }
    text_parse_base32(text: &&str) -> Result<u64, Refusal> { Text::parse_base32(text) }

    name_tag(text: &&str) -> Result<Name, Refusal> { Name::tag(text) }
    name_namespace(text: &&str) -> Result<Name, Refusal> { Name::namespace(text) }
    name_owner(text: &&str) -> Result<Name, Refusal> { Name::owner(text) }
    name_as_str(name: &Name) -> (usize, bool) { (name.as_str().len(), name.is_empty()) }

    token_parse(text: &&str) -> Result<Token, Refusal> { Token::parse(text) }
    token_to_hex(token: &Token) -> [u8; 32] { token.to_hex() }

    range_ask(range: &Range, x: &u64) -> (u64, bool, bool) {
        (range.len(), range.is_empty(), range.contains(*x))
    }
    millis_plus(at: &StoreTime, ms: &i64) -> StoreTime { at.plus(*ms) }
    millis_since(at: &StoreTime, earlier: &StoreTime) -> i64 { at.since(*earlier) }

    code_parse(text: &&str) -> Option<Code> { Code::parse(text) }
    code_words(code: &Code) -> (usize, usize, usize, Option<u16>) {
        (code.as_str().len(), event(*code).len(), advice(*code).len(), http_status(*code))
    }
    code_from_http(status: &u16) -> Code { from_http(*status) }
    clocks_look(of: &mut Clocks, ticking: &HostTime, wall: &HostTime) -> i64 { of.look(*ticking, *wall) }
    code_kind(code: &Code) -> (bool, bool) { (code.is_permanent(), code.stops()) }
    refusal_display(refusal: &Refusal) -> (usize, bool) {
        let mut sink = Length(0);
        let failed = write!(sink, "{refusal}").is_err();
        (sink.0, failed)
    }
    sentence_pieces(code: &Code, subject: &[&str; 2], most: &Option<u64>) -> usize {
        let [kind, name] = *subject;
        let (mut length, sentence) = (0_usize, Sentence::new(*code, Subject::of(kind, name)));
        Sentence { most: *most, ..sentence }.pieces(|piece| length = length.saturating_add(piece.len()));
        length
    }
    sentence_display(code: &Code, subject: &[&str; 2], most: &Option<u64>, wait_ms: &Option<u64>)
        -> (usize, bool) {
            let mut sink = Length(0);
            let [kind, name] = *subject;
            let sentence = Sentence::new(*code, Subject::of(kind, name));
            let sentence = Sentence { most: *most, wait_ms: *wait_ms, ..sentence };
            let failed = write!(sink, "{sentence}").is_err();
            (sink.0, failed)
        }
}

/// Counts the bytes that are written to it.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0 = self.0.saturating_add(text.len());
        Ok(())
    }
}
