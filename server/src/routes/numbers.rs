//! The worker numbers of a namespace, each as one letter, and who holds them.

use std::sync::Arc;

use axum::extract::State;
use leafid_core::FieldWriter;

use super::answer::{Json, Refused};
use super::input::NamespacePath;
use super::workers;
use crate::app::App;
use crate::seen::numbers::Numbers;

pub async fn get(
    State(app): State<Arc<App>>,
    NamespacePath(name): NamespacePath,
) -> Result<Json, Refused> {
    let (row, numbers) = app.census.space(&app.store, name).await?;
    Ok(Json::write(|writer| {
        writer.text("namespace", name.as_str());
        writer.millis("now_ms", numbers.now.get());
        writer.number("first", row.workers.start);
        writer.text("states", &numbers.letters);
        writer.nested("counts", |writer| put_counts(writer, &numbers));
        writer.array("holders", numbers.holders.iter(), |writer, (worker, held)| {
            workers::put_row(writer, *worker, held, &row.layout);
        });
        writer.flag("more_holders", numbers.more_holders);
    }))
}

pub fn put_counts(writer: &mut impl FieldWriter, numbers: &Numbers) {
    numbers.each().for_each(|(state, count)| writer.number(state, count));
}
