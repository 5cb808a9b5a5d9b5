"""The package `langchain-openai`."""

import langchain_any
from features import MODEL, OPENAI
from langchain_any import *  # noqa: F403
from langchain_openai import ChatOpenAI

langchain_any.use(ChatOpenAI(model=MODEL, base_url=OPENAI, api_key="none", max_retries=0))
