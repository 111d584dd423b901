//! The scripted server for tests that are not asynchronous: it answers from a thread of its own.

use std::time::Duration;

use tokio::runtime::Runtime;

use super::http::{Answer, Request, Server};

/// Ends with the test.
#[derive(Debug)]
pub struct Web {
    server: Server,
    _runtime: Runtime,
}

impl Web {
    pub fn serve(answers: Vec<(&str, Answer)>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(Server::start(answers));
        Self { server, _runtime: runtime }
    }

    pub fn url(&self, path: &str) -> String {
        self.server.url(path)
    }

    /// Requests for a path, in the order in which they came.
    pub fn requests(&self, path: &str) -> Vec<Request> {
        self.server.requests().into_iter().filter(|request| request.path == path).collect()
    }

    /// Waits until a path has been asked for.
    #[track_caller]
    pub fn wait_for(&self, path: &str) {
        for _ in 0..400 {
            if !self.requests(path).is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("10 s have passed and nobody asked for {path}");
    }
}
