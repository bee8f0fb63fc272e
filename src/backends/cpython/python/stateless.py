"""Whether an objective's calls are free of each other, as far as its text shows: then several processes may share a batch.

Conservative: whatever is not understood counts as state. A wrong "no" costs speed only; a wrong "yes" would let results
depend on the number of processes, so each rule below names what it is afraid of. Read by worker.py, which runs behind
this text in the same globals (pure functions of a syntax tree; no import but ast).
"""

import ast

# Modules whose functions keep nothing. Others (random, time, os, threading, ...) may.
PURE_MODULES = {
    '__future__', 'abc', 'bisect', 'cmath', 'collections', 'copy', 'dataclasses', 'enum', 'fractions', 'functools',
    'heapq', 'itertools', 'math', 'numbers', 'numpy', 'operator', 'scipy', 'statistics', 'string', 'typing', 'warnings',
}
# Names and attributes that reach state of those modules (generators, error modes), or the source's own by the back door.
STATEFUL_NAMES = {
    'random', 'default_rng', 'RandomState', 'seed', 'shuffle', 'choice', 'rvs', 'resample', 'qmc', 'bootstrap',
    'permutation_test', 'monte_carlo_test', 'multivariate_normal', 'multivariate_t', 'kmeans', 'kmeans2',
    'differential_evolution', 'dual_annealing', 'basinhopping', 'eigs', 'eigsh', 'svds', 'lobpcg', 'seterr',
    'seterrcall', 'set_printoptions', 'errstate', 'simplefilter', 'filterwarnings', 'next', 'setattr', 'delattr',
    'globals', 'locals', 'vars', 'exec', 'eval', 'compile', '__import__', 'open', 'input', 'id', 'object', 'memoryview',
    '__dict__', '__globals__', '__closure__', '__defaults__', '__code__', 'modules', 'ctypes', 'data', 'setflags',
}
# Methods that change what they are called on.
CHANGING_METHODS = {
    'append', 'extend', 'insert', 'pop', 'remove', 'clear', 'update', 'add', 'discard', 'setdefault', 'popitem', 'sort',
    'reverse', 'fill', 'put', 'itemset', 'resize', 'partition', 'appendleft', 'popleft', 'extendleft', 'rotate',
    'subtract', 'send', 'throw', 'close', 'byteswap', 'intersection_update', 'difference_update', '__next__',
    '__setitem__', '__iadd__', 'setfield', 'at', 'write', 'heappush', 'heappop', 'heapify', 'insort', 'copyto', 'place',
    'putmask', 'fill_diagonal', 'put_along_axis', 'cache_clear',
}
# What makes a new object, which a function may then change as it likes.
FRESH_CALLS = {
    'zeros', 'ones', 'empty', 'full', 'array', 'copy', 'zeros_like', 'ones_like', 'empty_like', 'full_like', 'arange',
    'linspace', 'eye', 'identity', 'list', 'dict', 'set', 'sorted', 'deepcopy', 'tolist', 'defaultdict', 'deque',
    'Counter', 'bytearray', 'float', 'int', 'abs', 'sum', 'len', 'round', 'dot', 'cumsum', 'concatenate', 'vstack', 'hstack',
}
FRESH_NODES = (
    ast.Constant, ast.ListComp, ast.DictComp, ast.SetComp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr,
)
FUNCTIONS = (ast.FunctionDef, ast.Lambda)


def keeps_no_state(tree, entry):
    return why_stateful(tree, entry) is None


def why_stateful(tree, entry):
    """Words on what may outlive a call, with the line; None: nothing does."""
    try:
        return judge(tree, entry)
    except RecursionError:
        return 'the source is nested too deeply to be judged'


def judge(tree, entry):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition('.')[0] not in PURE_MODULES:
                    return at(node, f'imports {alias.name}, which may keep something between calls')
        elif isinstance(node, ast.ImportFrom):
            module = node.module or '.'
            if module.partition('.')[0] not in PURE_MODULES:
                return at(node, f'imports from {module}, which may keep something between calls')
            for alias in node.names:
                if alias.name == '*' or alias.name in STATEFUL_NAMES:
                    return at(node, f'imports {alias.name} from {module}, which may keep something between calls')
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            return at(node, f'assigns {node.names[0]} outside of the function')
        elif isinstance(node, (ast.Yield, ast.YieldFrom, ast.AsyncFunctionDef, ast.Await)):
            return at(node, 'has a generator or a coroutine, which may outlive a call')
        elif isinstance(node, (ast.Name, ast.Attribute)) and name_of(node) in STATEFUL_NAMES:
            return at(node, f'uses {name_of(node)}, which may keep or change something between calls')
        elif isinstance(node, ast.keyword) and node.arg == 'out':  # np.add(a, b, out=TABLE)
            return at(node.value, 'writes into an array that it is given (out=)')
    for node in module_level(tree):
        if not lasts(node):
            return at(node, 'makes an iterator at module level, which is used up by being read')
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        # `g = TABLE.append`: who calls it later is not seen.
        if isinstance(node, (ast.Name, ast.Attribute)) and name_of(node) in CHANGING_METHODS and id(node) not in called:
            return at(node, f'hands on {name_of(node)}, which changes what it is called on')
    objective = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry), None)
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and not changes_its_own_only(node, node is objective):
            return at(node, 'may change an object that it has not made itself')
    return None


