"""Objectives made of CPython's own tests, read where the interpreter has them; nothing of them is kept here.

`python3 suite.py [FILE ...]` writes one JSON object a line: {"name", "code", "exact"}, or {"missing": why}. A test method
becomes `def f(p_)`, an assertion a term of the sum that it returns, and so does each assertion alone behind the statements
in front of it. In a second form the numbers of the test take part of their value from `p_`, so that little of it is
known before it runs.
"""
import ast
import copy
import doctest
import importlib.util
import json
import os
import random
import re
import sys
import warnings

warnings.simplefilter("ignore")
FILES = ("test_grammar", "test_scope", "test_genexps", "test_patma", "test_float", "test_math", "test_statistics")
MODULES = {"math", "sys", "statistics", "collections", "dataclasses", "enum", "random", "fractions", "decimal", "itertools", "operator", "struct", "os", "time", "inspect", "types", "functools", "array"}
MOST_OF_A_METHOD = 60


class Unsuitable(Exception):
    pass


def text_of(name):
    spec = importlib.util.find_spec("test")
    for folder in spec.submodule_search_locations if spec else ():
        path = os.path.join(folder, name + ".py")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    return None


def load(text):
    return ast.parse(text).body


def expression(text):
    return ast.parse(text, mode="eval").body


def is_self(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def uses_self(node):
    return any(isinstance(n, ast.Name) and n.id == "self" for n in ast.walk(node))


class Assertions:
    """Rewrites the statements of one method."""

    def __init__(self, helpers):
        self.helpers = helpers
        self.count = 0
        self.used = []

    def add(self, condition):
        self.count += 1
        return ast.AugAssign(ast.Name("total_", ast.Store()), ast.Add(), ast.IfExp(condition, ast.Constant(self.count), ast.Constant(-0.5 - self.count)))

    def call(self, node):
        """The statements for `self.name(...)`."""
        name, args = node.func.attr, node.args
        if any(isinstance(a, ast.Starred) for a in args):
            raise Unsuitable
        compare = {"assertEqual": ast.Eq, "assertNotEqual": ast.NotEq, "assertIs": ast.Is, "assertIsNot": ast.IsNot, "assertIn": ast.In,
                   "assertNotIn": ast.NotIn, "assertLess": ast.Lt, "assertGreater": ast.Gt, "assertLessEqual": ast.LtE,
                   "assertGreaterEqual": ast.GtE, "assertListEqual": ast.Eq, "assertTupleEqual": ast.Eq}
        if name in compare and len(args) >= 2:
            return [self.add(ast.Compare(args[0], [compare[name]()], [args[1]]))]
        if name in ("assertTrue", "assertFalse"):
            return [self.add(args[0] if name == "assertTrue" else ast.UnaryOp(ast.Not(), args[0]))]
        if name in ("assertIsNone", "assertIsNotNone"):
            return [self.add(ast.Compare(args[0], [ast.Is() if name == "assertIsNone" else ast.IsNot()], [ast.Constant(None)]))]
        if name in ("assertIsInstance", "assertNotIsInstance"):
            found = ast.Call(ast.Name("isinstance", ast.Load()), args[:2], [])
            return [self.add(found if name == "assertIsInstance" else ast.UnaryOp(ast.Not(), found))]
        if name in ("assertRaises", "assertRaisesRegex") and len(args) >= 2 + (name != "assertRaises"):
            first = 1 + (name != "assertRaises")
            return self.raising(args[0], [ast.Expr(ast.Call(args[first], args[first + 1 :], node.keywords))])
        if name == "ftest":
            return self.number(args[1])
        if name in ("assertFloatsAreIdentical", "assertAlmostEqual", "assertApproxEqual", "assertFloatIdentical", "assertEqualSign") and len(args) >= 2:
            return self.number(args[0]) + self.number(args[1])
        if name in self.helpers:
            if name not in self.used:
                self.used.append(name)
            return [ast.Expr(ast.Call(ast.Name(name, ast.Load()), args, node.keywords))]
        raise Unsuitable

    def number(self, node):
        self.count += 1
        return [ast.AugAssign(ast.Name("total_", ast.Store()), ast.Add(), ast.BinOp(ast.Constant(self.count), ast.Mult(), node))]

    def raising(self, kind, body):
        self.count += 1
        term = ast.AugAssign(ast.Name("total_", ast.Store()), ast.Add(), ast.Constant(self.count))
        return [ast.Try(body, [ast.ExceptHandler(kind, None, [term])], [ast.AugAssign(ast.Name("total_", ast.Store()), ast.Sub(), ast.Constant(self.count))], [])]

    def statement(self, node):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and is_self(node.value.func):
            return self.call(node.value)
        if isinstance(node, ast.With) and len(node.items) == 1 and isinstance(node.items[0].context_expr, ast.Call) and is_self(node.items[0].context_expr.func):
            call = node.items[0].context_expr
            if call.func.attr == "subTest":
                return self.block(node.body)
            if call.func.attr in ("assertRaises", "assertRaisesRegex") and node.items[0].optional_vars is None:
                return self.raising(call.args[0], self.block(node.body))
            if call.func.attr == "assertWarns":
                return self.block(node.body)
            raise Unsuitable
        node = copy.copy(node)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            for field in ("body", "orelse", "finalbody"):
                if isinstance(getattr(node, field, None), list) and getattr(node, field):
                    setattr(node, field, self.block(getattr(node, field)))
            if isinstance(node, ast.Try):
                node.handlers = [ast.ExceptHandler(h.type, h.name, self.block(h.body)) for h in node.handlers]
            if isinstance(node, ast.Match):
                node.cases = [ast.match_case(c.pattern, c.guard, self.block(c.body)) for c in node.cases]
            if uses_self(node):
                raise Unsuitable
        elif isinstance(node, ast.FunctionDef) and uses_self(node) and not any(a.arg == "self" for a in node.args.args):
            raise Unsuitable
        return [node]

    def block(self, body):
        made = []
        for node in body:
            try:
                made += self.statement(node)
            except Unsuitable:
                continue
        return made or [ast.Pass()]


class FromX(ast.NodeTransformer):
    """Numbers of a test that take a part from the argument: the same where p_[0] is 0."""

    def __init__(self, rng):
        self.rng = rng

    def visit_Constant(self, node):
        if type(node.value) is int and abs(node.value) < 1000 and self.rng.random() < 0.3:
            return ast.BinOp(node, ast.Add(), expression("int(p_[0])"))
        if type(node.value) is float and self.rng.random() < 0.3:
            return ast.BinOp(node, ast.Add(), expression("p_[0]"))
        return node

    def visit_Match(self, node):
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.body = [self.visit(s) for s in case.body]
        return node

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name) and node.target.id == "total_":
            if isinstance(node.value, ast.IfExp):
                node.value.test = self.visit(node.value.test)
            return node
        return self.generic_visit(node)

    def visit_JoinedStr(self, node):
        return node


