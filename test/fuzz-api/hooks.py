"""Makes what Schemathesis draws mean something where a JSON Schema cannot say it.

Only requests that are meant to be valid are changed: a function that exists, bounds that rise, sources that are Python.
Without this nearly every request would end at the same refusal, and no run would ever be made. Started by
scripts/fuzz-api.mjs.
"""

import itertools
import json
import os
import urllib.error
import urllib.parse
import urllib.request
import zlib

import schemathesis
import urllib3.util.connection

URL = os.environ["EXTREMUM_URL"]
KEYS = json.loads(os.environ["EXTREMUM_KEYS"])
SOURCES = [
    "def f(x):\n    return sum(v * v for v in x)\n",
    "lambda x: x[0]",
    "import math\ndef f(x):\n    return math.sqrt(x[0])\n",
    "def f(x):\n    return 1.0 / (x[0] - x[0])\n",
    "abs(x[-1])",
]


def request(method, path, key, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers, method=method)) as answer:
        return json.loads(answer.read())


# One for each account: nobody may use another's.
FUNCTIONS = {
    key: request("POST", "/v1/functions", key, {"name": "f", "language": "python", "code": SOURCES[0]})["id"]
    for key in KEYS
}
KEPT = {request("GET", "/v1/identity", key)["key"]["id"] for key in KEYS} | set(FUNCTIONS.values())


# Of each problem type its domain, and a config that works.
DOMAINS = {
    name: (domain["domain"], kind["models"][0]["example"])
    for domain in request("GET", "/v1/domains", KEYS[0])["data"]
    for kind in domain["problem_types"]
    for name in [kind["problem_type"], *kind["aliases"]]
}


CONNECT = urllib3.util.connection.create_connection
SERIAL = itertools.count(101)


def connect(address, *more, source_address=None, **rest):
    """From another loopback address each time: the service limits how often one may fail to name its key.

    No connection is used twice, see `before_call`.
    """
    n = next(SERIAL)
    return CONNECT(address, *more, source_address=(f"127.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}", 0), **rest)


urllib3.util.connection.create_connection = connect


def rising(pair):
    low, high = sorted(float(v) for v in pair)
    if low < high:
        return [low, high]
    # Twice as large there must be a number, too.
    at = max(-1e300, min(low, 1e300))
    return [at - 1.0 - abs(at), at + 1.0 + abs(at)]


def optimization(body, function):
    """Fills in what the fields must have to do with each other."""
    body = {name: value for name, value in body.items() if name not in ("domain", "problem_type", "config")}
    body["objective_function_id"] = function
    # So that it can be extended.
    body["max_evaluations"] = min(body.get("max_evaluations", 50), 100)
    bounds = body["bounds"] = [rising(pair) for pair in body.get("bounds") or [[-1, 1]]]
    if "strategy" in body:
        del body["strategy"]
    if "learned_version" in body:
        body["learned_version"] = 0
    # The functions return one number.
    for name in ("objectives", "reference_point"):
        body.pop(name, None)
    if body.get("initial_solution"):
        body["initial_solution"] = [low for low, _ in bounds]
    for name in ("intelligence_config", "tetrad_config"):
        # The two objects, and the two names of one switch, may contradict each other.
        chosen = body.get(name, {})
        if "use_expository_intelligence" in chosen:
            chosen.pop("use_interpretable_intelligence", None)
        if "use_autodidactic_intelligence" in chosen:
            chosen.pop("use_adaptive_intelligence", None)
    if "intelligence_config" in body:
        body.pop("tetrad_config", None)
    if len(json.dumps(body.get("metadata", {}))) > 1000:
        body["metadata"] = {}
    return body


def study(body):
    # What must have as many entries as there are objectives, and who can search for so many.
    chosen = {name: value for name, value in body.items() if name not in ("strategy", "directions", "reference_point")}
    return {**chosen, "bounds": [rising(pair) for pair in body["bounds"]]}


def told(identifier, key):
    """A result of a point that need not have been asked for; None: the account has no such study."""
    try:
        of = request("GET", f"/v1/studies/{urllib.parse.quote(identifier, safe='')}", key)
    except urllib.error.HTTPError:
        return None
    values = [float(next(SERIAL))] * of["objectives"]
    return {"results": [{"solution": [low for low, _ in of["bounds"]], "values": values}]}