def at(node, words):
    return f'line {node.lineno}: the source {words}'


def module_level(tree):
    """Nodes that run once, when the source is loaded; methods and functions left out."""
    pending = list(tree.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            pending.extend(ast.iter_child_nodes(node))


def lasts(node):
    """Whether a module-level expression leaves nothing that is used up by being read: an iterator."""
    if isinstance(node, ast.GeneratorExp):
        return False
    used_up = {'iter', 'map', 'filter', 'zip', 'enumerate', 'reversed', 'itertools', 'count', 'cycle', 'repeat', 'chain'}
    return not (isinstance(node, ast.Assign) and any(name_of(n) in used_up for n in ast.walk(node.value)))


def name_of(node):
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def root_of(node):
    """(name, steps) of `a.b[0].c`; name is None where it does not begin with one."""
    steps = 0
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node, steps = node.value, steps + 1
    return (node.id if isinstance(node, ast.Name) else None), steps


def changes_its_own_only(function, is_objective):
    """Whether a function changes only objects that it made itself, so that nothing outlives the call."""
    own = objects_of_its_own(function, is_objective)
    initializes = isinstance(function, ast.FunctionDef) and function.name in ('__init__', '__post_init__')
    receiver = function.args.args[0].arg if initializes and function.args.args else None

    def may_change(target):
        name, steps = root_of(target)
        return name is not None and (own.get(name, 0) >= steps or (name == receiver and steps == 1))

    for node in own_nodes(function):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if not may_change(node):
                return False
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            # `a += 1` changes an array in place.
            if own.get(node.target.id, 0) < 1:
                return False
        elif isinstance(node, ast.Call):
            called = name_of(node.func)
            if called in CHANGING_METHODS:
                changed = node.func if isinstance(node.func, ast.Attribute) and not is_module(node.func.value) else None
                target = changed or ast.Subscript(value=node.args[0]) if changed or node.args else None
                if target is None or not may_change(target):
                    return False
    return True


def is_module(node):
    return isinstance(node, ast.Name) and node.id in ('np', 'numpy', 'heapq', 'bisect')


def own_nodes(function):
    """Nodes of a function without those of functions inside it, which are looked at by themselves."""
    pending = list(function.body) if isinstance(function, ast.FunctionDef) else [function.body]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            pending.extend(ast.iter_child_nodes(node))


def objects_of_its_own(function, is_objective):
    """Per local name how deep what it holds is new: 1 = the object, 2 = its elements, too."""
    depths = {}

    def note(name, depth):
        depths[name] = min(depth, depths.get(name, depth))

    parameters = function.args.args + getattr(function.args, 'posonlyargs', [])
    for index, parameter in enumerate(function.args.args):
        # The objective's argument is a copy made for the call.
        note(parameter.arg, 1 if is_objective and index == 0 and len(parameters) == len(function.args.args) else 0)
    for other in function.args.kwonlyargs + getattr(function.args, 'posonlyargs', []):
        note(other.arg, 0)
    for node in own_nodes(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                note_target(target, node.value, note)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            note_target(node.target, node.value, note)
        elif isinstance(node, (ast.For, ast.comprehension)):
            counts = isinstance(node.iter, ast.Call) and name_of(node.iter.func) == 'range'
            for part in ast.walk(node.target):
                if isinstance(part, ast.Name):
                    note(part.id, 1 if counts else 0)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            for part in ast.walk(node.optional_vars):
                if isinstance(part, ast.Name):
                    note(part.id, 0)
    return depths


def note_target(target, value, note):
    if isinstance(target, ast.Name):
        note(target.id, freshness(value))
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) else None
        for index, part in enumerate(target.elts):
            note_target(part, values[index] if values else ast.Name(id=''), note)
    elif isinstance(target, ast.Starred):
        note_target(target.value, ast.Name(id=''), note)


def freshness(value):
    if isinstance(value, ast.BinOp) and not isinstance(value.op, (ast.Mult, ast.Add, ast.BitOr)):
        return 2
    if isinstance(value, (ast.ListComp, ast.SetComp)):
        return 1 + min(1, freshness(value.elt))
    if isinstance(value, (ast.List, ast.Set)):
        return 1 + min([1] + [freshness(element) for element in value.elts])
    if isinstance(value, ast.Dict):
        return 1
    if isinstance(value, ast.IfExp):
        return min(freshness(value.body), freshness(value.orelse))
    if isinstance(value, FRESH_NODES):
        return 1
    if isinstance(value, ast.Call) and name_of(value.func) in FRESH_CALLS:
        # The elements of list(TABLE) are still those of TABLE; an array's are numbers.
        return 2 if isinstance(value.func, ast.Attribute) and value.func.attr != 'copy' else 1
    return 0
