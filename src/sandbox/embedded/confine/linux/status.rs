//! What the kernel says about this process in `/proc/self/status` (proc(5)).

use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::io::Result;

const PATH: &str = "/proc/self/status";

/// The lines that matter. A line that is missing or unreadable is absent.
#[derive(Default)]
pub(super) struct Status {
    pub users: Option<[u32; 4]>,
    pub groups: Option<[u32; 4]>,
    pub supplementary: Option<Vec<u32>>,
    pub threads: Option<u32>,
    pub inheritable: Option<u64>,
    pub permitted: Option<u64>,
    pub effective: Option<u64>,
    pub bounding: Option<u64>,
    pub ambient: Option<u64>,
    pub no_new_privileges: Option<bool>,
    pub seccomp: Option<u32>,
    pub filters: Option<u32>,
    /// Bytes of address space, and those private and writable.
    pub mapped: Option<[u64; 2]>,
}

impl Status {
    /// Opens the file. What is read from it later is of that time.
    pub(super) fn open() -> Result<OwnedFd> {
        rustix::fs::open(PATH, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
    }

    /// Reads the file, which can be done once.
    pub(super) fn read(file: &OwnedFd) -> Result<Self> {
        // Groups have no bound, but what is cut off is absent, and taken for a fault.
        let mut buffer = [0; 8192];
        let mut length = 0;
        while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
            match rustix::io::read(file, rest)? {
                0 => break,
                read => length += read,
            }
        }
        let text = buffer.get(..length).unwrap_or_default();
        Ok(Self::parse(&String::from_utf8_lossy(text)))
    }

    fn parse(text: &str) -> Self {
        let mut status = Self::default();
        let (mut size, mut data) = (None, None);
        for line in text.split_inclusive('\n') {
            let Some((name, value)) = line
                .strip_suffix('\n')
                .and_then(|line| line.split_once(':'))
            else {
                continue;
            };
            let value = value.trim();
            match name {
                "Uid" => status.users = four(value),
                "Gid" => status.groups = four(value),
                "Groups" => status.supplementary = numbers(value),
                "Threads" => status.threads = value.parse().ok(),
                "CapInh" => status.inheritable = set(value),
                "CapPrm" => status.permitted = set(value),
                "CapEff" => status.effective = set(value),
                "CapBnd" => status.bounding = set(value),
                "CapAmb" => status.ambient = set(value),
                "NoNewPrivs" => status.no_new_privileges = value.parse().ok().map(|on: u8| on == 1),
                "Seccomp" => status.seccomp = value.parse().ok(),
                "Seccomp_filters" => status.filters = value.parse().ok(),
                "VmSize" => size = kibibytes(value),
                "VmData" => data = kibibytes(value),
                _ => {}
            }
        }
        status.mapped = size.zip(data).map(|(size, data)| [size, data]);
        status
    }
}

fn numbers(value: &str) -> Option<Vec<u32>> {
    value
        .split_whitespace()
        .map(|one| one.parse().ok())
        .collect()
}

fn four(value: &str) -> Option<[u32; 4]> {
    numbers(value)?.try_into().ok()
}

fn set(value: &str) -> Option<u64> {
    u64::from_str_radix(value, 16).ok()
}

fn kibibytes(value: &str) -> Option<u64> {
    value
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn reads_the_lines_of_a_container() {
        let status = Status::parse(
            "Name:\tmce\nUid:\t0\t1\t2\t3\nGid:\t4\t5\t6\t7\nGroups:\t8 9 \nVmSize:\t    2428 kB\n\
             VmData:\t     328 kB\nThreads:\t1\nCapEff:\t00000000a80425fb\nNoNewPrivs:\t1\n\
             Seccomp:\t2\nSeccomp_filters:\t1\n",
        );
        assert_eq!(status.users, Some([0, 1, 2, 3]));
        assert_eq!(status.supplementary, Some(vec![8, 9]));
        assert_eq!(status.mapped, Some([2428 * 1024, 328 * 1024]));
        assert_eq!(status.effective, Some(0xa804_25fb));
        assert_eq!(status.no_new_privileges, Some(true));
        assert_eq!((status.seccomp, status.filters), (Some(2), Some(1)));
        assert_eq!(status.bounding, None);
    }

    #[test]
    fn a_line_that_was_cut_is_absent() {
        let status = Status::parse("Threads:\t1\nGroups:\t8 9 1");
        assert_eq!(status.supplementary, None);
    }
}
