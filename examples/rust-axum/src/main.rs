//! A shop: `POST /orders` stores an order, `GET /orders/{id}` shows it. Order numbers are leased from the same
//! database in which the orders are; there is no other service.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use leafid::{Id, Segment};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;

#[derive(Clone)]
struct Shop {
    orders: Segment,
    database: PgPool,
}

#[derive(Deserialize)]
struct New {
    name: String,
}

/// In JSON the ID is a text: JavaScript rounds numbers above 2^53.
#[derive(Serialize)]
struct Order {
    id: Id<Order>,
    name: String,
}

type Refused = (StatusCode, String);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("DATABASE_URL")?;
    let database = PgPool::connect(&url).await?;
    let table = "CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY, name TEXT NOT NULL)";
    // Two instances that start together may both see no table.
    sqlx::raw_sql(&format!("SELECT pg_advisory_lock(7); {table}; SELECT pg_advisory_unlock(7)"))
        .execute(&database)
        .await?;
    // Creates leafid's tables, and the tag, where they are missing.
    let orders = Segment::builder("orders").store(url).create().build()?;
    let shop = Shop { orders: orders.clone(), database };
    let routes = Router::new()
        .route("/orders", post(create))
        .route("/orders/{id}", get(show))
        .with_state(shop);
    let address = std::env::var("ADDRESS").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    let interrupted = async { drop(tokio::signal::ctrl_c().await) };
    axum::serve(listener, routes).with_graceful_shutdown(interrupted).await?;
    tokio::task::spawn_blocking(move || orders.close()).await??;
    Ok(())
}

async fn create(State(shop): State<Shop>, Json(new): Json<New>) -> Result<Json<Order>, Refused> {
    let id = shop.orders.next_async().await.map_err(unavailable)?.into();
    let insert = sqlx::query("INSERT INTO orders (id, name) VALUES ($1, $2)");
    insert.bind(id).bind(&new.name).execute(&shop.database).await.map_err(unavailable)?;
    Ok(Json(Order { id, name: new.name }))
}

async fn show(State(shop): State<Shop>, Path(id): Path<Id<Order>>) -> Result<Json<Order>, Refused> {
    let select = sqlx::query_as("SELECT id, name FROM orders WHERE id = $1");
    let found = select.bind(id).fetch_optional(&shop.database).await.map_err(unavailable)?;
    let (id, name) = found.ok_or((StatusCode::NOT_FOUND, format!("no order {id}")))?;
    Ok(Json(Order { id, name }))
}

fn unavailable(error: impl std::fmt::Display) -> Refused {
    (StatusCode::SERVICE_UNAVAILABLE, error.to_string())
}
