"""Runs the features of one client against a drover server, and prints a JSON line for each of them.

A client is a module of this folder with one function per feature. A feature that the client does not have is left out.
The model is scripted: a prompt says which functions it calls (`#calls=`), or which scenario it plays (`#scenario=`).
"""

import base64
import importlib
import json
import os
import sys
import traceback

URL = os.environ["DROVER_URL"]
OPENAI = f"{URL}/openai/v1"
ANTHROPIC = f"{URL}/anthropic"
MODEL = os.environ["DROVER_MODEL"]
PNG = os.environ["DROVER_PNG"]

FEATURES = ("chat", "stream", "structured", "tool", "parallel", "row", "forced", "image", "error", "handoff")

TEXT = "Hello from the fake model."
VERDICT = {"verdict": "pass", "count": 3}
VERDICT_SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["verdict", "count"],
    "additionalProperties": False,
}
ADD_SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
STRUCTURED = "judge it #scenario=json"
LOOK = "what is in the picture? #scenario=image"
SEEN = "I see the image."
FAILING = "fail #scenario=e400"


def call(name, **args):
    return {"name": name, "args": args}


def scripted(*steps):
    """A prompt that makes the model call these functions, one list after another."""
    text = base64.urlsafe_b64encode(json.dumps(steps).encode()).decode().rstrip("=")
    return f"Do it. #calls={text}"


ONE = scripted([call("add", a=1, b=2)])
THREE = scripted([call("add", a=1, b=2), call("add", a=3, b=4), call("add", a=5, b=6)])
ROW = scripted([call("add", a=1, b=2)], [call("add", a=3, b=4)], [call("add", a=5, b=6)])
FORCED = scripted([call("verdict", **VERDICT)])


def check(is_true, what):
    if not is_true:
        raise AssertionError(f"{what!r:.600}")


class Calls:
    """Runs the function `add`, and remembers how often, and in how many steps."""

    def __init__(self):
        self.steps = []

    def add(self, a, b):
        self.steps[-1].append((a, b))
        return str(a + b)

    def begin(self):
        self.steps.append([])
        check(len(self.steps) < 10, "too many steps")


def heard(text, *results):
    """The model repeats what it got."""
    check("Heard: " in (text or "") and all(each in text for each in results), text)


def refused(status, message):
    """The client got what the model service answered. Agents that speak ACP do not tell the status."""
    check(status in (400, 500) and "fake 400" in message, (status, message))


def main(name, *chosen):
    # What packages print is no result.
    results, sys.stdout = sys.stdout, sys.stderr
    client = importlib.import_module(name)
    for feature in chosen or FEATURES:
        run = getattr(client, feature, None)
        if run is None:
            continue
        try:
            run()
            problem = {}
        except BaseException as error:  # noqa: BLE001 - a group of exceptions is no Exception
            traceback.print_exc()
            problem = {"error": f"{type(error).__name__}: {error}"[:600]}
        print(json.dumps({"feature": feature, **problem}), file=results, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
