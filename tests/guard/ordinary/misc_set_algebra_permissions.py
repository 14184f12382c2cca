from collections.abc import Iterable
ROLES = {"admin": {"read", "write", "exec", "delete"}, "dev": {"read", "write", "open"}, "guest": frozenset({"read"})}
def can(roles: Iterable[str], *perms: str) -> bool: return set(perms) <= set().union(*(ROLES[r] for r in roles))
missing = {r: sorted(ROLES["admin"] - p) for r, p in ROLES.items() if ROLES["admin"] - p}
print(can(["dev", "guest"], "read", "open"), can(["guest"], "exec"), missing, ROLES["dev"] & ROLES["admin"], set.intersection(*map(set, ROLES.values())), {p for ps in ROLES.values() for p in ps} ^ {"read"})
