//! `mce demo --serve`: the bookshop's API alone, to be called by whoever follows the README.

use std::process::ExitCode;
use std::time::Duration;

use super::super::output::{self, printable};
use super::super::startup::{interrupted, on_threads};
use super::super::stop::{OrStop, Stop};
use super::Outcome;
use super::api::{Bookshop, Closed};

/// How often it is looked what arrived.
const PERIOD: Duration = Duration::from_millis(200);

/// Serves until a signal asks to end, and shows each request that arrives.
pub(super) fn run(key: &str) -> Outcome {
    let cannot = "cannot serve the demo's API on loopback";
    let closed = Closed::new(key.to_owned()).or_stop_with(cannot)?;
    let url = closed.url();
    on_threads(async {
        let shop = closed.open().or_stop_with(cannot)?;
        output::live_line(format_args!(
            "The bookshop's API is at {url}. In another terminal, in the source tree:\n\n  \
             export MCE_BOOKSHOP_BASE_URL={url}\n  \
             export MCE_BOOKSHOP_API_KEY={key}\n  \
             export MCE_SWAGGER_CONFIG_FILE=examples/bookshop/swaggers.yaml\n  \
             mce call bookshop.list_books genre=mystery\n\n\
             It is up until Ctrl-C. What it receives:"
        ))?;
        tokio::select! {
            outcome = show(&shop) => outcome,
            () = interrupted() => Ok(ExitCode::SUCCESS),
        }
    })
}

async fn show(shop: &Bookshop) -> Result<ExitCode, Stop> {
    loop {
        tokio::time::sleep(PERIOD).await;
        for request in shop.take_received() {
            let key = if request.authorised {
                "with the key"
            } else {
                "without the key"
            };
            output::live_line(format_args!("  {} ({key})", printable(&request.line)))?;
        }
    }
}
