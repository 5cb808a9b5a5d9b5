"""The package `pydantic-ai`, with its defaults: the output is a call of a function."""

from features import *  # noqa: F403
from openai import AsyncOpenAI
from openai_chat import Verdict
from pydantic_ai import Agent, BinaryContent, ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

sdk = AsyncOpenAI(base_url=OPENAI, api_key="none", max_retries=0)
model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=sdk))
made = []
OUTPUT = scripted([call("final_result", **VERDICT)])


def add(a: int, b: int) -> str:
    """Adds"""
    made.append((a, b))
    return str(a + b)


def chat():
    check(Agent(model, instructions="Be brief.").run_sync("say hello").output == TEXT, "the answer")


def stream():
    result = Agent(model).run_stream_sync("say hello")
    check("".join(result.stream_text(delta=True)) == TEXT, "the text")


def structured():
    check(Agent(model, output_type=Verdict).run_sync(OUTPUT).output == Verdict(**VERDICT), "the output")


def use(prompt, count, *results):
    made.clear()
    heard(Agent(model, tools=[add]).run_sync(prompt).output, *results)
    check(len(made) == count, made)


def tool():
    use(ONE, 1, "3")


def parallel():
    use(THREE, 3, "3", "7", "11")


def row():
    use(ROW, 3, "11")


def forced():
    made.clear()
    prompt = scripted([call("add", a=1, b=2)], [call("final_result", **VERDICT)])
    output = Agent(model, tools=[add], output_type=Verdict).run_sync(prompt).output
    check((output, made) == (Verdict(**VERDICT), [(1, 2)]), (output, made))


def image():
    picture = BinaryContent(data=base64.b64decode(PNG), media_type="image/png")
    check(Agent(model).run_sync([LOOK, picture]).output == SEEN, "the answer")


def error():
    try:
        check(False, Agent(model).run_sync(FAILING).output)
    except ModelHTTPError as refusal:
        refused(refusal.status_code, str(refusal))
