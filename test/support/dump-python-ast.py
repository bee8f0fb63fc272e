"""Prints CPython's own syntax trees in the shape of src/frontend/syntax/ast.ts, for comparison with our parser.

Standard input: a JSON list of sources. Standard output: {"minor": version of Python 3, "results": [...]}, with
{"tree": ...} or {"error": message, "line": int, "column": int} for each source.
Columns are 1-based UTF-16 units, floats 16 hexadecimal digits of their bits.
"""

import ast
import json
import struct
import sys
import warnings

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}
UNARY = {ast.UAdd: "+", ast.USub: "-", ast.Invert: "~", ast.Not: "not"}
COMPARISON = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}


class Dumper:
    def __init__(self, source):
        text = source.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = text.split("\n")

    def place(self, node):
        line = self.lines[node.lineno - 1]
        if line.isascii():
            column = node.col_offset
        else:
            before = line.encode()[: node.col_offset].decode()
            column = len(before.encode("utf-16-le")) // 2
        return {"line": node.lineno, "column": column + 1}

    def node(self, node):
        if node is None:
            return None
        if isinstance(node, list):
            return [self.node(item) for item in node]
        name = type(node).__name__
        fields = getattr(self, "visit_" + name)(node)
        if hasattr(node, "lineno"):
            fields.update(self.place(node))
        return fields

    def plain(self, kind, node, **names):
        fields = {"kind": kind}
        for ours, theirs in names.items():
            value = getattr(node, theirs)
            fields[ours] = value if isinstance(value, str) else self.node(value)
        return fields

    # Statements

    def visit_Module(self, node):
        return {"body": self.node(node.body)}

    def function(self, node, is_async):
        return {
            **self.plain("FunctionDef", node, name="name", body="body", decorators="decorator_list"),
            "isAsync": is_async,
            "parameters": self.parameters(node.args),
        }

    def visit_FunctionDef(self, node):
        return self.function(node, False)

    def visit_AsyncFunctionDef(self, node):
        return self.function(node, True)

    def visit_ClassDef(self, node):
        return self.plain(
            "ClassDef", node, name="name", bases="bases", keywords="keywords", body="body", decorators="decorator_list"
        )

    def parameters(self, args):
        positional = args.posonlyargs + args.args
        defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults

        def parameter(arg, default):
            if arg is None:
                return None
            return {
                "name": arg.arg,
                "annotation": self.node(arg.annotation),
                "default": self.node(default),
                **self.place(arg),
            }

        both = [parameter(arg, default) for arg, default in zip(positional, defaults)]
        return {
            "positionalOnly": both[: len(args.posonlyargs)],
            "positional": both[len(args.posonlyargs) :],
            "varArgs": parameter(args.vararg, None),
            "keywordOnly": [parameter(arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults)],
            "keywordArgs": parameter(args.kwarg, None),
        }

    def visit_Return(self, node):
        return self.plain("Return", node, value="value")

    def visit_Delete(self, node):
        return self.plain("Delete", node, targets="targets")

    def visit_Assign(self, node):
        return self.plain("Assign", node, targets="targets", value="value")

    def visit_AugAssign(self, node):
        fields = self.plain("AugAssign", node, target="target", value="value")
        return {**fields, "operator": BINARY[type(node.op)]}

    def visit_AnnAssign(self, node):
        return self.plain("AnnAssign", node, target="target", annotation="annotation", value="value")

    def loop(self, node, is_async):
        fields = self.plain("For", node, target="target", iterable="iter", body="body", orElse="orelse")
        return {**fields, "isAsync": is_async}

    def visit_For(self, node):
        return self.loop(node, False)

    def visit_AsyncFor(self, node):
        return self.loop(node, True)

    def visit_While(self, node):
        return self.plain("While", node, test="test", body="body", orElse="orelse")

    def visit_If(self, node):
        return self.plain("If", node, test="test", body="body", orElse="orelse")

    def block(self, node, is_async):
        return {**self.plain("With", node, items="items", body="body"), "isAsync": is_async}

    def visit_With(self, node):
        return self.block(node, False)

    def visit_AsyncWith(self, node):
        return self.block(node, True)

    def visit_withitem(self, node):
        return {"context": self.node(node.context_expr), "target": self.node(node.optional_vars)}

    def visit_Match(self, node):
        return self.plain("Match", node, subject="subject", cases="cases")

    def visit_match_case(self, node):
        return {"pattern": self.node(node.pattern), "guard": self.node(node.guard), "body": self.node(node.body)}

    def visit_MatchValue(self, node):
        return self.plain("MatchValue", node, value="value")

    def visit_MatchSingleton(self, node):
        return {"kind": "MatchSingleton", "value": node.value}

    def visit_MatchSequence(self, node):
        return self.plain("MatchSequence", node, patterns="patterns")

    def visit_MatchMapping(self, node):
        return {**self.plain("MatchMapping", node, keys="keys", patterns="patterns"), "rest": node.rest}

    def visit_MatchClass(self, node):
        fields = self.plain("MatchClass", node, type="cls", patterns="patterns", keywordPatterns="kwd_patterns")
        return {**fields, "keywordNames": node.kwd_attrs}

    def visit_MatchStar(self, node):
        return {"kind": "MatchStar", "name": node.name}

    def visit_MatchAs(self, node):
        return {**self.plain("MatchAs", node, pattern="pattern"), "name": node.name}

    def visit_MatchOr(self, node):
        return self.plain("MatchOr", node, patterns="patterns")

    def visit_Raise(self, node):
        return self.plain("Raise", node, exception="exc", cause="cause")

    def attempt(self, node, is_star):
        fields = self.plain("Try", node, body="body", handlers="handlers", orElse="orelse", finalBody="finalbody")
        return {**fields, "isStar": is_star}

    def visit_Try(self, node):
        return self.attempt(node, False)

    def visit_TryStar(self, node):
        return self.attempt(node, True)

    def visit_ExceptHandler(self, node):
        return {"type": self.node(node.type), "name": node.name, "body": self.node(node.body)}

    def visit_Assert(self, node):
        return self.plain("Assert", node, test="test", message="msg")

    def visit_Import(self, node):
        return self.plain("Import", node, names="names")

    def visit_ImportFrom(self, node):
        return {
            "kind": "ImportFrom",
            "module": node.module or "",
            "names": self.node(node.names),
            "level": node.level,
        }

    def visit_alias(self, node):
        return {"name": node.name, "asName": node.asname}

    def visit_Global(self, node):
        return {"kind": "Global", "names": node.names}

    def visit_Nonlocal(self, node):
        return {"kind": "Nonlocal", "names": node.names}

    def visit_TypeAlias(self, node):
        return {"kind": "TypeAlias", "name": node.name.id}

    def visit_Expr(self, node):
        return self.plain("Expr", node, value="value")

    def visit_Pass(self, node):
        return {"kind": "Pass"}

    def visit_Break(self, node):
        return {"kind": "Break"}

    def visit_Continue(self, node):
        return {"kind": "Continue"}

    # Expressions

    def visit_Name(self, node):
        return {"kind": "Name", "name": node.id}

    def visit_Constant(self, node):
        value = node.value
        if value is True or value is False or value is None:
            return {"kind": str(value)}
        if value is Ellipsis:
            return {"kind": "Ellipsis"}
        if isinstance(value, int):
            return {"kind": "Int", "text": hex(value)}
        if isinstance(value, float):
            return {"kind": "Float", "value": bits(value)}
        if isinstance(value, complex):
            return {"kind": "Imaginary", "value": bits(value.imag)}
        if isinstance(value, str):
            return {"kind": "String", "value": value}
        return {"kind": "Bytes"}

    def visit_JoinedStr(self, node):
        if sys.version_info < (3, 12):
            # The parts have other positions before PEP 701; null means: not compared.
            return {"kind": "JoinedString", "values": None}
        values, roles = [], []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                values.append(self.node(part.value))
                roles.append("value" if part.conversion == -1 else "converted")
                if part.format_spec is not None:
                    values.append(self.node(part.format_spec))
                    roles.append("specification")
            elif part.value != "":
                values.append(self.node(part))
                roles.append("text")
        return {"kind": "JoinedString", "values": values, "roles": roles}

    def visit_BinOp(self, node):
        return {**self.plain("Binary", node, left="left", right="right"), "operator": BINARY[type(node.op)]}

    def visit_UnaryOp(self, node):
        return {**self.plain("Unary", node, operand="operand"), "operator": UNARY[type(node.op)]}

    def visit_BoolOp(self, node):
        operator = "and" if isinstance(node.op, ast.And) else "or"
        return {**self.plain("Boolean", node, values="values"), "operator": operator}

    def visit_Compare(self, node):
        fields = self.plain("Compare", node, left="left", comparators="comparators")
        return {**fields, "operators": [COMPARISON[type(operator)] for operator in node.ops]}

    def visit_IfExp(self, node):
        return self.plain("Conditional", node, test="test", body="body", orElse="orelse")

    def visit_Call(self, node):
        return self.plain("Call", node, callee="func", args="args", keywords="keywords")

    def visit_keyword(self, node):
        return {"name": node.arg, "value": self.node(node.value)}

    def visit_Attribute(self, node):
        return self.plain("Attribute", node, value="value", name="attr")

    def visit_Subscript(self, node):
        return self.plain("Subscript", node, value="value", index="slice")

    def visit_Slice(self, node):
        return self.plain("Slice", node, lower="lower", upper="upper", step="step")

    def visit_Starred(self, node):
        return self.plain("Starred", node, value="value")

    def visit_List(self, node):
        return self.plain("List", node, elements="elts")

    def visit_Tuple(self, node):
        return self.plain("Tuple", node, elements="elts")

    def visit_Set(self, node):
        return self.plain("Set", node, elements="elts")

    def visit_Dict(self, node):
        return self.plain("Dict", node, keys="keys", values="values")

    def visit_ListComp(self, node):
        return self.plain("ListComp", node, element="elt", generators="generators")

    def visit_SetComp(self, node):
        return self.plain("SetComp", node, element="elt", generators="generators")

    def visit_GeneratorExp(self, node):
        return self.plain("GeneratorExp", node, element="elt", generators="generators")

    def visit_DictComp(self, node):
        return self.plain("DictComp", node, key="key", value="value", generators="generators")

    def visit_comprehension(self, node):
        return {
            "target": self.node(node.target),
            "iterable": self.node(node.iter),
            "conditions": self.node(node.ifs),
            "isAsync": node.is_async == 1,
        }

    def visit_Lambda(self, node):
        return {"kind": "Lambda", "parameters": self.parameters(node.args), "body": self.node(node.body)}

    def visit_NamedExpr(self, node):
        return self.plain("NamedExpression", node, target="target", value="value")

    def visit_Await(self, node):
        return self.plain("Await", node, value="value")

    def visit_Yield(self, node):
        return self.plain("Yield", node, value="value")

    def visit_YieldFrom(self, node):
        return self.plain("YieldFrom", node, value="value")


def bits(value):
    return struct.pack(">d", value).hex()


def examine(source):
    # Text with a byte order mark is refused only because it was decoded before.
    source = source.removeprefix("\ufeff")
    try:
        # `compile` from text sees what the symbol table and the code generator refuse, too.
        compile(source, "<objective>", "exec", dont_inherit=True)
        return {"tree": Dumper(source).node(ast.parse(source))}
    except SyntaxError as error:
        return {"error": error.msg, "line": error.lineno or 0, "column": error.offset or 0}
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return {"error": f"{type(error).__name__}: {error}", "line": 0, "column": 0}


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10_000)
    results = [examine(source) for source in json.load(sys.stdin)]
    # ``dumps`` has an implementation in C, ``dump`` has none.
    sys.stdout.write(json.dumps({"minor": sys.version_info.minor, "results": results}))


main()
