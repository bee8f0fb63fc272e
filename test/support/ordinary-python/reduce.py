"""Programs that are one step smaller: reads {"code", "first"} a line, writes {"variants": [...], "shape", "places"} a line.

`variants` are valid Python, those that lose most first: of all `places` where something can be taken away, some from
number `first` on. `shape` is the tree without names and constants: equal for
programs that differ in these only.
"""
import ast
import hashlib
import json
import sys
import warnings

warnings.simplefilter("ignore")
MOST = 24


def places(tree):
    """(parent, field, index or None, node) of every node below `tree`."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                for index, node in enumerate(value):
                    if isinstance(node, ast.AST):
                        yield parent, field, index, node
            elif isinstance(value, ast.AST):
                yield parent, field, None, value


def bodies_of(node):
    for field in ("body", "orelse", "finalbody"):
        value = getattr(node, field, None)
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
    for handler in getattr(node, "handlers", []):
        yield handler.body
    for case in getattr(node, "cases", []):
        yield case.body


def expressions_in(node):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, (ast.comprehension, ast.keyword, ast.FormattedValue)):
            yield from expressions_in(child)


def edits(tree):
    """Functions that change a copy of the tree, found by number: (gain, place number, kind, detail)."""
    for number, (parent, field, index, node) in enumerate(places(tree)):
        size = sum(1 for _ in ast.walk(node))
        if isinstance(node, ast.stmt) and index is not None:
            siblings = getattr(parent, field)
            if len(siblings) > 1 or field in ("orelse", "finalbody"):
                yield size, number, "delete", None
            elif not isinstance(node, ast.Pass):
                yield size - 1, number, "pass", None
            for which, body in enumerate(bodies_of(node)):
                if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    yield size - sum(1 for s in body for _ in ast.walk(s)), number, "body", which
        elif isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            for which, child in enumerate(expressions_in(node)):
                if not isinstance(child, ast.Starred):
                    yield size - sum(1 for _ in ast.walk(child)), number, "child", which
            if not isinstance(node, (ast.Constant, ast.Slice, ast.Starred)) and size > 1:
                yield size - 1, number, "constant", None
                if size > 4:
                    yield size - 3, number, "element", None
            if index is not None and isinstance(parent, (ast.BoolOp, ast.List, ast.Tuple, ast.Set, ast.Call, ast.Dict)):
                if not (isinstance(parent, ast.BoolOp) and len(parent.values) < 3) and not isinstance(parent, ast.Dict):
                    yield size, number, "delete", None
        elif isinstance(node, (ast.ExceptHandler, ast.match_case, ast.keyword, ast.withitem)) and index is not None:
            if len(getattr(parent, field)) > 1 or isinstance(node, ast.keyword):
                yield size, number, "delete", None
        elif isinstance(node, ast.comprehension) and len(parent.generators) > 1:
            yield size, number, "delete", None
        elif isinstance(node, ast.pattern) and not isinstance(node, (ast.MatchValue, ast.MatchSingleton)):
            for which, child in enumerate(c for c in ast.iter_child_nodes(node) if isinstance(c, ast.pattern)):
                yield size - 1, number, "pattern", which


def change(tree, number, kind, detail):
    for k, (parent, field, index, node) in enumerate(places(tree)):
        if k == number:
            break
    if kind == "delete":
        if isinstance(parent, ast.Try) and field == "body":
            return None
        del getattr(parent, field)[index]
        if isinstance(parent, ast.Try) and not parent.handlers and not parent.finalbody:
            return None
        return tree
    if kind == "pass":
        new = [ast.Pass()]
    elif kind == "body":
        new = list(bodies_of(node))[detail]
    elif kind == "child":
        new = list(expressions_in(node))[detail]
    elif kind == "constant":
        new = ast.Constant(1.0)
    elif kind == "element":
        new = ast.Subscript(ast.Name("x", ast.Load()), ast.Constant(0), ast.Load())
    elif kind == "pattern":
        new = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.pattern)][detail]
    if index is None:
        setattr(parent, field, new)
    elif isinstance(new, list):
        getattr(parent, field)[index : index + 1] = new
    else:
        getattr(parent, field)[index] = new
    return tree


def variants(code, first):
    found = {}
    for _, number, kind, detail in sorted(edits(ast.parse(code)), key=lambda e: -e[0])[first : first + MOST]:
        try:
            new = change(ast.parse(code), number, kind, detail)
            if new is None:
                continue
            text = ast.unparse(ast.fix_missing_locations(new)) + "\n"
            compile(text, "<objective>", "exec")
        except Exception:
            continue
        if "def f(" in text and (len(text) < len(code) or kind == "pattern"):
            found.setdefault(text)
    return list(found)


class Bare(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.Name("n", node.ctx)

    def visit_arg(self, node):
        return ast.arg("n")

    def visit_Constant(self, node):
        return ast.Constant(type(node.value).__name__)

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.name = "n"
        return node

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        node.name = "n"
        return node


def shape(code):
    return hashlib.sha1(ast.dump(Bare().visit(ast.parse(code))).encode()).hexdigest()[:12]


for line in sys.stdin:
    job = json.loads(line)
    code = job["code"]
    try:
        answer = {"variants": variants(code, job["first"]), "shape": shape(code), "places": sum(1 for _ in edits(ast.parse(code)))}
    except Exception as error:
        answer = {"variants": [], "shape": "?", "places": 0, "error": str(error)}
    print(json.dumps(answer), flush=True)
