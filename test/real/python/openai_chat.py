"""The package `openai`, chat completions."""

import json

import openai
from features import *  # noqa: F403
from pydantic import BaseModel

client = openai.OpenAI(base_url=OPENAI, api_key="none", max_retries=0)
TOOL = {"type": "function", "function": {"name": "add", "description": "Adds", "parameters": ADD_SCHEMA}}
VERDICT_TOOL = {"type": "function", "function": {"name": "verdict", "description": "Judges", "parameters": VERDICT_SCHEMA}}


class Verdict(BaseModel):
    verdict: str
    count: int


def ask(content, **more):
    messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
    return client.chat.completions.create(model=MODEL, messages=messages, **more).choices[0]


def chat():
    check(ask("say hello").message.content == TEXT, "the answer")


def stream():
    chunks = list(client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "say hello"}], stream=True))
    check("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == TEXT, chunks)


def structured():
    messages = [{"role": "user", "content": STRUCTURED}]
    parsed = client.chat.completions.parse(model=MODEL, messages=messages, response_format=Verdict)
    check(parsed.choices[0].message.parsed == Verdict(**VERDICT), parsed)


def loop(prompt, steps, *results):
    calls, messages = Calls(), [{"role": "user", "content": prompt}]
    while True:
        choice = ask(messages, tools=[TOOL])
        if choice.finish_reason != "tool_calls":
            break
        calls.begin()
        messages.append(choice.message)
        for made in choice.message.tool_calls:
            content = calls.add(**json.loads(made.function.arguments))
            messages.append({"role": "tool", "tool_call_id": made.id, "content": content})
    check([len(step) for step in calls.steps] == steps, calls.steps)
    heard(choice.message.content, *results)


def tool():
    loop(ONE, [1], "3")


def parallel():
    loop(THREE, [3], "3", "7", "11")


def row():
    loop(ROW, [1, 1, 1], "11")


def forced():
    choice = ask(FORCED, tools=[TOOL, VERDICT_TOOL], tool_choice={"type": "function", "function": {"name": "verdict"}})
    check(json.loads(choice.message.tool_calls[0].function.arguments) == VERDICT, choice)


def image():
    url = {"url": f"data:image/png;base64,{PNG}"}
    choice = ask([{"role": "user", "content": [{"type": "text", "text": LOOK}, {"type": "image_url", "image_url": url}]}])
    check(choice.message.content == SEEN, choice)


def error():
    try:
        check(False, ask(FAILING))
    except openai.APIStatusError as refusal:
        refused(refusal.status_code, refusal.message)
