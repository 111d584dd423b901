//! The order in which sources are fetched: those of one host one after the other, and the hosts in turn, so that a slow
//! host delays only its own sources. Input: the sources that are due, in the order of their addresses. Output: the next
//! one to fetch. Called by the ingest stage. Pure.

use std::collections::{HashMap, HashSet, VecDeque};

use aha_core::fetch::FetchErrorKind;
use aha_core::source::{Source, SourceKind};
use aha_core::time::Timestamp;
use url::Url;

use crate::sources::fetch::remembered_host;

/// A source to be fetched, with its place in the order in which fetches are stored.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) place: usize,
    pub(super) source: Source,
    /// What its fetch occupies; `None` for files and searches.
    pub(super) host: Option<String>,
}

/// The sources that are still to be fetched, by host.
#[derive(Debug)]
pub(super) struct HostQueues {
    /// Never empty ones; the first is the next.
    queues: VecDeque<VecDeque<Queued>>,
    /// Hosts with a fetch in progress.
    busy: HashSet<String>,
}

impl HostQueues {
    /// Sources, and hosts, that did not answer last time come last: they may take a whole time-out each. Of these
    /// sources the one asked longest ago comes first, so that each has its turn although a host is soon given up.
    pub(super) fn of(due: Vec<Source>) -> Self {
        let mut queues: Vec<Vec<Queued>> = Vec::new();
        let mut by_host: HashMap<String, usize> = HashMap::new();
        for (place, source) in due.into_iter().enumerate() {
            let host = host_of(&source);
            let next = Queued { place, source, host: host.clone() };
            let known = host.as_ref().and_then(|host| by_host.get(host)).and_then(|at| queues.get_mut(*at));
            if let Some(queue) = known {
                queue.push(next);
                continue;
            }
            by_host.extend(host.map(|host| (host, queues.len())));
            queues.push(vec![next]);
        }
        for queue in &mut queues {
            queue.sort_by_key(|queued| timed_out_at(&queued.source));
        }
        queues.sort_by_key(|queue| queue.iter().all(|queued| timed_out_at(&queued.source).is_some()));
        Self { queues: queues.into_iter().map(VecDeque::from).collect(), busy: HashSet::new() }
    }

    /// Returns the next source of a host that has no fetch in progress, which has one from now on.
    pub(super) fn next(&mut self) -> Option<Queued> {
        let at = self.queues.iter().position(|queue| queue.front().is_some_and(|queued| self.is_free(queued)))?;
        let mut queue = self.queues.remove(at)?;
        let next = queue.pop_front();
        if !queue.is_empty() {
            self.queues.push_back(queue);
        }
        self.occupied(next)
    }

    /// Returns the source at this place, unless it was returned before or its host has a fetch in progress.
    pub(super) fn at(&mut self, place: usize) -> Option<Queued> {
        let find = |queue: &VecDeque<Queued>| queue.iter().position(|queued| queued.place == place);
        let (at, within) = self.queues.iter().enumerate().find_map(|(at, queue)| Some((at, find(queue)?)))?;
        self.queues.get(at)?.get(within).filter(|queued| self.is_free(queued))?;
        let queue = self.queues.get_mut(at)?;
        let found = queue.remove(within);
        if queue.is_empty() {
            self.queues.remove(at);
        }
        self.occupied(found)
    }

    /// Records that the fetch of a source of this host has ended.
    pub(super) fn release(&mut self, host: Option<&str>) {
        if let Some(host) = host {
            self.busy.remove(host);
        }
    }

    fn is_free(&self, queued: &Queued) -> bool {
        queued.host.as_ref().is_none_or(|host| !self.busy.contains(host))
    }

    fn occupied(&mut self, queued: Option<Queued>) -> Option<Queued> {
        self.busy.extend(queued.as_ref().and_then(|queued| queued.host.clone()));
        queued
    }
}

/// Returns the host that is asked for a source, or the name of the service. `None` for files, and for searches, none of
/// which waits for another.
fn host_of(source: &Source) -> Option<String> {
    let url = Url::parse(&source.url).ok().filter(|url| url.scheme() != "file")?;
    match source.kind {
        SourceKind::Signal | SourceKind::Documents => None,
        _ => Some(remembered_host(&url).unwrap_or_else(|| url.scheme().to_owned())),
    }
}

/// Returns the time of its last fetch if that got no answer, or not all of it in time.
fn timed_out_at(source: &Source) -> Option<Timestamp> {
    let has_timed_out = source.last_error_kind.is_some_and(FetchErrorKind::may_be_timeout);
    source.last_fetched_at.filter(|_| has_timed_out)
}

#[cfg(test)]
mod tests {
    use aha_core::fetch::FetchErrorKind;
    use aha_core::ids::TopicId;
    use aha_core::source::{NewSource, Source, SourceKind};
    use aha_core::time::Timestamp;

