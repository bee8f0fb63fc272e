"""Uploads an objective, optimises it, reads the result, and runs a study of an objective that stays here."""

import os

from extremum_client import AuthenticatedClient
from extremum_client.api.advanced import ask_study, create_study, get_study, get_study_best, tell_study
from extremum_client.api.functions import upload_function
from extremum_client.api.optimization import get_history, get_optimization, optimize
from extremum_client.models import (
    AskStudyBody,
    CreateStudyBody,
    ErrorResponse,
    OptimizeBody,
    StudyStatus,
    TellStudyBody,
    TellStudyBodyValuesOfCandidate as Values,
    UploadFunctionBody,
)

service = AuthenticatedClient(
    base_url=os.environ.get("BASE", "http://127.0.0.1:8080"),
    token=os.environ["EXTREMUM_API_KEY"],
    timeout=60,
    raise_on_unexpected_status=True,
)


def answer(operation, *path, **arguments):
    """What the service answers; an error of it is raised with its message."""
    result = operation.sync(*path, client=service, **arguments)
    if isinstance(result, ErrorResponse):
        raise RuntimeError(result.error.message)
    return result


bounds = [[-5, 5], [-5, 5]]

# An objective that the service evaluates.
code = """
def f(x):
    return (x[0] - 1) ** 2 + 10 * (x[1] + 2) ** 2
"""
uploaded = answer(upload_function, body=UploadFunctionBody(name="valley", language="python", code=code))
request = OptimizeBody(objective_function_id=uploaded.id, bounds=bounds, max_evaluations=1000, seed=1)
begun = answer(optimize, body=request, prefer="wait=30")

run = answer(get_optimization, begun.id)
history = answer(get_history, begun.id)
print(f"{run.status}: f({run.best_solution}) = {run.best_fitness}")
print(f"after {run.evaluations} evaluations, {len(history.data)} points of history")


# An objective that is evaluated here: ask for candidates, tell their values.
def evaluate(x):
    return (x[0] - 1) ** 2 + 10 * (x[1] + 2) ** 2


study = answer(create_study, body=CreateStudyBody(bounds=bounds, max_evaluations=100, seed=1))
while study.status == StudyStatus.RUNNING:
    candidates = answer(ask_study, study.id, body=AskStudyBody(count=4)).candidates
    results = [Values(id=one.id, values=[evaluate(one.solution)]) for one in candidates]
    answer(tell_study, study.id, body=TellStudyBody(results=results))
    study = answer(get_study, study.id)
best = answer(get_study_best, study.id)
print(f"study {study.status}: f({best.best_solution}) = {best.best_fitness}")
