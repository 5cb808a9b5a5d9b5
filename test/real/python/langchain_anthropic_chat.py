"""The package `langchain-anthropic`."""

import langchain_any
from features import ANTHROPIC, MODEL
from langchain_any import *  # noqa: F403
from langchain_anthropic import ChatAnthropic

langchain_any.use(ChatAnthropic(model=MODEL, base_url=ANTHROPIC, api_key="none", max_retries=0))
