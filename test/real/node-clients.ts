/** Clients for Node. Each feature is asked for as in test/real/python: the prompt says what the model does. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { expect } from 'vitest'
import { PNG } from '../support/sample-files.ts'
import { type Place, type TriedClient, tryFeatures } from './client-results.ts'

const TEXT = 'Hello from the fake model.'
const SEEN = 'I see the image.'
const VERDICT = { verdict: 'pass', count: 3 }
const image = PNG.toString('base64')
const [hello, judge, look, fail] = ['say hello', 'judge #scenario=json', 'look #scenario=image', 'fail #scenario=e400']

const integer = { type: 'integer' as const }
const sums = { type: 'object' as const, properties: { a: integer, b: integer }, required: ['a', 'b'] }
const verdicts = {
  type: 'object' as const,
  ...{ properties: { verdict: { type: 'string' as const }, count: integer }, required: ['verdict', 'count'] },
  additionalProperties: false,
}

type Sum = { a: number; b: number }
const scripted = (...steps: object[][]) => `Do it. #calls=${Buffer.from(JSON.stringify(steps)).toString('base64url')}`
const add = (a: number, b: number) => ({ name: 'add', args: { a, b } })
const [one, two, three] = [add(1, 2), add(3, 4), add(5, 6)]
const forcing = scripted([{ name: 'verdict', args: VERDICT }])

/** Three ways to call functions: `loop` sends the prompt, adds the sums, and returns the answer and how many came at once. */
const calling = (loop: (prompt: string) => Promise<{ text: string; steps: number[] }>) => {
  const expectSteps = async (prompt: string, steps: number[], last: string) => {
    const answer = await loop(prompt)
    expect(answer).toEqual({ text: expect.stringMatching(new RegExp(`Heard: .*${last}`, 's')), steps })
  }
  return {
    tool: () => expectSteps(scripted([one]), [1], '3'),
    parallel: () => expectSteps(scripted([one, two, three]), [3], '11'),
    row: () => expectSteps(scripted([one], [two], [three]), [1, 1, 1], '11'),
  }
}

