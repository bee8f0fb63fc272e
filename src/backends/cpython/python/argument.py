"""Whether an objective gets a list or a NumPy array, by a reading of its own: the second opinion on what the front end
decided (src/frontend/argument-kind.ts). A check that shares the decision cannot find it wrong (ADR 31).

The rule is the documented one: an array where the source imports NumPy or uses its argument like one, else a list. The
method is another: branches and loops are not followed in the order in which they run. A name has all meanings at once
that they may give it. A use that is one under every meaning shows an array. If no use is one under any meaning, it is a
list. Between the two this reading says nothing, and a call with the other kind shows whether it matters.

Read by worker.py, which runs behind this text in the same globals (no import but ast and struct).
"""

import ast
import struct

ARRAY_ATTRIBUTES = {
    'sum', 'prod', 'mean', 'std', 'var', 'max', 'min', 'argmax', 'argmin', 'shape', 'size', 'ndim', 'T', 'dot',
    'reshape', 'ravel', 'flatten', 'astype', 'cumsum', 'clip', 'tolist', 'any', 'all', 'round', 'transpose',
}
# How deep calls of the source's functions are followed.
DEEPEST_CALL = 8
# Sources that are larger are not read.
MOST_NODES = 20_000
# What a value may be: the argument, a slice of it, or something else.
WHOLE, SLICE, OTHER = 'whole', 'slice', 'other'
NOT_IT = frozenset((OTHER,))

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def node_type(name):
    """A type of nodes that older versions lack."""
    return getattr(ast, name, ())


def argument_by_text(tree, entry):
    """'list', 'ndarray', or None where this reading cannot tell."""
    if imports_numpy(tree):
        return 'ndarray'
    function = objective_in(tree, entry)
    if function is None:
        return 'list'  # a method or an object
    if isinstance(function, SCOPES):
        given = positional(function.args)[:1]
        if not given:
            return 'list'
    else:
        given = ['x']
    try:
        if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
            return None
        found = Uses(tree)
        found.enter(function, {given[0]: frozenset((WHOLE,))}, 0, True)
    except RecursionError:
        return None
    if found.is_certain:
        return 'ndarray'
    return None if found.is_possible else 'list'


def imports_numpy(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or '']
        else:
            continue
        if any(name.partition('.')[0] == 'numpy' for name in names):
            return True
    return False


def objective_in(tree, entry):
    """The function or expression that is called; None: what is called is made otherwise."""
    if entry is None:
        return tree.body[-1].value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    found = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            found = node
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            if any(isinstance(target, ast.Name) and target.id == entry for target in node.targets):
                found = node.value
    return found


def positional(arguments):
    return [each.arg for each in getattr(arguments, 'posonlyargs', []) + arguments.args]


