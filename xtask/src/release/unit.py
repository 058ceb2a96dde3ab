"""Becomes a program as a unit of systemd describes it: in a root, as a user, with its limits and its filter.

The arguments: root, user, working folder, umask, files, the lines of `SystemCallFilter=`, the program.
"""

import ctypes
import errno
import os
import resource
import subprocess
import sys

root, user, folder, umask, files, lines, *words = sys.argv[1:]


def calls(names: str) -> set[str]:
    """The system calls of a list, sets of them (`@name`) included."""
    found = set()
    for name in names.split():
        if not name.startswith("@"):
            found.add(name)
            continue
        said = subprocess.run(
            ["systemd-analyze", "--no-pager", "syscall-filter", name], check=True, capture_output=True, text=True
        ).stdout
        rows = [row.strip() for row in said.splitlines()[1:]]
        found |= calls(" ".join(row for row in rows if row and not row.startswith("#")))
    return found


allowed = set()
for line in lines.splitlines():
    if line.startswith("~"):
        allowed -= calls(line[1:])
    else:
        allowed |= calls(line)
# What systemd always allows.
allowed |= calls("@default")

seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
seccomp.seccomp_init.restype = ctypes.c_void_p
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
context = ctypes.c_void_p(seccomp.seccomp_init(REFUSE))
for name in sorted(allowed):
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    if number >= 0:
        assert seccomp.seccomp_rule_add(context, ALLOW, number, 0) == 0, name

# Where this may raise no limit (a container), what it has.
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
most = int(files) if hard == resource.RLIM_INFINITY else min(int(files), hard)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
os.umask(int(umask, 8))
os.chroot(root)
os.chdir(folder)
os.setgroups([])
os.setgid(int(user))
os.setuid(int(user))
# The filter sets `no_new_privs` as well, as the unit does.
assert seccomp.seccomp_load(context) == 0
os.execv(words[0], words)
