"""The process that runs uploaded code: forked from the template (template.py), one per run, spoken to over two descriptors.

Life: `hello` -> wait for one `load` -> import what the source names -> give up every remaining right (stage 2) -> run the
source's module level -> `loaded` -> answer `evaluate` requests until the parent closes the socket or kills the process.
Or: `hello` -> wait for one `ask` -> import the modules that it names -> `facts` -> end.

What the user of this machine runs from a file of their own (launcher.c, --folder) keeps stage 1, or is not confined.

The text lies between those of stateless.py, argument.py and template.py, in the same globals. Needs Python 3.8 and the standard
library. Uploaded code shares this process, so nothing here is a boundary: the boundary is the kernel's, and the parent
distrusts every frame. Frame layouts must stay equal to protocol.ts.
"""

import array
import ast
import builtins
import ctypes
import importlib
import importlib.machinery
import importlib.util
import json
import mmap
import os
import resource
import struct
import sys
import time
import types
import warnings

LOAD, EVALUATE, ASK, JUDGE = 1, 2, 3, 4
HELLO, LOADED, LOAD_FAILED, RESULTS, FACTS = 10, 11, 12, 13, 14
HEADER = struct.Struct('<IB')
NONCE_BYTES = 16
FAILED = 255
PROGRESS_BYTES = 4096
MESSAGE_LIMIT = 500
# That of src/model/front.ts.
MAX_OBJECTIVES = 4
# Results go out at least this often while a batch runs, so that a process that must be killed loses little.
FLUSH_SECONDS = 0.02
SOURCE_NAME = '<objective>'
# `stranger`: an upload. `folder`: the user's own code, which may read its folder. `all`: not confined.
ACCESS = os.environ.get('EXTREMUM_ACCESS', 'stranger')
OWN_FILE = os.environ.get('EXTREMUM_FILE', '')
# Native memory access as a module: nothing that an objective needs, everything that an exploit starts with.
REFUSED_MODULES = ('ctypes', '_ctypes', 'cffi', '_cffi_backend')
# What modules import only when they are called, which is too late here. Not every version has all of it; what else there
# is test/sandbox/late-imports.test.ts finds.
LATE_IMPORTS = {
    'builtins': ('unicodedata',),  # '\N{BULLET}'
    'collections': ('heapq',),
    'datetime': ('_strptime',),
    'time': ('_strptime',),
    'numpy': ('numpy.ma', 'numpy.char', 'numpy.rec', 'numpy.strings'),
    'scipy.linalg': ('scipy.linalg._matfuncs_inv_ssq',),
    'scipy.optimize': (
        'multiprocessing', 'scipy._lib.cobyqa', 'scipy._lib.pyprima', 'scipy._external.cobyqa', 'scipy._external.pyprima',
    ),
    'scipy.sparse': ('scipy.sparse._spfuncs',),
}
EXPRESSION_NAMES = {'math': 'math', 'np': 'numpy', 'numpy': 'numpy'}


class NonNumericResult(Exception):
    pass


class NaNResult(Exception):
    pass


def cut(text, limit=MESSAGE_LIMIT):
    text = text.encode('utf-8', 'replace').decode('utf-8')
    return text if len(text) <= limit else text[: limit - 1] + '…'


def source_line(error):
    """Line of the uploaded source that `error` comes from; 0 where none is known."""
    if isinstance(error, SyntaxError) and error.filename == SOURCE_NAME:
        return error.lineno or 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == SOURCE_NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def describe(error):
    """(type, message, line) of anything that uploaded code may raise, `__str__` that raises included."""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        text = cut(str(text))
    except BaseException:
        text = 'the exception has no printable message'
    kind = 'MemoryLimit' if isinstance(error, MemoryError) else cut(str(type(error).__name__), 100)
    if kind == 'MemoryLimit' and not text:
        text = 'the memory limit was reached'
    return kind, text, source_line(error)


def several(count):
    """How a run is made whose objective returns so many numbers; nothing where none can be."""
    if not 2 <= count <= MAX_OBJECTIVES:
        return ''
    return f'; a run with "objectives": {count} (--objectives {count}) takes them as {count} objectives'


