/** A client that offers functions to the agents of a test server, through the chat completion API. */
import { createHash } from 'node:crypto'
import OpenAI from 'openai'
import { USER } from '../../src/prompts/caller.ts'
import type { Script } from '../fake-agent/script.ts'
import { type ServerOptions, startServer, type TestServer } from './start-server.ts'

export async function open(script: Script, options: ServerOptions = {}) {
  const server = await startServer({ ...options, env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) } })
  return { server, client: clientOf(server.url) }
}

export function clientOf(url: string, apiKey = 'none'): OpenAI {
  return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey, maxRetries: 0 })
}

export const tool = (name: string) => ({
  type: 'function' as const,
  function: {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: { x: { type: 'number' } } },
  },
})
export const tools = [tool('add'), tool('sub')]
export const user = { role: 'user' as const, content: 'what is 1 + 2?' }
/** An API key for the config, whose secret is its name. */
export const keyOf = (name: string) => ({ name, sha256: createHash('sha256').update(name).digest('hex') })

export const call = (name: string, x: unknown) => ({ name, input: { x } })

export async function statesOf({ context }: TestServer): Promise<string[]> {
  await context.drover.executions.save()
  const { executions } = await context.drover.executions.list(USER, {}, { limit: 10 })
  return executions.map(({ state }) => state)
}

export async function newest({ context }: TestServer) {
  const { executions } = context.drover
  const [last] = (await executions.list(USER, {}, { limit: 1 })).executions
  return await executions.find(USER, last?.id ?? '')
}

export type Messages = OpenAI.ChatCompletionMessageParam[]
export type Asked = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>
type Result = string | OpenAI.ChatCompletionContentPartText[]

/** Sends the messages; if the answer has calls, `next` are the messages with their results. */
export async function ask(client: OpenAI, messages: Messages, { model = 'claude', ...more }: Asked = {}) {
  const { choices, usage } = await client.chat.completions.create({ model, messages, tools, ...more })
  const { message, finish_reason: reason } = choices[0] ?? {}
  const made = (message?.tool_calls ?? []).flatMap((each) => (each.type === 'function' ? [each] : []))
  const next = (results: readonly Result[]): Messages => [
    ...messages,
    message as OpenAI.ChatCompletionMessage,
    ...made.map(({ id }, at) => ({ role: 'tool' as const, tool_call_id: id, content: results[at] ?? '' })),
  ]
  return { content: message?.content, reason, made, next, usage }
}
