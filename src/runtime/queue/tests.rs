use super::*;
use crate::config::Environment;

fn queue(pairs: &[(&str, &str)]) -> Queue {
    let environment = Environment::from_pairs(pairs.iter().copied());
    Queue::new(&Settings::from_environment(&environment).unwrap().0)
}

#[tokio::test]
async fn principals_take_turns_whoever_asked_for_more() {
    let queue = queue(&[("MCE_MAX_CONCURRENT_EXECUTIONS", "1")]);
    let first = queue.take("ada", Client::default()).await.unwrap();
    let served = Arc::new(Mutex::new(Vec::new()));
    let mut waiting = Vec::new();
    for principal in ["ada", "ada", "ada", "bob", "bob", "eve"] {
        let (queue, served) = (queue.clone(), Arc::clone(&served));
        waiting.push(tokio::spawn(async move {
            let _place = queue.take(principal, Client::default()).await.unwrap();
            served.lock().unwrap().push(principal);
        }));
        tokio::task::yield_now().await;
    }
    drop(first);
    for one in waiting {
        one.await.unwrap();
    }
    let served = served.lock().unwrap().clone();
    assert_eq!(served, ["bob", "eve", "ada", "bob", "ada", "ada"]);
    assert_eq!(queue.state().free, 1);
}

#[tokio::test]
async fn of_a_full_queue_who_has_most_waiting_makes_room_for_who_has_less() {
    let queue = queue(&[
        ("MCE_MAX_CONCURRENT_EXECUTIONS", "1"),
        ("MCE_MAX_QUEUED_EXECUTIONS", "4"),
    ]);
    let _running = queue.take("ada", Client::default()).await.unwrap();
    let wait = |principal: &'static str| {
        let queue = queue.clone();
        tokio::spawn(async move { queue.take(principal, Client::default()).await.map(drop) })
    };
    let mut of_ada: Vec<_> = (0..4).map(|_| wait("ada")).collect();
    tokio::task::yield_now().await;
    let refusal = queue.take("ada", Client::default()).await.err().unwrap();
    assert_eq!(refusal.error_type, ErrorType::Busy);
    assert_eq!(
        refusal.hint.as_deref(),
        Some("try again in about 5 seconds, with fewer executions at once")
    );
    let _of_bob = [wait("bob"), wait("bob")];
    for _ in 0..2 {
        let turned_away = of_ada.pop().unwrap().await.unwrap().err().unwrap();
        assert_eq!(turned_away.error_type, ErrorType::Busy);
        assert!(turned_away.message.ends_with("others wait who had less"));
    }
    // Two and two: a third of either would only change places.
    assert!(queue.take("bob", Client::default()).await.is_err());
    let _of_eve = wait("eve");
    tokio::task::yield_now().await;
    let state = queue.state();
    assert_eq!(state.count(), 4);
    let counts =
        ["ada", "bob", "eve"].map(|principal| state.line_of(principal).map_or(0, Line::count));
    assert!([[1, 2, 1], [2, 1, 1]].contains(&counts), "{counts:?}");
    assert!(
        of_ada
            .iter()
            .filter(|waiting| waiting.is_finished())
            .count()
            <= 1
    );
}

#[tokio::test]
async fn ten_thousand_at_once_are_served_or_told_so_at_once() {
    let queue = queue(&[("MCE_MAX_CONCURRENT_EXECUTIONS", "4")]);
    let asked = tokio::sync::watch::Sender::new(0);
    let take = || {
        let (queue, asked) = (queue.clone(), asked.clone());
        tokio::spawn(async move {
            asked.send_modify(|asked| *asked += 1);
            let place = queue.take("ada", Client::default()).await;
            let mut all = asked.subscribe();
            let _ = all.wait_for(|asked| *asked == 10_000).await;
            place.is_ok()
        })
    };
    let all: Vec<_> = (0..10_000).map(|_| take()).collect();
    let mut served = 0;
    for one in all {
        served += usize::from(one.await.unwrap());
    }
    // Four run, and the queue waits.
    assert_eq!(served, 4 + 64);
    let state = queue.state();
    assert_eq!((state.free, state.count()), (4, 0));
}

