//! Both generators without I/O, each on an own and a shared line.

use leafid_core::{
    Action, Ask, Carryover, Clocks, Code, Event, Failure, Generator, Grant, Kind, Line, Outcome,
    OwnLine, Refusal, Segment, SharedLine, Snowflake, Stance,
};
use leafid_wire::{FieldReader, Fields, put_ask, put_stats, segment_config, snowflake_config};
use serde_json::{Value, json};

use crate::json::{either, host_time, number, object, open, read, refused, text, token};
use crate::run;

pub fn replay_segment(script: &Value) -> Result<(), String> {
    let seed = number(script, "seed")?;
    let config = segment_config(&mut open(&script["config"]));
    let shared = |line| Segment::with_line(config?, seed, line);
    on_both_faces(script, config.and_then(|config| Segment::new(config, seed)), shared)
}

pub fn replay_snowflake(script: &Value) -> Result<(), String> {
    let seed = number(script, "seed")?;
    let config = snowflake_config(&mut open(&script["config"]));
    let shared = |line| Snowflake::with_line(config?, seed, line);
    on_both_faces(script, config.and_then(|config| Snowflake::new(config, seed)), shared)
}

fn on_both_faces<S: Kind>(
    script: &Value,
    own: Result<Generator<S, OwnLine>, Refusal>,
    shared: impl FnOnce(Box<SharedLine>) -> Result<Generator<S, Box<SharedLine>>, Refusal>,
) -> Result<(), String> {
    let own = match own {
        Ok(generator) => generator,
        Err(refusal) => return not_built(script, refusal),
    };
    let mut own = Driven(own, Clocks::default());
    run(script, |step| own.step(step))?;
    // A shared line relies on a clock that does not go back.
    if goes_back(script) {
        return Ok(());
    }
    let shared = shared(Box::default()).map_err(|refusal| refusal.to_string())?;
    let mut shared = Driven(shared, Clocks::default());
    run(script, |step| shared.step(step))
        .map_err(|problem| format!("on the lock-free face: {problem}"))
}

fn not_built(script: &Value, refusal: Refusal) -> Result<(), String> {
    let got = refused(refusal);
    match script.get("gives") {
        Some(expected) if *expected == got => Ok(()),
        Some(expected) => Err(format!("building: expected {expected}, got {got}")),
        None => Err(format!("it was not built: {got}")),
    }
}

