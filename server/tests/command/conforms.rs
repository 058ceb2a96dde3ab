//! Plays `bindings-common/conform.json`, the cases that every store must pass, over HTTP; Python and
//! JavaScript play the same cases.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Serving, call};

const CASES: &str = include_str!("../../../bindings-common/conform.json");
const VERBS: [&str; 4] = ["lease_segment", "acquire", "renew", "release"];

/// A granted range of a tag or a worker number, and its holder.
struct Granted {
    line: Value,
    start: i64,
    end: i64,
    key: Value,
}

struct Player<'a> {
    serving: &'a Serving,
    data: &'a Value,
    held: Mutex<Vec<Value>>,
    granted: Mutex<Vec<Granted>>,
    latest_ms: AtomicI64,
}

impl Player<'_> {
    fn play(&self, case: &Value) -> Result<(), String> {
        let mut env =
            json!({ "tag": "conform", "namespace": "conform", "key": fresh(), "owner": fresh() });
        let played = self.steps(&case["steps"], &mut env);
        let held = std::mem::take(&mut *self.held.lock().unwrap());
        for window in held {
            env["w"] = window;
            // The window may be released already, or over.
            let _ = self.ask(&json!({ "release": {}, "of": "w" }), &mut env);
        }
        played
    }

    fn steps(&self, steps: &Value, env: &mut Value) -> Result<(), String> {
        let inner = |step: &Value, env: &mut Value| self.steps(&step["steps"], env);
        for step in steps.as_array().unwrap() {
            if step.get("that").is_some() {
                self.that(step, env)?;
            } else if let Some(ms) = step.get("pass") {
                wait(int(&self.value(ms, env)));
            } else if let Some(count) = step.get("repeat") {
                (0..int(count)).try_for_each(|_| inner(step, env))?;
            } else if let Some(count) = step.get("at_once") {
                thread::scope(|scope| {
                    let act = || inner(step, &mut env.clone());
                    let begun: Vec<_> = (0..int(count)).map(|_| scope.spawn(act)).collect();
                    begun.into_iter().try_for_each(|thread| thread.join().unwrap())
                })?;
            } else {
                self.ask(step, env)?;
            }
        }
        Ok(())
    }

    fn that(&self, condition: &Value, env: &Value) -> Result<(), String> {
        let holds = self.value(&condition["that"], env) == json!(true);
        if holds { Ok(()) } else { Err(format!("{condition}, in {env}")) }
    }

    fn value(&self, said: &Value, env: &Value) -> Value {
        match said {
            Value::Object(fields) => {
                let put = |(field, said)| {
                    let value = self.value(said, env);
                    let is_text = field == "have_until" || field == "unused_from";
                    (String::clone(field), if is_text { plain(&value).into() } else { value })
                };
                fields.iter().map(put).collect()
            }
            Value::String(said) => self.text(said, env),
            said => said.clone(),
        }
    }

    /// Evaluates an expression; operators are applied from left to right.
    fn text(&self, said: &str, env: &Value) -> Value {
        if let Some((rest, right)) = said.rsplit_once(' ') {
            let (left, operator) = rest.rsplit_once(' ').expect("an operator");
            let (left, right) = (self.text(left, env), self.text(right, env));
            if operator == "==" {
                return (plain(&left) == plain(&right)).into();
            }
            let (left, right) = (int(&left), int(&right));
            return match operator {
                "<" => (left < right).into(),
                ">" => (left > right).into(),
                "<=" => (left <= right).into(),
                ">=" => (left >= right).into(),
                "+" => (left + right).into(),
                "-" => (left - right).into(),
                "*" => (left * right).into(),
                "<<" => (left << right).into(),
                other => panic!("no operator `{other}`"),
            };
        }
        match said.strip_prefix('$') {
            None => said.parse::<i64>().expect("a number").into(),
            Some("fresh" | "unknown") => fresh().into(),
            Some("held") => self.held.lock().unwrap().len().into(),
            Some(path) => path.split('.').fold(env, |of, name| &of[name]).clone(),
        }
    }

    fn ask(&self, step: &Value, env: &mut Value) -> Result<(), String> {
        let verb = VERBS.into_iter().find(|verb| step.get(verb).is_some()).expect("a verb");
        let mut whole = self.data["asks"][verb].clone();
        whole.as_object_mut().unwrap().extend(step[verb].as_object().unwrap().clone());
        env["of"] = step["of"].as_str().map_or(Value::Null, |of| env[of].clone());
        let ask = self.value(&whole, env);
        let mut body = ask.clone();
        body.as_object_mut().unwrap().retain(|field, _| field != "tag" && field != "namespace");
        let path = match verb {
            "lease_segment" => format!("/v1/segments/{}/lease", plain(&ask["tag"])),
            _ => format!("/v1/workers/{}/{verb}", plain(&ask["namespace"])),
        };
        let (refused, name) = (&step["refused"], step["as"].as_str().unwrap_or("last"));
        // No answer to a later request may carry an older time.
        let before_ms = self.latest_ms.load(Ordering::SeqCst);
        for _ in 0..10 {
            let (status, answer) = self.serving.post(&path, &body);
            let (code, wait_ms) = (&answer["code"], &answer["retry_after_ms"]);
            if status == 200 && refused.is_null() {
                env[name] = answer.clone();
                let asked = json!({ "ask": ask, "answer": answer, "before_ms": before_ms });
                return self.noted(verb, &asked);
            }
            if status == 200 || (*code != *refused && *code != step["or"]) {
                if code != "WORKERS_EXHAUSTED" || !refused.is_null() {
                    return Err(format!("{step}: {answer}"));
                }
                wait(int(wait_ms) + 10);
                continue;
            }
            env[name] = json!({ "wait_ms": wait_ms });
            return Ok(());
        }
        Err(format!("{step}: no number becomes free"))
    }

    /// Checks that ranges do not overlap; a holder may get its own earlier range again.
    fn noted(&self, verb: &str, asked: &Value) -> Result<(), String> {
        let (ask, answer) = (&asked["ask"], &asked["answer"]);
        for condition in self.data["answers"][verb].as_array().unwrap() {
            self.that(condition, asked)?;
        }
        let key = ask.get("key").unwrap_or(&ask["request"]).clone();
        let mut granted = self.granted.lock().unwrap();
        if verb == "release" {
            let unused_from = int(&ask["unused_from"]);
            let own = granted.iter_mut().filter(|had| had.line == ask["worker"] && had.key == key);
            own.for_each(|had| had.end = had.end.min(unused_from));
            return Ok(());
        }
        self.latest_ms.fetch_max(int(&answer["now_ms"]), Ordering::SeqCst);
        let line = answer.get("tag").unwrap_or(&answer["worker"]).clone();
        let (start, end) = (int(&answer["start"]), int(&answer["end"]));
        let mut others = granted.iter().filter(|had| had.line == line && had.key != key);
        if others.any(|had| had.start.max(start) < had.end.min(end)) {
            return Err(format!("{answer} was granted before"));
        }
        granted.push(Granted { line, start, end, key });
        if verb == "acquire" {
            self.held.lock().unwrap().push(answer.clone());
        }
        Ok(())
    }
}

