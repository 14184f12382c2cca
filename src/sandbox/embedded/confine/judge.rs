//! Whether what a worker measured is what must be so.

use std::fmt;

use super::attempts::{Attempt, Refusal};
use super::measured::{Measured, Stream};
use super::{Limits, POLLED};

const PLATFORMS: [&str; 2] = ["linux x86_64", "linux aarch64"];
const SIGKILL: i32 = 9;
/// Limits are rounded to pages of up to this size.
const LARGEST_PAGE: u64 = 64 * 1024;
/// Filters that a worker installs: one that refuses, one that ends the process.
const FILTERS: u32 = 2;

/// Something that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub subject: String,
    /// What must be so.
    pub expected: String,
    /// What was measured.
    pub found: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            subject,
            expected,
            found,
        } = self;
        write!(formatter, "{subject}: expected {expected}, found {found}")
    }
}

/// Compares what a worker measured with what must be so. Without a finding, it is confined.
#[must_use]
pub fn judge(measured: &Measured, limits: &Limits) -> Vec<Finding> {
    let mut findings = Findings::default();
    if !PLATFORMS.contains(&measured.platform.as_str()) {
        findings.add("platform", PLATFORMS.join(" or "), &measured.platform);
        return findings.0;
    }
    for failed in &measured.failed {
        findings.add("step", "it to succeed", failed);
    }
    inherited(measured, limits, &mut findings);
    privileges(measured, &mut findings);
    user(measured, &mut findings);
    resources(measured, limits, &mut findings);
    kernel(measured, &mut findings);
    attempts(measured, &mut findings);
    findings.0
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, subject: &str, expected: impl fmt::Display, found: impl fmt::Display) {
        self.0.push(Finding {
            subject: subject.to_owned(),
            expected: expected.to_string(),
            found: found.to_string(),
        });
    }

    /// Adds a finding unless the value was measured and is the expected one.
    fn equal<T: PartialEq + fmt::Debug>(&mut self, subject: &str, expected: &T, found: Option<&T>) {
        match found {
            Some(found) if found == expected => {}
            Some(found) => self.add(subject, format!("{expected:?}"), format!("{found:?}")),
            None => self.add(subject, format!("{expected:?}"), "nothing measured"),
        }
    }
}

fn inherited(measured: &Measured, limits: &Limits, findings: &mut Findings) {
    findings.equal("parent", &limits.parent, measured.parent.as_ref());
    findings.equal("environment variables", &0, measured.environment.as_ref());
    findings.equal("threads", &1, measured.threads.as_ref());
    findings.equal("directory", &"/".to_owned(), measured.directory.as_ref());
    findings.equal("file mode mask", &0o777, measured.mask.as_ref());
    let descriptors = &measured.descriptors;
    let channels = |stream: &Stream| matches!(stream, Stream::Pipe | Stream::Socket);
    if descriptors.streams.len() != 3 || !descriptors.streams.iter().all(channels) {
        let found = format!("{:?}", descriptors.streams);
        findings.add("standard streams", "three pipes or sockets", found);
    }
    findings.equal("other descriptors", &vec![], descriptors.others.as_ref());
}

fn privileges(measured: &Measured, findings: &mut Findings) {
    let no_new = measured.no_new_privileges.as_ref();
    findings.equal("no_new_privs", &true, no_new);
    findings.equal("dumpable", &false, measured.dumpable.as_ref());
    let signal = measured.parent_death_signal.as_ref();
    findings.equal("signal on the parent's end", &SIGKILL, signal);

    let capabilities = &measured.capabilities;
    for (name, set) in [
        ("inheritable capabilities", capabilities.inheritable),
        ("permitted capabilities", capabilities.permitted),
        ("effective capabilities", capabilities.effective),
        ("ambient capabilities", capabilities.ambient),
    ] {
        findings.equal(name, &0, set.as_ref());
    }
    if capabilities.bounding_droppable {
        let bounding = capabilities.bounding.as_ref();
        findings.equal("bounding capabilities", &0, bounding);
    }
}

