"""Evaluates objectives in plain CPython, as the oracle of differential tests.

Reads one JSON document from standard input: a list of {"path", "entry"?, "points": [[...]]}. Writes a list of
{"values": [...], "errors": [...]} of the same length; a value is repr() text (exact for every float), an error is
"Type: message". The argument is a float64 array when the source imports numpy, otherwise a list of floats. `entry`
absent: the last function that the module defines.
"""

import json
import sys
import types


def load(path, entry):
    with open(path, encoding="utf-8") as handle:
        source = handle.read()
    module = types.ModuleType("objective")
    exec(compile(source, path, "exec"), module.__dict__)
    if entry is None:
        own = [
            name
            for name, value in vars(module).items()
            if isinstance(value, types.FunctionType) and value.__module__ == "objective"
        ]
        entry = own[-1]
    uses_numpy = any(
        isinstance(value, types.ModuleType) and value.__name__.split(".")[0] == "numpy"
        for value in vars(module).values()
    )
    return getattr(module, entry), uses_numpy


def main():
    answers = []
    for job in json.load(sys.stdin):
        function, uses_numpy = load(job["path"], job.get("entry"))
        values, errors = [], []
        for point in job["points"]:
            argument = [float(v) for v in point]
            if uses_numpy:
                import numpy

                argument = numpy.array(argument)
            try:
                values.append(repr(float(function(argument))))
                errors.append(None)
            except Exception as error:
                values.append(None)
                errors.append(f"{type(error).__name__}: {error}")
        answers.append({"values": values, "errors": errors})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
