//! Takes an ID apart.

use leafid_core::{Code, Layout, Text};
use leafid_store::json::{Writer, shown};
use leafid_store::problem::Problem;
use leafid_store::registry::explain;
use leafid_store::utc;
use leafid_wire::{FieldWriter, Fields};

use super::answer::{Json, Refused};
use super::input::{Input, namespace};

/// `GET /v1/decode/{id}?namespace=…`; without a namespace, `default`.
pub async fn decode(input: Input) -> Result<Json, Refused> {
    let (id, fields) = (input.path("id"), input.query(&["namespace"])?);
    let name = namespace(fields.get("namespace").map_or("default", String::as_str))?;
    let layout = input.app.store.namespace(name).await?.layout;
    let mut writer = Writer::default();
    writer.text("namespace", name.as_str());
    write_parts(&mut writer, id, &layout)?;
    Ok(Json::of(writer))
}

/// Writes what an ID is made of in a layout.
///
/// # Errors
/// `ID_INVALID` for a text that is no ID, or none of this layout.
pub fn write_parts(writer: &mut Writer, id: &str, layout: &Layout) -> Result<(), Problem> {
    let invalid = |detail: String| Problem::new(Code::IdInvalid, detail);
    let id = Text::parse_decimal(id).map_err(|_| invalid(not_an_id(id)))?;
    let parts = layout.decompose(id).map_err(|_| {
        invalid(format!("ID `{id}` is too large for layout {}", explain::words(layout)))
    })?;
    writer.big("id", id);
    writer.text("time", &utc::text(parts.time));
    writer.millis("time_ms", parts.time.get());
    writer.big("tick", parts.tick);
    writer.number("worker", parts.worker.into());
    writer.big("sequence", parts.sequence);
    if let Ok(text) = Text::base32(id) {
        writer.text("base32", text.as_str());
    }
    writer.nested("layout", |writer| layout.put(writer));
    Ok(())
}

fn not_an_id(text: &str) -> String {
    let (shown, most) = (shown(text), i64::MAX);
    let is_number = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    match is_number && !text.is_empty() {
        true => format!("`{shown}` is too large for an ID: IDs go from 0 to {most}"),
        false => format!("`{shown}` is not an ID: IDs are decimal digits, from 0 to {most}"),
    }
}
