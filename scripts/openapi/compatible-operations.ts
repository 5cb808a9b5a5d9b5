import { Type } from 'typebox'
import { Message, MessageRequest, MessageStreamEvent } from '../../src/http/anthropic/wire.shape.ts'
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
  ChatStreamError,
  Model,
  ModelList,
} from '../../src/http/openai/wire.shape.ts'
import { CHAT, MESSAGE, MODELS } from './examples.ts'
import type { Operation } from './operation.ts'
import { ALWAYS, type RefusalName, WITH_BODY } from './refusals.ts'

const WITH_AGENT: readonly RefusalName[] = [...WITH_BODY, 'Timeout']

const MODEL_RULES =
  '`model` selects the backend: its name, or else a part of it (`claude`, `gpt` for codex, `gemini`), or else claude. ' +
  'Whatever is not the name of a backend and was recognised is passed on to the agent. No session is kept.'

export const COMPATIBLE_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/openai/v1/models',
    id: 'openaiListModels',
    tag: 'chat',
    summary: 'List the models',
    answers: {
      200: {
        description: 'One for each backend that is enabled.',
        content: { 'application/json': { shape: ModelList, examples: { example: MODELS } } },
      },
    },
    refusals: ALWAYS,
  },
  {
    method: 'get',
    path: '/openai/v1/models/{id}',
    id: 'openaiGetModel',
    tag: 'chat',
    summary: 'Read a model',
    parameters: [
      {
        name: 'id',
        in: 'path',
        shape: Type.String({ description: 'The name of a backend.' }),
        isRequired: true,
        example: 'claude',
      },
    ],
    answers: {
      200: {
        description: 'The model.',
        content: { 'application/json': { shape: Model, examples: { example: MODELS.data[0] } } },
      },
    },
    refusals: ['NotFound', ...ALWAYS],
  },
  {
    method: 'post',
    path: '/openai/v1/chat/completions',
    id: 'openaiChatCompletions',
    tag: 'chat',
    summary: 'Complete a chat',
    description: MODEL_RULES,
    body: { shape: ChatRequest, examples: { whole: CHAT.request, stream: { ...CHAT.request, stream: true } } },
    answers: {
      200: {
        description:
          'The completion. With `stream` events `data: …`: a chunk with the role, chunks with text, one with ' +
          '`finish_reason`, and `data: [DONE]`. A stream that fails ends with an error and without `[DONE]`.',
        content: {
          'application/json': { shape: ChatCompletion, examples: { example: CHAT.completion } },
          'text/event-stream': { shape: Type.Union([ChatCompletionChunk, ChatStreamError]), examples: CHAT.chunks },
        },
      },
    },
    refusals: WITH_AGENT,
  },
  {
    method: 'post',
    path: '/anthropic/v1/messages',
    id: 'anthropicCreateMessage',
    tag: 'message',
    summary: 'Create a message',
    description: MODEL_RULES,
    parameters: [
      {
        name: 'anthropic-version',
        in: 'header',
        shape: Type.String({ format: 'date', description: 'The version of the API, a date.' }),
        isRequired: true,
        example: '2023-06-01',
      },
    ],
    body: { shape: MessageRequest, examples: { whole: MESSAGE.request, stream: { ...MESSAGE.request, stream: true } } },
    answers: {
      200: {
        description:
          'The message. With `stream` events `event: …` and `data: …` from `message_start` to `message_stop`, whose ' +
          'data have a `type` like the event. A stream that fails ends with `error` and without `message_stop`.',
        content: {
          'application/json': { shape: Message, examples: { example: MESSAGE.message } },
          'text/event-stream': { shape: MessageStreamEvent, examples: MESSAGE.events },
        },
      },
    },
    refusals: WITH_AGENT,
  },
]