def to_number(result, depth=4):
    """The float that an objective's return value stands for. API.md, Optimize: what counts as a number."""
    if isinstance(result, (list, tuple)) and depth > 0:
        if len(result) == 1:
            return to_number(result[0], depth - 1)
        what = f'a {type(result).__name__} of {len(result)} elements'
        raise NonNumericResult(f'the objective returned {what}, not one number{several(len(result))}')
    shape = getattr(result, 'shape', None)
    if shape is not None and type(shape) is tuple and hasattr(result, 'item'):
        size = 1
        for length in shape:
            size *= length
        if size != 1:
            hint = several(size) if len(shape) == 1 else ''
            raise NonNumericResult(f'the objective returned an array of shape {shape}, not one number{hint}')
        item = result.item()
        if type(item) is not type(result) and depth > 0:
            return to_number(item, depth - 1)
    kind = type(result)
    if result is None:
        raise NonNumericResult('the objective returned None instead of a number (is a return missing?)')
    if isinstance(result, (complex, str, bytes, bytearray)) or not (hasattr(kind, '__float__') or hasattr(kind, '__index__')):
        raise NonNumericResult(f'the objective returned {cut(repr(result), 60)} of type {kind.__name__} instead of a number')
    try:
        number = float(result)
    except (TypeError, ValueError) as error:
        raise NonNumericResult(f'the objective returned a {kind.__name__} that is no number: {error}') from None
    if number != number:
        raise NaNResult('the objective returned NaN')
    return number


def to_values(result, count):
    """The `count` numbers, one per objective, that the return value stands for: in a tuple, a list or an array."""
    shape = getattr(result, 'shape', None)
    if isinstance(result, (list, tuple)):
        found, what = len(result), f'a {type(result).__name__} of {len(result)} elements'
    elif type(shape) is tuple and hasattr(result, 'tolist'):
        found, what = (shape[0] if len(shape) == 1 else -1), f'an array of shape {shape}'
        if found == count:
            result = result.tolist()
    else:
        found, what = -1, 'None' if result is None else f'{cut(repr(result), 60)} of type {type(result).__name__}'
    if found != count:
        raise NonNumericResult(f'the objective returned {what}, not {count} numbers, one per objective')
    return [to_number(each, 0) for each in result]


def to_numbers(result, count, results):
    """What an objective in population form returned for `count` rows: a number, or a list of `results` numbers, per row."""
    numpy = sys.modules['numpy']
    if result is None:
        raise NonNumericResult('the objective returned None instead of one number per row (is a return missing?)')
    try:
        numbers = numpy.asarray(result)
    except Exception as error:
        raise NonNumericResult(f'the objective returned a {type(result).__name__} that is no array: {error}') from None
    expected, what = ((count,), 'one number') if results == 1 else ((count, results), f'{results} numbers')
    if numbers.shape != expected:
        hint = ' (is axis=1 missing?)' if numbers.shape == () else ''
        if numbers.ndim == 2 and len(numbers) == count and results == 1:
            hint = several(numbers.shape[1])
        raise NonNumericResult(
            f'the objective returned shape {numbers.shape} for {count} rows; '
            f'in population form it must return {what} per row, shape {expected}{hint}'
        )
    if numbers.dtype.kind not in 'fiubO':
        raise NonNumericResult(f'the objective returned an array of {numbers.dtype}, not of numbers')
    return numbers.tolist()


class Channel:
    def __init__(self):
        self.requests = open(os.dup(0), 'rb')
        self.responses = os.dup(1)
        self.nonce = b''

    def receive(self):
        """The next (type, payload); None when the parent has closed its end."""
        header = self.requests.read(HEADER.size)
        if len(header) < HEADER.size:
            return None
        length, kind = HEADER.unpack(header)
        payload = self.requests.read(length)
        return (kind, payload) if len(payload) == length else None

    def send(self, kind, payload):
        frame = memoryview(HEADER.pack(len(self.nonce) + len(payload), kind) + self.nonce + payload)
        while frame:
            frame = frame[os.write(self.responses, frame) :]

    def send_json(self, kind, value):
        self.send(kind, json.dumps(value).encode())


