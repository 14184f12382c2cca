//! What a process has from its parent: descriptors, environment, working directory.

use std::os::fd::RawFd;

use rustix::fs::{FileType, Mode};

use super::super::measured::{Measured, Stream};
use super::raw;

/// How many descriptors are looked at. All beyond the standard streams were closed, by another call.
const LOOKED_AT: RawFd = 256;

/// Measures the environment and what is open, `own` aside.
pub(super) fn measure(measured: &mut Measured, own: RawFd) {
    measured.environment = Some(std::env::vars_os().count());
    measured.descriptors.streams = vec![
        stream(rustix::fs::fstat(rustix::stdio::stdin())),
        stream(rustix::fs::fstat(rustix::stdio::stdout())),
        stream(rustix::fs::fstat(rustix::stdio::stderr())),
    ];
    let others = (3..=LOOKED_AT).filter(|&descriptor| descriptor != own);
    measured.descriptors.others = Some(others.filter(|&other| raw::is_open(other)).collect());
}

fn stream(stat: rustix::io::Result<rustix::fs::Stat>) -> Stream {
    match stat.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::Fifo) => Stream::Pipe,
        Ok(FileType::Socket) => Stream::Socket,
        Ok(_) => Stream::Other,
        Err(_) => Stream::Closed,
    }
}

/// Leaves the working directory and gives no rights on files that are made.
pub(super) fn leave(measured: &mut Measured) {
    measured.step("changing the directory", rustix::process::chdir("/"));
    rustix::process::umask(Mode::from_raw_mode(0o777));
}

/// Measures the working directory and the file mode mask.
pub(super) fn measure_directory(measured: &mut Measured) {
    let directory = rustix::process::getcwd(Vec::new()).ok();
    measured.directory = directory.map(|path| path.to_string_lossy().into_owned());
    // The mask can only be read by setting it.
    let mask = rustix::process::umask(Mode::from_raw_mode(0o777));
    rustix::process::umask(mask);
    measured.mask = Some(mask.as_raw_mode());
}