def parameters(arguments):
    others = [each.arg for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return positional(arguments) + [each.arg for each in arguments.kwonlyargs] + others


def inside(node):
    """Nodes of a scope, those of scopes within left out, but for the nodes where these begin."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, SCOPES):
            defaults = node.args.defaults + [each for each in node.args.kw_defaults if each is not None]
            pending.extend(defaults + getattr(node, 'decorator_list', []))
        elif not isinstance(node, ast.ClassDef):
            pending.extend(ast.iter_child_nodes(node))


def pairs(target, value):
    """What an assignment binds: name and value, None where that is no expression of its own."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Starred):
        yield from pairs(target.value, None)
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        fits = len(values) == len(target.elts) and not any(isinstance(e, ast.Starred) for e in target.elts + values)
        for k, element in enumerate(target.elts):
            yield from pairs(element, values[k] if fits and isinstance(element, ast.Name) else None)


def bindings(body):
    """Names that a scope binds, each with the expression whose value it holds then, or None."""
    for node in (each for statement in body for each in inside(statement)):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from pairs(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from pairs(node.target, node.value)
        elif isinstance(node, ast.NamedExpr):
            yield from pairs(node.target, node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            yield from pairs(node.target, None)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            yield from pairs(node.optional_vars, None)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                yield from pairs(target, None)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, None
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            yield node.name, None
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name.partition('.')[0]), None
        elif isinstance(node, node_type('Match')):
            for case in node.cases:
                yield from captures(case.pattern, node.subject)


def assignments(statement):
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from pairs(target, statement.value)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield from pairs(statement.target, statement.value)


def walruses(statement):
    for node in inside(statement):
        if isinstance(node, ast.NamedExpr):
            yield node.target.id, node.value


def parts(body):
    """The statements of a block, each part up to an assignment."""
    part = []
    for statement in body:
        part.append(statement)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            yield part
            part = []
    if part:
        yield part


def captures(pattern, subject):
    for node in ast.walk(pattern):
        name = getattr(node, 'name', None) or getattr(node, 'rest', None)
        if isinstance(name, str):
            yield name, subject if node is pattern and isinstance(node, ast.MatchAs) else None


def may_end(statement):
    """Whether control may not get behind it."""
    if isinstance(statement, ENDS):
        return True
    if isinstance(statement, ast.If):
        return any(map(may_end, statement.body)) and any(map(may_end, statement.orelse))
    if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
        return any(map(may_end, statement.orelse))
    return isinstance(statement, ast.stmt) and any(isinstance(node, ENDS) for node in inside(statement))


class Uses:
    """Uses of the argument as an array."""

    def __init__(self, tree):
        self.is_possible = self.is_certain = False
        self.seen = set()
        # Functions that calls may be of, by name; those of a name that is bound once are the ones that are called.
        self.functions, self.bound = {}, {}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
                self.bind(node.name)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.functions.setdefault(target.id, []).append(node.value)
            name = getattr(node, 'name', None) or getattr(node, 'asname', None) or getattr(node, 'arg', None)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self.bind(node.id)
            elif isinstance(name, str) and not isinstance(node, ast.FunctionDef):
                self.bind(name)

    def bind(self, name):
        self.bound[name] = self.bound.get(name, 0) + 1

    def enter(self, function, given, calls, is_certain):
        """`given`: meanings of the names that are not bound inside, parameters or names of the scopes around."""
        key = (id(function), tuple(sorted((name, tuple(sorted(what))) for name, what in given.items())), is_certain)
        if key in self.seen or all(what == NOT_IT for what in given.values()):
            return
        self.seen.add(key)
        body = function.body if isinstance(function, SCOPES) else function
        body = body if isinstance(body, list) else [body]
        # Names that may be something else at any time.
        unsure = set()
        for node in (each for statement in body for each in ast.walk(statement)):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                unsure.update(node.names)
            elif is_type_test(node):
                unsure.add(node.args[0].id)  # where it holds, the value may be a number
        scope = Scope(dict(given), {name for name, _ in bindings(body)} | unsure, calls)
        for name in unsure & set(given):
            scope.names[name] |= NOT_IT
        # What a statement of the body itself assigns holds behind it, and only there.
        for part in parts(body):
            assigned = list(assignments(part[-1]))
            last = walruses(part[-1]) if assigned else bindings(part[-1:])
            self.give(scope.names, [*bindings(part[:-1]), *last])
            is_certain = self.block(part, scope, is_certain)
            after = {}
            for name, value in assigned:
                what = NOT_IT if value is None else self.meanings(value, scope.names)
                after[name] = what | NOT_IT if name in unsure else what
            scope.names = {**scope.names, **after}

    def give(self, names, bound):
        """Adds to `names` all that they may be."""
        grows = True
        while grows:
            grows = False
            for name, value in bound:
                known = names.get(name, frozenset())
                what = known | (NOT_IT if value is None else self.meanings(value, names))
                if what != known:
                    names[name], grows = what, True

    def meanings(self, node, names):
        if isinstance(node, ast.Name):
            return names.get(node.id, NOT_IT)
        if isinstance(node, ast.NamedExpr):
            return self.meanings(node.value, names)
        if isinstance(node, ast.IfExp):
            return self.meanings(node.body, names) | self.meanings(node.orelse, names)
        if isinstance(node, ast.BoolOp):
            return frozenset().union(*(self.meanings(each, names) for each in node.values))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            what = self.meanings(node.value, names)
            return frozenset(OTHER if each == OTHER else SLICE for each in what)
        return NOT_IT

    def found(self, answers, is_certain):
        self.is_possible = self.is_possible or any(answers)
        self.is_certain = self.is_certain or (is_certain and all(answers))

    def block(self, body, scope, is_certain):
        for statement in body:
            self.visit(statement, scope, is_certain)
            is_certain = is_certain and not may_end(statement)
        return is_certain

    def visit(self, node, scope, is_certain):
        names = scope.names
        if isinstance(node, ast.Attribute):
            if node.attr in ARRAY_ATTRIBUTES:
                self.found([what != OTHER for what in self.meanings(node.value, names)], is_certain)
        elif isinstance(node, ast.BinOp):
            self.operation(node.op, node.left, node.right, names, is_certain)
        elif isinstance(node, ast.AugAssign):
            self.operation(node.op, node.target, node.value, names, is_certain, True)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self.found([what != OTHER for what in self.meanings(node.operand, names)], is_certain)
        elif isinstance(node, ast.Call):
            self.call(node, scope, is_certain)
        if isinstance(node, SCOPES):
            defaults = node.args.defaults + [each for each in node.args.kw_defaults if each is not None]
            for each in defaults + getattr(node, 'decorator_list', []):
                self.visit(each, scope, is_certain)
            own = scope.rebound.union(parameters(node.args))
            if not isinstance(node, ast.Lambda):
                own.update(name for name, _ in bindings(node.body))
            self.enter(node, {name: what for name, what in names.items() if name not in own}, scope.calls, is_certain)
        elif isinstance(node, COMPREHENSIONS):
            own = dict(names)
            for each in node.generators:
                self.visit(each.iter, Scope(dict(own), scope.rebound, scope.calls), is_certain)
                own.update((name, NOT_IT) for name, _ in pairs(each.target, None))
                for condition in each.ifs:
                    self.visit(condition, Scope(dict(own), scope.rebound, scope.calls), is_certain)
            for each in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
                self.visit(each, Scope(own, scope.rebound, scope.calls), is_certain)
        elif isinstance(node, ast.ClassDef):
            pass
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.visit(node.iter, scope, is_certain)
            bound = [name for name, _ in pairs(node.target, None)]
            self.block(node.body, self.with_other(scope, bound, node.body), is_certain)
            self.block(node.orelse, scope, is_certain)
        elif isinstance(node, node_type('Match')):
            # No pattern takes an array: a sum that is matched is one of lists.
            is_sum = isinstance(node.subject, ast.BinOp)
            for each in [node.subject.left, node.subject.right] if is_sum else [node.subject]:
                self.visit(each, scope, is_certain)
            for case in node.cases:
                self.block(case.body, scope, is_certain)
                if case.guard is not None:
                    self.visit(case.guard, scope, is_certain)
        elif isinstance(node, ast.Try):
            self.block(node.body, scope, is_certain)
            for handler in node.handlers:
                bound = [] if handler.name is None else [handler.name]
                self.block(handler.body, self.with_other(scope, bound, handler.body), is_certain)
            self.block(node.orelse, scope, is_certain and not any(map(may_end, node.body)))
            self.block(node.finalbody, scope, is_certain)
        else:
            for field, value in ast.iter_fields(node):
                if field in ('annotation', 'returns', 'type_comment'):
                    continue
                if field in ('body', 'orelse') and isinstance(value, list):
                    self.block(value, scope, is_certain)
                    continue
                for each in value if isinstance(value, list) else [value]:
                    if isinstance(each, ast.AST):
                        self.visit(each, scope, is_certain)

    def with_other(self, scope, bound, body):
        """The scope inside of `body`, before which the names in `bound` come to be something else."""
        names = {**scope.names, **{name: NOT_IT for name in bound}}
        self.give(names, [(name, value) for name, value in bindings(body) if name in bound])
        return Scope(names, scope.rebound, scope.calls)

    def operation(self, operator, left, right, names, is_certain, is_in_place=False):
        rights = NOT_IT if is_in_place else self.meanings(right, names)
        self.found(
            [
                is_of_arrays(operator, l, r, left, right, is_in_place)
                for l in self.meanings(left, names)
                for r in rights
            ],
            is_certain,
        )

    def call(self, node, scope, is_certain):
        """Follows the argument into a function of the source."""
        if not isinstance(node.func, ast.Name) or scope.calls >= DEEPEST_CALL:
            return
        name = node.func.id
        for function in self.functions.get(name, []):
            places = positional(function.args)
            given = {}
            for k, each in enumerate(node.args):
                if isinstance(each, ast.Starred):
                    break
                if k < len(places):
                    given[places[k]] = self.meanings(each, scope.names)
            for each in node.keywords:
                if each.arg is not None:
                    given[each.arg] = self.meanings(each.value, scope.names)
            is_it = self.bound.get(name) == 1 and not getattr(function, 'decorator_list', [])
            self.enter(function, given, scope.calls + 1, is_certain and is_it)


class Scope:
    def __init__(self, names, rebound, calls):
        # Meanings of names; names that the scope binds; calls that led there.
        self.names, self.rebound, self.calls = names, rebound, calls


def is_type_test(node):
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == 'isinstance'
        and len(node.args) == 2
        and isinstance(node.args[0], ast.Name)
    )


def is_number(node, *kinds):
    return isinstance(node, ast.Constant) and type(node.value) in kinds


def is_of_arrays(operator, left, right, left_node, right_node, is_in_place):
    """Whether an operation is one that lists do not have, or would hardly be meant for them."""
    if left == OTHER and right == OTHER:
        return False
    if isinstance(operator, ast.Mod) and left == OTHER and is_text(left_node):
        return False
    if not isinstance(operator, (ast.Add, ast.Mult)):
        return True
    other = left_node if left == OTHER else right_node
    share = right if left == OTHER else left
    if isinstance(operator, ast.Add):
        if is_number(other, int, float):
            return True
        # A list is put together with other lists, and is extended by +=.
        return not is_in_place and share == WHOLE and right != SLICE and not is_like_a_list(other)
    # A list times an integer repeats it.
    if is_number(other, int) or is_like_a_list(other):
        return False
    return share == WHOLE or is_number(other, float) or right != OTHER


def is_text(node):
    return isinstance(node, ast.JoinedStr) or is_number(node, str)


def is_like_a_list(node):
    if isinstance(node, (ast.List, ast.ListComp, ast.Tuple)):
        return True
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.Add, ast.Mult)) and (is_like_a_list(node.left) or is_like_a_list(node.right))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id in ('list', 'sorted', 'tuple')


class DoubtfulArgument(Exception):
    """With a list and with an array the value is another one, and nobody can tell which of them is meant."""


def with_doubts(objective, as_other, numbers_of):
    """`objective`, called with the other kind of argument, too: `DoubtfulArgument` where that gives other numbers."""

    def doubting(argument):
        other = as_other(argument)
        result = objective(argument)
        numbers = numbers_of(result)
        try:
            others = numbers_of(objective(other))
        except BaseException:  # a kind that does not work is not the one that is meant
            return result
        if struct.pack(f'{len(numbers)}d', *numbers) == struct.pack(f'{len(others)}d', *others):
            return result
        raise DoubtfulArgument(f'a list and an array give other values: {numbers} and {others}')

    return doubting