def names_in(nodes):
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def needed(module, nodes):
    """Definitions of the file that the nodes use, directly or not, in their order."""
    defined = {}
    for node in module:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined[node.name] = node
        elif isinstance(node, ast.Assign) and not any(isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) for n in ast.walk(node)):
            for target in node.targets:
                for name in names_in([target]):
                    defined[name] = node
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in MODULES:
                    defined[(alias.asname or alias.name).partition(".")[0]] = ast.Import([alias])
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").partition(".")[0] in MODULES:
            for alias in node.names:
                defined[alias.asname or alias.name] = ast.ImportFrom(node.module, [alias], 0)
    chosen, todo = {}, list(names_in(nodes))
    while todo:
        name = todo.pop()
        node = defined.get(name)
        if node is None or id(node) in chosen:
            continue
        if isinstance(node, ast.ClassDef) and any("Test" in ast.unparse(b) for b in node.bases):
            continue
        chosen[id(node)] = node
        todo += names_in([node])
    order = {id(n): k for k, n in enumerate(defined.values())}
    return sorted(chosen.values(), key=lambda n: order[id(n)])


def program(module, body, helpers, with_x, rng):
    body = copy.deepcopy(body)
    if with_x:
        body = [FromX(rng).visit(node) for node in body]
    start = load("total_ = 0.0")
    function = ast.FunctionDef("f", ast.arguments([], [ast.arg("p_")], None, [], [], None, []), start + body + load("return total_")[0:0], [])
    try:
        function.body += [ast.Return(ast.Name("total_", ast.Load()))]
        tree = ast.Module([*needed(module, [*helpers, *body]), *helpers, function], [])
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(text, "<objective>", "exec")
        return None if re.search(r"\bself\b(?!,|\)|\.\w+ =)", text) and "(self" not in text else text
    except (SyntaxError, ValueError, AttributeError):
        return None


