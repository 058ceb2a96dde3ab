//! Leaf's table as Leaf's script creates it, and a writer that uses it as a running Leaf does.

use leafid_servers::{Databases, LEAF_ALLOC, Mariadb, Server};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, TxOpts};

/// Creates Leaf's database with these rows, such as `('orders', 1, 2000, 'a test')`.
pub fn database(server: &Mariadb, name: &str, rows: &str) -> String {
    let url = server.fresh(name);
    server.run(name, LEAF_ALLOC).expect("Leaf's table");
    if !rows.is_empty() {
        let insert =
            format!("INSERT INTO leaf_alloc (biz_tag, max_id, step, description) VALUES {rows}");
        server.run(name, &insert).expect("rows");
    }
    format!("{url}?tags=leaf_alloc")
}

pub struct Leaf {
    connection: Conn,
}

impl Leaf {
    pub async fn connect(url: &str) -> Leaf {
        let url = url.strip_suffix("?tags=leaf_alloc").expect("a store of Leaf's");
        let options = Opts::from_url(url).expect("a URL");
        Leaf { connection: Conn::new(options).await.expect("a connection") }
    }

    /// Takes the next segment as Leaf does, by the row's own step or an adapted one. Gives its start and end.
    pub async fn segment(&mut self, tag: &str, step: Option<u64>) -> (u64, u64) {
        let mut transaction =
            self.connection.start_transaction(TxOpts::default()).await.expect("a transaction");
        let by = step.map_or("step".to_owned(), |step| step.to_string());
        let text = format!("UPDATE leaf_alloc SET max_id = max_id + {by} WHERE biz_tag = ?");
        transaction.exec_drop(text, (tag,)).await.expect("an update");
        let text = "SELECT biz_tag, max_id, step FROM leaf_alloc WHERE biz_tag = ?";
        let row: Option<(String, u64, u64)> =
            transaction.exec_first(text, (tag,)).await.expect("a row");
        let (_, max_id, own) = row.expect("Leaf's row");
        transaction.commit().await.expect("a commit");
        (max_id - step.unwrap_or(own), max_id)
    }
}
