use aha_core::ids::CallId;
use aha_core::topic::BudgetTier;
use aha_store::{
    AnswerFeedback, AnswerKey, CallOutcome, NewAnswer, NewCall, Settlement, Store, StoreError, StoredAnswer,
};

use super::on_every_database;
use super::world::{World, at, id};

fn key(tier: BudgetTier) -> AnswerKey {
    AnswerKey {
        task: "triage",
        tier,
        prompt_id: "triage_v1".to_owned(),
        schema_version: "triage_v1",
        fingerprint: "story:0".to_owned(),
    }
}

pub(super) fn call(world: &World, name: &str, reserved: Option<i64>) -> NewCall {
    NewCall {
        id: CallId::of(&[name]),
        run: Some(world.run),
        purpose: "triage",
        provider: "local".to_owned(),
        model: "rules".to_owned(),
        prompt_id: "triage_v1".to_owned(),
        attempt: 1,
        topic: Some(world.topic.id),
        stories: 1,
        degraded_from: None,
        reserved_microcredits: reserved,
        limits: Vec::new(),
        started_at: at(24),
        expires_at: at(26),
    }
}

fn settled(name: &str, cost: Option<i64>, answers: Vec<NewAnswer>) -> Settlement {
    Settlement {
        call: CallId::of(&[name]),
        outcome: CallOutcome::Ok,
        error: None,
        input_tokens: Some(100),
        cached_input_tokens: None,
        output_tokens: None,
        reasoning_tokens: None,
        cost_microcredits: cost,
        latency_ms: 12,
        request_id: None,
        finished_at: at(25),
        answers,
        vectors: None,
    }
}

