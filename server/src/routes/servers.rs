//! The servers of the store, by its register.

use leafid_core::Token;
use leafid_store::hex;
use leafid_store::json::Writer;
use leafid_store::registry::Server;
use leafid_wire::FieldWriter;

use super::answer::{Json, Refused};
use super::input::Input;

/// `GET /v1/servers`.
pub async fn list(input: Input) -> Result<Json, Refused> {
    let store = &input.app.store;
    let servers = store.servers().await?;
    let silent = store.register().silent;
    Ok(Json::write(|writer| {
        writer.array("servers", servers.iter(), |writer, server| {
            let is_silent = silent.as_ref().map(|silent| silent.contains(&server.id));
            put_row(writer, server, &servers, is_silent);
        });
    }))
}

/// `DELETE /v1/servers/{server}`: removes one that does not run, by its name or id.
pub async fn remove(input: Input) -> Result<Json, Refused> {
    input.app.store.remove_server(input.path("server").to_owned()).await?;
    Ok(Json::empty())
}

pub fn put_row(writer: &mut Writer, server: &Server, all: &[Server], is_silent: Option<bool>) {
    let put_name = |writer: &mut Writer, name: &str, id: Token| {
        writer.text("name", name);
        writer.token("id", id);
    };
    let record = &server.record;
    put_name(writer, &record.name, server.id);
    writer.text("kind", if record.guest { "guest" } else { "member" });
    let state = match (record.stopped, is_silent) {
        _ if record.out.is_some() => Some("removed"),
        (true, _) => Some("stopped"),
        (false, Some(true)) => Some("silent"),
        (false, Some(false)) => Some("running"),
        (false, None) => None,
    };
    state.inspect(|state| writer.text("state", state));
    writer.text("beat", &server.beat.to_string());
    writer.array("waits_for", waited(server, all), |writer, other| {
        put_name(writer, &other.record.name, other.id);
    });
}

/// Whether a server is the one that an operator names.
pub fn is_called(server: &Server, name: &str) -> bool {
    server.record.name == name || hex(server.id).starts_with(name)
}

/// The servers that have not acked what this one waits for.
fn waited<'a>(of: &'a Server, all: &'a [Server]) -> impl Iterator<Item = &'a Server> {
    all.iter().filter(move |other| {
        let Some(beat) = of.record.waits.filter(|_| other.id != of.id) else { return false };
        let is_awaited = other.is_member() && !(of.record.guest && other.record.stopped);
        is_awaited && !other.has_acked(of.id, beat, of.record.generation)
    })
}
