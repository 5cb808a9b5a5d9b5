"""The standard tests of LangChain for chat models. Tests that fetch files from the internet are left out; `image` tries that.

An agent that takes no schema for its answer gives structured output by a call of a function, and its JSON mode is skipped.
"""

from features import ANTHROPIC, MODEL, OPENAI
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests

TAKES_SCHEMA = MODEL.startswith(("claude", "gpt"))


class TestChatOpenAI(ChatModelIntegrationTests):
    chat_model_class = ChatOpenAI
    chat_model_params = {"model": MODEL, "base_url": OPENAI, "api_key": "none", "max_retries": 0, "stream_usage": True}
    supports_json_mode = TAKES_SCHEMA
    structured_output_kwargs = {} if TAKES_SCHEMA else {"method": "function_calling"}


class TestChatAnthropic(ChatModelIntegrationTests):
    chat_model_class = ChatAnthropic
    chat_model_params = {"model": MODEL, "base_url": ANTHROPIC, "api_key": "none", "max_retries": 0}
    supports_anthropic_inputs = True
