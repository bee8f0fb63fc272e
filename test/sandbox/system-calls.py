"""Replaces the scripts of the template in test/sandbox/system-calls.test.ts: tries what a confined process must not do.

Run by the launcher, so it starts with the rights of the template (STAGE = 0); with STAGE = 1 a fork of it becomes a worker
first, with STAGE = 2 that drops the rights of stage 2 as well. `filters` is set by the launcher's start command, WORKER is
the text of worker.py and template.py without what starts them (set by the test). Prints one JSON object.
"""

import json
import platform

exec(WORKER)  # noqa: for become_worker, drop_rights, and everything that the real worker has imported

if STAGE > 0:
    template = os.getpid()
    worker = os.fork()
    if worker > 0:
        _, status = os.waitpid(worker, 0)
        if os.WIFSIGNALED(status):
            os.kill(template, os.WTERMSIG(status))
        os._exit(os.WEXITSTATUS(status))
    become_worker(0, template, filters[0])

libc = ctypes.CDLL(None, use_errno=True)
machine = {'x86_64': 0, 'aarch64': 1}[platform.machine()]
page = mmap.mmap(-1, 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
parent = os.getppid()
PERMITTED_TO_TEMPLATE = ('clone (fork)', 'kill', 'setsid')

# name: (number on x86-64, on aarch64, arguments)
CALLS = {
    'socket': (41, 198, 2, 1, 0),
    'socket (MPTCP)': (41, 198, 2, 1, 262),
    'connect': (42, 203, 0, address, 16),
    'sendto': (44, 206, 1, address, 1, 0, 0, 0),
    'clone (fork)': (56, 220, 17, 0, 0, 0, 0),
    'clone (thread)': (56, 220, 0x50F00, 0, 0, 0, 0),
    'clone (shared memory)': (56, 220, 0x100 | 17, 0, 0, 0, 0),
    'clone (namespace)': (56, 220, 0x10000000 | 17, 0, 0, 0, 0),
    'clone (sibling)': (56, 220, 0x8000 | 17, 0, 0, 0, 0),
    'clone3': (435, 435, address, 64),
    'execveat': (322, 281, -100, address, 0, 0, 0),
    'ptrace': (101, 117, 16, parent, 0, 0),
    'process_vm_readv': (310, 270, parent, address, 0, address, 0, 0),
    'process_vm_writev': (311, 271, parent, address, 0, address, 0, 0),
    'kill': (62, 129, parent, 0),
    'vfork': (58, 220, 0x4000 | 17, 0, 0, 0, 0),
    'tgkill': (234, 131, parent, parent, 0),
    'pidfd_open': (434, 434, parent, 0),
    'pidfd_getfd': (438, 438, 0, 0, 0),
    'pidfd_send_signal': (424, 424, 0, 0, 0, 0),
    'prlimit of the parent': (302, 261, parent, 7, 0, address),
    'setsid': (112, 157),
    'setuid': (105, 146, 0),
    'capset': (126, 91, address, address),
    'unshare': (272, 97, 0x10000000),
    'setns': (308, 268, 0, 0),
    'personality': (135, 92, 0x0400000),
    'mount': (165, 40, address, address, address, 0, 0),
    'umount2': (166, 39, address, 0),
    'open_tree': (428, 428, -100, address, 0),
    'chroot': (161, 51, address),
    'bpf': (321, 280, 0, address, 64),
    'perf_event_open': (298, 241, address, 0, -1, -1, 0),
    'io_uring_setup': (425, 425, 8, address),
    'userfaultfd': (323, 282, 0),
    'memfd_create': (319, 279, address, 0),
    'memfd_secret': (447, 447, 0),
    'add_key': (248, 217, address, address, address, 1, -2),
    'keyctl': (250, 219, 0, -2, 0),
    'openat2': (437, 437, -100, address, address, 24),
    'open_by_handle_at': (304, 265, -100, address, 0),
    'init_module': (175, 105, address, 0, address),
    'reboot': (169, 142, 0, 0, 0),
    'shmget': (29, 194, 0, 4096, 0o1600),
    'mq_open': (240, 180, address, 0o100, 0o600, 0),
    'fchmod': (91, 52, 0, 0o777),
}


def system_call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(value) for value in arguments))
    return 0 if result >= 0 else ctypes.get_errno()


def attempt(action):
    try:
        action()
        return 0
    except OSError as error:
        return error.errno


def limits():
    import resource

    names = ('AS', 'CPU', 'FSIZE', 'NOFILE', 'CORE', 'NPROC', 'MEMLOCK', 'MSGQUEUE')
    return {name: resource.getrlimit(getattr(resource, 'RLIMIT_' + name)) for name in names}


def capabilities():
    header = struct.pack('Ii', 0x20080522, 0)
    data = ctypes.create_string_buffer(24)
    libc.syscall(ctypes.c_long((125, 90)[machine]), header, data)
    return data.raw.strip(b'\0') == b''


report = {'environment': dict(os.environ), 'limits': limits(), 'withoutCapabilities': capabilities(), 'pid': os.getpid()}
report['session'] = os.getsid(0)
report['descriptors'] = [fd for fd in range(64) if attempt(lambda: os.fstat(fd)) == 0]
if STAGE == 2:
    drop_rights(filters[1])
report['calls'] = {
    name: system_call(call[machine], *call[2:])
    for name, call in CALLS.items()
    if STAGE > 0 or name not in PERMITTED_TO_TEMPLATE
}
if machine == 0:
    report['calls']['x32 socket'] = system_call(0x40000000 + 41, 2, 1, 0)
report['files'] = {
    'read /etc/passwd': attempt(lambda: os.open('/etc/passwd', os.O_RDONLY)),
    'read /proc/self/environ': attempt(lambda: os.open('/proc/self/environ', os.O_RDONLY)),
    'list /proc': attempt(lambda: os.listdir('/proc')),
    'list /': attempt(lambda: os.listdir('/')),
    'read /dev/zero': attempt(lambda: os.open('/dev/zero', os.O_RDONLY)),
    'write /tmp': attempt(lambda: os.open('/tmp/extremum-attack', os.O_WRONLY | os.O_CREAT)),
    'execute /bin/sh': attempt(lambda: os.execv('/bin/sh', ['sh', '-c', 'exit 0'])),
    'grow the progress page': attempt(lambda: os.pwrite(7 if STAGE == 0 else 3, b'x', 8192)) if STAGE < 2 else 1,
}
report['executable'] = {
    'mmap': attempt(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)),
    'mprotect': system_call((10, 226)[machine], address, 4096, 5),
}
os.write(1, json.dumps(report).encode())

if STAGE == 1 and FOREIGN_CALLS and machine == 0:
    # mov eax, 20 (getpid of i386); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b'\xb8\x14\x00\x00\x00\xcd\x80\xc3')
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
os._exit(0)
