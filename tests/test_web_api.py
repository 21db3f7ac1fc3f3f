"""The HTTP interface against requests of every form that its own description allows, and of many that it does not."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import Server


@pytest.fixture(scope="module")
def schemathesis():
    """Loaded here, since it takes seconds: by the process that runs these tests, not by all that collect them."""
    return pytest.importorskip("schemathesis")


@pytest.fixture(scope="module")
def described(tmp_path_factory, schemathesis):
    server = Server(tmp_path_factory.mktemp("api"))
    yield schemathesis.openapi.from_url(f"{server.base}/openapi.json")
    _, err = server.stop()
    assert "Traceback" not in err, err


def either(schemathesis, operation):
    """Requests as they should be, and as they should not."""
    modes = schemathesis.GenerationMode
    right = operation.as_strategy(generation_mode=modes.POSITIVE)
    try:
        return right | operation.as_strategy(generation_mode=modes.NEGATIVE)
    except schemathesis.errors.InvalidSchema:  # nothing about it could be wrong
        return right


def test_every_answer_is_one_that_is_described(schemathesis, described):
    """No answer is a failure of the server, whatever was sent; refusals are sentences."""
    checks = [
        schemathesis.checks.not_a_server_error,
        schemathesis.specs.openapi.checks.status_code_conformance,
        schemathesis.specs.openapi.checks.content_type_conformance,
    ]
    asked = set()
    for found in described.get_all_operations():
        operation = found.ok()

        @given(case=either(schemathesis, operation))
        @settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        def holds(case):
            answer = case.call()
            case.validate_response(answer, checks=checks)
            if answer.status_code >= 400:
                assert isinstance(answer.json()["error"], str)

        holds()
        asked.add(operation.label)
    assert "POST /api/play" in asked
    assert len(asked) >= 14
