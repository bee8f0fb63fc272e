"""Other forms of programs that must give the same: reads {"code", "seed"} a line, writes {"forms": [[name, code], ...]}.

`named`: a value gets a name before it is used. `walrus`: the same within an expression. `outlined`: an expression becomes a
function. `branch`: a statement stands in both branches of an `if` that depends on x; `branches`: all of the objective do.
"""
import ast
import json
import random
import sys
import warnings

warnings.simplefilter("ignore")
FIELDS = {ast.Return: "value", ast.Assign: "value", ast.If: "test", ast.Expr: "value", ast.For: "iter", ast.Match: "subject", ast.AugAssign: "value", ast.Assert: "test"}


def objective(tree):
    return [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f"][-1]


def bodies(node, in_function):
    """(list of statements, whether it belongs to a function) at any depth."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        value = getattr(node, field, None)
        if not isinstance(value, list):
            continue
        inner = in_function
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            inner = isinstance(node, ast.FunctionDef)
        if value and isinstance(value[0], ast.stmt):
            yield value, inner
        for child in value:
            yield from bodies(child, inner)


def has(node, *kinds):
    return any(isinstance(n, kinds) for n in ast.walk(node))


SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def statements(tree):
    """Every statement of a function with an expression that it evaluates first: (list, index, field)."""
    found = []
    for body, in_function in bodies(tree, False):
        if not in_function:
            continue
        for index, node in enumerate(body):
            field = FIELDS.get(type(node))
            if field is None or getattr(node, field) is None or isinstance(getattr(node, field), ast.Starred):
                continue
            # Python reads the target of an augmented assignment before its value.
            if isinstance(node, ast.AugAssign) and not isinstance(getattr(node, field), (ast.Constant, ast.Name)):
                continue
            if isinstance(node, ast.If) and len(body) == 1 and any(body is n.orelse for n in ast.walk(tree) if isinstance(n, ast.If)):
                pass  # an elif, which becomes an else with an if
            found.append((body, index, field))
    return found


def named(tree, rng):
    body, index, field = rng.choice(statements(tree))
    value = getattr(body[index], field)
    if has(value, ast.Yield, ast.YieldFrom):
        return None
    setattr(body[index], field, ast.Name("held_", ast.Load()))
    body.insert(index, ast.Assign([ast.Name("held_", ast.Store())], value))
    return tree


def plain_expressions(node):
    """Expressions below a statement's own one, outside scopes of their own."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, SCOPES):
            continue
        if isinstance(child, ast.expr) and isinstance(getattr(child, "ctx", ast.Load()), ast.Load) and not isinstance(child, (ast.Starred, ast.Constant, ast.Slice, ast.JoinedStr, ast.FormattedValue)):
            yield node, child
        if not isinstance(child, (ast.JoinedStr, ast.FormattedValue)):
            yield from plain_expressions(child)


def replace(parent, old, new):
    for field, value in ast.iter_fields(parent):
        if value is old:
            setattr(parent, field, new)
        elif isinstance(value, list):
            for k, item in enumerate(value):
                if item is old:
                    value[k] = new


def inner_expression(tree, rng):
    body, index, field = rng.choice(statements(tree))
    holder = ast.Expr(getattr(body[index], field))
    found = [(parent, child) for parent, child in plain_expressions(holder) if not has(child, ast.NamedExpr, ast.Yield, ast.YieldFrom)]
    if not found:
        return None
    parent, child = rng.choice(found)
    return body, index, field, holder, parent, child


def walrus(tree, rng):
    chosen = inner_expression(tree, rng)
    if chosen is None:
        return None
    body, index, field, holder, parent, child = chosen
    pair = ast.Tuple([ast.NamedExpr(ast.Name("held_", ast.Store()), child), ast.Name("held_", ast.Load())], ast.Load())
    replace(parent, child, rng.choice([ast.NamedExpr(ast.Name("held_", ast.Store()), child), ast.Subscript(pair, ast.Constant(1), ast.Load())]))
    setattr(body[index], field, holder.value)
    return tree


def outlined(tree, rng):
    chosen = inner_expression(tree, rng)
    if chosen is None:
        return None
    body, index, field, holder, parent, child = chosen
    if rng.random() < 0.5:
        replace(parent, child, ast.Call(ast.Lambda(ast.arguments([], [], None, [], [], None, []), child), [], []))
        setattr(body[index], field, holder.value)
        return tree
    replace(parent, child, ast.Call(ast.Name("outlined_", ast.Load()), [], []))
    setattr(body[index], field, holder.value)
    helper = ast.FunctionDef("outlined_", ast.arguments([], [], None, [], [], None, []), [ast.Return(child)], [])
    body.insert(index, helper)
    return tree


def can_be_doubled(node):
    return not isinstance(node, (ast.Global, ast.Nonlocal)) and not has(node, ast.Global, ast.Nonlocal)


CONDITIONS = ["x[0] > 0.5", "x[0] == 1", "x[-1] < x[0]", "not x[0] <= -1", "0 < x[0] < 2"]


def with_condition(tree, rng):
    function = objective(tree)
    function.body.insert(0, ast.parse("side_ = " + rng.choice(CONDITIONS)).body[0])
    return function


def doubled(node):
    copy = ast.parse(ast.unparse(node)).body if not isinstance(node, (ast.Return, ast.Break, ast.Continue)) else None
    return ast.If(ast.Name("side_", ast.Load()), [node], copy or [node])


def branch(tree, rng):
    function = objective(tree)
    found = [(body, k) for body, in_function in bodies(function, True) if in_function for k, node in enumerate(body) if can_be_doubled(node)]
    body, k = rng.choice(found)
    body[k] = doubled(body[k])
    with_condition(tree, rng)
    return tree


def branches(tree, rng):
    function = objective(tree)
    function.body[:] = [doubled(node) if can_be_doubled(node) and not isinstance(node, ast.Return) else node for node in function.body]
    with_condition(tree, rng)
    return tree


def forms(code, seed):
    rng = random.Random(seed)
    found = []
    for make in (named, walrus, outlined, branch, branches):
        try:
            tree = make(ast.parse(code), rng)
            if tree is None:
                continue
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            compile(text, "<objective>", "exec")
        except (SyntaxError, IndexError, ValueError):
            continue
        found.append([make.__name__, text])
    return found


for line in sys.stdin:
    job = json.loads(line)
    print(json.dumps({"forms": forms(job["code"], job["seed"])}), flush=True)
