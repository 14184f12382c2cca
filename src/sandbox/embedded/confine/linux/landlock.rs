//! Landlock: all rights handled, none granted.

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

/// Refuses everything that this version of the kernel's interface can refuse, and tells whether
/// all of it is in force.
///
/// What a later version than the crate knows could refuse is left to the filter.
pub(super) fn restrict(version: i32, files_only: bool) -> Result<bool, RulesetError> {
    let version = ABI::from(version);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(version))?;
    let network = AccessNet::from_all(version);
    if !network.is_empty() && !files_only {
        rules = rules.handle_access(network)?;
    }
    let scopes = Scope::from_all(version);
    if !scopes.is_empty() && !files_only {
        rules = rules.scope(scopes)?;
    }
    let mut created = rules.create()?;
    if version >= ABI::V7 {
        // The attempts of every worker would be in the audit log.
        created = created.log_same_exec(false)?;
    }
    let status = created.restrict_self()?;
    Ok(status.ruleset == RulesetStatus::FullyEnforced)
}
