//! The providers. `local` is built in: free, deterministic, without a network.

pub mod local;
