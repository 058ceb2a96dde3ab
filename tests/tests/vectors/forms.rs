//! Layouts, text forms and the error table: steps that need no state.

use leafid_core::{Code, Layout, Refusal, Text};
use leafid_wire::{
    FieldReader, Fields, Sentence, Subject as About, advice, from_http, http_status,
};
use serde_json::{Value, json};

use crate::json::{either, number, object, open, store_time, text};

/// Answers the steps of the kinds `layouts`, `text` and `errors`.
pub fn take(step: &Value) -> Result<Value, String> {
    match text(step, "do")? {
        "layout" => Ok(either(layout(step), shown_layout)),
        "compose" => {
            let (time, sequence) = (store_time(step, "time_ms")?, number(step, "sequence")?);
            let worker = step["worker"].as_u64().and_then(|worker| worker.try_into().ok());
            let worker = worker.ok_or("`worker` is no worker number")?;
            Ok(id(layout(step).and_then(|layout| layout.compose(time, worker, sequence))))
        }
        "decompose" => decompose(step),
        "first_id" => {
            let time = store_time(step, "time_ms")?;
            Ok(id(layout(step).and_then(|layout| layout.first_id(time))))
        }
        "last_id" => {
            let time = store_time(step, "time_ms")?;
            Ok(id(layout(step).and_then(|layout| layout.last_id(time))))
        }
        "decimal" => Ok(written(Text::decimal(number(step, "id")?))),
        "base32" => Ok(written(Text::base32(number(step, "id")?))),
        "parse_decimal" => Ok(id(Text::parse_decimal(text(step, "text")?))),
        "parse_base32" => Ok(id(Text::parse_base32(text(step, "text")?))),
        "code" => code(step),
        "sentence" => {
            let code = Code::parse(text(step, "code")?).ok_or("there is no such code")?;
            let subject = About::of(text(step, "kind")?, text(step, "name")?);
            let (most, wait_ms) = (step["most"].as_u64(), step["wait_ms"].as_u64());
            Ok(json!(Sentence { code, subject, most, wait_ms }.to_string()))
        }
        "from_http" => {
            let status = step["status"].as_u64().and_then(|status| status.try_into().ok());
            Ok(json!(from_http(status.ok_or("`status` is no HTTP status")?).as_str()))
        }
        "codes" => Ok(Code::ALL.iter().map(|code| code.as_str()).collect()),
        other => Err(format!("there is no step `{other}`")),
    }
}

fn layout(step: &Value) -> Result<Layout, Refusal> {
    open(step).layout("layout")?.ok_or(Refusal::new(Code::LayoutInvalid))
}

fn shown_layout(layout: Layout) -> Value {
    let mut shown = object(|to| layout.put(to));
    shown["last_ms"] = json!(layout.last().get().to_string());
    shown["per_second"] = json!(layout.per_second().to_string());
    shown["workers"] = json!(layout.workers().to_string());
    shown
}

fn decompose(step: &Value) -> Result<Value, String> {
    let id = number(step, "id")?;
    Ok(either(layout(step).and_then(|layout| layout.decompose(id)), |parts| {
        json!({
            "time_ms": parts.time.get().to_string(),
            "tick": parts.tick.to_string(),
            "worker": parts.worker,
            "sequence": parts.sequence.to_string(),
        })
    }))
}

fn id(result: Result<u64, Refusal>) -> Value {
    either(result, |id| json!(id.to_string()))
}

fn written(result: Result<Text, Refusal>) -> Value {
    either(result, |text| json!(text.as_str()))
}

fn code(step: &Value) -> Result<Value, String> {
    let code = Code::parse(text(step, "code")?).ok_or("there is no such code")?;
    Ok(json!({
        "http": http_status(code),
        "permanent": code.is_permanent(),
        "stops": code.stops(),
        "advice": advice(code),
    }))
}