fn answer(tier: BudgetTier, text: &str) -> NewAnswer {
    NewAnswer {
        key: key(tier),
        provider: "local".to_owned(),
        model: "rules".to_owned(),
        input_hash: format!("hash of {text}"),
        answer_json: format!(r#"{{"reason":"{text}"}}"#),
        members: vec![id("a")],
    }
}

/// An answer of the low tier, given because the budget came to its end, serves what asks for it again.
async fn an_answer_of_a_lower_tier_serves_the_same_run_and_calls_outside_of_runs(store: &dyn Store) {
    let world = World::new(store).await;
    let degraded = Some(BudgetTier::Normal);
    for (name, run) in [("of a run", Some(world.run)), ("of none", None)] {
        let fingerprint = format!("story {name}");
        let of = |tier| AnswerKey { fingerprint: fingerprint.clone(), ..key(tier) };
        let call = NewCall { run, degraded_from: degraded, ..call(&world, name, None) };
        store.reserve_call(Some(&world.lease), &call).await.unwrap();
        let given = NewAnswer { key: of(BudgetTier::Low), ..answer(BudgetTier::Low, name) };
        store.settle_call(Some(&world.lease), &settled(name, Some(0), vec![given])).await.unwrap();
        for asked_by in [Some(world.run), None] {
            let found = store.answer(&of(BudgetTier::Normal), asked_by).await.unwrap();
            assert_eq!(found.is_some(), asked_by == run, "{name}, asked by {asked_by:?}");
        }
        assert!(store.answer(&of(BudgetTier::Low), None).await.unwrap().is_some());
    }
}

async fn answers_come_in_the_order_of_their_keys(store: &dyn Store) {
    let world = World::new(store).await;
    let of = |fingerprint: &str, tier| AnswerKey { fingerprint: fingerprint.to_owned(), ..key(tier) };
    let stored = [("one", BudgetTier::High), ("two", BudgetTier::Normal), ("two", BudgetTier::High)];
    for (number, (fingerprint, tier)) in stored.into_iter().enumerate() {
        let name = format!("call {number}");
        store.reserve_call(Some(&world.lease), &call(&world, &name, None)).await.unwrap();
        let given = NewAnswer { key: of(fingerprint, tier), ..answer(tier, &name) };
        store.settle_call(Some(&world.lease), &settled(&name, Some(0), vec![given])).await.unwrap();
    }
    let normal = BudgetTier::Normal;
    let keys =
        [of("two", normal), of("none", normal), of("one", normal), of("two", normal), of("two", BudgetTier::High)];
    let expected = [Some("call 1"), None, Some("call 0"), Some("call 1"), Some("call 2")];
    let expected = expected.map(|name| name.map(|name| format!("hash of {name}")));
    let hashes = |found: Vec<Option<StoredAnswer>>| {
        found.into_iter().map(|answer| answer.map(|answer| answer.input_hash)).collect::<Vec<_>>()
    };
    assert_eq!(hashes(store.answers(&keys, None).await.unwrap()), expected);
    assert_eq!(hashes(store.answers_of_pass(&keys, world.run, 1).await.unwrap()), expected);
    assert_eq!(hashes(store.answers_of_pass(&keys, world.run, 2).await.unwrap()), vec![None::<String>; 5]);
    let answered = |pass| store.answered_in_pass(world.run, "triage", pass);
    assert_eq!((answered(1).await.unwrap(), answered(2).await.unwrap()), (3, 0));
    assert_eq!(store.answered_in_pass(world.run, "embed", 1).await.unwrap(), 0);
    assert!(store.answers(&[], None).await.unwrap().is_empty());
}

async fn the_calls_behind_an_answer_are_those_of_all_tiers(store: &dyn Store) {
    let world = World::new(store).await;
    for (name, tier) in [("one", BudgetTier::Low), ("two", BudgetTier::High)] {
        store.reserve_call(Some(&world.lease), &call(&world, name, None)).await.unwrap();
        store.settle_call(Some(&world.lease), &settled(name, Some(0), vec![answer(tier, name)])).await.unwrap();
    }
    let mut made: Vec<String> =
        store.calls_of_answer(&key(BudgetTier::Normal)).await.unwrap().into_iter().map(|call| call.id).collect();
    made.sort();
    let mut expected = ["one", "two"].map(|name| CallId::of(&[name]).to_string());
    expected.sort();
    assert_eq!(made, expected);
    let another = AnswerKey { fingerprint: "story:1".to_owned(), ..key(BudgetTier::Low) };
    assert!(store.calls_of_answer(&another).await.unwrap().is_empty());
}

async fn given_scores_are_those_of_triage_newest_first(store: &dyn Store) {
    let world = World::new(store).await;
    for (hour, score, task) in [(25, 40, "triage"), (27, 70, "triage"), (26, 0, "deep_summary")] {
        let name = format!("{task} {hour}");
        let verdict = format!(
            r#"{{"schema_version":"triage_v1","prompt_id":"triage_v1","provider":"local","model":"rules","aha_score":{score},
               "reason":"r","is_relevant":true,"is_novel":true,"categories":[],"should_deep_summarize":false}}"#
        );
        let key = AnswerKey { task, fingerprint: name.clone(), ..key(BudgetTier::Normal) };
        let answer = NewAnswer { key, answer_json: verdict, ..answer(BudgetTier::Normal, &name) };
        store.reserve_call(Some(&world.lease), &call(&world, &name, Some(0))).await.unwrap();
        let settlement = Settlement { finished_at: at(hour), ..settled(&name, Some(0), vec![answer]) };
        store.settle_call(Some(&world.lease), &settlement).await.unwrap();
    }
    let given = store.given_scores(9).await.unwrap();
    assert_eq!(
        given.iter().map(|score| (score.aha_score, score.given_at)).collect::<Vec<_>>(),
        [(70, at(27)), (40, at(25))]
    );
    assert_eq!((given[0].model.as_str(), given[0].prompt_id.as_str()), ("local/rules", "triage_v1"));
    assert_eq!(store.given_scores(1).await.unwrap(), given[..1]);
}

async fn give(store: &dyn Store, world: &World, name: &str, tier: BudgetTier) {
    store.reserve_call(Some(&world.lease), &call(world, name, Some(0))).await.unwrap();
    store.settle_call(Some(&world.lease), &settled(name, Some(0), vec![answer(tier, name)])).await.unwrap();
}

