//! Numbers of a tag, leased in ranges or handed out one by one, and single snowflake IDs.

use leafid_core::{Code, SegmentAsk};
use leafid_store::problem::Problem;

use super::answer::{Json, Refused};
use super::input::Input;
use crate::access::caller::Caller;

pub async fn lease(input: Input) -> Result<Json, Refused> {
    let tag = input.tag()?;
    let ask: SegmentAsk = input.ask("tag", tag)?;
    let Input { app, caller, .. } = input;
    let (ask, charge) = caller.segment(ask, &app.store).await?;
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

pub async fn ids(input: Input) -> Result<Json, Refused> {
    let (tag, count) = (input.tag()?, input.count()?);
    single(&input.caller, count, input.app.generators.numbers(tag, count)).await
}

pub async fn snowflakes(input: Input) -> Result<Json, Refused> {
    let (namespace, count) = (input.namespace()?, input.count()?);
    single(&input.caller, count, input.app.generators.stamps(namespace, count)).await
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