    use super::HostQueues;

    fn source(url: &str) -> Source {
        let new = NewSource { url: url.to_owned(), ..NewSource::default() };
        Source::never_fetched(TopicId::of(&["t"]), &new)
    }

    /// A source whose last fetch, at this time, failed.
    fn failed(url: &str, kind: FetchErrorKind, at: i64) -> Source {
        let last_fetched_at = Some(Timestamp::from_millis(at));
        Source { last_error_kind: Some(kind), last_fetched_at, ..source(url) }
    }

    fn sources(urls: &[&str]) -> Vec<Source> {
        urls.iter().map(|url| source(url)).collect()
    }

    /// The places of what can be started at once.
    fn started(queues: &mut HostQueues) -> Vec<usize> {
        std::iter::from_fn(|| queues.next()).map(|queued| queued.place).collect()
    }

    #[test]
    fn a_host_is_asked_for_one_source_at_a_time_and_the_others_do_not_wait_for_it() {
        let due = ["https://a.example/1", "https://a.example/2", "https://b.example/1", "file:///c", "file:///d"];
        let mut queues = HostQueues::of(sources(&due));
        assert_eq!(started(&mut queues), [0, 2, 3, 4]);
        queues.release(Some("b.example"));
        queues.release(None);
        assert!(queues.next().is_none(), "a.example has a fetch in progress");
        queues.release(Some("a.example"));
        assert_eq!(started(&mut queues), [1]);
    }

    #[test]
    fn hosts_take_turns() {
        let due = ["https://a.example/1", "https://a.example/2", "https://b.example/1", "https://b.example/2"];
        let mut queues = HostQueues::of(sources(&due));
        let mut order = Vec::new();
        while let Some(queued) = queues.next() {
            order.push(queued.place);
            queues.release(queued.host.as_deref());
        }
        assert_eq!(order, [0, 2, 1, 3]);
    }

    #[test]
    fn what_did_not_answer_last_time_comes_last() {
        let due = vec![
            failed("https://a.example/1", FetchErrorKind::Stalled, 9),
            failed("https://a.example/2", FetchErrorKind::Connect, 8),
            failed("https://b.example/1", FetchErrorKind::Timeout, 7),
            source("https://b.example/2"),
            failed("https://c.example/1", FetchErrorKind::Http404, 6),
        ];
        let mut queues = HostQueues::of(due);
        assert_eq!(started(&mut queues), [3, 4, 1]);
        for host in ["a.example", "b.example"] {
            queues.release(Some(host));
        }
        assert_eq!(started(&mut queues), [2, 0]);
    }

    /// With three time-outs in a row a host is given up for the run.
    #[test]
    fn a_source_has_its_turn_although_most_of_its_host_do_not_answer() {
        const ANSWERS: usize = 6;
        let urls: Vec<String> = (0..=ANSWERS).map(|number| format!("https://a.example/{number}")).collect();
        let mut due: Vec<Source> = urls.iter().map(|url| source(url)).collect();
        let mut answers = 0;
        for run in 1..=5 {
            let mut queues = HostQueues::of(due.clone());
            let mut timeouts = 0;
            while timeouts < 3
                && let Some(queued) = queues.next()
            {
                queues.release(queued.host.as_deref());
                if queued.place == ANSWERS {
                    (answers, timeouts) = (answers + 1, 0);
                } else {
                    due[queued.place] = failed(&urls[queued.place], FetchErrorKind::Stalled, run);
                    timeouts += 1;
                }
            }
        }
        assert_eq!(answers, 3, "in each run after all were asked");
        let last: Vec<_> = due.iter().map(|source| source.last_fetched_at.map(Timestamp::as_millis)).collect();
        assert_eq!(last, [5, 5, 5, 4, 4, 4].map(Some).into_iter().chain([None]).collect::<Vec<_>>(), "in turn");
    }

    #[test]
    fn a_place_can_be_taken_before_its_turn() {
        let due = ["https://a.example/1", "https://a.example/2", "https://b.example/1"];
        let mut queues = HostQueues::of(sources(&due));
        assert_eq!(queues.at(1).map(|queued| queued.place), Some(1));
        assert!(queues.at(1).is_none(), "it was taken");
        assert!(queues.at(0).is_none(), "its host has a fetch in progress");
        assert_eq!(started(&mut queues), [2]);
        queues.release(Some("a.example"));
        assert_eq!(queues.at(0).map(|queued| queued.place), Some(0));
        assert!(queues.next().is_none());
    }

    #[test]
    fn services_are_hosts_and_searches_are_not() {
        let mut due = sources(&["hn:top", "hn:new", "reddit:rust", "signal:a", "signal:b"]);
        for search in &mut due[3..] {
            search.kind = SourceKind::Signal;
        }
        assert_eq!(started(&mut HostQueues::of(due)), [0, 2, 3, 4]);
    }
}
