//! The cases of what a store must do, `bindings-common/conform.json`, played over HTTP: Python and JavaScript
//! play the same ones.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::support::{Serving, call};

const CASES: &str = include_str!("../../../bindings-common/conform.json");
const VERBS: [&str; 4] = ["lease_segment", "acquire", "renew", "release"];
/// The fields of an ask that have 64 bits, and are texts.
const EXACT: [&str; 2] = ["have_until", "unused_from"];

type Env = Map<String, Value>;
/// Where a range that was granted starts and ends, and whose it is.
type Granted = (i64, i64, String);

struct Player<'a> {
    serving: &'a Serving,
    data: &'a Value,
    held: Mutex<Vec<Value>>,
    granted: Mutex<BTreeMap<String, Vec<Granted>>>,
    latest_ms: AtomicI64,
}

impl Player<'_> {
    fn play(&self, case: &Value) -> Result<(), String> {
        let names =
            json!({ "tag": "conform", "namespace": "conform", "key": fresh(), "owner": fresh() });
        let mut env = names.as_object().unwrap().clone();
        let played = self.steps(&case["steps"], &mut env);
        let held = std::mem::take(&mut *self.held.lock().unwrap());
        for window in held {
            env.insert("w".to_owned(), window);
            // It may have been given back already, or be over.
            let _ = self.ask(&json!({ "release": {}, "of": "w" }), &mut env);
        }
        played
    }

    fn steps(&self, steps: &Value, env: &mut Env) -> Result<(), String> {
        for step in steps.as_array().unwrap() {
            if step.get("that").is_some() {
                self.that(step, env)?;
            } else if let Some(ms) = step.get("pass") {
                let ms = int(&self.value(ms, env)?);
                thread::sleep(Duration::from_millis(ms.try_into().expect("forward")));
            } else if let Some(count) = step.get("repeat") {
                (0..int(count)).try_for_each(|_| self.steps(&step["steps"], env))?;
            } else if let Some(count) = step.get("at_once") {
                let act = || self.steps(&step["steps"], &mut env.clone());
                thread::scope(|scope| {
                    let begun: Vec<_> = (0..int(count)).map(|_| scope.spawn(act)).collect();
                    begun.into_iter().try_for_each(|thread| thread.join().unwrap())
                })?;
            } else {
                self.ask(step, env)?;
            }
        }
        Ok(())
    }

    fn that(&self, condition: &Value, env: &Env) -> Result<(), String> {
        match self.value(&condition["that"], env)? {
            Value::Bool(true) => Ok(()),
            _ => Err(format!("{} ({}): {env:?}", condition["else"], condition["that"])),
        }
    }

    fn value(&self, said: &Value, env: &Env) -> Result<Value, String> {
        if let Some(fields) = said.as_object() {
            let put = |(field, said): (&String, _)| {
                let value = self.value(said, env)?;
                let is_text = EXACT.contains(&field.as_str());
                Ok((field.clone(), if is_text { plain(&value).into() } else { value }))
            };
            return fields.iter().map(put).collect::<Result<Env, String>>().map(Value::Object);
        }
        said.as_str().map_or_else(|| Ok(said.clone()), |said| self.text(said, env))
    }

    /// Operators are applied from the left to the right.
    fn text(&self, said: &str, env: &Env) -> Result<Value, String> {
        if let Some((rest, right)) = said.rsplit_once(' ') {
            let (left, operator) = rest.rsplit_once(' ').expect("an operator");
            let (left, right) = (self.text(left, env)?, self.text(right, env)?);
            if operator == "==" {
                return Ok((plain(&left) == plain(&right)).into());
            }
            let (left, right) = (int(&left), int(&right));
            return Ok(match operator {
                "<" => (left < right).into(),
                ">" => (left > right).into(),
                "<=" => (left <= right).into(),
                ">=" => (left >= right).into(),
                "+" => (left + right).into(),
                "-" => (left - right).into(),
                "*" => (left * right).into(),
                "<<" => (left << right).into(),
                other => panic!("no operator `{other}`"),
            });
        }
        match said {
            "$fresh" | "$unknown" => return Ok(fresh().into()),
            "$held" => return Ok(self.held.lock().unwrap().len().into()),
            _ => {}
        }
        let Some(path) = said.strip_prefix('$') else {
            return Ok(said.parse::<i64>().expect("a number").into());
        };
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let found = env.get(first).unwrap_or(&Value::Null);
        let found =
            rest.split('.').filter(|name| !name.is_empty()).fold(found, |of, name| &of[name]);
        if found.is_null() { Err(format!("no `{said}`: {env:?}")) } else { Ok(found.clone()) }
    }

    fn ask(&self, step: &Value, env: &mut Env) -> Result<(), String> {
        let verb = VERBS.into_iter().find(|verb| step.get(verb).is_some()).expect("a verb");
        let mut whole = self.data["asks"][verb].as_object().unwrap().clone();
        whole.extend(step[verb].as_object().unwrap().clone());
        let mut of = env.clone();
        of.insert("of".to_owned(), step["of"].as_str().map_or(Value::Null, |of| env[of].clone()));
        let ask = self.value(&Value::Object(whole), &of)?;
        let path = match verb {
            "lease_segment" => format!("/v1/segments/{}/lease", plain(&ask["tag"])),
            _ => format!("/v1/workers/{}/{verb}", plain(&ask["namespace"])),
        };
        let mut body = ask.clone();
        body.as_object_mut().unwrap().retain(|field, _| field != "tag" && field != "namespace");
        let before_ms = self.latest_ms.load(Ordering::SeqCst);
        for _ in 0..10 {
            let (status, answer) = self.serving.post(&path, &body);
            let name = step["as"].as_str().unwrap_or("").to_owned();
            let code = &answer["code"];
            if status == 200 {
                if !step["refused"].is_null() {
                    return Err(format!("`{verb}` was granted: {answer}"));
                }
                env.insert(name, answer.clone());
                return self.noted(verb, &ask, answer, before_ms);
            }
            if *code == step["refused"] || *code == step["or"] {
                env.insert(name, json!({ "wait_ms": answer["retry_after_ms"] }));
                return Ok(());
            }
            if code != "WORKERS_EXHAUSTED" || !step["refused"].is_null() {
                return Err(format!("`{verb}` was refused: {answer}, not as in {step}"));
            }
            let wait = answer["retry_after_ms"].as_u64().expect("when one is free");
            thread::sleep(Duration::from_millis(wait + 10));
        }
        Err("no number becomes free".to_owned())
    }

    /// Looks at what every answer has; what one holder had before may come again.
    fn noted(&self, verb: &str, ask: &Value, answer: Value, before_ms: i64) -> Result<(), String> {
        let is_new = matches!(verb, "lease_segment" | "acquire");
        let key = plain(if is_new { &ask["request"] } else { &ask["key"] });
        let on = if verb == "release" { ask } else { &answer };
        let line = if verb == "lease_segment" { &on["tag"] } else { &on["worker"] }.to_string();
        let mut granted = self.granted.lock().unwrap();
        let granted = granted.entry(line).or_default();
        if verb == "release" {
            let unused_from = int(&ask["unused_from"]);
            for had in granted.iter_mut().filter(|had| had.2 == key) {
                had.1 = had.1.min(unused_from);
            }
            return Ok(());
        }
        let env = json!({ "ask": ask, "answer": answer, "before_ms": before_ms });
        for condition in self.data["answers"][verb].as_array().unwrap() {
            self.that(condition, env.as_object().unwrap())?;
        }
        self.latest_ms.fetch_max(int(&answer["now_ms"]), Ordering::SeqCst);
        let (start, end) = (int(&answer["start"]), int(&answer["end"]));
        let twice = granted.iter().find(|had| had.2 != key && had.0 < end && start < had.1);
        if let Some(had) = twice {
            return Err(format!("{had:?} and {start}..{end} overlap"));
        }
        granted.push((start, end, key));
        if verb == "acquire" {
            self.held.lock().unwrap().push(answer);
        }
        Ok(())
    }
}

fn fresh() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:032x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A text, or a number as one.
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
    // The control: a case that says something else is told.
    let wrong = json!({ "steps": [{ "lease_segment": {}, "refused": "TAG_UNKNOWN" }] });
    player.play(&wrong).expect_err("it is granted");
    // No clock is set here.
    let has_clock = |case: &&Value| case["needs"].as_array().unwrap().contains(&json!("clock"));
    let cases = data["cases"].as_array().unwrap();
    let chosen: Vec<_> = cases.iter().filter(|case| !has_clock(case)).collect();
    for case in &chosen {
        player.play(case).unwrap_or_else(|why| panic!("{}: {why}", case["name"]));
    }
    println!("conform: {} cases over HTTP", chosen.len());
    assert!(chosen.len() >= 26);
}
