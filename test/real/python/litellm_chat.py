"""The package `litellm`. Its answers have the form of chat completions."""

import json

import litellm
from features import *  # noqa: F403
from openai_chat import TOOL, VERDICT_TOOL

litellm.telemetry = False


def ask(content, **more):
    messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
    return litellm.completion(
        model=f"openai/{MODEL}", api_base=OPENAI, api_key="none", num_retries=0, max_retries=0, messages=messages, **more
    )


def chat():
    check(ask("say hello").choices[0].message.content == TEXT, "the answer")


def stream():
    chunks = list(ask("say hello", stream=True))
    check("".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TEXT, chunks)


def structured():
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": VERDICT_SCHEMA}}
    check(json.loads(ask(STRUCTURED, response_format=form).choices[0].message.content) == VERDICT, "the output")


def loop(prompt, steps, *results):
    calls, messages = Calls(), [{"role": "user", "content": prompt}]
    while (choice := ask(messages, tools=[TOOL]).choices[0]).finish_reason == "tool_calls":
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
    choice = {"type": "function", "function": {"name": "verdict"}}
    # It does not know that the newest models of OpenAI take `tool_choice`.
    answer = ask(FORCED, tools=[TOOL, VERDICT_TOOL], tool_choice=choice, allowed_openai_params=["tool_choice"])
    check(json.loads(answer.choices[0].message.tool_calls[0].function.arguments) == VERDICT, answer)


def image():
    url = {"url": f"data:image/png;base64,{PNG}"}
    content = [{"type": "text", "text": LOOK}, {"type": "image_url", "image_url": url}]
    check(ask([{"role": "user", "content": content}]).choices[0].message.content == SEEN, "the answer")


def error():
    try:
        check(False, ask(FAILING))
    except (litellm.BadRequestError, litellm.InternalServerError) as refusal:
        refused(refusal.status_code, str(refusal))
