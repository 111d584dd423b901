//! Tests of the product from outside its modules, in one binary.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is the report, in its helpers too")]

mod both;
mod calibrate;
mod canary;
mod catalogue;
mod catch_up;
mod cli;
mod conversations;
mod copy;
mod daemon;
mod deep_dive;
mod documented;
mod dry_run;
mod embedding;
mod faults;
mod feedback;
mod fuzzed;
mod gateway;
mod image;
mod judged;
mod kill;
mod logs;
mod manners;
mod migrate;
mod miniflux;
mod model_faults;
mod money;
mod outages;
mod pages;
mod questionnaires;
mod replay;
mod retain;
mod runs;
mod schedule;
mod search_fees;
mod signals;
mod sources;
mod specifications;
mod spending;
mod store;
mod support;
mod topics;
mod vectors;
mod week;
mod weights;
