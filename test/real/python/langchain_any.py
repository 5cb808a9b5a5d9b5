"""What both packages of LangChain do. `use` gets the model."""

import pytest
from features import *  # noqa: F403
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool as as_tool
from openai_chat import Verdict

model = None


def use(chosen):
    global model
    model = chosen


@as_tool
def add(a: int, b: int) -> str:
    """Adds"""
    return str(a + b)


def chat():
    check(model.invoke("say hello").text == TEXT, "the answer")


def stream():
    check("".join(chunk.text for chunk in model.stream("say hello")) == TEXT, "the text")


def structured():
    chosen = model.with_structured_output(Verdict, method="json_schema")
    check(chosen.invoke(STRUCTURED) == Verdict(**VERDICT), "the output")


def loop(prompt, steps, *results):
    calls, messages = Calls(), [HumanMessage(prompt)]
    while (answer := model.bind_tools([add]).invoke(messages)).tool_calls:
        calls.begin()
        messages.append(answer)
        for made in answer.tool_calls:
            messages.append(ToolMessage(calls.add(**made["args"]), tool_call_id=made["id"]))
    check([len(step) for step in calls.steps] == steps, calls.steps)
    heard(answer.text, *results)


def tool():
    loop(ONE, [1], "3")


def parallel():
    loop(THREE, [3], "3", "7", "11")


def row():
    loop(ROW, [1, 1, 1], "11")


def forced():
    chosen = model.with_structured_output(Verdict, method="function_calling")
    check(chosen.invoke(scripted([call("Verdict", **VERDICT)])) == Verdict(**VERDICT), "the output")


def image():
    picture = {"type": "image", "base64": PNG, "mime_type": "image/png"}
    check(model.invoke([HumanMessage([{"type": "text", "text": LOOK}, picture])]).text == SEEN, "the answer")


def error():
    try:
        check(False, model.invoke(FAILING))
    except Exception as refusal:  # noqa: BLE001 - each package has its own class
        refused(getattr(refusal, "status_code", None), str(refusal))


def standard():
    """The standard tests of LangChain, with those of tools."""
    # One event loop, because the packages keep one HTTP client.
    settings = ["asyncio_mode=auto", *(f"asyncio_default_{each}_loop_scope=session" for each in ("test", "fixture"))]
    options = ["-c", os.devnull, "-p", "no:cacheprovider", "-q", "-rs", "--no-header", *(f"-o{each}" for each in settings)]
    check(pytest.main([*options, "langchain_standard.py", "-k", type(model).__name__]) == 0, "a standard test fails")