/// Root is accepted only where the kernel refused another user; it has no capabilities then.
fn user(measured: &Measured, findings: &mut Findings) {
    let user = &measured.user;
    let root = |identities: &[u32; 4]| identities.contains(&0);
    match (&user.users, &user.groups, &user.supplementary) {
        (Some(users), Some(groups), Some(supplementary)) => {
            if root(users) && user.refused.is_none() {
                findings.add("user", "another than root", format!("{users:?}"));
            }
            if user.was_root && root(groups) && user.refused.is_none() {
                findings.add("group", "another than root's", format!("{groups:?}"));
            }
            if user.was_root && !supplementary.is_empty() && user.groups_refused.is_none() {
                let found = format!("{supplementary:?}");
                findings.add("supplementary groups", "none", found);
            }
        }
        _ => findings.add("user", "an identity", "nothing measured"),
    }
}

fn resources(measured: &Measured, limits: &Limits, findings: &mut Findings) {
    let [mapped, data] = measured.mapped.unwrap_or_default();
    if measured.mapped.is_none() {
        findings.add("mapped memory", "a number of bytes", "nothing measured");
    }
    let most = |before: u64| {
        before
            .saturating_add(limits.memory)
            .saturating_add(LARGEST_PAGE)
    };
    let hard = limits.processor.saturating_add(1);
    for (name, soft, hard) in [
        ("address space", most(mapped), most(mapped)),
        ("data", most(data), most(data)),
        ("processor time", limits.processor, hard),
        ("file size", 0, 0),
        ("open files", POLLED, POLLED),
        ("processes", 0, 0),
        ("core", 0, 0),
        ("locked memory", 0, 0),
        ("message queues", 0, 0),
    ] {
        let within = |found: Option<u64>, most: u64| found.is_some_and(|found| found <= most);
        match measured.resources.get(name) {
            Some(&[found_soft, found_hard])
                if within(found_soft, soft) && within(found_hard, hard) => {}
            Some(found) => findings.add(
                &format!("limit on {name}"),
                format!("at most {soft} and {hard}"),
                format!("{found:?}"),
            ),
            None => findings.add(
                &format!("limit on {name}"),
                format!("at most {soft} and {hard}"),
                "nothing measured",
            ),
        }
    }
}

fn kernel(measured: &Measured, findings: &mut Findings) {
    let landlock = &measured.landlock;
    match landlock.version {
        Some(1..) if landlock.enforced => {}
        Some(version) => findings.add(
            "Landlock",
            "all of it in force",
            format!("version {version}, not all in force"),
        ),
        None => findings.add("Landlock", "version 1 or later", "none in this kernel"),
    }
    let seccomp = &measured.seccomp;
    findings.equal("seccomp mode", &2, seccomp.mode.as_ref());
    let installed = match (seccomp.inherited, seccomp.filters) {
        (Some(before), Some(after)) => after.checked_sub(before),
        _ => None,
    };
    findings.equal("seccomp filters installed", &FILTERS, installed.as_ref());
}

fn attempts(measured: &Measured, findings: &mut Findings) {
    let landlock = measured.landlock.version.unwrap_or_default();
    for attempt in Attempt::ALL {
        let refusal = attempt.refusal(&measured.platform, landlock);
        if refusal == Refusal::NotMade {
            continue;
        }
        let found = match (measured.attempts.get(attempt), refusal) {
            (Some(Some(_)), Refusal::AnyError) => continue,
            (Some(Some(number)), Refusal::Errors(numbers)) if numbers.contains(number) => continue,
            (Some(Some(number)), _) => format!("error {number}"),
            (Some(None), _) => "success".to_owned(),
            (None, _) => "not attempted".to_owned(),
        };
        let expected = match refusal {
            Refusal::Errors(numbers) => format!("error {numbers:?}"),
            Refusal::AnyError | Refusal::NotMade => "an error".to_owned(),
        };
        findings.add(&format!("attempt {attempt:?}"), expected, found);
    }
}
