//! Reads the worker numbers of Leaf's fork in MySQL: the ids of its table `leaf_workerid_alloc`.

use leafid_core::StoreTime;
use leafid_store::backends::mysql::Address;
use leafid_store::problem::Problem;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error};

use super::{Found, Growth, Node, in_time};
use crate::invalid;

/// Casts to text, so that no column's type matters.
const ROWS: &str = "SELECT CAST(id AS CHAR), ip_port, CAST(max_timestamp AS CHAR), \
    CAST(FLOOR(UNIX_TIMESTAMP(update_time) * 1000) AS CHAR) FROM leaf_workerid_alloc ORDER BY id";
const NOW: &str = "SELECT CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS CHAR)";

/// Contains the next id; `information_schema` may have it from a stale cache.
const TABLE: &str = "SHOW CREATE TABLE leaf_workerid_alloc";

type Row = (String, String, Option<String>, Option<String>);

/// Reads the table in the database `mysql://USER:PASSWORD@HOST:PORT/DATABASE`.
///
/// # Errors
/// `STORE_UNAVAILABLE` where the database does not answer, `REQUEST_INVALID` where it has no such table
/// or a row is not Leaf's.
pub async fn read(address: &Address) -> Result<Found, Problem> {
    let place = format!("leaf_workerid_alloc in {}", address.place);
    let away = |why: &str| {
        Problem::unavailable(format!(
            "{place} cannot be read: {why}; it is needed to learn which numbers Leaf has"
        ))
    };
    let asked = async {
        let mut connection = Conn::new(address.options.clone()).await?;
        let rows = connection.query(ROWS).await?;
        let now = connection.query_first(NOW).await?;
        let made = connection.query_first(TABLE).await?;
        // Everything is read, so a failure to disconnect does not matter.
        let _ = connection.disconnect().await;
        Ok((rows, now, made))
    };
    let asked = async {
        asked.await.map_err(|error| match &error {
            // No such table, no such column, no such database.
            Error::Server(said) if matches!(said.code, 1146 | 1054 | 1049) => invalid(format!(
                "{place} cannot be read: {}; name the database of Leaf's `leaf.jdbc.url`",
                said.message
            )),
            Error::Server(said) => away(&said.message),
            error => away(&error.to_string()),
        })
    };
    let (rows, now, made): (Vec<Row>, _, Option<(String, String)>) = in_time(away, asked).await?;
    let now = ms(now).ok_or_else(|| away("it does not tell its time"))?;
    let nodes = rows.into_iter().map(|row| node(&place, row)).collect::<Result<Vec<_>, _>>()?;
    // A deleted id is never given out again.
    let next = made.and_then(|(_, made)| next_id(&made)).unwrap_or(1);
    Ok(Found { growth: Growth::Next(next).beyond(&nodes), place, now, nodes })
}

/// The next id, from `SHOW CREATE TABLE`, which leaves it out where it is 1.
fn next_id(made: &str) -> Option<u64> {
    let options = made.lines().last()?.strip_prefix(')')?;
    let id = options.split(' ').find_map(|option| option.strip_prefix("AUTO_INCREMENT="))?;
    id.parse().ok()
}

fn ms(text: Option<String>) -> Option<StoreTime> {
    text?.parse().ok().map(StoreTime::new)
}

fn node(place: &str, (id, owner, stamped, seen): Row) -> Result<Node, Problem> {
    let worker = id.parse().ok().filter(|_| !owner.is_empty()).ok_or_else(|| {
        invalid(format!("{place} has a row that is not Leaf's: id {id}, ip_port `{owner}`"))
    })?;
    let stamped = ms(stamped).ok_or_else(|| "it has no max_timestamp in ms".to_owned()).map(Some);
    let place = format!("row {id} of {place}");
    Ok(Node { worker, owner: Some(owner), stamped, seen: ms(seen), place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_id_is_read_from_the_options_alone() {
        let made = |comment: &str, options: &str| {
            let column = format!("  `id` bigint(20) NOT NULL AUTO_INCREMENT COMMENT '{comment}',");
            format!(
                "CREATE TABLE `leaf_workerid_alloc` (\n{column}\n  PRIMARY KEY (`id`)\n) {options}"
            )
        };
        let innodb = "ENGINE=InnoDB AUTO_INCREMENT=42 DEFAULT CHARSET=utf8mb4 COMMENT='x'";
        assert_eq!(next_id(&made("", innodb)), Some(42));
        let fresh = "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";
        assert_eq!(next_id(&made("AUTO_INCREMENT=7", fresh)), None);
    }
}
