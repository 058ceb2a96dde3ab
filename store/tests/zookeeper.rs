//! A session with a server that is not ZooKeeper's ends with an error, not a panic.
#![cfg(feature = "zookeeper")]

use std::time::Duration;

use leafid_store::keyed::zookeeper::{Address, Error, Session};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// ZooKeeper's first answer: a session with a time-out of 6 s.
const HELLO: [u8; 40] = {
    let mut hello = [0; 40];
    hello[3] = 36;
    hello[10] = 6_000_u16.to_be_bytes()[0];
    hello[11] = 6_000_u16.to_be_bytes()[1];
    hello[19] = 1;
    hello[23] = 16;
    hello
};

/// The head of an answer: its length and its request's number; no change, no error.
fn head(length: u32, request: u32) -> Vec<u8> {
    [&length.to_be_bytes()[..], &request.to_be_bytes(), &[0; 12]].concat()
}

/// Opens a session with a server that sends these answers and hangs up, and asks it for a node's data.
async fn told(says: Vec<u8>) -> Result<(), Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("zk://{}", listener.local_addr().expect("it listens"));
    let address = Address::parse(&url).expect("a URL");
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("somebody asks");
        let mut asked = [0; 48];
        stream.read_exact(&mut asked).await.expect("a greeting");
        let (greeting, answer) = says.split_at(says.len().min(HELLO.len()));
        stream.write_all(greeting).await.expect("it is read");
        if !answer.is_empty() {
            // An answer must not come before its request.
            let mut length = [0; 4];
            stream.read_exact(&mut length).await.expect("a request");
            let mut request = vec![0; u32::from_be_bytes(length) as usize];
            stream.read_exact(&mut request).await.expect("a request");
        }
        stream.write_all(answer).await.expect("it is read");
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    });
    let session = Session::open(&address, Duration::from_secs(60)).await;
    let answer = match &session {
        Ok(session) => session.get("/a").await.map(drop),
        Err(error) => Err(error.clone()),
    };
    drop(session);
    server.await.expect("it does not panic");
    answer
}

#[tokio::test]
async fn an_answer_that_is_none_ends_the_session() {
    let cases: [(&str, Vec<u8>); 8] = [
        ("nothing", Vec::new()),
        ("another protocol", b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()),
        ("half a greeting", HELLO[..30].to_vec()),
        ("no session", [&HELLO[..8], &[0; 32]].concat()),
        ("an answer to another request", [&HELLO[..], &head(16, 7)].concat()),
        ("a length below zero", [&HELLO[..], &head(u32::MAX, 1)].concat()),
        ("no whole head", [&HELLO[..], &head(3, 1)].concat()),
        ("a node's data that is cut short", [&HELLO[..], &head(20, 1), &[0, 0, 0, 9]].concat()),
    ];
    for (what, says) in cases {
        let answer = told(says).await;
        assert!(matches!(answer, Err(Error::Lost(_))), "{what}: {answer:?}");
    }
    // The control: ZooKeeper's answers are accepted.
    let data = [&0_u32.to_be_bytes()[..], &[0; 68]].concat();
    assert_eq!(told([&HELLO[..], &head(16 + 72, 1), &data].concat()).await, Ok(()));
}