fn wait(ms: i64) {
    thread::sleep(Duration::from_millis(ms.try_into().expect("forward")));
}

fn fresh() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:032x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The value as text, without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn int(value: &Value) -> i64 {
    plain(value).parse().unwrap_or_else(|_| panic!("no whole number: {value}"))
}

#[test]
fn the_program_does_what_a_store_must_do() {
    let serving = Serving::fresh();
    let workers = json!({ "layout": "leaf", "workers": { "start": 0, "end": 4 } });
    for (path, body) in [("tags", json!({})), ("namespaces", workers)] {
        let (status, made) = call(&serving.url, "PUT", &format!("/v1/{path}/conform"), &body);
        assert_eq!(status, 200, "{made}");
    }
    let data: Value = serde_json::from_str(CASES).unwrap();
    let (held, granted, latest_ms) = Default::default();
    let player = Player { serving: &serving, data: &data, held, granted, latest_ms };
    // The controls: a case that expects a wrong answer is reported, and a range granted twice.
    let steps = |step| json!({ "steps": [step] });
    let wrong = steps(json!({ "lease_segment": {}, "refused": "TAG_UNKNOWN" }));
    player.play(&wrong).expect_err("it is granted");
    let all = Granted { line: json!("conform"), start: 1, end: i64::MAX, key: Value::Null };
    player.granted.lock().unwrap().push(all);
    player.play(&steps(json!({ "lease_segment": {} }))).expect_err("somebody has it");
    player.granted.lock().unwrap().clear();
    let mut played = 0;
    for case in data["cases"].as_array().unwrap() {
        // Cases that set the clock are left out: a running server has the machine's clock.
        if !case["needs"].as_array().unwrap().contains(&json!("clock")) {
            player.play(case).unwrap_or_else(|why| panic!("{}: {why}", case["name"]));
            played += 1;
        }
    }
    println!("conform: {played} cases over HTTP");
    assert!(played >= 26);
}
