"""The standard tests of LangChain for chat models. Tests that fetch files from the internet are left out; `image` tries that."""

from features import ANTHROPIC, MODEL, OPENAI
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests


class TestChatOpenAI(ChatModelIntegrationTests):
    chat_model_class = ChatOpenAI
    chat_model_params = {"model": MODEL, "base_url": OPENAI, "api_key": "none", "max_retries": 0, "stream_usage": True}
    supports_json_mode = True


class TestChatAnthropic(ChatModelIntegrationTests):
    chat_model_class = ChatAnthropic
    chat_model_params = {"model": MODEL, "base_url": ANTHROPIC, "api_key": "none", "max_retries": 0}
    supports_anthropic_inputs = True