def import_quietly(name, failures):
    """Imports `name`; what goes wrong is kept, to be raised where the source itself imports it."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        failures.setdefault(name, error)
        if isinstance(error, ModuleNotFoundError) and error.name is not None:
            failures.setdefault(error.name, error)
        return None


def import_what_the_source_names(tree, failures):
    """Imports every module named in `tree`, at any depth, and every submodule that an attribute chain reaches."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if is_refused(alias.name):
                    continue
                module = import_quietly(alias.name, failures)
                if alias.asname is None:
                    bound[alias.name.partition('.')[0]] = sys.modules.get(alias.name.partition('.')[0])
                else:
                    bound[alias.asname] = module
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            if is_refused(node.module):
                continue
            module = import_quietly(node.module, failures)
            for alias in node.names if module is not None else ():
                if alias.name == '*':
                    continue
                if not hasattr(module, alias.name) and hasattr(module, '__path__'):
                    import_quietly(f'{node.module}.{alias.name}', failures)
                bound[alias.asname or alias.name] = getattr(module, alias.name, None)
    for node in ast.walk(tree):
        # `scipy.special.gamma`: packages that load submodules on first use do so now.
        if isinstance(node, ast.Attribute):
            chain = []
            while isinstance(node, ast.Attribute):
                chain.append(node.attr)
                node = node.value
            value = bound.get(node.id) if isinstance(node, ast.Name) else None
            while chain and isinstance(value, types.ModuleType):
                try:
                    value = getattr(value, chain.pop())
                except Exception:
                    break


def facts_of(wanted):
    """What importing each module does here and what it has: by its own account, and of the names that are asked for
    (`members`; `parts` are imported from it). Of a package, what it has whatever else is imported: a module inside of it
    that others may import first is one of its `parts`, and no attribute for certain."""
    facts, pending, everywhere = {}, [], set(sys.modules)
    # A package before its parts, which become attributes of it.
    for name in sorted(wanted, key=lambda name: name.count('.')):
        if is_refused(name):
            facts[name] = {'raises': 'ImportError'}
            continue
        failures = {}
        by_others = name in sys.modules and name not in everywhere
        try:
            module = import_quietly(name, failures)
            if module is None:
                # As ClosedImports raises it.
                kind = 'ModuleNotFoundError' if isinstance(failures.get(name), ModuleNotFoundError) else 'ImportError'
                facts[name] = {'raises': kind}
                continue
            members, parts = wanted[name]
            names = {attribute for attribute in dir(module) if not attribute.startswith('_')}
            names.update(attribute for attribute in members if attribute not in names and hasattr(module, attribute))
            inside = {attribute for attribute in names if by_others and is_loaded_part(module, attribute)}
            names -= inside
            inside.update(each for each in (*members, *parts) if each not in names and is_part(module, each))
            is_open = type(module) is not types.ModuleType or '__getattr__' in vars(module) or hasattr(module, '__path__')
            facts[name] = {'raises': None, 'names': sorted(names), 'closed': not is_open, 'parts': []}
            pending.extend((name, part) for part in sorted(inside))
        except BaseException:  # what such a module does is not known
            facts.pop(name, None)
    # Behind the rest, because each becomes an attribute of its package.
    for name, part in pending:
        if import_quietly(f'{name}.{part}', {}) is not None and name in facts:
            facts[name]['parts'].append(part)
    return facts


def is_loaded_part(package, name):
    """Whether an attribute is there because the module inside of the package was imported, which the package may not do."""
    offers = vars(package).get('__getattr__')
    if f'{package.__name__}.{name}' not in sys.modules or offers is None:
        return f'{package.__name__}.{name}' in sys.modules
    try:
        offers(name)
    except AttributeError:
        return True
    return False


def is_part(package, name):
    return hasattr(package, '__path__') and importlib.util.find_spec(f'{package.__name__}.{name}') is not None


def import_what_comes_late():
    for module in [name for name in LATE_IMPORTS if name in sys.modules]:
        for name in LATE_IMPORTS.pop(module):  # a worker need not try again what its template has tried
            import_quietly(name, {})


