//! Work in a thread that ends with it.

use tokio::sync::oneshot;

/// Does what takes much memory for a short time in a thread of its own: the allocator gives the system back
/// what a thread took that has ended, and of one that goes on it keeps it. `None` where that panics, or the
/// system has no thread to give.
pub(super) async fn own_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = oneshot::channel();
    std::thread::Builder::new()
        .name("own thread".to_owned())
        .spawn(move || {
            // Nobody may wait for it any more.
            let _ = sender.send(work());
        })
        .inspect_err(|error| tracing::error!(%error, "no thread could be started"))
        .ok()?;
    receiver.await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn its_value_is_given_and_a_panic_is_none() {
        assert_eq!(own_thread(|| 1 + 1).await, Some(2));
        let broken: Option<u32> = own_thread(|| panic!("on purpose")).await;
        assert_eq!(broken, None);
    }
}
