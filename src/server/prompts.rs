//! The prompt `reusable_code_guide`: how to write code that can be run again.

use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};

const NAME: &str = "reusable_code_guide";
const DESCRIPTION: &str = "How to write code that can be run again with other values";

const GUIDE: &str = r#"Write code that can be run again with other values.

1. Put each value that may change into a name of its own at the top level, as a literal:

    from weather.functions import get_forecast

    CITY = "Rome"
    DAYS = 3

    def main():
        daily = get_forecast(city=CITY, days=DAYS)["daily"]
        return {"city": CITY, "warmest": max(daily["temperature_max"])}

2. Describe what the code does without the values of this run: "Warmest day of a city's forecast".
3. Keep the `cache_id` of the result. `run_cached_code` with `params` such as {"CITY": "Oslo"} runs the
   same code again; the code need not be sent, and is checked anew.
4. Return only what is needed: filter, join and count in the code.

A `cache_id` that is not known any more is answered with your cached code whose description has words
like it; so words are a way to find it."#;

pub(super) fn all() -> Vec<Prompt> {
    vec![Prompt::new(NAME, Some(DESCRIPTION), None).with_title("Reusable code")]
}

/// The prompt of this name; `None` where there is none.
pub(super) fn get(name: &str) -> Option<GetPromptResult> {
    (name == NAME).then(|| {
        let message = PromptMessage::new_text(Role::User, GUIDE);
        GetPromptResult::new(vec![message]).with_description(DESCRIPTION)
    })
}
