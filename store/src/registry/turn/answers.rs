//! Answers that wait for a moment in which the store's thread has nothing else to do.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use crate::registry::job::Job;

/// Requests that are done, durably, and not answered yet. To wake those who asked takes longer than to
/// decide what they ask next, so it is done while the database writes that.
#[derive(Default)]
pub struct Answers(Vec<Job>);

impl Answers {
    /// A request is done.
    pub fn put(&mut self, job: Job) {
        self.0.push(job);
    }

    /// Answers all.
    pub fn send(&mut self) {
        for job in self.0.drain(..) {
            job.answer(Ok(()));
        }
    }

    /// Waits for something, and answers all meanwhile if there is a wait.
    pub async fn during<T>(&mut self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        if self.0.is_empty() {
            return wait.await;
        }
        if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await
        {
            return done;
        }
        // What sends it may be another task of this thread.
        tokio::task::yield_now().await;
        self.send();
        wait.await
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use futures_util::FutureExt;
    use leafid_core::registry::TagRow;
    use leafid_core::{Name, StoreTime};
    use tokio::runtime::Handle;
    use tokio::sync::{Semaphore, mpsc};
    use tokio::time::timeout;

    use crate::backends::opening::Options;
    use crate::backends::sqlite::Sqlite;
    use crate::backends::{Abilities, BackEnd, Facts, Fault, Group, Read, Want, Watch, Written};
    use crate::clock::ManualClock;
    use crate::problem::Problem;
    use crate::registry::Registry;
    use crate::store::{Answer, Store, TagChange};

    const LIMIT: Duration = Duration::from_secs(30);

    type First = Arc<Mutex<Option<Answer<'static, TagRow>>>>;

    /// A file that is written when it is let, and that sees whether the first ask was answered when a
    /// write begins.
    struct Far {
        file: Sqlite,
        may: Arc<Semaphore>,
        first: First,
        begins: mpsc::UnboundedSender<bool>,
    }

    impl BackEnd for Far {
        fn facts(&self) -> Facts {
            self.file.facts()
        }

        fn watch(&self) -> Arc<dyn Watch> {
            self.file.watch()
        }

        fn abilities(&self) -> Abilities {
            Abilities { waits: true, ..Abilities::default() }
        }

        async fn begin(&mut self) -> Result<Option<StoreTime>, Fault> {
            self.file.begin().await
        }

        async fn read(&mut self, wants: &[Want]) -> Result<Read, Fault> {
            self.file.read(wants).await
        }

        async fn write(&mut self, groups: &[Group]) -> Result<Written, Fault> {
            let is_answered = |first: &mut Answer<'static, TagRow>| first.now_or_never().is_some();
            let answered = self.first.lock().unwrap().as_mut().is_some_and(is_answered);
            self.begins.send(answered).unwrap();
            self.may.acquire().await.unwrap().forget();
            self.file.write(groups).await
        }
    }

    /// Such a file, and how it is let, looked at and listened to.
    fn far(
        folder: &Path,
        clock: &Arc<ManualClock>,
    ) -> (Far, Arc<Semaphore>, First, mpsc::UnboundedReceiver<bool>) {
        let options = Options { create: true, ..Options::default() };
        let file = Sqlite::open(&folder.join("a.db"), clock.clone(), &options).unwrap();
        let (may, first) = (Arc::new(Semaphore::new(0)), First::default());
        let (begins, begun) = mpsc::unbounded_channel();
        let far = Far { file, may: Arc::clone(&may), first: Arc::clone(&first), begins };
        (far, may, first, begun)
    }

    #[tokio::test]
    async fn what_waits_is_done_when_the_store_is_closed_and_nothing_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(StoreTime::new(1_800_000_000_000)));
        for here in [Some(Handle::current()), None] {
            let (far, may, _, mut begun) = far(folder.path(), &clock);
            let registry = Registry::on(here.as_ref(), far, clock.clone(), false).unwrap();
            let put = |tag: &str| registry.put_tag(Name::tag(tag).unwrap(), TagChange::default());
            let (first, second) = (put("first"), put("second"));
            assert!(timeout(LIMIT, begun.recv()).await.unwrap().is_some());
            let mut closed = registry.close();
            let late = timeout(LIMIT, put("late")).await.unwrap().unwrap_err();
            assert!(late.detail.contains("closed"), "{late}");
            assert!((&mut closed).now_or_never().is_none(), "one is being written");
            may.add_permits(2);
            timeout(LIMIT, closed).await.unwrap().unwrap();
            first.now_or_never().unwrap().unwrap();
            second.now_or_never().unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn what_is_done_is_answered_while_the_next_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(StoreTime::new(1_800_000_000_000)));
        let (far, may, first, mut begun) = far(folder.path(), &clock);
        // The first answer is looked at by the store's own thread.
        let registry: &'static Registry =
            Box::leak(Box::new(Registry::over(far, clock, false).unwrap()));
        let put = |tag: &str| registry.put_tag(Name::tag(tag).unwrap(), TagChange::default());
        let mut begun = async || timeout(LIMIT, begun.recv()).await.unwrap();

        *first.lock().unwrap() = Some(put("first"));
        assert_eq!(begun().await, Some(false));
        let second = put("second");
        may.add_permits(1);
        assert_eq!(begun().await, Some(false), "the second write has begun before");
        // It is not let, and the first is answered all the same.
        let first = first.lock().unwrap().take().unwrap();
        let first: Result<TagRow, Problem> = timeout(LIMIT, first).await.unwrap();
        first.unwrap();
        may.add_permits(1);
        // The last is answered with nothing behind it.
        timeout(LIMIT, second).await.unwrap().unwrap();
    }
}
