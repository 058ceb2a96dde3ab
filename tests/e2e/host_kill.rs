//! Kills hosts (`kill -9`) while they draw: ten times each of Python and Node, once a Worker's whole runtime.

use leafid_core::Layout;
use leafid_stream::hosts::{Draw, Program, Stage};
use leafid_stream::stream::Stream;

use crate::setting::{STEP, Setting, close, draw, max_id, start, until, workers};

const KILLS: usize = 10;
const RATE: u32 = 2_000;
const LIFE: u64 = 300;

#[test]
fn a_host_killed_ten_times_draws_nothing_twice() {
    let Some(setting) = Setting::find("hosts killed") else { return };
    let store = setting.store("store");
    let (stage, draw) = (setting.stage(), draw(&store.url(), RATE));
    let mut stream = Stream::new(Layout::LEAF);
    let programs = [Program::Python, Program::Node];
    let mut lives = programs.map(|program| start(&mut stream, &stage, program, &draw));
    // The third host runs throughout, and is killed once.
    let edge = start(&mut stream, &stage, Program::Edge, &draw);
    for _ in 0..KILLS {
        for (life, program) in lives.iter_mut().zip(programs) {
            *life = kill_and_start(&mut stream, &stage, *life, program, &draw);
        }
    }
    lived(&mut stream, edge);
    let edge = kill_and_start(&mut stream, &stage, edge, Program::Edge, &draw);
    for life in lives.into_iter().chain([edge]) {
        lived(&mut stream, life);
    }
    close(&mut stream);

    let kills = 2 * KILLS + 1;
    let numbers = stream.checker.numbers();
    let granted = max_id(&store) - 1;
    let lost = granted.checked_sub(numbers).expect("what was handed out was granted");
    let (used, held) = workers(&store);
    setting.tell(&format!(
        "{kills} kills, {} lives, {} IDs, at least {} grants, duplicates {}; {granted} numbers \
         granted, {numbers} handed out, {lost} lost; {used} worker numbers",
        stream.hosts().len(),
        stream.ids(),
        granted.div_ceil(STEP),
        stream.checker.duplicates(),
    ));
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

fn kill_and_start(
    stream: &mut Stream,
    stage: &Stage,
    life: usize,
    program: Program,
    draw: &Draw,
) -> usize {
    lived(stream, life);
    stream.kill(life);
    start(stream, stage, program, draw)
}

fn lived(stream: &mut Stream, life: usize) {
    until(stream, "a life's IDs", |stream| {
        let host = stream.host(life);
        host.segment.ids >= LIFE && host.snowflake.ids >= LIFE / 2
    });
}
