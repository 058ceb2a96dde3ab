//! Kills hosts (`kill -9`) while they draw: ten times each of Python and Node, once a Worker's whole runtime.

use leafid_stream::hosts::Program;
use leafid_stream::store::STEP;
use leafid_stream::stream::Stream;

use crate::setting::{close, setting, until};

const KILLS: usize = 10;
const LIFE: u64 = 300;

#[test]
fn a_host_killed_ten_times_draws_nothing_twice() {
    let Some((_folder, store, stage)) = setting("hosts killed") else { return };
    let url = store.url();
    let mut stream = Stream::default();
    let start = |stream: &mut Stream, program| stage.start(stream, program, &url).expect("a host");
    let mut lives = Program::ALL.map(|program| start(&mut stream, program));
    let mut kill_and_start = |stream: &mut Stream, at: usize| {
        lived(stream, lives[at]);
        stream.kill(lives[at]);
        lives[at] = start(stream, Program::ALL[at]);
    };
    // The third host runs throughout, and is killed once.
    for _ in 0..KILLS {
        (0..2).for_each(|at| kill_and_start(&mut stream, at));
    }
    kill_and_start(&mut stream, 2);
    for life in lives {
        lived(&mut stream, life);
    }
    close(&mut stream);

    let kills = 2 * KILLS + 1;
    let numbers = stream.checker.numbers();
    let granted = store.granted().expect("a tag");
    let lost = granted.checked_sub(numbers).expect("what was handed out was granted");
    let (used, held) = store.workers().expect("a list");
    println!(
        "{kills} kills, {} lives, {} IDs, at least {} grants, duplicates {}; {granted} numbers \
         granted, {numbers} handed out, {lost} lost; {used} worker numbers",
        stream.hosts().len(),
        stream.ids(),
        granted.div_ceil(STEP),
        stream.checker.duplicates(),
    );
    assert_eq!((stream.checker.duplicates(), stream.checker.backwards()), (0, 0));
    // A killed host loses its reserve: less than 90 % of a step when it asked, and the step it got.
    let may_be_lost = stream.hosts().len() as u64 * 2 * STEP;
    assert!(lost <= may_be_lost, "{lost} numbers lost, {may_be_lost} may be");
    // A killed holder's worker number rests until its window ends; closed holders release theirs.
    assert!(used <= stream.hosts().len(), "{used} worker numbers");
    assert!(held <= kills, "{held} windows are held");
    assert!(stream.ids() >= kills as u64 * LIFE, "{} IDs", stream.ids());
    let grants = granted.div_ceil(STEP);
    assert!(grants >= stream.hosts().len() as u64 * LIFE / STEP, "{granted} numbers granted");
}

fn lived(stream: &mut Stream, life: usize) {
    until(stream, "a life's IDs", |stream| {
        let host = stream.host(life);
        host.segment.ids >= LIFE && host.snowflake.ids >= LIFE / 2
    });
}