class ClosedImports:
    """First finder on sys.meta_path once files can no longer be opened: says so instead of a bare EPERM."""

    def __init__(self, failures):
        self.failures = failures

    def find_spec(self, name, path=None, target=None):
        known = self.failures.get(name)
        if known is not None:
            if isinstance(known, ModuleNotFoundError):
                raise ModuleNotFoundError(str(known), name=known.name)
            raise ImportError(f'importing {name} failed: {type(known).__name__}: {cut(str(known))}', name=name)
        refuse_module(name)
        for finder in (importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        raise ImportError(f'{name} cannot be imported while the objective runs; name it in an import statement of the source', name=name)


def is_refused(name):
    return ACCESS == 'stranger' and name.partition('.')[0] in REFUSED_MODULES


def refuse_module(name):
    if is_refused(name):
        raise ImportError(f'{name} is not available to objectives', name=name)


def guarded_import(name, globals=None, locals=None, fromlist=(), level=0):
    """What the source's own import statements call."""
    if level == 0:
        refuse_module(name)
    return builtins.__import__(name, globals, locals, fromlist, level)


def install_filter(code):
    """Adds a seccomp program to those in force; of all their answers the strictest counts."""
    libc = ctypes.CDLL(None, use_errno=True)
    text = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack('HP', len(code) // 8, ctypes.addressof(text)))
    set_seccomp, filter_mode = 22, 2
    arguments = [ctypes.c_ulong(value) for value in (filter_mode, ctypes.addressof(program), 0, 0)]
    if libc.prctl(ctypes.c_int(set_seccomp), *arguments) != 0:
        raise OSError(ctypes.get_errno(), 'a seccomp stage cannot be installed')


def prove_refused(*attempts):
    for attempt in attempts:
        try:
            attempt()
        except PermissionError:
            continue
        raise OSError('a seccomp stage does not hold')


def drop_rights(stage2_filter):
    """Stage 2: installs the allow-list filter and proves that it holds."""
    install_filter(stage2_filter)
    prove_refused(
        lambda: os.open('/', os.O_RDONLY), lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    )


def names_in(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def evaluates_to_callable(expression):
    """Whether an expression source is the function itself and not a formula in `x`."""
    if isinstance(expression, ast.Lambda):
        return True
    return isinstance(expression, (ast.Name, ast.Call, ast.Attribute)) and 'x' not in names_in(expression)


def refuse_command(command):
    raise PermissionError(1, 'Operation not permitted: an objective runs no commands')


def find_objective(code, entry, tree, namespace):
    """Runs the source's module level and returns the callable."""
    if entry is not None:
        exec(compile(code, SOURCE_NAME, 'exec', dont_inherit=True), namespace)
        if entry not in namespace:
            raise NameError(f"name '{entry}' is not defined by the source")
        objective = namespace[entry]
    else:
        # One expression; statements before it (imports, helpers) do no harm.
        if not tree.body or not isinstance(tree.body[-1], ast.Expr):
            raise SyntaxError('the source is no expression in x', (SOURCE_NAME, 1, 1, ''))
        expression = tree.body.pop().value
        exec(compile(tree, SOURCE_NAME, 'exec', dont_inherit=True), namespace)
        if not evaluates_to_callable(expression):
            function = ast.parse('lambda x: 0', SOURCE_NAME, 'eval').body
            function.body = expression
            expression = ast.copy_location(function, expression)
        tree = ast.Expression(expression)
        objective = eval(compile(tree, SOURCE_NAME, 'eval', dont_inherit=True), namespace)
    if not callable(objective):
        raise TypeError(f"{'the expression' if entry is None else entry} is a {type(objective).__name__}, not a function")
    return objective


def names_given_to(tree):
    """Module per name that a bare expression finds although it has no import statement."""
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return {}
    used = names_in(tree)
    return {name: target for name, target in EXPRESSION_NAMES.items() if name in used}


def lower_memory(limit):
    """Lowers the address space of this process to `limit` from the ceiling, which its template has."""
    if limit < resource.getrlimit(resource.RLIMIT_AS)[1]:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def load(request, stage2_filter):
    """Answers a load request: the callable, ready for `serve`, whether it wants an array, and words on what may
    outlive a call (None: nothing does). Raises whatever the source raises."""
    code, entry, wants_array = request['code'], request['entry'], request['argument'] == 'ndarray'
    if ACCESS != 'all':  # whose processes have the limits of the user's own shell
        lower_memory(request['memory'])
    failures = {}
    module = types.ModuleType('objective')
    tree = problem = None
    try:
        tree = ast.parse(code, SOURCE_NAME)
        import_what_the_source_names(tree, failures)
        for name, target in names_given_to(tree).items():
            found = import_quietly(target, failures)
            if found is None:
                raise failures[target]
            setattr(module, name, found)
        import_what_comes_late()
    except BaseException as error:
        problem = error
    for descriptor in (0, 1, 2):
        os.dup2(5, descriptor)
    os.close(3)
    os.close(5)
    if ACCESS == 'stranger':
        drop_rights(stage2_filter)
    if problem is not None:
        raise problem
    if ACCESS == 'stranger':
        globals().pop('ctypes', None)
        if 'scipy' not in sys.modules:  # whose integrators import ctypes when they are called
            for name in REFUSED_MODULES:
                sys.modules.pop(name, None)
        sys.meta_path.insert(0, ClosedImports(failures))
    if ACCESS != 'all':
        os.system = refuse_command  # the C library's reports the refusal by a number that nobody looks at
    # Before the source's own code can change anything.
    stateful, read = why_stateful(tree, entry), None
    if request['kind'] != 'given' and not request['vectorized']:
        read = argument_by_text(tree, entry)
        if read is not None:
            wants_array = read == 'ndarray' and (wants_array or 'numpy' in sys.modules)
    if wants_array and 'numpy' not in sys.modules:
        raise ImportError('the objective takes a NumPy array, and this Python interpreter has no NumPy', name='numpy')
    sys.modules['objective'] = module
    namespace = module.__dict__
    if ACCESS == 'stranger':
        namespace['__builtins__'] = {**vars(builtins), '__import__': guarded_import}
    elif OWN_FILE:
        namespace['__file__'] = OWN_FILE
    objective = find_objective(code, entry, tree, namespace)
    is_doubted = request['kind'] == 'checked' and read is None and not request['vectorized']
    if is_doubted and stateful is None and 'numpy' in sys.modules:
        objective = with_doubts(objective, other_kind(wants_array), lambda result: numbers_in(result, request['results']))
    return objective, wants_array, stateful


def other_kind(wants_array):
    """A function from an argument to the same point in the other kind."""
    numpy = sys.modules['numpy']
    return (lambda x: x.tolist()) if wants_array else (lambda x: numpy.array(x, dtype='<f8'))


def numbers_in(result, results):
    return [to_number(result)] if results == 1 else to_values(result, results)


def as_matrix(payload, count, dimension):
    return sys.modules['numpy'].frombuffer(payload, dtype='<f8', count=count * dimension).reshape(count, dimension)


def candidates(payload, count, dimension, wants_array):
    """A function from row to a fresh argument."""
    if wants_array:
        matrix = as_matrix(payload, count, dimension)
        return lambda row: matrix[row].copy()
    numbers = memoryview(payload).cast('d')
    return lambda row: numbers[row * dimension : (row + 1) * dimension].tolist()


def evaluate_population(channel, progress, objective, matrix, sequence, most_failures, results):
    """One call for the whole batch. What raises is called again row by row, so that only the guilty rows fail."""
    count = len(matrix)
    outcomes = []
    started = progress[0]
    progress[0] = started + 1
    try:
        outcomes = [row_or_error(row, results) for row in to_numbers(objective(matrix.copy()), count, results)]
    except NonNumericResult as error:
        outcomes = [error] * count
    except BaseException as error:
        for row in range(count if count > 1 else 0):
            progress[0] = started + row + 1
            try:
                own = to_numbers(objective(matrix[row : row + 1].copy()), 1, results)[0]
                outcomes.append(row_or_error(own, results))
            except BaseException as own_error:
                outcomes.append(own_error)
        if count == 1:
            outcomes = [error]
    progress[0] = started + count
    for first in range(0, count, most_failures):
        some = outcomes[first : first + most_failures]
        failures = [(first + i, *describe(each)) for i, each in enumerate(some) if isinstance(each, BaseException)]
        failed = [0.0] * results
        values = array.array('d', (v for each in some for v in (failed if isinstance(each, BaseException) else each)))
        status = bytes(FAILED if isinstance(each, BaseException) else 0 for each in some)
        send_results(channel, sequence, first, values, status, failures)


def row_or_error(value, results):
    try:
        return numbers_in(value, results)
    except (NonNumericResult, NaNResult) as error:
        return error


def send_results(channel, sequence, start, values, status, failures):
    head = struct.pack('<III', sequence, start, len(status))
    channel.send(RESULTS, head + values.tobytes() + bytes(status) + json.dumps(failures).encode())


def evaluate(channel, progress, objective, argument_of, sequence, count, most_failures, results, clock=time.monotonic):
    values = array.array('d', bytes(8 * count * results))
    status = bytearray(count)
    failures = []
    sent = 0
    started = progress[0]
    numpy = sys.modules.get('numpy')
    plain = (float, numpy.float64) if numpy is not None else (float,)

    def flush(end):
        nonlocal sent, failures
        send_results(channel, sequence, sent, values[sent * results : end * results], status[sent:end], failures)
        sent, failures = end, []

    deadline = clock() + FLUSH_SECONDS
    for row in range(count):
        progress[0] = started + row + 1
        try:
            result = objective(argument_of(row))
            if results == 1:
                values[row] = result if type(result) in plain and result == result else to_number(result)
            else:
                values[row * results : (row + 1) * results] = array.array('d', to_values(result, results))
        except BaseException as error:
            status[row] = FAILED
            failures.append((row, *describe(error)))
        if clock() > deadline or len(failures) >= most_failures:
            flush(row + 1)
            deadline = clock() + FLUSH_SECONDS
    if sent < count:
        flush(count)


def judgement_of(request):
    try:
        tree = ast.parse(request['code'], SOURCE_NAME)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 'this Python interpreter cannot read the source'
    return why_stateful(tree, request['entry'])


def serve(channel, progress, stage2_filter):
    frame = channel.receive()
    if frame is None:
        return
    nonce, request = frame[1][:NONCE_BYTES], json.loads(frame[1][NONCE_BYTES:])
    channel.nonce = nonce
    if frame[0] == ASK:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            channel.send_json(FACTS, facts_of(request))
        return
    if frame[0] == JUDGE:
        channel.send_json(FACTS, {'stateful': judgement_of(request)})
        return
    try:
        objective, wants_array, stateful = load(request, stage2_filter)
    except BaseException as error:
        kind, message, line = describe(error)
        channel.send_json(LOAD_FAILED, {'type': kind, 'message': message, 'line': line})
        return
    channel.send_json(LOADED, {'stateful': stateful})
    dimension, most_failures = request['dimension'], request['failures']
    results = request['results']
    while True:
        frame = channel.receive()
        if frame is None:
            return
        sequence, count = struct.unpack_from('<II', frame[1])
        payload = frame[1][8:]
        if request['vectorized']:
            matrix = as_matrix(payload, count, dimension)
            evaluate_population(channel, progress, objective, matrix, sequence, most_failures, results)
        else:
            argument_of = candidates(payload, count, dimension, wants_array)
            evaluate(channel, progress, objective, argument_of, sequence, count, most_failures, results)


def work(stage2_filter):
    """Serves one run. In a process that the template has made a worker of."""
    channel = Channel()
    progress = memoryview(mmap.mmap(3, PROGRESS_BYTES)).cast('Q')
    numpy = sys.modules.get('numpy')
    channel.send_json(
        HELLO,
        {
            'python': '.'.join(map(str, sys.version_info[:3])),
            'numpy': getattr(numpy, '__version__', None),
            'sandbox': os.environ.get('EXTREMUM_SANDBOX', ''),
            'memory': resource.getrlimit(resource.RLIMIT_AS)[1],
            'cpu': resource.getrlimit(resource.RLIMIT_CPU)[1],
        },
    )
    status = 1
    try:
        serve(channel, progress, stage2_filter)
        status = 0
    finally:
        os._exit(status)  # no atexit handlers, no finalizers: they would be the objective's
