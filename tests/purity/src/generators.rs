//! Both generators through `&mut`: every verb, once for each.

use leafid_core::{
    Action, Ask, Carryover, Code, Event, Grant, HostTime, Layout, Outcome, Refusal, Release, Run,
    Segment, SegmentAsk, SegmentConfig, SegmentGrant, SegmentIds, Snowflake, SnowflakeConfig,
    SnowflakeIds, Stance, Stats, WindowAsk, WindowGrant,
};

/// The verbs of one type of generator, behind names that begin with `$whose`.
macro_rules! generator {
    ($module:ident $whose:literal, $type:ty, $draw:ty, $ask:ty, $grant:ty) => {
        mod $module {
            use super::*;

            verbs! {
                of $whose;
                next(ids: &mut $type, now: &HostTime) -> Result<u64, Refusal> { ids.next(*now) }
                fill(ids: &mut $type, now: &HostTime, to: &mut &mut [u64]) -> Result<(), Refusal> {
                    ids.fill(*now, to)
                }
                take_runs(ids: &mut $type, now: &HostTime, n: &u64)
                    -> Result<[Option<Run>; 2], Refusal> { ids.take_runs(*now, *n) }
                fill_available(ids: &mut $type, now: &HostTime, to: &mut &mut [u64])
                    -> Result<usize, Refusal> { ids.fill_available(*now, to) }
                ready(ids: &mut $type, now: &HostTime, n: &u64) -> Result<(), Refusal> {
                    ids.ready(*now, *n)
                }
                most(ids: &$type) -> u64 { ids.most() }
                may_end_before(ids: &$type, n: &u64) -> bool { ids.may_end_before(*n) }
                wants(ids: &$type, now: &HostTime) -> bool { ids.wants(*now) }
                poll_from(ids: &$type) -> u64 { ids.poll_from() }
                poll_at(ids: &$type) -> Option<HostTime> { ids.poll_at() }
                poll(ids: &mut $type, now: &HostTime, entropy: &[u8; 16]) -> Option<Action<$ask>> {
                    ids.poll(*now, *entropy)
                }
                handle(ids: &mut $type, event: &Event<$grant>, now: &HostTime)
                    -> Result<Outcome, Refusal> { ids.handle(*event, *now) }
                ask(action: &Action<$ask>) -> Option<$ask> { action.ask() }
                of_any(action: &Action<$ask>) -> Action<Ask> { action.of_any() }
                of(event: &Event<Grant>) -> Event<$grant> { event.of() }
                rest(ids: &mut $type) -> () { ids.rest() }
                retire(ids: &mut $type) -> Option<Release> { ids.retire() }
                give_up(ids: &mut $type) -> Option<Release> { ids.give_up() }
                is_voiding(ids: &$type) -> bool { ids.is_voiding() }
                forget(ids: &mut $type) -> () { ids.forget() }
                resumed(ids: &mut $type) -> () { ids.resumed() }
                carryover(ids: &$type) -> Carryover { ids.carryover() }
                resume(ids: &mut $type, before: &Carryover) -> Result<(), Refusal> {
                    ids.resume(*before)
                }
                failure(ids: &$type) -> Option<Code> { ids.failure() }
                ids(ids: &$type) -> Option<$draw> { ids.ids() }
                stats(ids: &$type) -> Stats { ids.stats() }
                stance(ids: &$type, refusal: &Refusal, now: &HostTime) -> Stance {
                    ids.stance(*refusal, *now)
                }
            }
        }
    };
}

pub(crate) use generator;

generator!(own_segment "segment", Segment, SegmentIds, SegmentAsk, SegmentGrant);
generator!(own_snowflake "snowflake", Snowflake, SnowflakeIds, WindowAsk, WindowGrant);

verbs! {
    segment_config(tag: &&str) -> Result<SegmentConfig, Refusal> { SegmentConfig::new(tag) }
    segment_config_is_max_step_wrong(config: &SegmentConfig) -> bool { config.is_max_step_wrong() }
    segment_new(config: &SegmentConfig, seed: &u64) -> Result<Segment, Refusal> {
        Segment::new(*config, *seed)
    }
    segment_image(ids: &Segment) -> Segment { ids.image() }

    snowflake_config(namespace: &&str, owner: &&str) -> Result<SnowflakeConfig, Refusal> {
        SnowflakeConfig::new(namespace, owner)
    }
    snowflake_new(config: &SnowflakeConfig, seed: &u64) -> Result<Snowflake, Refusal> {
        Snowflake::new(*config, *seed)
    }
    snowflake_image(ids: &Snowflake) -> Snowflake { ids.image() }
    snowflake_namespace(ids: &Snowflake) -> usize { ids.namespace().len() }
    snowflake_layout(ids: &Snowflake) -> Option<Layout> { ids.layout() }
    carryover_above(before: &Carryover, id: &u64, layout: &Option<Layout>) -> Result<Carryover, Refusal> {
        before.above(*id, layout.as_ref())
    }
    stamp_layout(stamp: &SnowflakeIds) -> Layout { stamp.layout() }
}
