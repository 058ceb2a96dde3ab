//! A database server for tests that are not in Rust: `leafid-servers postgres|mariadb`.
//!
//! It starts an empty server and prints its port, or `missing PROGRAM PACKAGE`. Then it does each line of its input,
//! `kill` or `start`, and answers with `done`. The server ends with the input.

#[cfg(unix)]
fn main() -> Result<(), String> {
    use leafid_servers::{Mariadb, Postgres};
    match std::env::args().nth(1).as_deref() {
        Some("postgres") => unix::serve::<Postgres>(),
        Some("mariadb") => unix::serve::<Mariadb>(),
        other => Err(format!("`{}` is neither postgres nor mariadb", other.unwrap_or_default())),
    }
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod unix {
    use leafid_servers::Server;

    pub fn serve<S: Server>() -> Result<(), String> {
        if let Some(program) = S::missing() {
            println!("missing {program} {}", S::PACKAGE);
            return Ok(());
        }
        let mut server = S::start_with(&[])?;
        println!("{}", server.port());
        for line in std::io::stdin().lines() {
            match line.map_err(|error| error.to_string())?.as_str() {
                "kill" => server.crash(),
                "start" => server.start_again()?,
                other => return Err(format!("`{other}` is neither kill nor start")),
            }
            println!("done");
        }
        Ok(())
    }
}
