"""The steps of a client, with what openapi-generator makes for Python. Prints a line for each: its name and what was read."""

import os
import struct
from typing import Any, Callable, List

import extremum_client as api
from extremum_client.exceptions import ApiException

CODE = os.environ["CODE"]
SEED = int(os.environ["SEED"])
BOUNDS: List[List[float]] = [[-5, 5], [-5, 5]]


def client(key: str) -> api.ApiClient:
    return api.ApiClient(api.Configuration(host=os.environ["BASE"], access_token=key))


def bits(*numbers: float) -> str:
    return " ".join(struct.pack(">d", number).hex() for number in numbers)


def step(name: str, work: Callable[[], str]) -> None:
    try:
        print(name, work(), flush=True)
    except Exception as error:
        print(name, "failed:", " ".join(f"{type(error).__name__} {error}".split())[:500], flush=True)


def refusal(call: Callable[[], Any]) -> str:
    try:
        call()
    except ApiException as error:
        assert isinstance(error.data, api.ErrorResponse)
        return f"{error.status} {error.data.error.code} {error.data.error.var_field or '-'}"
    return "accepted"


known = client(os.environ["EXTREMUM_API_KEY"])
runs, studies = api.OptimizationApi(known), api.AdvancedApi(known)
made = {"function": "", "run": "", "study": ""}
candidates: List[api.StudyCandidatesCandidatesInner] = []


def upload() -> str:
    made["function"] = api.FunctionsApi(known).upload_function(
        api.UploadFunctionRequest(name="valley", code=CODE, language="python")
    ).id
    return made["function"]


def optimize() -> str:
    request = api.OptimizeRequest(objective_function_id=made["function"], bounds=BOUNDS, max_evaluations=300, seed=SEED)
    run = runs.optimize(request, prefer="wait=60")
    made["run"] = run.id
    return f"{run.id} {run.seed}"


def read() -> str:
    run = runs.get_optimization(made["run"])
    assert run.best_solution is not None and run.best_fitness is not None
    return bits(run.best_fitness, *run.best_solution)


def listed() -> str:
    page = runs.list_optimizations(limit=1)
    return f"{page.total} {page.data[0].id}"


def begin() -> str:
    study = studies.create_study(api.CreateStudyRequest(bounds=BOUNDS, max_evaluations=50, seed=SEED))
    made["study"] = study.id
    return f"{study.id} {study.seed}"


def ask() -> str:
    candidates.extend(studies.ask_study(made["study"], api.AskStudyRequest(count=3)).candidates)
    return str(len(candidates))


def tell() -> str:
    results = [
        api.TellStudyRequestResultsInner(api.ValuesOfCandidate(id=one.id, values=[sum(v * v for v in one.solution)]))
        for one in candidates
    ]
    return str(studies.tell_study(made["study"], api.TellStudyRequest(results=results)).accepted)


def best() -> str:
    found = studies.get_study_best(made["study"])
    assert found.best_solution is not None and found.best_fitness is not None
    return bits(found.best_fitness, *found.best_solution)


step("upload", upload)
step("optimize", optimize)
step("read", read)
step("list", listed)
step("study", begin)
step("ask", ask)
step("tell", tell)
step("best", best)
step(
    "webhook",
    lambda: refusal(
        lambda: api.WebhooksApi(known).create_webhook(
            api.CreateWebhookRequest(url="http://example.com/hook", events=["*"])
        )
    ),
)
step("key", lambda: refusal(lambda: api.OptimizationApi(client(os.environ["WRONG_KEY"])).list_optimizations()))
