use aha_core::account::{Account, Role};
use aha_store::{AccountRemoval, IdempotentRequest, RequestState, Store, StoredResponse};

use super::on_every_database;
use super::world::at;

fn account(name: &str, role: Role) -> Account {
    Account { name: name.to_owned(), role, created_at: at(1) }
}

async fn an_account_is_added_once_and_comes_by_name(store: &dyn Store) {
    assert!(store.add_account(&account("zoë", Role::Reader), "hash").await.unwrap());
    assert!(store.add_account(&account("owner", Role::Admin), "other").await.unwrap());
    assert!(!store.add_account(&account("zoë", Role::Admin), "third").await.unwrap());
    let (owner, zoe) = (account("owner", Role::Admin), account("zoë", Role::Reader));
    assert_eq!(store.accounts().await.unwrap(), [owner, zoe.clone()]);
    assert_eq!(store.account("zoë").await.unwrap(), Some((zoe, "hash".to_owned())));
    assert_eq!(store.account("nobody").await.unwrap(), None);
}

async fn a_session_ends_by_age_by_log_out_and_with_its_password(store: &dyn Store) {
    let reader = account("zoë", Role::Reader);
    store.add_account(&reader, "hash").await.unwrap();
    for fingerprint in ["a", "b", "c"] {
        store.open_session("zoë", fingerprint, at(1), at(10)).await.unwrap();
    }
    assert_eq!(store.session("a", at(9)).await.unwrap(), Some(reader.clone()));
    assert_eq!(store.session("a", at(10)).await.unwrap(), None);
    assert_eq!(store.session("d", at(2)).await.unwrap(), None);
    store.close_session("a").await.unwrap();
    assert_eq!(store.session("a", at(2)).await.unwrap(), None);
    assert_eq!(store.session("b", at(2)).await.unwrap(), Some(reader));
    assert!(store.set_password("zoë", "new").await.unwrap());
    assert_eq!(store.session("b", at(2)).await.unwrap(), None);
    assert!(!store.set_password("nobody", "new").await.unwrap());
    store.open_session("zoë", "e", at(2), at(10)).await.unwrap();
    assert_eq!(store.remove_account("zoë").await.unwrap(), AccountRemoval::Removed);
    assert_eq!(store.remove_account("zoë").await.unwrap(), AccountRemoval::Unknown);
    assert_eq!(store.session("e", at(3)).await.unwrap(), None);
}

async fn an_admin_remains_while_there_are_other_accounts(store: &dyn Store) {
    let remove = async |name: &str| store.remove_account(name).await.unwrap();
    store.add_account(&account("zoë", Role::Reader), "hash").await.unwrap();
    for round in 0..10 {
        for name in ["ann", "ben"] {
            store.add_account(&account(name, Role::Admin), "hash").await.unwrap();
        }
        let mut removals = <[AccountRemoval; 2]>::from(tokio::join!(remove("ann"), remove("ben")));
        removals.sort_by_key(|removal| *removal == AccountRemoval::LastAdmin);
        assert_eq!(removals, [AccountRemoval::Removed, AccountRemoval::LastAdmin], "round {round}");
    }
    let left: Vec<Account> = store.accounts().await.unwrap();
    let admin = left.iter().find(|account| account.role == Role::Admin).unwrap().name.clone();
    store.open_session(&admin, "a", at(1), at(10)).await.unwrap();
    assert_eq!(remove(&admin).await, AccountRemoval::LastAdmin);
    assert!(store.session("a", at(2)).await.unwrap().is_some(), "its session goes on");
    assert_eq!(remove("zoë").await, AccountRemoval::Removed);
    assert_eq!(remove(&admin).await, AccountRemoval::Removed, "nobody else is left");
}

async fn a_key_is_for_one_request_and_keeps_its_answer(store: &dyn Store) {
    let key =
        |hash: &str| IdempotentRequest { user: "owner".to_owned(), key: "k".to_owned(), request_hash: hash.to_owned() };
    let take = async |of: &IdempotentRequest, hour| {
        store.claim_request(of, at(hour), at(hour - 1), at(hour - 24)).await.unwrap()
    };
    assert_eq!(take(&key("one"), 1).await, RequestState::Claimed);
    assert_eq!(take(&key("one"), 1).await, RequestState::InProgress);
    assert_eq!(take(&key("two"), 1).await, RequestState::UsedByAnotherRequest);
    assert_eq!(take(&IdempotentRequest { user: "zoë".to_owned(), ..key("two") }, 1).await, RequestState::Claimed);
    assert_eq!(take(&key("two"), 3).await, RequestState::UsedByAnotherRequest);
    assert_eq!(take(&key("one"), 3).await, RequestState::Claimed, "the first attempt never ended");
    assert_eq!(take(&key("one"), 3).await, RequestState::InProgress);
    store.release_request(&key("one")).await.unwrap();
    assert_eq!(take(&key("one"), 3).await, RequestState::Claimed);
    let answer = StoredResponse { status: 201, body: "{}".to_owned(), location: Some("/one".to_owned()) };
    store.store_response(&key("one"), &answer).await.unwrap();
    store.release_request(&key("one")).await.unwrap();
    let answered = RequestState::Answered(answer);
    assert_eq!(take(&key("one"), 6).await, answered);
    assert_eq!(take(&key("one"), 28).await, RequestState::Claimed);
}

async fn a_token_for_feeds_is_one_a_user_and_can_be_taken_back(store: &dyn Store) {
    store.add_account(&account("zoë", Role::Reader), "hash").await.unwrap();
    store.set_feed_token("zoë", "a", at(1)).await.unwrap();
    store.set_feed_token("owner", "b", at(2)).await.unwrap();
    assert_eq!(store.user_of_feed_token("a").await.unwrap().as_deref(), Some("zoë"));
    assert_eq!(store.user_of_feed_token("b").await.unwrap().as_deref(), Some("owner"));
    store.set_feed_token("zoë", "c", at(3)).await.unwrap();
    assert_eq!(store.user_of_feed_token("a").await.unwrap(), None);
    assert_eq!(store.feed_token("zoë").await.unwrap(), Some(at(3)));
    assert_eq!(store.remove_account("zoë").await.unwrap(), AccountRemoval::Removed);
    assert_eq!(store.user_of_feed_token("c").await.unwrap(), None);
    assert!(store.remove_feed_token("owner").await.unwrap());
    assert!(!store.remove_feed_token("owner").await.unwrap());
    assert_eq!(store.feed_token("owner").await.unwrap(), None);
}

on_every_database!(
    a_token_for_feeds_is_one_a_user_and_can_be_taken_back,
    an_account_is_added_once_and_comes_by_name,
    an_admin_remains_while_there_are_other_accounts,
    a_session_ends_by_age_by_log_out_and_with_its_password,
    a_key_is_for_one_request_and_keeps_its_answer,
);
