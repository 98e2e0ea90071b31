// Signs in at a listener for MySQL and runs a prepared statement.
use sqlx::mysql::{MySqlConnectOptions, MySqlSslMode};
use sqlx::{ConnectOptions, Row};
use std::env::var;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut connection = MySqlConnectOptions::new()
        .host("127.0.0.1")
        .port(var("TEST_PORT")?.parse()?)
        .username(&var("TEST_USER")?)
        .password(&var("TEST_PASSWORD")?)
        .database(&var("TEST_DATABASE")?)
        .ssl_mode(MySqlSslMode::Required)
        .connect()
        .await?;
    let row = sqlx::query("select ? + 1").bind(41).fetch_one(&mut connection).await?;
    println!("{}", row.get::<i64, _>(0));
    Ok(())
}
