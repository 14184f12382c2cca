//! Runs the real binary and tells what that took, counted in the time of processors: how busy the
//! machine is otherwise does not matter.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The ticks of a second in which Linux tells the time of processes, on all of its platforms.
const TICKS: u64 = 100;

/// What a run took.
pub struct Run {
    pub time: Duration,
    /// The most memory it had at a time, in bytes; 0 where it ended before that could be told.
    pub memory: usize,
    pub is_success: bool,
    /// What was said on both channels.
    pub said: String,
}

pub fn run(folder: &Path, arguments: &[&str]) -> Run {
    let said = folder.join("said.txt");
    let file = fs::File::create(&said).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mce"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(file.try_clone().unwrap())
        .stderr(file)
        .spawn()
        .unwrap();
    let place = Path::new("/proc").join(child.id().to_string());
    let mut memory = 0;
    // One that has ended keeps its times until somebody waits for it.
    let time = loop {
        let status = fs::read_to_string(place.join("status")).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|line| line.trim().strip_suffix(" kB"));
        memory = memory.max(kib.map_or(0, |kib| kib.trim().parse::<usize>().unwrap() << 10));
        let stat = fs::read_to_string(place.join("stat")).unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let fields: Vec<&str> = fields.split(' ').collect();
        if fields[0] == "Z" {
            let ticks = |field: &str| field.parse::<u64>().unwrap();
            let ticks = ticks(fields[11]) + ticks(fields[12]);
            break Duration::from_millis(ticks * 1000 / TICKS);
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let is_success = child.wait().unwrap().success();
    Run {
        time,
        memory,
        is_success,
        said: String::from_utf8_lossy(&fs::read(&said).unwrap()).into_owned(),
    }
}
