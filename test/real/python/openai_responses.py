"""The package `openai`, responses."""

import json

import openai
from features import *  # noqa: F403
from openai_chat import Verdict, client

TOOL = {"type": "function", "name": "add", "description": "Adds", "parameters": ADD_SCHEMA, "strict": True}
VERDICT_TOOL = {"type": "function", "name": "verdict", "description": "Judges", "parameters": VERDICT_SCHEMA, "strict": True}


def ask(given, **more):
    return client.responses.create(model=MODEL, input=given, **more)


def chat():
    check(ask("say hello").output_text == TEXT, "the answer")


def stream():
    events = list(ask("say hello", stream=True))
    check("".join(event.delta for event in events if event.type == "response.output_text.delta") == TEXT, events)
    check(events[-1].response.output_text == TEXT, events[-1])


def structured():
    parsed = client.responses.parse(model=MODEL, input=STRUCTURED, text_format=Verdict)
    check(parsed.output_parsed == Verdict(**VERDICT), parsed)


def loop(prompt, steps, *results):
    calls, given = Calls(), [{"role": "user", "content": prompt}]
    while True:
        response = ask(given, tools=[TOOL])
        made = [item for item in response.output if item.type == "function_call"]
        if not made:
            break
        calls.begin()
        given += response.output
        for item in made:
            output = calls.add(**json.loads(item.arguments))
            given.append({"type": "function_call_output", "call_id": item.call_id, "output": output})
    check([len(step) for step in calls.steps] == steps, calls.steps)
    heard(response.output_text, *results)


def tool():
    loop(ONE, [1], "3")


def parallel():
    loop(THREE, [3], "3", "7", "11")


def row():
    loop(ROW, [1, 1, 1], "11")


def forced():
    response = ask(FORCED, tools=[TOOL, VERDICT_TOOL], tool_choice={"type": "function", "name": "verdict"})
    check(json.loads(response.output[-1].arguments) == VERDICT, response)


def image():
    url = f"data:image/png;base64,{PNG}"
    content = [{"type": "input_text", "text": LOOK}, {"type": "input_image", "image_url": url}]
    response = ask([{"role": "user", "content": content}])
    check(response.output_text == SEEN, response)


def error():
    try:
        check(False, ask(FAILING))
    except openai.APIStatusError as refusal:
        refused(refusal.status_code, refusal.message)
