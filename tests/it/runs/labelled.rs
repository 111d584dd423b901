//! The stories of the examples beside their labels.

use super::*;

/// Stories that the labels say are one, and their items' names in the feeds.
fn labelled() -> Vec<(String, Vec<String>)> {
    let labels = std::fs::read_to_string(repository("examples/stories.json")).unwrap();
    let labels: Value = serde_json::from_str(&labels).unwrap();
    let strings = |values: &[Value]| values.iter().map(|value| value.as_str().unwrap().to_owned()).collect();
    list(&labels, "stories").iter().map(|s| (text(s, "name").to_owned(), strings(list(s, "items")))).collect()
}

#[test]
fn labelled_stories_are_found_whole_and_kept_apart() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    let placed: BTreeMap<String, String> = rows::query(
        &radar,
        "SELECT p.external_id || ' ' || c.cluster_id
         FROM content_item_sources p JOIN cluster_items c ON c.item_id = p.item_id",
    )
    .iter()
    .map(|row| row.rsplit_once(' ').map(|(name, cluster)| (name.to_owned(), cluster.to_owned())).unwrap())
    .collect();
    let mut torn = Vec::new();
    let mut owners: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, items) in labelled() {
        let clusters: BTreeSet<&str> = items.iter().map(|item| placed[item].as_str()).collect();
        if clusters.len() > 1 {
            torn.push(name.clone());
        }
        for cluster in clusters {
            owners.entry(cluster).or_default().insert(name.clone());
        }
    }
    let merged: Vec<_> = owners.into_values().filter(|names| names.len() > 1).collect();
    assert!(merged.is_empty(), "{merged:#?}");
    assert_eq!(torn, TORN);
}

/// Labelled stories that the local space does not find whole.
const TORN: [&str; 0] = [];
