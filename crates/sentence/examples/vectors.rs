//! Prints the vectors of sentences as JSON: `cargo run -p aha-sentence --example vectors -- FOLDER SENTENCE…`

use aha_sentence::{SentenceError, SentenceModel};

#[expect(clippy::print_stdout, reason = "it is an example")]
fn main() -> Result<(), SentenceError> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_default();
    let sentences: Vec<String> = arguments.collect();
    println!("{:?}", SentenceModel::load(folder.as_ref())?.encode(&sentences));
    Ok(())
}
