//! Two instances of the shop over one real PostgreSQL, used over HTTP; in `cargo xtask test --all`.

mod engines {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use leafid_servers::{Postgres, Server, for_test};
    use leafid_stream::child::{Child, dies_with_us};
    use serde_json::{Value, json};

    const ORDERS: usize = 60;

    /// Starts a shop; gives its URL.
    fn shop(database: &str) -> (Child, String) {
        let mut command = dies_with_us(Path::new(env!("CARGO_BIN_EXE_leafid-example-axum")));
        command.env("DATABASE_URL", database).env("ADDRESS", "127.0.0.1:0");
        let (send, heard) = channel();
        let child = Child::start("the shop", command, move |line| drop(send.send(line)));
        let child = child.expect("it starts");
        let line = heard.recv_timeout(Duration::from_secs(60)).expect("a line").unwrap_or_default();
        let url =
            line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{}", child.stderr()));
        (child, url.to_owned())
    }

    #[test]
    fn two_shops_take_orders_of_one_database() {
        let Some(postgres) = for_test::<Postgres>() else { return };
        let url = postgres.url();
        let shops = [(); 2].map(|()| shop(&url));
        let mut ids = BTreeSet::new();
        for n in 0..ORDERS {
            let (_, url) = &shops[n % 2];
            let name = format!("tea {n}");
            let sent = ureq::post(format!("{url}/orders"))
                .header("content-type", "application/json")
                .send(json!({ "name": name }).to_string());
            let made = answer(sent);
            let id = made["id"].as_str().expect("a text").to_owned();
            let (_, other) = &shops[(n + 1) % 2];
            let shown = answer(ureq::get(format!("{other}/orders/{id}")).call());
            assert_eq!(shown, json!({ "id": id, "name": name }));
            ids.insert(id);
        }
        println!("{ORDERS} orders over two shops, {} different IDs", ids.len());
        assert_eq!(ids.len(), ORDERS);
    }

    fn answer(sent: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Value {
        let text = sent.expect("an answer").body_mut().read_to_string().expect("a text");
        serde_json::from_str(&text).expect("JSON")
    }
}