function tryChat({ url, model }: Place) {
  const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none', maxRetries: 0 })
  const toTool = (name: string, parameters: object) => ({
    ...{ type: 'function' as const, function: { name, parameters: { ...parameters } } },
  })
  const ask = async (
    messages: OpenAI.ChatCompletionMessageParam[],
    more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
  ) => (await client.chat.completions.create({ model, messages, ...more })).choices[0]?.message
  const from = (content: OpenAI.ChatCompletionUserMessageParam['content']) => [{ role: 'user' as const, content }]
  const callsIn = (message: OpenAI.ChatCompletionMessage | undefined) =>
    (message?.tool_calls ?? []).flatMap((each) => (each.type === 'function' ? [each] : []))
  return tryFeatures({
    chat: async () => expect((await ask(from(hello)))?.content).toBe(TEXT),
    stream: async () =>
      expect(await client.chat.completions.stream({ model, messages: from(hello) }).finalContent()).toBe(TEXT),
    structured: async () => {
      const json_schema = { name: 'verdict', schema: verdicts, strict: true }
      const message = await ask(from(judge), { response_format: { type: 'json_schema', json_schema } })
      expect(JSON.parse(message?.content ?? '')).toEqual(VERDICT)
    },
    ...calling(async (prompt) => {
      const [messages, steps]: [OpenAI.ChatCompletionMessageParam[], number[]] = [from(prompt), []]
      for (;;) {
        const message = await ask(messages, { tools: [toTool('add', sums)] })
        const calls = callsIn(message)
        if (message === undefined || calls.length === 0) return { text: message?.content ?? '', steps }
        steps.push(calls.length)
        messages.push(message)
        for (const { id, function: made } of calls) {
          const { a, b } = JSON.parse(made.arguments) as Sum
          messages.push({ role: 'tool', tool_call_id: id, content: String(a + b) })
        }
      }
    }),
    forced: async () => {
      const offered = [toTool('add', sums), toTool('verdict', verdicts)]
      const tool_choice = { type: 'function' as const, function: { name: 'verdict' } }
      const [call] = callsIn(await ask(from(forcing), { tools: offered, tool_choice }))
      expect(JSON.parse(call?.function.arguments ?? '')).toEqual(VERDICT)
    },
    image: async () => {
      const picture = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${image}` } }
      expect((await ask(from([{ type: 'text', text: look }, picture])))?.content).toBe(SEEN)
    },
    error: () => expect(ask(from(fail))).rejects.toThrow('fake 400'),
  })
}

function tryMessages({ url, model }: Place) {
  const client = new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'none', maxRetries: 0 })
  const from = (content: Anthropic.MessageParam['content']) => [{ role: 'user' as const, content }]
  const toTool = (name: string, input_schema: Anthropic.Tool['input_schema']) => ({ name, input_schema })
  const ask = (messages: Anthropic.MessageParam[], more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) =>
    client.messages.create({ model, max_tokens: 1000, messages, ...more })
  const textOf = ({ content }: Anthropic.Message) => content.map((each) => ('text' in each ? each.text : '')).join('')
  const usesIn = ({ content }: Anthropic.Message) => content.flatMap((each) => (each.type === 'tool_use' ? [each] : []))
  return tryFeatures({
    chat: async () => expect(textOf(await ask(from(hello)))).toBe(TEXT),
    stream: async () =>
      expect(await client.messages.stream({ model, max_tokens: 1000, messages: from(hello) }).finalText()).toBe(TEXT),
    structured: async () => {
      const format = { type: 'json_schema' as const, schema: verdicts }
      expect(JSON.parse(textOf(await ask(from(judge), { output_config: { format } })))).toEqual(VERDICT)
    },
    ...calling(async (prompt) => {
      const [messages, steps]: [Anthropic.MessageParam[], number[]] = [from(prompt), []]
      for (;;) {
        const message = await ask(messages, { tools: [toTool('add', sums)] })
        const uses = usesIn(message)
        if (uses.length === 0) return { text: textOf(message), steps }
        steps.push(uses.length)
        const results = uses.map(({ id, input }) => {
          const { a, b } = input as Sum
          return { type: 'tool_result' as const, tool_use_id: id, content: String(a + b) }
        })
        messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: results })
      }
    }),
    forced: async () => {
      const offered = [toTool('add', sums), toTool('verdict', verdicts)]
      const message = await ask(from(forcing), { tools: offered, tool_choice: { type: 'tool', name: 'verdict' } })
      expect(usesIn(message)[0]?.input).toEqual(VERDICT)
    },
    image: async () => {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: image }
      const parts = [
        { type: 'text' as const, text: look },
        { type: 'image' as const, source },
      ]
      expect(textOf(await ask(from(parts)))).toBe(SEEN)
    },
    error: () => expect(ask(from(fail))).rejects.toThrow('fake 400'),
  })
}

function tryAiSdk({ url, model: id }: Place) {
  const provider = createOpenAICompatible({
    ...{ name: 'drover', baseURL: `${url}/openai/v1`, apiKey: 'none', supportsStructuredOutputs: true },
  })
  const settings = { model: provider(id), maxRetries: 0 }
  const sum = tool({ inputSchema: jsonSchema<Sum>(sums), execute: async ({ a, b }) => a + b })
  return tryFeatures({
    chat: async () => expect((await generateText({ ...settings, prompt: hello })).text).toBe(TEXT),
    stream: async () => expect(await streamText({ ...settings, prompt: hello }).text).toBe(TEXT),
    structured: async () => {
      const output = Output.object({ schema: jsonSchema<typeof VERDICT>(verdicts) })
      expect((await generateText({ ...settings, prompt: judge, output })).output).toEqual(VERDICT)
    },
    ...calling(async (prompt) => {
      const { text, steps } = await generateText({
        ...{ ...settings, prompt, tools: { add: sum }, stopWhen: isStepCount(10) },
      })
      return { text, steps: steps.map(({ toolCalls }) => toolCalls.length).filter(Boolean) }
    }),
    forced: async () => {
      const tools = {
        add: sum,
        verdict: tool({ inputSchema: jsonSchema<typeof VERDICT>(verdicts), execute: async () => 'judged' }),
      }
      const toolChoice = { type: 'tool' as const, toolName: 'verdict' as const }
      const { toolCalls } = await generateText({ ...settings, prompt: forcing, tools, toolChoice })
      expect(toolCalls[0]?.input).toEqual(VERDICT)
    },
    image: async () => {
      const parts = [
        { type: 'text' as const, text: look },
        { type: 'file' as const, data: PNG, mediaType: 'image/png' },
      ]
      expect((await generateText({ ...settings, messages: [{ role: 'user', content: parts }] })).text).toBe(SEEN)
    },
    error: () => expect(generateText({ ...settings, prompt: fail })).rejects.toThrow('fake 400'),
  })
}

const { devDependencies: versions } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
) as { devDependencies: Record<string, string> }

export const nodeClients: TriedClient[] = [
  { client: '`openai` for Node, chat completions', version: versions['openai'] ?? '', run: tryChat },
  { client: '`@anthropic-ai/sdk`', version: versions['@anthropic-ai/sdk'] ?? '', run: tryMessages },
  { client: 'AI SDK (`@ai-sdk/openai-compatible`)', version: versions['ai'] ?? '', run: tryAiSdk },
]
