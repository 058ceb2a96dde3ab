//! Numbers of a tag, leased in ranges or handed out one by one, and single snowflake IDs.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use leafid_core::{Code, SegmentAsk};
use leafid_store::problem::Problem;
use leafid_wire::Fields;

use super::answer::{Json, Refused};
use super::input::{Input, NamespacePath, TagPath, count};
use crate::access::caller::Caller;
use crate::app::App;

pub async fn lease(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    TagPath(tag): TagPath,
    Input(mut input): Input,
) -> Result<Json, Refused> {
    input.put_path("tag", tag.as_str())?;
    let (ask, charge) = caller.segment(input.all(SegmentAsk::get)?, &app.store).await?;
    let leased = async move {
        let leased = app.store.lease_segment(ask).await;
        if leased.as_ref().is_err_and(|problem| problem.code == Code::StoreWentBack) {
            app.generators.drop_numbers(&tag);
        }
        let grant = leased?;
        charge.had(grant.range.end - grant.range.start);
        Ok(grant)
    };
    let grant = caller.counted(leased).await?;
    Ok(Json::fields(&caller.granted(grant)))
}

pub async fn ids(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    TagPath(tag): TagPath,
    Input(input): Input,
) -> Result<Json, Refused> {
    let count = count(input)?;
    single(&caller, count, app.generators.numbers(tag, count)).await
}

pub async fn snowflakes(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    NamespacePath(namespace): NamespacePath,
    Input(input): Input,
) -> Result<Json, Refused> {
    let count = count(input)?;
    single(&caller, count, app.generators.stamps(namespace, count)).await
}

async fn single(
    caller: &Caller,
    count: u64,
    ids: impl Future<Output = Result<Vec<u64>, Problem>>,
) -> Result<Json, Refused> {
    let charge = caller.ids(count)?;
    let ids = ids.await?;
    charge.had(count);
    Ok(Json::write(|writer| writer.ids("ids", &ids)))
}
