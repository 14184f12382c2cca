//! The broker against APIs on loopback: what it refuses, and what exactly an API receives.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "what goes wrong in a fixture is the test's failure, and JSON literals read best as values"
)]

mod answers;
mod authority;
mod capture;
mod credentials;
mod fetched;
mod fixture;
mod http;
mod load;
mod network;
mod pages;
mod requests;
mod retries;
mod rules;
mod servers;
mod tls;
