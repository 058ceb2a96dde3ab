//! Checks that etcd keeps confirmed writes.

use leafid_core::Code;
use serde_json::json;
use std::time::Duration;

use super::Etcd;
use super::gateway::texts;
use crate::backends::link::Broken;
use crate::problem::Problem;

/// The first version whose gateway has the v3 API under its final path.
const OLDEST: (u32, u32) = (3, 4);
const SYNCS: &str = "etcd_disk_wal_fsync_duration_seconds_count ";
const LOOKS: u32 = 20;

/// Examines a member: its version, and whether a write is synced to its disk.
pub async fn examine(etcd: &mut Etcd, allow_unsafe: bool) -> Result<(), Broken> {
    let said = etcd.http.get("/version").await?;
    let version = serde_json::from_slice::<serde_json::Value>(&said).unwrap_or_default();
    let version = version["etcdserver"].as_str().unwrap_or_default().to_owned();
    if !is_new_enough(&version) {
        let (major, minor) = OLDEST;
        let detail = format!(
            "this etcd is of version `{version}`; leafid needs {major}.{minor} or later: upgrade it"
        );
        return Err(Problem::new(Code::StoreRefused, detail).into());
    }
    let before = syncs(etcd).await?;
    let probe = texts(&etcd.keys.probe());
    etcd.ask("kv/put", &json!({ "key": probe })).await?;
    let Some(before) = before else {
        tracing::info!(
            "this etcd does not show at /metrics whether it syncs its log; make sure that it does"
        );
        return Ok(());
    };
    for _ in 0..LOOKS {
        if syncs(etcd).await?.is_none_or(|now| now > before) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let detail = "this etcd answers before its writes are on the disk (--unsafe-no-fsync): after a power \
                  failure it would have forgotten leases that were granted; start it without";
    if allow_unsafe {
        tracing::warn!("{detail}");
        return Ok(());
    }
    Err(Problem::new(Code::StoreRefused, detail).into())
}

fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) >= OLDEST,
        _ => false,
    }
}

async fn syncs(etcd: &mut Etcd) -> Result<Option<u64>, Broken> {
    let Ok(text) = etcd.http.get("/metrics").await else { return Ok(None) };
    let text = String::from_utf8_lossy(&text);
    let count = text.lines().find_map(|line| line.strip_prefix(SYNCS));
    Ok(count.and_then(|count| count.trim().parse::<f64>().ok()).map(|count| count as u64))
}
