//! A connection that is driven by whoever waits for it. As a task of its own it would be woken for
//! each answer and wake the one who waits, and beside a commit of a tenth of a millisecond that shows.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use tokio::runtime::Handle;

/// Nobody is at it: who waits is woken.
const AWAY: u8 = 0;
/// It is being polled.
const AT_IT: u8 = 1;
/// It is being polled, and something has come meanwhile.
const MORE: u8 = 2;

/// How often it is continued before other tasks have their turn: each may have used up its own.
const ROUNDS: u32 = 16;

/// What a connection does by itself: it ends when its client is dropped, or the other end ends it.
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A connection. Nothing goes over it while nobody waits.
pub struct Driven {
    work: Mutex<Option<Work>>,
    bell: Arc<Bell>,
    waker: Waker,
}

impl Driven {
    /// This is what it does.
    pub fn new(work: impl Future<Output = ()> + Send + 'static) -> Driven {
        let bell = Arc::new(Bell::default());
        let waker = Waker::from(Arc::clone(&bell));
        Driven { work: Mutex::new(Some(Box::pin(work))), bell, waker }
    }

    /// Waits for what comes over the connection.
    pub async fn during<T>(&mut self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        poll_fn(|cx| {
            self.bell.begin(cx.waker());
            let mut inner = Context::from_waker(&self.waker);
            for _ in 0..ROUNDS {
                // What is asked goes out, and what has been answered comes in, in one go.
                let mut done = wait.as_mut().poll(&mut inner);
                if done.is_pending() {
                    go_on(&mut self.work, &mut inner);
                    done = wait.as_mut().poll(&mut inner);
                }
                if done.is_ready() {
                    self.bell.leave();
                    return done;
                }
                if self.bell.end() {
                    return Poll::Pending;
                }
            }
            self.bell.leave();
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await
    }

    /// Takes in what has come while nobody waited: the end of the connection may be in it.
    pub fn glance(&mut self) {
        self.bell.begin(Waker::noop());
        go_on(&mut self.work, &mut Context::from_waker(&self.waker));
        self.bell.leave();
    }
}

fn go_on(work: &mut Mutex<Option<Work>>, cx: &mut Context<'_>) {
    let work = work.get_mut().unwrap_or_else(PoisonError::into_inner);
    if work.as_mut().is_some_and(|work| work.as_mut().poll(cx).is_ready()) {
        *work = None;
    }
}

/// The other end is told that it is over.
impl Drop for Driven {
    fn drop(&mut self) {
        let work = self.work.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(work), Ok(runtime)) = (work, Handle::try_current()) {
            runtime.spawn(work);
        }
    }
}

/// Wakes who waits, but for what happens while they are at it.
#[derive(Default)]
struct Bell {
    state: AtomicU8,
    waits: Mutex<Option<Waker>>,
}

impl Bell {
    /// Somebody is at it, and is to be woken later.
    fn begin(&self, waker: &Waker) {
        self.state.store(AT_IT, Ordering::SeqCst);
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *waits {
            Some(known) => known.clone_from(waker),
            None => *waits = Some(waker.clone()),
        }
    }

    /// Whether nothing has come meanwhile; else somebody is still at it.
    fn end(&self) -> bool {
        let (from, to, order) = (AT_IT, AWAY, Ordering::SeqCst);
        let ended = self.state.compare_exchange(from, to, order, order).is_ok();
        if !ended {
            self.state.store(AT_IT, order);
        }
        ended
    }

    /// Nobody waits any longer.
    fn leave(&self) {
        self.state.store(AWAY, Ordering::SeqCst);
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let order = Ordering::SeqCst;
        if self.state.compare_exchange(AT_IT, MORE, order, order) == Err(AWAY) {
            let waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(waits) = waits {
                waits.wake();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize};
    use std::time::Duration;

    use tokio::sync::{mpsc, oneshot};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    type Asked = (u32, oneshot::Sender<u32>);

    /// Answers by one more what comes in; says when it has ended.
    fn adder() -> (mpsc::UnboundedSender<Asked>, Driven, Arc<AtomicBool>) {
        let (ask, mut asked) = mpsc::unbounded_channel::<Asked>();
        let ended = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&ended);
        let driven = Driven::new(async move {
            while let Some((number, answer)) = asked.recv().await {
                let _ = answer.send(number + 1);
            }
            over.store(true, Ordering::SeqCst);
        });
        (ask, driven, ended)
    }

    /// Counts how often who waits is woken.
    struct Counts(AtomicUsize);

    impl Wake for Counts {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn what_it_answers_by_itself_wakes_nobody() {
        let (ask, mut driven, _) = adder();
        let counts = Arc::new(Counts(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&counts));
        let wait = driven.during(async {
            let mut number = 0;
            for _ in 0..5 {
                let (answer, answered) = oneshot::channel();
                ask.send((number, answer)).unwrap();
                number = answered.await.unwrap();
            }
            number
        });
        let done = pin!(wait).poll(&mut Context::from_waker(&waker));
        assert_eq!((done, counts.0.load(Ordering::SeqCst)), (Poll::Ready(5), 0));
    }

    #[tokio::test]
    async fn what_comes_from_elsewhere_wakes_who_waits() {
        let (send, mut arrives) = mpsc::unbounded_channel();
        let (tell, mut told) = mpsc::unbounded_channel();
        let mut driven = Driven::new(async move {
            while let Some(number) = arrives.recv().await {
                tell.send(number).unwrap();
            }
        });
        // Another thread sends at any moment of the polling.
        let sender = std::thread::spawn(move || {
            for number in 0..100_000_u32 {
                send.send(number).unwrap();
            }
        });
        for number in 0..100_000 {
            let had = tokio::time::timeout(LIMIT, driven.during(told.recv())).await;
            assert_eq!(had.expect("nobody was woken"), Some(number));
        }
        sender.join().unwrap();
    }

    #[tokio::test]
    async fn its_end_is_seen_by_a_glance_and_it_ends_when_it_is_dropped() {
        let (ask, mut driven, ended) = adder();
        driven.glance();
        assert!(!ended.load(Ordering::SeqCst));
        drop(ask);
        driven.glance();
        assert!(ended.load(Ordering::SeqCst));
        let (ask, driven, ended) = adder();
        drop((driven, ask));
        tokio::task::yield_now().await;
        assert!(ended.load(Ordering::SeqCst), "its last words are sent by the runtime");
    }
}