def of_method(module, cls, method, helpers, rng):
    maker = Assertions(helpers)
    whole = maker.block([s for s in method.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))])
    used = []
    todo = list(maker.used)
    while todo:
        name = todo.pop()
        if any(u.name == name for u in used):
            continue
        inner = Assertions(helpers)
        source = helpers[name]
        is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in source.decorator_list)
        arguments = copy.deepcopy(source.args)
        if not is_static:
            arguments.args = arguments.args[1:]
        body = inner.block(source.body)
        if "total_" in names_in(body):
            return  # a helper that asserts
        used.append(ast.FunctionDef(name, arguments, body, []))
        todo += inner.used
    name = "%s.%s" % (cls.name, method.name)
    if maker.count > 0:
        for with_x in (False, True):
            yield name + (", x" if with_x else ""), program(module, whole, used, with_x, rng)
    before = []
    made = 0
    for node in whole:
        is_term = "total_" in names_in([node])
        if is_term and len(whole) > 2 and made < MOST_OF_A_METHOD:
            made += 1
            for with_x in (False, True):
                yield "%s, %d%s" % (name, made, ", x" if with_x else ""), program(module, [*before, node], used, with_x, rng)
        elif not is_term:
            before.append(node)


def of_doctests(module, text, rng):
    for node in module:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) and ">>>" in node.value.value):
            continue
        before = []
        for k, example in enumerate(doctest.DocTestParser().get_examples(node.value.value)):
            try:
                tree = ast.parse(example.source)
                if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
                    maker = Assertions({})
                    if example.exc_msg is not None:
                        kind = re.match(r"\w+", example.exc_msg).group()
                        if kind == "SyntaxError":
                            continue
                        body = maker.raising(ast.Name(kind, ast.Load()), tree.body)
                    else:
                        body = [maker.add(ast.Compare(tree.body[0].value, [ast.Eq()], [expression(example.want.strip())]))]
                    for with_x in (False, True):
                        yield "doctest %d%s" % (k, ", x" if with_x else ""), program(module, [*before, *body], [], with_x, rng)
                    if example.exc_msg is None:
                        before += tree.body
                elif example.exc_msg is None:
                    before += tree.body
            except SyntaxError:
                continue


def programs(name, text):
    module = load(text)
    rng = random.Random(name)
    for cls in module:
        if not isinstance(cls, ast.ClassDef):
            continue
        helpers = {m.name: m for m in cls.body if isinstance(m, ast.FunctionDef) and not m.name.startswith("test")}
        for method in cls.body:
            if isinstance(method, ast.FunctionDef) and method.name.startswith("test"):
                yield from of_method(module, cls, method, helpers, rng)
    yield from of_doctests(module, text, rng)


for name in sys.argv[1:] or FILES:
    text = text_of(name)
    if text is None:
        print(json.dumps({"missing": "%s of %s has no %s.py (Debian: apt-get install libpython3.11-testsuite)" % (sys.executable, sys.version.split()[0], name)}))
        continue
    seen = set()
    for label, code in programs(name, text):
        if code is None or code in seen or len(code) > 20000:
            continue
        seen.add(code)
        exact = not re.search(r"\*\*|math|statistics|pow|random|time", code)
        print(json.dumps({"name": "%s %s" % (name, label), "code": code, "exact": exact}))
