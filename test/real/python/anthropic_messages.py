"""The package `anthropic`."""

import anthropic
from features import *  # noqa: F403
from openai_chat import Verdict

client = anthropic.Anthropic(base_url=ANTHROPIC, api_key="none", max_retries=0)
TOOL = {"name": "add", "description": "Adds", "input_schema": ADD_SCHEMA}
VERDICT_TOOL = {"name": "verdict", "description": "Judges", "input_schema": VERDICT_SCHEMA}


def ask(content, **more):
    messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
    return client.messages.create(model=MODEL, max_tokens=1000, messages=messages, **more)


def chat():
    check(ask("say hello").content[0].text == TEXT, "the answer")


def stream():
    messages = [{"role": "user", "content": "say hello"}]
    with client.messages.stream(model=MODEL, max_tokens=1000, messages=messages) as events:
        check("".join(events.text_stream) == TEXT, "the text")


def structured():
    messages = [{"role": "user", "content": STRUCTURED}]
    parsed = client.messages.parse(model=MODEL, max_tokens=1000, messages=messages, output_format=Verdict)
    check(parsed.parsed_output == Verdict(**VERDICT), parsed)


def loop(prompt, steps, *results):
    calls, messages = Calls(), [{"role": "user", "content": prompt}]
    while True:
        message = ask(messages, tools=[TOOL])
        if message.stop_reason != "tool_use":
            break
        calls.begin()
        uses = [block for block in message.content if block.type == "tool_use"]
        answers = [{"type": "tool_result", "tool_use_id": use.id, "content": calls.add(**use.input)} for use in uses]
        messages += [{"role": "assistant", "content": message.content}, {"role": "user", "content": answers}]
    check([len(step) for step in calls.steps] == steps, calls.steps)
    heard(message.content[-1].text, *results)


def tool():
    loop(ONE, [1], "3")


def parallel():
    loop(THREE, [3], "3", "7", "11")


def row():
    loop(ROW, [1, 1, 1], "11")


def forced():
    message = ask(FORCED, tools=[TOOL, VERDICT_TOOL], tool_choice={"type": "tool", "name": "verdict"})
    check(message.content[-1].input == VERDICT, message)


def image():
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    message = ask([{"role": "user", "content": [{"type": "text", "text": LOOK}, {"type": "image", "source": source}]}])
    check(message.content[0].text == SEEN, message)


def error():
    try:
        check(False, ask(FAILING))
    except anthropic.APIStatusError as refusal:
        refused(refusal.status_code, refusal.message)