#[tokio::test]
async fn who_waits_too_long_or_goes_away_keeps_no_place() {
    let queue = queue(&[
        ("MCE_MAX_CONCURRENT_EXECUTIONS", "1"),
        ("MCE_QUEUE_SECONDS", "0.05"),
    ]);
    let running = queue.take("ada", Client::default()).await.unwrap();
    let refusal = queue.take("bob", Client::default()).await.err().unwrap();
    assert!(
        refusal.message.ends_with("for 0.05 seconds"),
        "{}",
        refusal.message
    );
    let gone = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take("eve", Client::default()).await.map(drop) }
    });
    tokio::task::yield_now().await;
    gone.abort();
    let _ = gone.await;
    drop(running);
    assert!(queue.take("bob", Client::default()).await.is_ok());
}

#[tokio::test]
async fn clients_of_one_principal_take_turns_and_make_room_for_each_other() {
    let queue = queue(&[
        ("MCE_MAX_CONCURRENT_EXECUTIONS", "1"),
        ("MCE_MAX_QUEUED_EXECUTIONS", "4"),
    ]);
    let [busy, modest] = [Client::another(), Client::another()];
    let first = queue.take("ada", busy).await.unwrap();
    let served = Arc::new(Mutex::new(Vec::new()));
    let mut waiting = Vec::new();
    for client in [busy, busy, busy, busy, modest] {
        let (queue, served) = (queue.clone(), Arc::clone(&served));
        waiting.push(tokio::spawn(async move {
            let place = queue.take("ada", client).await;
            if place.is_ok() {
                served.lock().unwrap().push(client);
            }
        }));
        tokio::task::yield_now().await;
    }
    assert_eq!(queue.numbers(), (1, 0, 4));
    drop(first);
    for one in waiting {
        one.await.unwrap();
    }
    assert_eq!(*served.lock().unwrap(), [modest, busy, busy, busy]);
    assert_eq!(queue.numbers(), (1, 1, 0));
}

#[tokio::test]
async fn of_a_full_queue_who_was_served_last_makes_room_for_who_was_not() {
    let queue = queue(&[
        ("MCE_MAX_CONCURRENT_EXECUTIONS", "1"),
        ("MCE_MAX_QUEUED_EXECUTIONS", "2"),
    ]);
    let [old, served, other] = [Client::another(), Client::another(), Client::another()];
    drop(queue.take("ada", served).await.unwrap());
    let _running = queue.take("ada", other).await.unwrap();
    let wait = |client| {
        let queue = queue.clone();
        tokio::spawn(async move { queue.take("ada", client).await.map(drop) })
    };
    let [of_served, of_other] = [wait(served), wait(other)];
    tokio::task::yield_now().await;
    // Who comes anew has waited for nothing yet.
    let refusal = queue.take("ada", Client::another()).await.err().unwrap();
    assert!(refusal.message.ends_with("and as many wait as may"));
    let of_old = wait(old);
    let turned_away = of_other.await.unwrap().err().unwrap();
    assert!(
        turned_away
            .message
            .ends_with("and others wait who had less")
    );
    assert!(!of_served.is_finished() && !of_old.is_finished());
    // Each has one, and nobody's turn is longer ago.
    assert!(queue.take("ada", other).await.is_err());
    // Of another principal the turn was never.
    let _of_bob = {
        let queue = queue.clone();
        tokio::spawn(async move { queue.take("bob", Client::another()).await.map(drop) })
    };
    tokio::task::yield_now().await;
    let state = queue.state();
    assert_eq!(state.line_of("ada").map(Line::count), Some(1));
    assert_eq!(state.line_of("bob").map(Line::count), Some(1));
}

#[tokio::test]
async fn a_place_goes_to_who_waits_though_another_was_turned_away_before() {
    let queue = queue(&[
        ("MCE_MAX_CONCURRENT_EXECUTIONS", "1"),
        ("MCE_MAX_QUEUED_EXECUTIONS", "1"),
    ]);
    let [first, second] = [Client::another(), Client::another()];
    let running = queue.take("ada", Client::another()).await.unwrap();
    let wait = |client| {
        let queue = queue.clone();
        tokio::spawn(async move { queue.take("ada", client).await.map(drop) })
    };
    let turned_away = wait(second);
    tokio::task::yield_now().await;
    let served = wait(first);
    assert!(turned_away.await.unwrap().is_err());
    drop(running);
    assert!(served.await.unwrap().is_ok());
    assert_eq!(queue.numbers(), (1, 1, 0));
}
