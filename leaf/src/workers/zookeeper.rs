//! Leaf's numbers in ZooKeeper: below `/snowflake/NAME`, in `forever` of Leaf and of its fork's
//! `zk_normal`, or in `recycle` of `zk_recycle`. Nothing of Leaf's is written.

use std::future::Future;
use std::time::Duration;

use futures_util::future::try_join_all;
use leafid_core::{Code, StoreTime};
use leafid_store::keyed::zookeeper::Address;
use leafid_store::problem::Problem;
use zookeeper_client::{Acls, Client, CreateMode, Error, Stat};

use super::{Found, Growth, Node, time};

/// How long a look at it may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many nodes are asked for at once.
const TOGETHER: usize = 64;

/// Reads what lies at `zk://HOST:PORT[,…]/snowflake/NAME`.
///
/// # Errors
/// `STORE_UNAVAILABLE` where ZooKeeper does not answer, `REQUEST_INVALID` where no Leaf has been there or
/// what is there is not Leaf's.
pub fn read(address: &Address) -> Result<Found, Problem> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Problem::new(Code::Internal, format!("no runtime: {error}")))?;
    let place = &address.place;
    runtime.block_on(in_time(place, async {
        let mut connector = Client::connector().with_session_timeout(PATIENCE).with_fail_eagerly();
        if let Some(login) = &address.login {
            connector = connector.with_auth("digest", login.as_bytes());
        }
        let away = |error: Error| unavailable(place, &error.to_string());
        let client = connector.connect(&address.hosts).await.map_err(away)?;
        let (forever, recycle) = join(&client, &address.path).await.map_err(away)?;
        match (forever, recycle) {
            (true, false) => sticky(&client, address).await,
            (false, true) => recycled(&client, address).await,
            (false, false) => Err(invalid(format!(
                "no Leaf has registered at {place}: it has neither `forever` nor `recycle` there; name \
                 the node as Leaf does, /snowflake/ and its `leaf.name`"
            ))),
            (true, true) => Err(invalid(format!(
                "{place} has `forever` (zk_normal) and `recycle` (zk_recycle): two modes have given \
                 out the same numbers; delete the tree that no Leaf uses any more, and try again"
            ))),
        }
    }))
}

async fn in_time<T>(
    place: &str,
    read: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    match tokio::time::timeout(PATIENCE, read).await {
        Ok(read) => read,
        Err(_) => Err(unavailable(place, &format!("no answer in {} s", PATIENCE.as_secs()))),
    }
}

fn unavailable(place: &str, why: &str) -> Problem {
    Problem::unavailable(format!(
        "Leaf's ZooKeeper at {place} cannot be read: {why}; it is needed to learn which numbers Leaf \
         has: start it, or name another of its servers"
    ))
}

fn invalid(detail: String) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

/// Whether there is `forever`, and whether there is `recycle`.
async fn join(client: &Client, path: &str) -> Result<(bool, bool), Error> {
    let (forever, recycle) = (format!("{path}/forever"), format!("{path}/recycle"));
    // A server may lag behind the leader.
    client.sync("/").await?;
    Ok((client.check_stat(&forever).await?.is_some(), client.check_stat(&recycle).await?.is_some()))
}

/// The leader's clock, by a node of our own that is gone at once.
async fn clock(client: &Client, place: &str) -> Result<StoreTime, Problem> {
    let mode = CreateMode::EphemeralSequential.with_acls(Acls::anyone_all());
    let cannot = |error: Error| {
        let detail = format!(
            "the time of Leaf's ZooKeeper at {place} cannot be read ({error}): it takes the right to \
             create `/leafid-clock-…`, which is deleted at once"
        );
        Problem::new(Code::RequestInvalid, detail)
    };
    let name = "/leafid-clock-";
    let (stat, number) = client.create(name, b"", &mode).await.map_err(cannot)?;
    let _ = client.delete(&format!("{name}{number}"), None).await;
    Ok(StoreTime::new(stat.ctime))
}

