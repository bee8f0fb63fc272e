"""Tells the service about a Python interpreter: versions, and what a confined worker must be able to read.

Runs unconfined, before any uploaded code, with the operator's interpreter. Prints one JSON object as its last line.
"""

import json
import os
import struct
import sys
import sysconfig


def version_of(name):
    try:
        return __import__(name).__version__
    except Exception:
        return None


def can_import(name):
    try:
        __import__(name)
        return True
    except Exception:
        return False


def program_loader(executable):
    """The dynamic loader named in the ELF header (PT_INTERP): the kernel executes it too."""
    try:
        with open(executable, 'rb') as file:
            header = file.read(64)
            if header[:5] != b'\x7fELF\x02':
                return None
            (offset,) = struct.unpack_from('<Q', header, 32)
            entry_size, count = struct.unpack_from('<HH', header, 54)
            for index in range(count):
                file.seek(offset + index * entry_size)
                entry = file.read(entry_size)
                if struct.unpack_from('<I', entry)[0] == 3:
                    start, size = struct.unpack_from('<Q', entry, 8)[0], struct.unpack_from('<Q', entry, 32)[0]
                    file.seek(start)
                    return file.read(size).rstrip(b'\0').decode()
    except (OSError, struct.error):
        pass
    return None


def folders_of_loaded_libraries():
    with open('/proc/self/maps') as maps:
        files = {line.split(None, 5)[5].strip() for line in maps if line.count(' ') > 4 and '/' in line}
    return {os.path.dirname(file) for file in files if file.startswith('/') and '.so' in file}


def is_managed():
    """Whether packages are the operating system's business (PEP 668), so that pip refuses to install any."""
    in_environment = sys.prefix != sys.base_prefix
    return not in_environment and os.path.exists(os.path.join(sysconfig.get_path('stdlib'), 'EXTERNALLY-MANAGED'))


def outermost(paths):
    kept = []
    for path in sorted(paths):
        if not kept or not (path + '/').startswith(kept[-1] + '/'):
            kept.append(path)
    return kept


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry and os.path.abspath(entry) != here]
    numpy, scipy = version_of('numpy'), version_of('scipy')
    executable = os.path.realpath(sys.executable)
    loader = program_loader(executable)

    wanted = {'/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache'}
    wanted.update(sysconfig.get_paths()[name] for name in ('stdlib', 'platstdlib', 'purelib', 'platlib'))
    for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix):
        wanted.update(os.path.join(prefix, name) for name in ('lib', 'lib64', 'pyvenv.cfg'))
    wanted.add(os.path.join(os.path.dirname(sys.executable), 'pyvenv.cfg'))
    wanted.update(sys.path)
    if os.path.exists('/proc/self/maps'):
        wanted.update(folders_of_loaded_libraries())
    readable = {os.path.realpath(path) for path in wanted if os.path.isabs(path) and os.path.exists(path)} - {'/'}

    print(
        json.dumps(
            {
                'executable': sys.executable,
                'version': '.'.join(map(str, sys.version_info[:3])),
                'implementation': sys.implementation.name,
                'hasCtypes': can_import('ctypes'),
                'isManaged': is_managed(),
                'numpy': numpy,
                'scipy': scipy,
                'readable': outermost(readable),
                'executables': sorted({executable, os.path.realpath(loader)} if loader else {executable}),
            }
        )
    )


main()
