//! The pipeline from code to result, with a sandbox that the tests play.

mod executions;
mod hints;
mod reruns;
mod servers;
mod sessions;

const USES_PETS: &str = "from pets.functions import get_pet\nID = 7\nresult = get_pet(pet_id=ID)\n";
