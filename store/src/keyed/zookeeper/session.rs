//! A session with ZooKeeper over one connection. Requests are sent in the order of the calls and answered in
//! it. A lost session does not reconnect: pending and later requests fail, and the caller opens another.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::time::Duration;

use bytes::{Buf, BufMut, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::address::Address;
use super::record::{Error, put_bytes, put_text};
use crate::random;

const PING: i32 = 11;
const AUTH: i32 = 100;
const CLOSE: i32 = -11;

/// Reserved request numbers, by which ZooKeeper marks pings, logins and watch events.
const PING_XID: i32 = -2;
const AUTH_XID: i32 = -4;
const EVENT_XID: i32 = -1;

/// The longest answer that is accepted, in bytes; real ones are data of at most 1 MB, or lists of names.
const LONGEST: usize = 64 << 20;

/// An open session.
pub struct Session {
    asks: mpsc::UnboundedSender<Ask>,
}

struct Ask {
    kind: i32,
    body: Vec<u8>,
    answer: Answer,
}

/// The channel on which the body of an answer is delivered.
type Answer = oneshot::Sender<Result<Vec<u8>, Error>>;

impl Session {
    /// Opens a session with one of the servers, which ends it if it hears nothing for `patience`.
    ///
    /// # Errors
    /// [`Error::Lost`] if no server answers.
    pub async fn open(address: &Address, patience: Duration) -> Result<Session, Error> {
        let hosts = &address.hosts;
        // Starts at a random server, so that clients spread over all of them.
        let first = random::bytes().map_or(0, |[byte]| usize::from(byte));
        let each = patience / u32::try_from(hosts.len()).unwrap_or(u32::MAX);
        let mut last = Error::Lost("no server is named".to_owned());
        for nth in 0..hosts.len() {
            let Some(host) = hosts.get((first + nth) % hosts.len()) else { continue };
            let opened = timeout(each, greet(host, patience)).await;
            let opened = opened.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
            match opened {
                Ok((stream, patience)) => {
                    let (asks, asked) = mpsc::unbounded_channel();
                    let line = Line::new(address.login.as_ref());
                    tokio::spawn(line.run(stream, asked, patience));
                    return Ok(Session { asks });
                }
                Err(error) => last = Error::Lost(format!("{host}: {error}")),
            }
        }
        Err(last)
    }

    /// Whether the connection is known to be gone.
    pub fn is_lost(&self) -> bool {
        self.asks.is_closed()
    }

    /// Sends a request now, and gives the future of its answer.
    pub(super) fn ask(
        &self,
        kind: i32,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Vec<u8>, Error>> + use<> {
        let (answer, answered) = oneshot::channel();
        // If the session is lost, the request and its sender are dropped, and the receiver fails.
        let _ = self.asks.send(Ask { kind, body, answer });
        async move { answered.await.unwrap_or_else(|_| Err(Error::gone())) }
    }
}

/// Connects and begins a session, and gives the session time-out that the server chose.
async fn greet(host: &str, patience: Duration) -> io::Result<(TcpStream, Duration)> {
    let mut stream = TcpStream::connect(host).await?;
    stream.set_nodelay(true)?;
    let mut hello = Vec::new();
    // The protocol version, the last change seen, the time-out, and no earlier session.
    hello.put_i32(0);
    hello.put_i64(0);
    hello.put_i32(i32::try_from(patience.as_millis()).unwrap_or(i32::MAX));
    hello.put_i64(0);
    put_bytes(&mut hello, &[0; 16]);
    hello.put_u8(0);
    let mut frame = Vec::new();
    put_bytes(&mut frame, &hello);
    stream.write_all(&frame).await?;
    let length = usize::try_from(stream.read_i32().await?).ok().filter(|length| *length <= 1_024);
    let mut told = vec![0; length.ok_or(io::ErrorKind::InvalidData)?];
    stream.read_exact(&mut told).await?;
    let mut told = told.as_slice();
    let _version = told.try_get_i32().map_err(io::Error::other)?;
    let patience = told.try_get_i32().map_err(io::Error::other)?;
    match u64::try_from(patience) {
        Ok(patience @ 1..) => Ok((stream, Duration::from_millis(patience))),
        _ => Err(io::Error::other("it opens no session")),
    }
}

/// The connection's state: bytes to send, bytes received, and requests that wait for answers.
struct Line {
    out: BytesMut,
    come: BytesMut,
    xid: i32,
    waiting: VecDeque<(i32, Answer)>,
}

impl Line {
    fn new(login: Option<&(String, String)>) -> Line {
        let (out, come) = (BytesMut::new(), BytesMut::new());
        let mut line = Line { out, come, xid: 0, waiting: VecDeque::new() };
        if let Some((user, password)) = login {
            let mut body = Vec::new();
            body.put_i32(0);
            put_text(&mut body, "digest");
            put_text(&mut body, &format!("{user}:{password}"));
            line.put(AUTH_XID, AUTH, &body);
        }
        line
    }

    fn put(&mut self, xid: i32, kind: i32, body: &[u8]) {
        self.out.put_i32(i32::try_from(body.len() + 8).unwrap_or(i32::MAX));
        self.out.put_i32(xid);
        self.out.put_i32(kind);
        self.out.put_slice(body);
    }

    /// Drives the connection until it is lost or the `Session` is dropped.
    async fn run(
        mut self,
        stream: TcpStream,
        mut asked: mpsc::UnboundedReceiver<Ask>,
        patience: Duration,
    ) {
        let (mut reader, mut writer) = stream.into_split();
        let mut pings = interval((patience / 3).max(Duration::from_millis(1)));
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        let error = loop {
            tokio::select! {
                ask = asked.recv() => match ask {
                    Some(Ask { kind, body, answer }) => {
                        self.xid = self.xid.checked_add(1).unwrap_or(1);
                        self.put(self.xid, kind, &body);
                        self.waiting.push_back((self.xid, answer));
                    }
                    None => {
                        self.put(0, CLOSE, &[]);
                        let _ = timeout(patience, writer.write_all_buf(&mut self.out)).await;
                        return;
                    }
                },
                sent = writer.write_buf(&mut self.out), if !self.out.is_empty() => {
                    if sent.is_err() {
                        break Error::gone();
                    }
                }
                read = reader.read_buf(&mut self.come) => {
                    heard = Instant::now();
                    if !matches!(read, Ok(1..)) {
                        break Error::gone();
                    }
                    if let Err(error) = self.hear() {
                        break error;
                    }
                }
                _ = pings.tick() => {
                    if heard.elapsed() >= patience {
                        break Error::gone();
                    }
                    self.put(PING_XID, PING, &[]);
                }
            }
        };
        // No request is accepted after this, and those in the queue fail, too.
        asked.close();
        let late = std::iter::from_fn(|| asked.try_recv().ok()).map(|ask| ask.answer);
        for answer in self.waiting.into_iter().map(|(_, answer)| answer).chain(late) {
            let _ = answer.send(Err(error.clone()));
        }
    }

    /// Delivers the complete frames among the received bytes.
    fn hear(&mut self) -> Result<(), Error> {
        while let Some(&length) = self.come.first_chunk::<4>() {
            let length = usize::try_from(i32::from_be_bytes(length)).unwrap_or(usize::MAX);
            if length > LONGEST {
                return Err(Error::unread());
            }
            if self.come.len() < length + 4 {
                return Ok(());
            }
            self.come.advance(4);
            let mut frame = self.come.split_to(length);
            let xid = frame.try_get_i32()?;
            let _zxid = frame.try_get_i64()?;
            let code = frame.try_get_i32()?;
            match xid {
                PING_XID | EVENT_XID => {}
                AUTH_XID if code == 0 => {}
                AUTH_XID => return Err(Error::of(code)),
                _ => match self.waiting.pop_front() {
                    Some((asked, answer)) if asked == xid => {
                        let told =
                            if code == 0 { Ok(frame.to_vec()) } else { Err(Error::of(code)) };
                        // The caller may have given up.
                        let _ = answer.send(told);
                    }
                    _ => return Err(Error::unread()),
                },
            }
        }
        Ok(())
    }
}
