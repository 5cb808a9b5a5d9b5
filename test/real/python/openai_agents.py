"""The package `openai-agents`."""

import asyncio

from agents import Agent, ModelSettings, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from features import *  # noqa: F403
from openai import APIStatusError, AsyncOpenAI
from openai_chat import Verdict

set_tracing_disabled(True)
made = []
loop = asyncio.new_event_loop()
set_default_openai_client(AsyncOpenAI(base_url=OPENAI, api_key="none", max_retries=0))


@function_tool
def add(a: int, b: int) -> str:
    """Adds"""
    made.append((a, b))
    return str(a + b)


@function_tool
def verdict(verdict: str, count: int) -> str:
    """Judges"""
    return f"{verdict} {count}"


def run(agent, prompt):
    return loop.run_until_complete(Runner.run(agent, prompt)).final_output


def chat():
    check(run(Agent(name="a", instructions="Be brief.", model=MODEL), "say hello") == TEXT, "the answer")


def stream():
    async def read():
        result = Runner.run_streamed(Agent(name="a", model=MODEL), "say hello")
        deltas = [event.data.delta async for event in result.stream_events() if getattr(getattr(event, "data", None), "type", "") == "response.output_text.delta"]
        return "".join(deltas), result.final_output

    check(loop.run_until_complete(read()) == (TEXT, TEXT), "the text")


def structured():
    check(run(Agent(name="a", model=MODEL, output_type=Verdict), STRUCTURED) == Verdict(**VERDICT), "the output")


def use(prompt, count, *results):
    made.clear()
    heard(run(Agent(name="a", model=MODEL, tools=[add]), prompt), *results)
    check(len(made) == count, made)


def tool():
    use(ONE, 1, "3")


def parallel():
    use(THREE, 3, "3", "7", "11")


def row():
    use(ROW, 3, "11")


def forced():
    settings = ModelSettings(tool_choice="verdict")
    agent = Agent(name="a", model=MODEL, tools=[verdict], model_settings=settings, tool_use_behavior="stop_on_first_tool")
    check(run(agent, FORCED) == "pass 3", "the output")


def image():
    content = [{"type": "input_text", "text": LOOK}, {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}]
    check(run(Agent(name="a", model=MODEL), [{"role": "user", "content": content}]) == SEEN, "the answer")


def error():
    try:
        check(False, run(Agent(name="a", model=MODEL), FAILING))
    except APIStatusError as refusal:
        refused(refusal.status_code, refusal.message)


def handoff():
    tutor = Agent(name="tutor", instructions="You are the tutor.", model=MODEL)
    triage = Agent(name="triage", instructions="Hand over.", model=MODEL, handoffs=[tutor])
    result = loop.run_until_complete(Runner.run(triage, scripted([call("transfer_to_tutor")])))
    check((result.last_agent.name, result.final_output) == ("tutor", "I am the tutor."), result.final_output)
