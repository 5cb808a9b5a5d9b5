"""Uses the Responses API of a drover server through the package `openai`. Prints a line for each part that works."""

import asyncio
import time

import openai
from openai import AsyncOpenAI, OpenAI

TEXT = "Hello from drover"
client = OpenAI(max_retries=0)


def check(is_true, what):
    if not is_true:
        raise SystemExit(f"this is wrong: {what}")


def ended(response_id):
    while True:
        response = client.responses.retrieve(response_id)
        if response.status not in ("queued", "in_progress"):
            return response
        time.sleep(0.05)


def create():
    response = client.responses.create(model="claude", input="say hello", instructions="be brief", metadata={"a": "b"})
    check(response.output_text == TEXT and response.status == "completed", response)
    check(response.usage.input_tokens == 12 and response.usage.output_tokens == 3, response.usage)
    check(response.metadata == {"a": "b"} and response.instructions == "be brief", response)
    check(client.responses.retrieve(response.id) == response, "retrieve")


def stream():
    events = list(client.responses.create(model="claude", input="say hello", stream=True))
    check([event.sequence_number for event in events] == list(range(len(events))), events)
    check("".join(event.delta for event in events if event.type == "response.output_text.delta") == TEXT, events)
    check(events[-1].type == "response.completed" and events[-1].response.output_text == TEXT, events[-1])


def helper():
    with client.responses.stream(model="claude", input="say hello") as events:
        for _ in events:
            pass
        check(events.get_final_response().output_text == TEXT, "final response")


def previous():
    first = client.responses.create(model="claude", input="one")
    second = client.responses.create(model="claude", input="two", previous_response_id=first.id)
    check(second.previous_response_id == first.id and second.output_text == TEXT, second)


def background():
    response = client.responses.create(model="claude", input="say hello", background=True)
    check(response.status in ("queued", "in_progress", "completed"), response)
    check(ended(response.id).output_text == TEXT, "the answer")


def starting_after():
    seen = []
    for event in client.responses.create(model="claude", input="say hello", background=True, stream=True):
        seen.append(event)
        if event.type == "response.output_text.delta":
            break
    response_id = seen[0].response.id
    rest = list(client.responses.retrieve(response_id, stream=True, starting_after=seen[-1].sequence_number))
    everything = [*seen, *rest]
    check(everything == list(client.responses.retrieve(response_id, stream=True)), everything)
    check(everything[-1].type == "response.completed", everything[-1])


def cancel():
    response = client.responses.create(model="claude", input="say hello", background=True)
    cancelled = client.responses.cancel(response.id)
    check(cancelled.status in ("cancelled", "completed"), cancelled)
    check(client.responses.retrieve(response.id).status == cancelled.status, "retrieve")


def input_items():
    items = [{"role": "user", "content": f"line {number}"} for number in range(5)]
    response = client.responses.create(model="claude", input=items)
    listed = client.responses.input_items.list(response.id, limit=2, order="asc")
    check([item.content[0].text for item in listed] == [item["content"] for item in items], "the items")


def delete():
    response = client.responses.create(model="claude", input="say hello")
    client.responses.delete(response.id)
    try:
        client.responses.retrieve(response.id)
        check(False, "it is still there")
    except openai.NotFoundError as error:
        check(error.code == "response_not_found", error)


def errors():
    for wrong in ({"input": [{"type": "hologram"}]}, {"previous_response_id": "resp_x"}, {"conversation": "conv_1"}):
        try:
            client.responses.create(**{"model": "claude", "input": "x", **wrong})
            check(False, wrong)
        except openai.BadRequestError as error:
            check(error.param is not None and error.body["message"] != "", error)


def parse():
    response = client.responses.create(model="claude", input="think", reasoning={"summary": "auto"})
    check(response.output[-1].type == "message", response)


async def run_async():
    async_client = AsyncOpenAI(max_retries=0)
    async with async_client.responses.stream(model="claude", input="say hello") as events:
        check((await events.get_final_response()).output_text == TEXT, "final response")


for part in (create, stream, helper, previous, background, starting_after, cancel, input_items, delete, errors, parse):
    part()
    print(part.__name__, flush=True)
asyncio.run(run_async())
print("async")
