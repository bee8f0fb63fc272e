"""Reads COCO data sets with cocopp and iohinspector and compares them with runs.csv. Usage: check_coco.py FOLDER [--full]"""
import csv
import os
import sys
import warnings
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")

import cocopp
import iohinspector

folder, full = sys.argv[1], "--full" in sys.argv
runs = defaultdict(list)
with open(os.path.join(folder, "runs.csv"), newline="") as file:
    for row in csv.DictReader(file):
        key = row["solver"], int(row["function"]), int(row["dimension"])
        runs[key].append((int(row["instance"]), int(row["evaluations"]), float(row["best_delta"])))

expected = dict(runs)
for algorithm in sorted(os.listdir(os.path.join(folder, "coco"))):
    data = os.path.join(folder, "coco", algorithm)
    # The name of a data set tells the conditions too.
    solver = algorithm.split("_noise")[0].split("_stretched")[0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sets = cocopp.load(data)
    # Fewer than 15 instances are no mistake of the files.
    others = {str(w.message) for w in caught if "cocopp" in (w.filename or "") or issubclass(w.category, UserWarning)}
    others = [m for m in others if "instances" not in m and "not consistent" not in m and "archive" not in m]
    assert not others, others
    for s in sets:
        own = expected.pop((solver, s.funcId, s.dim))
        assert list(s.instancenumbers) == [r[0] for r in own], (s, s.instancenumbers)
        assert [int(e) for e in s.maxevals] == [r[1] for r in own], (s, s.maxevals)
        for found, (_, _, delta) in zip(s.finalfunvals, own):
            # Written with ten digits.
            assert abs(found - delta) <= 1e-9 * max(delta, 1e-8) + 1e-17, (s, found, delta)
    manager = iohinspector.DataManager()
    manager.add_folder(data)
    overview = manager.overview
    wanted = sorted((f, d, e) for (a, f, d), own in runs.items() if a == solver for _, e, _ in own)
    found = sorted(zip(*(overview[c].to_list() for c in ("function_id", "dimension", "evals"))))
    assert found == wanted, (found[:5], wanted[:5])
    assert len(manager.load(monotonic=True, include_meta_data=True)) > 0
    print(f"{algorithm}: {len(sets)} data sets, {len(found)} runs, read by cocopp {cocopp.__version__} and iohinspector")
    if full:
        cocopp.main(["-o", os.path.join(folder, "ppdata"), data])
assert not expected, list(expected)
