//! The loss of privileges: user, groups, capabilities, and the way to new ones.

use rustix::fs::{Gid, Uid};
use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};

use super::super::Weakness;
use super::super::measured::Measured;
use super::Without;
use super::status::Status;

/// The user and the group that own nothing, by convention.
const NOBODY: u32 = 65534;

/// Drops all privileges, and the right to gain any.
///
/// The change of user takes the capabilities of root along, so it is left out with them.
pub(super) fn drop_privileges(measured: &mut Measured, before: &Status, without: &Without) {
    let keeps_capabilities = without.keeps(Weakness::Capabilities);
    let may_drop = |held: u64| held & CapabilitySet::SETPCAP.bits() != 0;
    measured.capabilities.bounding_droppable = before.effective.is_some_and(may_drop);
    if keeps_capabilities && measured.capabilities.bounding_droppable {
        empty_bounding_set(measured);
    }
    measured.user.was_root = before.users.is_some_and(|users| users.contains(&0));
    if measured.user.was_root && without.keeps(Weakness::User) && keeps_capabilities {
        become_nobody(measured);
    }
    if keeps_capabilities {
        measured.step("ambient capabilities", clear_ambient_capability_set());
        let none = CapabilitySets {
            effective: CapabilitySet::empty(),
            permitted: CapabilitySet::empty(),
            inheritable: CapabilitySet::empty(),
        };
        measured.step("capabilities", set_capabilities(None, none));
    }
    if without.keeps(Weakness::Privileges) {
        measured.step("no_new_privs", set_no_new_privs(true));
    }
}

fn empty_bounding_set(measured: &mut Measured) {
    for bit in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // Beyond the last one that this kernel has.
            Err(Errno::INVAL) => break,
            Err(error) => {
                measured.step("bounding capabilities", Err::<(), _>(error));
                break;
            }
        }
    }
}

/// Each of these can be refused: by a user namespace without such a user, or for want of
/// capabilities.
fn become_nobody(measured: &mut Measured) {
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    let refusal = |result: rustix::io::Result<()>| result.err().map(Errno::raw_os_error);
    measured.user.groups_refused = refusal(set_thread_groups(&[]));
    let groups = set_thread_res_gid(group, group, group);
    measured.user.refused = refusal(groups.and(set_thread_res_uid(user, user, user)));
}