def meant(path, body, function):
    if path == "/v1/studies":
        return study(body)
    if path == "/v1/optimize/{id}/replay":
        return {"strategy": "cma-es"}
    if path == "/v1/functions":
        code = SOURCES[zlib.crc32(body["code"].encode("utf-8", "replace")) % len(SOURCES)]
        return {**body, "code": code, "name": body["name"].strip() or "f", "vectorized": False}
    if path == "/v1/functions/{id}/evaluate":
        dimension = len(body["points"][0])
        points = [(point * dimension)[:dimension] for point in body["points"]]
        # The functions return one number.
        return {**{name: value for name, value in body.items() if name != "objectives"}, "points": points}
    if path == "/v1/optimize":
        return optimization(body, function)
    if path == "/v1/optimize/{id}/extend":
        # More than any run before.
        return {"max_evaluations": next(SERIAL)}
    if path == "/v1/batch":
        return {"requests": [optimization(one, function) for one in body["requests"][:5]]}
    if path == "/v1/optimize/{id}" and len(json.dumps(body["metadata"])) > 1000:
        return {"metadata": {}}
    if path == "/v1/identity/keys":
        later = {} if body.get("expires_at") is None else {"expires_at": "2100-01-01T00:00:00Z"}
        return {**body, **later, "name": body["name"].strip() or "k"}
    if path in ("/v1/webhooks", "/v1/webhooks/{id}"):
        # Nobody listens there; any other address might be somebody's.
        there = {"url": "https://127.0.0.1:65535/hook"} if "url" in body else {}
        return {**body, **there, **({"secret": "s"} if body.get("secret") else {})}
    if path == "/v1/federated/updates":
        # One that there is not yet, and that says nothing twice.
        known = {(one["problem_class"], one["strategy"]): one for one in body["statistics"]}
        epsilon = min(99, body["epsilon"]) + next(SERIAL) / 1e6
        return {**body, "base_version": 1, "epsilon": epsilon, "statistics": list(known.values())}
    if path == "/v1/webhooks/{id}/redeliver-failed":
        return {"since": "2020-01-01T00:00:00Z"}
    return body


def key_of(case):
    return str((case.headers or {}).get("Authorization", "")).removeprefix("Bearer ")


@schemathesis.hook
def before_call(context, case, kwargs):
    # What the test lives on is not taken away: the keys it asks with, the functions it runs.
    if case.method != "GET" and (case.path_parameters or {}).get("id") in KEPT:
        case.path_parameters["id"] = "none_1"
    case.headers = {**(case.headers or {}), "Connection": "close"}
    mode = None if case.meta is None else case.meta.generation.mode
    if mode is None or not mode.is_positive:
        return
    if case.path.startswith("/v1/analytics/"):
        within = {"start_date": "2026-01-01", "end_date": "2026-02-01"}
        case.query = {**(case.query or {}), **{name: within[name] for name in within if name in (case.query or {})}}
        if case.path == "/v1/analytics/executions":
            case.query["start_date"] = within["start_date"]
    if case.path == "/v1/optimize" and case.method == "DELETE" and not {"status", "before"} & set(case.query or {}):
        case.query = {**(case.query or {}), "before": "2000-01-01T00:00:00Z"}
    if case.path == "/v1/domains/{domain}/optimize" and isinstance(case.body, dict):
        # What a config must have depends on the type and the model, and switches may contradict each other.
        kind = case.body.get("problem_type")
        kind = kind if kind in DOMAINS else "inventory"
        case.path_parameters["domain"], config = DOMAINS[kind]
        case.body = {"problem_type": kind, "config": config}
    if case.path == "/v1/studies/{id}/tell":
        case.body = told(str((case.path_parameters or {}).get("id", "")), key_of(case)) or case.body
    elif isinstance(case.body, dict):
        case.body = meant(case.path, case.body, FUNCTIONS.get(key_of(case), FUNCTIONS[KEYS[0]]))
