use super::*;

async fn vectors_of_sentences_are_kept_by_space_and_text(store: &dyn Store) {
    let world = World::new(store).await;
    let rules = document("rules.md", "1", &[("Mooring", "Two knots."), ("Fees", "Seven euros.")]);
    store.replace_documents(None, world.first, &[rules], &[]).await.unwrap();
    let first = store.passages_after(None, 1).await.unwrap();
    assert_eq!((first[0].section.as_str(), first[0].name.as_str()), ("Mooring", "rules.md"));
    let rest = store.passages_after(Some((&first[0].document_id, first[0].position)), 9).await.unwrap();
    assert_eq!(rest.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>(), ["Seven euros."]);
    let kept = |hash: &str, vector: &[u8]| (hash.to_owned(), vector.to_vec());
    store.put_sentence_vectors("one", &[kept("a", &[1, 0, 255]), kept("b", &[2])]).await.unwrap();
    store.put_sentence_vectors("one", &[kept("a", &[9])]).await.unwrap();
    let hashes = ["a".to_owned(), "c".to_owned()];
    assert_eq!(store.sentence_vectors("one", &hashes).await.unwrap(), [kept("a", &[1, 0, 255])]);
    assert!(store.sentence_vectors("other", &hashes).await.unwrap().is_empty());
    store.clear_sentence_vectors().await.unwrap();
    assert!(store.sentence_vectors("one", &hashes).await.unwrap().is_empty());
}

async fn entries_come_with_their_vectors_or_passages(store: &dyn Store) {
    let world = stocked(store).await;
    let rules = document("rules.md", "1", &[("Mooring", "Two knots.")]);
    store.replace_documents(None, world.second, &[rules], &[]).await.unwrap();
    let before = store.vectors_version("dense").await.unwrap();
    assert_eq!((before.newest, before.vectors), (5, 0));
    let texts = store.items_to_embed(world.topic.id, "dense", 10).await.unwrap();
    let vector = |text: &ItemText| NewEmbedding {
        item: text.id,
        content_hash: text.content_hash.clone(),
        dimensions: Some(1),
        vector: vec![0, 0, 128, 63],
    };
    let vectors: Vec<NewEmbedding> = texts.iter().take(2).map(vector).collect();
    store.commit_embeddings(&world.lease, "dense", &vectors).await.unwrap();
    assert_eq!(store.vectors_version("dense").await.unwrap(), VectorsVersion { vectors: 2, ..before });
    let entries = store.entry_vectors("dense", 0, 10).await.unwrap();
    let passage = EntryContent::Passage { section: "Mooring".to_owned(), text: "Two knots.".to_owned() };
    assert_eq!(entries.last().map(|last| (last.entry, &last.content)), Some((5, &passage)));
    assert_eq!(entries.iter().filter(|e| e.content == EntryContent::Vector(vec![0, 0, 128, 63])).count(), 2);
    assert_eq!(store.entry_vectors("dense", entries[0].entry, 1).await.unwrap(), entries[1..2]);
    assert_eq!(store.entry_vectors("another", 0, 10).await.unwrap().len(), 1, "items have no vector there");
    let changed = NewDocument { read_at: at(9), ..document("rules.md", "2", &[("Mooring", "Three knots.")]) };
    store.replace_documents(None, world.second, &[changed], &[]).await.unwrap();
    let after = store.vectors_version("dense").await.unwrap();
    assert_eq!(after.document_read, Some(at(9).as_millis()), "the entry may have the same id as before");
}

on_every_database!(vectors_of_sentences_are_kept_by_space_and_text, entries_come_with_their_vectors_or_passages,);
