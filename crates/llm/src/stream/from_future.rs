//! Streams fed by a future through a channel.

use futures::stream::{self, Stream, StreamExt as _};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Returns a stream of the values that a future sends, in order. The future runs while the stream is polled, and is
/// dropped with it.
pub(crate) fn stream_from<T, F: Future<Output = ()>>(
    work: impl FnOnce(UnboundedSender<T>) -> F,
) -> impl Stream<Item = T> {
    let (sender, mut receiver) = unbounded_channel();
    let sent = stream::poll_fn(move |context| receiver.poll_recv(context));
    let working = stream::once(work(sender)).filter_map(|()| std::future::ready(None));
    stream::select(sent, working)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_sent_comes_in_its_order_and_then_the_stream_ends() {
        let numbers = stream_from(async |sender: UnboundedSender<u32>| {
            for number in 0..100 {
                let _ = sender.send(number);
                tokio::task::yield_now().await;
            }
        });
        assert_eq!(numbers.collect::<Vec<_>>().await, (0..100).collect::<Vec<_>>());
    }
}