fn goes_back(script: &Value) -> bool {
    let steps = script["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let times: Vec<i64> = steps.iter().filter_map(|step| number(step, "at").ok()).collect();
    !times.is_sorted()
}

/// A generator that takes the steps of a script.
struct Driven<S: Kind, L: Line>(Generator<S, L>, Clocks);

impl<S: Kind, L: Line> Driven<S, L> {
    fn step(&mut self, step: &Value) -> Result<Value, String> {
        let at = host_time(step, "at")?;
        let generator = &mut self.0;
        match text(step, "do")? {
            "next" => Ok(either(generator.next(at), |id| json!(id.to_string()))),
            verb @ ("fill" | "fill_available") => {
                Ok(either(self.filled(step, verb == "fill")?, |ids| {
                    ids.iter().map(u64::to_string).collect::<Vec<_>>().into()
                }))
            }
            "span" => Ok(either(self.filled(step, false)?, |ids| {
                let shown = |id: Option<&u64>| id.map(u64::to_string);
                json!({"count": ids.len(), "first": shown(ids.first()), "last": shown(ids.last())})
            })),
            "ready" => Ok(either(generator.ready(at, count(step)?), |()| json!(true))),
            "wants_ask" => Ok(json!(generator.wants(at))),
            "poll_at" => Ok(json!(generator.poll_at().map(|at| at.get().to_string()))),
            "poll_ask" => {
                let action = generator.poll(at, token(step, "entropy")?.bytes());
                let ask: Option<Ask> = action.and_then(Action::ask).map(Into::into);
                Ok(ask.map_or(Value::Null, |ask| object(|to| put_ask(&ask, to))))
            }
            "grant" => self.grant(step),
            "failure" => {
                let code = Code::parse(text(step, "code")?).ok_or("there is no such code")?;
                let retry_after = open(step).small("retry_after_ms");
                let retry_after_ms = retry_after.map_err(|refusal| refusal.to_string())?;
                let request = token(step, "request")?;
                let answer = Err(Failure { code, retry_after_ms });
                let _ = generator.handle(Event::Answer { request, sent: at, answer }, at);
                Ok(Value::Null)
            }
            "retire" => {
                let release = generator.retire();
                Ok(release.map_or(Value::Null, |release| object(|to| release.put(to))))
            }
            "forget" => {
                generator.forget();
                Ok(Value::Null)
            }
            "resumed" => {
                generator.resumed();
                Ok(Value::Null)
            }
            "look" => {
                let leapt_ms = self.1.look(at, host_time(step, "wall")?);
                if leapt_ms != 0 {
                    generator.resumed();
                }
                Ok(json!(leapt_ms))
            }
            "stance" => {
                let code = Code::parse(text(step, "code")?).ok_or("there is no such code")?;
                let until = step.get("until").map(|_| host_time(step, "until")).transpose()?;
                Ok(match generator.stance(Refusal { code, until }, at) {
                    Stance::Raise(code) => json!({ "raise": code.as_str() }),
                    Stance::Wait(until) => {
                        json!({ "wait": until.map(|until| until.get().to_string()) })
                    }
                })
            }
            "failing" => Ok(json!(generator.failure().map(|code| code.as_str()))),
            "carryover" => Ok(object(|to| generator.carryover().put(to))),
            "resume" => {
                let resumed = carried_over(step, S::DOUBLE_BUFFERED);
                Ok(either(resumed.and_then(|before| generator.resume(before)), |()| Value::Null))
            }
            "stats" => Ok(object(|to| put_stats(&generator.stats(), to))),
            other => Err(format!("there is no step `{other}`")),
        }
    }

    /// Fills a buffer, wholly or with what is at hand; fails if the IDs do not ascend.
    fn filled(&mut self, step: &Value, exactly: bool) -> Result<Result<Vec<u64>, Refusal>, String> {
        let room = usize::try_from(count(step)?).map_err(|_| "so many are no fill")?;
        let (mut ids, at) = (vec![0; room], host_time(step, "at")?);
        let filled = match exactly {
            true => self.0.fill(at, &mut ids).map(|()| room),
            false => self.0.fill_available(at, &mut ids),
        };
        match filled {
            Ok(filled) => ids.truncate(filled),
            Err(_) if ids.iter().any(|id| *id != 0) => {
                return Err("a refused fill wrote something".to_owned());
            }
            Err(refusal) => return Ok(Err(refusal)),
        }
        match ids.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(format!("{} is followed by {}", pair[0], pair[1])),
            None => Ok(Ok(ids)),
        }
    }

    fn grant(&mut self, step: &Value) -> Result<Value, String> {
        let answer = &step["grant"];
        let grant = match answer.get("tag") {
            Some(_) => read(answer).map(Grant::Segment),
            None => read(answer).map(Grant::Window),
        };
        let grant = grant.map_err(|refusal| format!("the answer: {refusal}"))?;
        let (request, sent) = (grant.request(), host_time(step, "sent")?);
        let event = Event::Answer { request, sent, answer: Ok(grant) };
        let outcome = self.0.handle(event.of(), host_time(step, "at")?);
        Ok(either(outcome, |outcome| match outcome {
            Outcome::Applied => json!("applied"),
            Outcome::Ignored => json!("ignored"),
            Outcome::Release(release) => json!({ "release": object(|to| release.put(to)) }),
        }))
    }
}

/// The carryover of a step, raised above its `highest`: a number, or an ID of its `layout`.
fn carried_over(step: &Value, is_numbers: bool) -> Result<Carryover, Refusal> {
    let before = read::<Carryover>(&step["before"])?;
    let mut open = open(step);
    let layout = open.layout("layout")?;
    match open.big("highest")? {
        None => Ok(before),
        Some(id) if is_numbers => before.above(id, None),
        Some(id) => before.above(id, Some(&layout.ok_or(Code::RequestInvalid)?)),
    }
}

/// A step's `n`: a number, or a decimal text for 64 bits.
fn count(step: &Value) -> Result<u64, String> {
    step["n"].as_u64().map_or_else(|| number(step, "n"), Ok)
}
