//! The numbers of Leaf's fork in MySQL: its table `leaf_workerid_alloc`, where a row's id is the number.

use std::time::Duration;

use leafid_core::{Code, StoreTime};
use leafid_store::backends::mysql::Address;
use leafid_store::problem::Problem;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error};

use super::{Found, Growth, Node};

/// How long a look at it may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Texts, so that no column's type matters.
const ROWS: &str = "SELECT CAST(id AS CHAR), ip_port, CAST(max_timestamp AS CHAR), \
    CAST(FLOOR(UNIX_TIMESTAMP(update_time) * 1000) AS CHAR) FROM leaf_workerid_alloc ORDER BY id";
const NOW: &str = "SELECT CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS CHAR)";

/// It tells the next id at once, which a database's tables about tables may tell from a cache.
const TABLE: &str = "SHOW CREATE TABLE leaf_workerid_alloc";

type Row = (String, String, Option<String>, Option<String>);

/// Reads the table in the database `mysql://USER:PASSWORD@HOST:PORT/DATABASE`.
///
/// # Errors
/// `STORE_UNAVAILABLE` where the database does not answer, `REQUEST_INVALID` where it has no such table
/// or a row is not Leaf's.
pub fn read(address: &Address) -> Result<Found, Problem> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Problem::new(Code::Internal, format!("no runtime: {error}")))?;
    let place = format!("leaf_workerid_alloc in {}", address.place);
    let asked = async {
        let mut connection = Conn::new(address.options.clone()).await?;
        let rows: Vec<Row> = connection.query(ROWS).await?;
        let now: Option<String> = connection.query_first(NOW).await?;
        let made: Option<(String, String)> = connection.query_first(TABLE).await?;
        // It was read: how the connection ends changes nothing.
        let _ = connection.disconnect().await;
        Ok((rows, now, made))
    };
    let answered = runtime.block_on(async { tokio::time::timeout(PATIENCE, asked).await });
    let (rows, now, made) = match answered {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => return Err(refused(&place, &error)),
        Err(_) => {
            let why = format!("no answer in {} s", PATIENCE.as_secs());
            return Err(unavailable(&place, &why));
        }
    };
    let now = now.and_then(|now| now.parse().ok()).map(StoreTime::new);
    let now = now.ok_or_else(|| unavailable(&place, "it does not tell its time"))?;
    let nodes = rows.into_iter().map(|row| node(&place, row)).collect::<Result<Vec<_>, _>>()?;
    // A deleted id is never given out again.
    let next = made.and_then(|(_, made)| next_id(&made)).unwrap_or(1);
    let next = nodes.iter().map(|node| u64::from(node.worker) + 1).fold(next, u64::max);
    Ok(Found { place, now, growth: Growth::Next(next), nodes })
}

/// The next id of a table, by the text that makes it. It says none where that is 1.
fn next_id(made: &str) -> Option<u64> {
    let options = made.lines().last()?.strip_prefix(')')?;
    let id = options.split(' ').find_map(|option| option.strip_prefix("AUTO_INCREMENT="))?;
    id.parse().ok()
}

fn node(place: &str, (id, owner, stamped, seen): Row) -> Result<Node, Problem> {
    let worker = id.parse().ok().filter(|_| !owner.is_empty());
    let Some(worker) = worker else {
        let detail = format!("{place} has a row that is not Leaf's: id {id}, ip_port `{owner}`");
        return Err(Problem::new(Code::RequestInvalid, detail));
    };
    let ms = |text: Option<String>| text.and_then(|ms| ms.parse().ok()).map(StoreTime::new);
    let stamped = ms(stamped);
    let unreadable = stamped.is_none().then(|| "it has no max_timestamp in ms".to_owned());
    let place = format!("row {id} of {place}");
    Ok(Node { worker, owner: Some(owner), stamped, seen: ms(seen), unreadable, place })
}

fn refused(place: &str, error: &Error) -> Problem {
    match error {
        // No such table, no such column, no such database.
        Error::Server(said) if matches!(said.code, 1146 | 1054 | 1049) => {
            let detail = format!(
                "{place} cannot be read: {}; name the database of Leaf's `leaf.jdbc.url`",
                said.message
            );
            Problem::new(Code::RequestInvalid, detail)
        }
        Error::Server(said) => unavailable(place, &said.message),
        error => unavailable(place, &error.to_string()),
    }
}

fn unavailable(place: &str, why: &str) -> Problem {
    Problem::unavailable(format!(
        "{place} cannot be read: {why}; it is needed to learn which numbers Leaf has"
    ))
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