/// The children of a node with their data, and how often the children changed.
async fn children(
    client: &Client,
    folder: &str,
) -> Result<(Vec<(String, Vec<u8>, Stat)>, i32), Error> {
    let (names, stat) = match client.get_children(folder).await {
        Ok(found) => found,
        Err(Error::NoNode) => return Ok((Vec::new(), 0)),
        Err(error) => return Err(error),
    };
    let mut found = Vec::with_capacity(names.len());
    for names in names.chunks(TOGETHER) {
        let read = names.iter().map(|name| async move {
            match client.get_data(&format!("{folder}/{name}")).await {
                Ok((data, stat)) => Ok(Some((name.clone(), data, stat))),
                Err(Error::NoNode) => Ok(None),
                Err(error) => Err(error),
            }
        });
        found.extend(try_join_all(read).await?.into_iter().flatten());
    }
    Ok((found, stat.cversion))
}

/// `forever`: each machine has the number that its node's sequence gave it.
async fn sticky(client: &Client, address: &Address) -> Result<Found, Problem> {
    let (place, folder) = (&address.place, format!("{}/forever", address.path));
    let (found, changes) =
        children(client, &folder).await.map_err(|error| unavailable(place, &error.to_string()))?;
    let now = clock(client, place).await?;
    let mut nodes = Vec::with_capacity(found.len());
    for (name, data, stat) in found {
        let path = format!("{folder}/{name}");
        let parts = name.rsplit_once('-').and_then(|(owner, number)| {
            let digits = number.len() >= 10 && number.bytes().all(|byte| byte.is_ascii_digit());
            let worker = number.parse().ok().filter(|_| digits)?;
            (!owner.is_empty()).then_some((owner, worker))
        });
        let Some((owner, worker)) = parts else {
            return Err(invalid(format!(
                "`{path}` is not a node of Leaf, whose names are as in `192.0.2.2:54215-0000000003`: \
                 delete it if nobody needs it"
            )));
        };
        let (stamped, unreadable) = time(&data, "timestamp");
        nodes.push(Node {
            worker,
            owner: Some(owner.to_owned()),
            stamped,
            seen: Some(StoreTime::new(stat.mtime)),
            unreadable,
            place: path,
        });
    }
    // The server counts a child's number by the changes of its parent, deletions included.
    let next = u64::try_from(changes).unwrap_or(0);
    let next = nodes.iter().map(|node| u64::from(node.worker) + 1).fold(next, u64::max);
    Ok(Found { place: place.clone(), now, growth: Growth::Next(next), nodes })
}

/// `recycle`: a Leaf that starts takes any number from `notuse`. There, what a node says of its time is
/// of an earlier use, and may be older than the last.
async fn recycled(client: &Client, address: &Address) -> Result<Found, Problem> {
    let place = &address.place;
    let mut nodes = Vec::new();
    for pool in ["inuse", "notuse"] {
        let folder = format!("{}/recycle/{pool}", address.path);
        let (found, _) = children(client, &folder)
            .await
            .map_err(|error| unavailable(place, &error.to_string()))?;
        for (name, data, stat) in found {
            let path = format!("{folder}/{name}");
            let worker = name.strip_prefix("workId:").and_then(|number| number.parse().ok());
            let Some(worker) = worker else {
                return Err(invalid(format!(
                    "`{path}` is not a node of Leaf, whose names are as in `workId:3`: delete it if \
                     nobody needs it"
                )));
            };
            let (stamped, unreadable) = time(&data, "lastUsedTimestamp");
            let never = pool == "notuse" && stamped.is_none();
            nodes.push(Node {
                worker,
                owner: None,
                stamped,
                seen: (pool == "inuse").then_some(StoreTime::new(stat.mtime)),
                unreadable: unreadable.filter(|_| !never),
                place: path,
            });
        }
    }
    let now = clock(client, place).await?;
    Ok(Found { place: place.clone(), now, growth: Growth::Any, nodes })
}
