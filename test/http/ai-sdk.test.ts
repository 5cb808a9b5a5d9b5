/** Uses the compatible APIs through three providers of the AI SDK. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, isStepCount, jsonSchema, type LanguageModel, Output, streamText, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import type { Script } from '../fake-agent/script.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

type Provider = { name: string; model: (url: string, id: string) => LanguageModel }

const PROVIDERS: readonly Provider[] = [
  {
    name: '@ai-sdk/openai-compatible',
    model: (url, id) =>
      createOpenAICompatible({ name: 'drover', baseURL: `${url}/openai/v1`, apiKey: 'key', includeUsage: true })(id),
  },
  {
    name: '@ai-sdk/anthropic',
    model: (url, id) => createAnthropic({ baseURL: `${url}/anthropic/v1`, apiKey: 'key' })(id),
  },
]

const HELLO: Script = { text: ['Hello', ' there'], usage: { input: 12, output: 3 } }

describe.each(firstOf(PROVIDERS))('the AI SDK with $name', ({ model }) => {
  async function open(script: Script, { id = 'claude', ...options }: ServerOptions & { id?: string } = {}) {
    const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) }, ...options })
    // The SDK ignores `x-should-retry` and would run a failed prompt again.
    return { server, settings: { model: model(server.url, id), maxRetries: 0, maxOutputTokens: 100 } }
  }

  it.each(firstOf(['claude', 'codex', 'gemini']))('generates a text with %s', async (id) => {
    const { settings } = await open(HELLO, { id })
    const { text, finishReason, usage, warnings } = await generateText({ ...settings, prompt: 'say hello' })
    expect({ text, finishReason, warnings }).toEqual({ text: 'Hello there', finishReason: 'stop', warnings: [] })
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 3, totalTokens: 15 })
  })

  it('streams a text', async () => {
    const { settings } = await open(HELLO)
    const stream = streamText({ ...settings, prompt: 'say hello' })
    const pieces: string[] = []
    for await (const piece of stream.textStream) pieces.push(piece)
    expect(pieces).toEqual(['Hello', ' there'])
    expect(await stream.text).toBe('Hello there')
    expect(await stream.finishReason).toBe('stop')
    expect(await stream.usage).toMatchObject({ inputTokens: 12, outputTokens: 3 })
  })

  it.runIf(IS_FULL)('sends instructions and earlier turns', async () => {
    const { settings } = await open({}, { config: { unified_flags: { dry_run: true } }, env: {} })
    const { text } = await generateText({
      ...settings,
      instructions: 'be brief',
      messages: [
        { role: 'user', content: 'first question' },
        { role: 'assistant', content: 'first answer' },
        { role: 'user', content: 'second question' },
      ],
    })
    const turn = (who: string, said: string) => `--- \\w+ ${who} ---\\\\n${said}\\\\n`
    const turns = [turn('user', 'first question'), turn('assistant', 'first answer'), turn('user', 'second question')]
    expect(text).toMatch(new RegExp(`'be brief'.*${turns.join('')}`))
  })

  it('stops the agent when it aborts a stream', async () => {
    const pidFile = join(temporaryDirectory(), 'pids')
    const { server, settings } = await open({ text: ['one'], hangAfter: 'word', pidFile })
    const leaving = new AbortController()
    const stream = streamText({ ...settings, prompt: 'x', abortSignal: leaving.signal })
    for await (const part of stream.fullStream) if (part.type === 'text-delta') leaving.abort()
    const { agent } = JSON.parse(readFileSync(pidFile, 'utf8')) as { agent: number }
    await until(() => !isRunning(agent))
    await until(() => server.context.drover.slots.load().running === 0)
  })

  it.runIf(IS_FULL)('stops the agent when it aborts before the answer', async () => {
    const pidFile = join(temporaryDirectory(), 'pids')
    const { settings } = await open({ hangAfter: 'init', pidFile })
    const leaving = new AbortController()
    const generating = generateText({ ...settings, prompt: 'x', abortSignal: leaving.signal })
    const agent = await until(
      () => existsSync(pidFile) && (JSON.parse(readFileSync(pidFile, 'utf8') || '{}').agent as number),
    )
    leaving.abort()
    await expect(generating).rejects.toThrow('abort')
    await until(() => !isRunning(agent))
  })

  it.each<[string, Script, ServerOptions, number, string]>([
    ['a wrong key', HELLO, { env: { DROVER_API_KEYS: 'another' } }, 401, 'invalid API key'],
    ['a backend that is not there', HELLO, { agents: 'none' }, 400, 'claude'],
    ['an agent that fails', { fail: 500 }, {}, 500, 'claude failed: '],
    ['an agent that is too slow', { hangAfter: 'init' }, { server: { request_timeout_secs: 1 } }, 504, 'within 1 s'],
  ])('reports an error: %s', async (_name, script, options, status, says) => {
    const { settings } = await open(script, options)
    const whole = await generateText({ ...settings, prompt: 'x' }).catch((reason: unknown) => reason)
    let streamed: unknown
    const onError = ({ error }: { error: unknown }) => {
      streamed = error
    }
    await streamText({ ...settings, prompt: 'x', onError }).consumeStream()
    for (const error of [whole, streamed]) {
      if (!APICallError.isInstance(error)) throw error
      expect(error.statusCode).toBe(status)
      expect(error.responseBody).toContain(says)
    }
  })

  it('reports an error in the middle of a stream', async () => {
    const { settings } = await open({ text: ['one', 'two'], crashAfter: 'word' })
    const seen: string[] = []
    const errors: unknown[] = []
    const onError = ({ error }: { error: unknown }) => void errors.push(error)
    for await (const part of streamText({ ...settings, prompt: 'x', onError }).fullStream) {
      if (part.type === 'text-delta') seen.push(part.text)
    }
    expect(seen.join('')).toBe('one')
    expect(JSON.stringify(errors)).toContain('claude failed')
  })

  it('runs the tools that the agent calls', async () => {
    const { settings } = await open({ calls: [[{ name: 'look', input: { at: 'a' } }]], text: ['I see {{results}}'] })
    const inputSchema = jsonSchema<{ at: string }>({ type: 'object', properties: { at: { type: 'string' } } })
    const look = tool({ inputSchema, execute: async ({ at }) => `${at} is here` })
    const { text } = await generateText({ ...settings, prompt: 'x', tools: { look }, stopWhen: isStepCount(3) })
    expect(text).toBe('I see a is here')
  })
})

it.each(PROVIDERS)('$name shows the message of the server if errors are those of the vendor', async ({ model }) => {
  const env = { FAKE_AGENT_SCRIPT: JSON.stringify({ fail: 500 }) }
  const server = await startServer({ env, server: { vendor_errors: true } })
  await expect(generateText({ model: model(server.url, 'claude'), maxRetries: 0, prompt: 'x' })).rejects.toThrow(
    'claude failed: ',
  )
})

describe.runIf(IS_FULL)('the AI SDK with its default provider for OpenAI', () => {
  async function open(script: Script, options: ServerOptions = {}) {
    const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) }, ...options })
    const bodies: string[] = []
    const send: typeof fetch = (input, init) => {
      bodies.push(String(init?.body))
      return fetch(input, init)
    }
    const openai = createOpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: 'key', fetch: send })
    return { server, openai, bodies, settings: { model: openai('claude'), maxRetries: 0 } }
  }

  it('generates and streams a text through the Responses API', async () => {
    const { settings, server } = await open(HELLO)
    const { text, finishReason, usage } = await generateText({ ...settings, prompt: 'say hello' })
    expect({ text, finishReason }).toEqual({ text: 'Hello there', finishReason: 'stop' })
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 3 })
    const stream = streamText({ ...settings, instructions: 'be brief', prompt: 'say hello' })
    const pieces: string[] = []
    for await (const piece of stream.textStream) pieces.push(piece)
    expect(pieces).toEqual(['Hello', ' there'])
    expect(await stream.finishReason).toBe('stop')
    expect(server.access.map(({ route }) => route)).toEqual(['/openai/v1/responses', '/openai/v1/responses'])
  })

  it('continues a conversation, in which it names the answer by its id', async () => {
    const { settings, bodies } = await open(HELLO)
    const question = { role: 'user' as const, content: 'the colour is red' }
    const { response } = await generateText({ ...settings, messages: [question] })
    const asked = { role: 'user' as const, content: 'which colour?' }
    const second = await generateText({ ...settings, messages: [question, ...response.messages, asked] })
    expect(bodies.at(-1)).toMatch(/"item_reference","id":"msg_/)
    expect(second.text).toBe('Hello there')
  })

  it('gets what the agent thought, and an object', async () => {
    const { openai } = await open({})
    // The SDK asks only models for it whose names it knows.
    const model = openai('gpt-5')
    const providerOptions = { openai: { reasoningSummary: 'auto' } }
    expect((await generateText({ model, prompt: 'think', providerOptions })).reasoningText).toMatch(/\w/)
    const { settings: typed } = await open({ text: ['{"city": "Bern"}'] })
    const properties = { city: { type: 'string' as const } }
    const schema = jsonSchema<{ city: string }>({ type: 'object', properties, required: ['city'] })
    const { output } = await generateText({ ...typed, prompt: 'where', output: Output.object({ schema }) })
    expect(output).toEqual({ city: 'Bern' })
  })

  it('reports errors, also in the middle of a stream', async () => {
    const { settings } = await open({ fail: 500 })
    const error = await generateText({ ...settings, prompt: 'x' }).catch((reason: unknown) => reason)
    if (!APICallError.isInstance(error)) throw error
    expect(error).toMatchObject({ statusCode: 500, message: expect.stringContaining('claude failed: ') })
    const { settings: cut } = await open({ text: ['one', 'two'], crashAfter: 'word' })
    const errors: unknown[] = []
    await streamText({ ...cut, prompt: 'x', onError: ({ error: each }) => void errors.push(each) }).consumeStream()
    expect(JSON.stringify(errors)).toContain('claude failed')
  })
})
