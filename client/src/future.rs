//! Waiting in an async function: woken by the store's answer, or by a timer.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use leafid_core::{HostTime, Refusal};

use crate::Error;
use crate::driver::{Call, Caller, Core, Seat};
use crate::generator::Generator;
use crate::host::timer::Alarm;

/// Tries with each answer of the store, until it succeeds, waiting cannot help, or the time is up.
pub(crate) struct Waited<K, F> {
    generator: Generator<K>,
    call: Call,
    draw: F,
    caller: Option<Caller>,
    /// Where the answer, and the end of the time, find the task.
    seat: Option<Seat>,
    alarm: Alarm,
}

impl<K, F> Waited<K, F> {
    pub(crate) fn new(generator: &Generator<K>, count: u64, draw: F) -> Waited<K, F> {
        let (generator, call) = (generator.clone(), generator.call(count));
        Waited { generator, call, draw, caller: None, seat: None, alarm: Alarm::default() }
    }
}

impl<K, F> Unpin for Waited<K, F> {}

impl<K, T, F> Future for Waited<K, F>
where
    F: FnMut(&mut Core, HostTime) -> Result<T, Refusal>,
{
    type Output = Result<T, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let holding = this.generator.driven().holding()?;
        if !this.caller.as_ref().is_some_and(|caller| Arc::ptr_eq(caller, &holding)) {
            (this.caller, this.seat) = (Some(holding.enter()), None);
        }
        let Some(caller) = &this.caller else { return Poll::Pending };
        // Seated before the try: an answer that comes after it is not missed.
        let seat = this.seat.get_or_insert_with(|| holding.sit());
        seat.wait(context.waker());
        match this.generator.driven().attempt(caller, &this.call, &mut this.draw)? {
            Ok(value) => Poll::Ready(Ok(value)),
            Err(why) => {
                caller.warn();
                let ends = [why.until, this.call.left()].into_iter().flatten().min();
                let ends = ends.and_then(|left| Instant::now().checked_add(left));
                ends.inspect(|at| this.alarm.set(*at, context.waker()));
                Poll::Pending
            }
        }
    }
}
