//! The lock-free face: the line alone, both generators over it, drawing without a generator.

use leafid_core::{
    Ask, Carryover, Code, Grant, HostTime, Ids, Outcome, Range, Refusal, Release, Run, Segment,
    SegmentConfig, SegmentIds, Shape, SharedLine, Snowflake, SnowflakeConfig, SnowflakeIds, Stance,
    Stats, Stop, Token,
};

use crate::generators::generator;

type SharedSegment = Segment<&'static SharedLine>;
pub(crate) type SharedSnowflake = Snowflake<&'static SharedLine>;

generator!(SharedSegment, SegmentIds; shared_segment_next shared_segment_fill shared_segment_take_runs shared_segment_fill_available shared_segment_ready shared_segment_most shared_segment_may_end_before
    shared_segment_wants_ask shared_segment_mark shared_segment_poll_at shared_segment_poll_ask
    shared_segment_handle_grant shared_segment_handle_failure shared_segment_retire
    shared_segment_forget shared_segment_resumed shared_segment_carryover shared_segment_resume
    shared_segment_failure shared_segment_draw shared_segment_stats shared_segment_stance);

generator!(SharedSnowflake, SnowflakeIds; shared_snowflake_next shared_snowflake_fill shared_snowflake_take_runs shared_snowflake_fill_available
    shared_snowflake_ready shared_snowflake_most shared_snowflake_may_end_before shared_snowflake_wants_ask shared_snowflake_mark
    shared_snowflake_poll_at shared_snowflake_poll_ask shared_snowflake_handle_grant
    shared_snowflake_handle_failure shared_snowflake_retire shared_snowflake_forget
    shared_snowflake_resumed shared_snowflake_carryover shared_snowflake_resume shared_snowflake_failure
    shared_snowflake_draw shared_snowflake_stats shared_snowflake_stance);

verbs! {
    shared_segment_new(config: &SegmentConfig, seed: &u64, line: &'static SharedLine)
        -> Result<SharedSegment, Refusal> { Segment::with_line(*config, *seed, line) }
    shared_snowflake_new(config: &SnowflakeConfig, seed: &u64, line: &'static SharedLine)
        -> Result<SharedSnowflake, Refusal> { Snowflake::with_line(*config, *seed, line) }

    shared_line_new() -> SharedLine { SharedLine::new() }
    shared_line_take(line: &SharedLine, shape: &Shape, limits: &Range, n: &u64)
        -> Result<Run, Stop> { line.take(*shape, *limits, *n) }
    shared_line_stands_at(line: &SharedLine) -> u64 { line.stands_at() }

    numbers_run(line: &SharedLine, now: &HostTime, n: &u64) -> Result<Run, Refusal> {
        SegmentIds.run(&mut { line }, *now, *n)
    }
    numbers_write(run: &Run, to: &mut &mut [u64]) -> () { SegmentIds.write(*run, to) }
    stamp_run(stamp: &SnowflakeIds, line: &SharedLine, now: &HostTime, n: &u64) -> Result<Run, Refusal> {
        stamp.run(&mut { line }, *now, *n)
    }
    stamp_ready(stamp: &SnowflakeIds, line: &SharedLine, now: &HostTime, n: &[u64; 2])
        -> Result<(), Refusal> { stamp.ready(&mut { line }, *now, n[0], n[1]) }
    stamp_write(stamp: &SnowflakeIds, run: &Run, to: &mut &mut [u64]) -> () { stamp.write(*run, to) }
}
