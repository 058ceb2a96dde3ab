//! The lock-free line: the line alone, both generators over it, drawing without a generator.

use leafid_core::{
    Action, Ask, Carryover, Code, Event, Grant, HostTime, Ids, Outcome, Range, Refusal, Release,
    Run, Segment, SegmentAsk, SegmentConfig, SegmentGrant, SegmentIds, Shape, SharedLine,
    Snowflake, SnowflakeConfig, SnowflakeIds, Stance, Stats, Stop, WindowAsk, WindowGrant,
};

use crate::generators::generator;

type SharedSegment = Segment<&'static SharedLine>;
pub(crate) type SharedSnowflake = Snowflake<&'static SharedLine>;

generator!(shared_segment "shared_segment", SharedSegment, SegmentIds, SegmentAsk, SegmentGrant);
generator!(shared_snowflake "shared_snowflake", SharedSnowflake, SnowflakeIds, WindowAsk, WindowGrant);

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
        { *stamp }.run(&mut { line }, *now, *n)
    }
    stamp_ready(stamp: &SnowflakeIds, line: &SharedLine, now: &HostTime, n: &[u64; 2])
        -> Result<(), Refusal> { { *stamp }.ready(&mut { line }, *now, n[0], n[1]) }
    stamp_write(stamp: &SnowflakeIds, run: &Run, to: &mut &mut [u64]) -> () { stamp.write(*run, to) }
}
