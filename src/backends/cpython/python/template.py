"""The process from which workers are forked: started by extremum-launcher, it has imported what most objectives need.

It never sees anything of a run: it obeys two commands, `fork` into a seat and `kill` the worker of a seat, and records
how each worker ended. A seat (a socket and a progress page) is used once. So a worker inherits nothing that another run
has touched, and its pages are its own from the first write on (docs/adr/0021-forked-workers.md).

The last of the launcher's scripts, behind worker.py; the start command leaves `filters` (stages 1 and 2) in the globals.
Commands and records must stay equal to template.ts.
"""

import gc
import select
import signal

FORK, KILL = 1, 2
READY, ENDED, FORK_FAILED = 1, 2, 3
COMMAND = struct.Struct('<BB')  # what, seat
RECORD = struct.Struct('<BBiQI')  # what, seat, value; of an ended worker: microseconds of processor time, peak KiB
FIRST_SEAT_FD = 6
WORKER_FILES = 64
MOST_SEATS = 255
# NumPy's take 60 ms, the others a few, SciPy's some 400.
NUMPY_MODULES = (
    'math', 'cmath', 'random', 'functools', 'itertools', 'collections', 'operator', 'statistics', 'dataclasses',
    'typing', 'copy', 'linecache', 'encodings.ascii', 'encodings.latin_1', 'numpy', 'numpy.linalg', 'numpy.random',
    'numpy.fft', 'numpy.polynomial',
)
SCIPY_MODULES = (
    'scipy', 'scipy.constants', 'scipy.integrate', 'scipy.interpolate', 'scipy.linalg', 'scipy.optimize', 'scipy.signal',
    'scipy.sparse', 'scipy.spatial', 'scipy.special', 'scipy.stats',
)


def seat_descriptors(seat):
    """The socket and the progress page."""
    return FIRST_SEAT_FD + 2 * seat, FIRST_SEAT_FD + 2 * seat + 1


def record(what, seat, value, cpu_micros=0, peak_kib=0):
    os.write(1, RECORD.pack(what, seat, value, cpu_micros, peak_kib))


class Template:
    def __init__(self):
        self.workers = {}  # seat by process
        # A signal that comes between two calls is not missed: it leaves a byte in this pipe.
        self.awake, self.waker = os.pipe()
        os.set_blocking(self.awake, False)
        os.set_blocking(self.waker, False)
        signal.set_wakeup_fd(self.waker)
        signal.signal(signal.SIGCHLD, lambda *_arguments: None)

    def serve(self):
        """Returns the seat in a worker, None in the template once the service has closed its end."""
        record(READY, 0, 0)
        commands = b''
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(self.awake, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _events in poll.poll()}
            if self.awake in ready:
                os.read(self.awake, 4096)
            self.bury()
            if 0 not in ready:
                continue
            got = os.read(0, 4096)
            if not got:
                return None
            commands += got
            while len(commands) >= COMMAND.size:
                what, seat = COMMAND.unpack_from(commands)
                commands = commands[COMMAND.size :]
                if what == FORK and self.fork(seat):
                    return seat
                if what == KILL:
                    self.kill(seat)

    def fork(self, seat):
        """True in the worker."""
        try:
            process = os.fork()
        except OSError as error:
            record(FORK_FAILED, seat, error.errno)
            process = None
        if process == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(self.awake)
            os.close(self.waker)
            return True
        for descriptor in seat_descriptors(seat):
            os.close(descriptor)
        if process is not None:
            self.workers[process] = seat
        return False

    def kill(self, seat):
        # Nobody else waits for these processes, so none of their numbers can be another's by now.
        for process, its_seat in self.workers.items():
            if its_seat == seat:
                end_process(process)

    def bury(self, options=os.WNOHANG):
        while self.workers:
            process, status, used = os.wait4(-1, options)
            if process == 0:
                return
            value = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            cpu_micros = round((used.ru_utime + used.ru_stime) * 1e6)
            record(ENDED, self.workers.pop(process), value, cpu_micros, min(used.ru_maxrss, 2**32 - 1))

    def end(self):
        for process in self.workers:
            end_process(process)
        self.bury(0)


def end_process(process):
    if ACCESS == 'all':
        # It may have started others, which are of its session. It has none of its own in its first moment.
        try:
            os.killpg(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os.kill(process, signal.SIGKILL)


def become_worker(seat, template, launch_filter):
    """In a fresh fork: cuts every tie to the template and to the other seats, and installs stage 1."""
    os.setsid()
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(ctypes.c_int(set_parent_death_signal), ctypes.c_ulong(signal.SIGKILL))
    if os.getppid() != template:
        os._exit(1)  # it died before we asked
    socket, page = seat_descriptors(seat)
    os.dup2(socket, 0)
    os.dup2(socket, 1)
    os.dup2(page, 3)
    os.closerange(FIRST_SEAT_FD, FIRST_SEAT_FD + 2 * MOST_SEATS)
    if ACCESS != 'all':
        resource.setrlimit(resource.RLIMIT_NOFILE, (WORKER_FILES, WORKER_FILES))
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        install_filter(launch_filter)
        prove_refused(lambda: os.fork() or os._exit(1), lambda: os.kill(template, 0))
    if ACCESS != 'stranger':
        # Behind the imports of the template: a module beside the file shadows none of them.
        sys.path.insert(0, os.getcwd())
    # What NumPy drew at its import is the same in all workers; the standard library draws again by itself.
    numpy_random = sys.modules.get('numpy.random')
    if numpy_random is not None:
        numpy_random.seed()


def warm_up():
    sys.path[:] = [entry for entry in sys.path if entry]
    for name in NUMPY_MODULES + (SCIPY_MODULES if os.environ.get('EXTREMUM_WARM_UP') == 'scipy' else ()):
        import_quietly(name, {})
    import_what_comes_late()
    # Printing a warning would look for its source line in files that can no longer be opened.
    warnings.showwarning = lambda *_arguments, **_options: None
    # A collection in a worker would touch, and so copy, every page of these.
    gc.collect()
    gc.freeze()


def main(launch_filter):
    """True in a worker that is to serve a run; None in the template, at its end."""
    warm_up()
    template = Template()
    own_process = os.getpid()
    seat = template.serve()
    if seat is None:
        template.end()
        return None
    try:
        become_worker(seat, own_process, launch_filter)
    except BaseException as error:
        os.write(2, f'{type(error).__name__}: {error}\n'.encode())
        os._exit(1)
    return True


if main(filters[0]):
    work(filters[1])