async fn an_answer_is_found_again_whole(store: &dyn Store) {
    let world = World::new(store).await;
    assert_eq!(store.answer(&key(BudgetTier::Normal), None).await.unwrap(), None);
    give(store, &world, "one", BudgetTier::Normal).await;
    let stored = store.answer(&key(BudgetTier::Normal), None).await.unwrap().unwrap();
    assert_eq!((stored.provider.as_str(), stored.model.as_str()), ("local", "rules"));
    assert_eq!((stored.input_hash.as_str(), stored.answer_json.as_str()), ("hash of one", r#"{"reason":"one"}"#));
    assert_eq!(stored.call_id, CallId::of(&["one"]).to_string());
    for other in [
        AnswerKey { task: "deep_summary", ..key(BudgetTier::Normal) },
        AnswerKey { prompt_id: "triage_v2".to_owned(), ..key(BudgetTier::Normal) },
        AnswerKey { fingerprint: "story:1".to_owned(), ..key(BudgetTier::Normal) },
    ] {
        assert_eq!(store.answer(&other, None).await.unwrap(), None);
    }
}

async fn a_higher_tiers_answer_will_do_and_a_lower_ones_will_not(store: &dyn Store) {
    let world = World::new(store).await;
    give(store, &world, "low", BudgetTier::Low).await;
    assert_eq!(store.answer(&key(BudgetTier::Normal), None).await.unwrap(), None);
    give(store, &world, "high", BudgetTier::High).await;
    let found = async |tier| store.answer(&key(tier), None).await.unwrap().unwrap().input_hash;
    assert_eq!(found(BudgetTier::Normal).await, "hash of high");
    assert_eq!(found(BudgetTier::Low).await, "hash of low", "the same tier's is preferred");
    give(store, &world, "normal", BudgetTier::Normal).await;
    assert_eq!(found(BudgetTier::Normal).await, "hash of normal");
}

async fn a_new_answer_replaces_the_old(store: &dyn Store) {
    let world = World::new(store).await;
    give(store, &world, "one", BudgetTier::Normal).await;
    give(store, &world, "two", BudgetTier::Normal).await;
    let stored = store.answer(&key(BudgetTier::Normal), None).await.unwrap().unwrap();
    assert_eq!(stored.input_hash, "hash of two");
}

async fn the_newest_answer_about_members_is_found(store: &dyn Store) {
    let world = World::new(store).await;
    assert_eq!(store.newest_answer("triage", &[id("a")]).await.unwrap(), None);
    for (name, hour) in [("first", 25), ("last", 27), ("second", 26)] {
        store.reserve_call(Some(&world.lease), &call(&world, name, Some(0))).await.unwrap();
        let mut given = answer(BudgetTier::Normal, name);
        given.key.fingerprint = name.to_owned();
        let settlement = Settlement { finished_at: at(hour), ..settled(name, Some(0), vec![given]) };
        store.settle_call(Some(&world.lease), &settlement).await.unwrap();
    }
    let found = store.newest_answer("triage", &[id("a")]).await.unwrap().unwrap();
    assert_eq!(found.input_hash, "hash of last");
    let call_id = |name: &str| CallId::of(&[name]).to_string();
    let second = store.answer_of_call("triage", &call_id("second")).await.unwrap().unwrap();
    assert_eq!(second.input_hash, "hash of second");
    for (task, call) in [("deep_summary", call_id("second")), ("triage", call_id("none"))] {
        assert_eq!(store.answer_of_call(task, &call).await.unwrap(), None, "{task} {call}");
    }
    for (task, members) in
        [("deep_summary", vec![id("a")]), ("triage", vec![id("b")]), ("triage", vec![id("a"), id("b")])]
    {
        assert_eq!(store.newest_answer(task, &members).await.unwrap(), None, "{task} {members:?}");
    }
}

async fn costs_are_told_by_call(store: &dyn Store) {
    let world = World::new(store).await;
    for (name, cost) in [("one", Some(70)), ("two", Some(5)), ("unknown", None), ("not asked for", Some(900))] {
        store.reserve_call(Some(&world.lease), &call(&world, name, Some(100))).await.unwrap();
        let mut settlement = settled(name, cost, Vec::new());
        settlement.outcome = if cost.is_some() { CallOutcome::Ok } else { CallOutcome::Unsettled };
        store.settle_call(Some(&world.lease), &settlement).await.unwrap();
    }
    let calls: Vec<_> = ["one", "two", "one", "unknown", "absent"].map(|name| CallId::of(&[name]).to_string()).into();
    let costs = store.costs_of_calls(&calls).await.unwrap();
    let mut amounts: Vec<Option<i64>> = costs.iter().map(|cost| cost.microcredits).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [Some(5), Some(70), Some(100)], "an unsettled call counts at what was reserved");
    store.reserve_call(Some(&world.lease), &call(&world, "unpriced", None)).await.unwrap();
    let costs = store.costs_of_calls(&[CallId::of(&["unpriced"]).to_string()]).await.unwrap();
    assert_eq!(costs[0].microcredits, None, "a model without a price");
    assert!(store.costs_of_calls(&[]).await.unwrap().is_empty());
}

async fn a_failed_call_is_closed_without_an_answer(store: &dyn Store) {
    let world = World::new(store).await;
    store.reserve_call(Some(&world.lease), &call(&world, "one", Some(0))).await.unwrap();
    let failed = Settlement {
        outcome: CallOutcome::Error,
        error: Some(("timeout".to_owned(), "60 s without a byte".to_owned())),
        ..settled("one", Some(0), Vec::new())
    };
    store.settle_call(Some(&world.lease), &failed).await.unwrap();
    assert_eq!(store.answer(&key(BudgetTier::Low), None).await.unwrap(), None);
}

async fn settling_what_was_never_reserved_stores_no_answer(store: &dyn Store) {
    let world = World::new(store).await;
    let settlement = settled("never", Some(0), vec![answer(BudgetTier::Normal, "never")]);
    let refused = store.settle_call(Some(&world.lease), &settlement).await;
    assert!(matches!(refused, Err(StoreError::NotFound { what: "ledger row", .. })), "{refused:?}");
    assert_eq!(store.answer(&key(BudgetTier::Normal), None).await.unwrap(), None);
}

async fn what_is_said_of_an_answer_replaces_what_was_said_before(store: &dyn Store) {
    let said = |user: &str, answer: Option<&str>, is_right: bool, hour: i64| AnswerFeedback {
        user: user.to_owned(),
        question: "Who rows?".to_owned(),
        answer: answer.map(ToOwned::to_owned),
        is_right,
        given_at: at(hour),
    };
    let (first, second) = (said("zoë", Some("Ann does."), false, 1), said("owner", None, true, 2));
    for one in [&first, &second] {
        store.put_answer_feedback(one).await.unwrap();
    }
    assert_eq!(store.answer_feedback().await.unwrap(), [first, second.clone()]);
    let third = said("zoë", Some("Ben does."), true, 3);
    store.put_answer_feedback(&third).await.unwrap();
    assert_eq!(store.answer_feedback().await.unwrap(), [second, third]);
}

/// Four random bytes a character: no database stores the text in much less space.
async fn the_longest_question_has_feedback_of_its_own(store: &dyn Store) {
    let mut random = 1_u32;
    let mut character = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from_u32(0x2_0000 + (random >> 16) % 0xA000).unwrap()
    };
    let longest: String = (0..2_000).map(|_| character()).collect();
    let said = |question: &str, is_right: bool, hour: i64| AnswerFeedback {
        user: "owner".to_owned(),
        question: question.to_owned(),
        answer: None,
        is_right,
        given_at: at(hour),
    };
    let another: String = longest.chars().take(1_999).chain(['?']).collect();
    for one in [said(&longest, false, 1), said(&another, true, 2), said(&longest, true, 3)] {
        store.put_answer_feedback(&one).await.unwrap();
    }
    assert_eq!(store.answer_feedback().await.unwrap(), [said(&another, true, 2), said(&longest, true, 3)]);
}

on_every_database!(
    what_is_said_of_an_answer_replaces_what_was_said_before,
    the_longest_question_has_feedback_of_its_own,
    the_calls_behind_an_answer_are_those_of_all_tiers,
    answers_come_in_the_order_of_their_keys,
    an_answer_of_a_lower_tier_serves_the_same_run_and_calls_outside_of_runs,
    given_scores_are_those_of_triage_newest_first,
    an_answer_is_found_again_whole,
    a_higher_tiers_answer_will_do_and_a_lower_ones_will_not,
    a_new_answer_replaces_the_old,
    the_newest_answer_about_members_is_found,
    costs_are_told_by_call,
    a_failed_call_is_closed_without_an_answer,
    settling_what_was_never_reserved_stores_no_answer,
);
