"""The package `instructor`, mode TOOLS."""

import instructor
from features import *  # noqa: F403
from instructor.core import InstructorRetryException
from openai_chat import Verdict
from openai_chat import client as sdk

client = instructor.from_openai(sdk, mode=instructor.Mode.TOOLS)
PROMPT = scripted([call("Verdict", **VERDICT)])


def ask(content, response_model=Verdict):
    messages = [{"role": "user", "content": content}]
    return client.chat.completions.create(model=MODEL, messages=messages, response_model=response_model, max_retries=0)


def structured():
    check(ask(PROMPT).model_dump() == VERDICT, "the output")


def stream():
    messages = [{"role": "user", "content": scripted([call("PartialVerdict", **VERDICT)])}]
    parts = list(client.chat.completions.create_partial(model=MODEL, messages=messages, response_model=Verdict))
    check(parts[-1].model_dump() == VERDICT, parts)


def error():
    try:
        check(False, ask(FAILING))
    except InstructorRetryException as refusal:
        check("fake 400" in str(refusal), refusal)
