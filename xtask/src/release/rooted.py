"""Becomes a program in another root, as a user, under the `SystemCallFilter=` of a unit: `ROOT USER PROGRAM …`."""

import ctypes
import errno
import os
import subprocess
import sys

root, user, *words = sys.argv[1:]


def calls(names: str) -> set[str]:
    """The system calls of a list, sets of them (`@name`) included."""
    found = {name for name in names.split() if not name.startswith("@")}
    for name in set(names.split()) - found:
        command = ["systemd-analyze", "--no-pager", "syscall-filter", name]
        rows = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[1:]
        found |= calls(" ".join(row for row in map(str.strip, rows) if not row.startswith("#")))
    return found


lines = os.environ["FILTER"].splitlines()
allowed = calls("@default") if lines else set()
for line in lines:
    allowed = allowed - calls(line[1:]) if line.startswith("~") else allowed | calls(line)
seccomp = ctypes.CDLL("libseccomp.so.2")
seccomp.seccomp_init.restype = ctypes.c_void_p
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
context = ctypes.c_void_p(seccomp.seccomp_init(REFUSE if lines else ALLOW))
for name in allowed:
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    assert number < 0 or seccomp.seccomp_rule_add(context, ALLOW, number, 0) == 0, name
os.chroot(root)
os.chdir("/")
os.setgroups([])
os.setgid(int(user))
os.setuid(int(user))
assert seccomp.seccomp_load(context) == 0
os.execv(words[0], words)
