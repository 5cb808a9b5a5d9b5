/** The items of conversations of the Responses API, through the official `openai` package. */
import OpenAI, { APIError } from 'openai'
import { describe, expect, it } from 'vitest'
import type { Script } from '../fake-agent/script.ts'
import { startServer } from '../support/start-server.ts'

const HELLO: Script = { text: ['Hello', ' there'] }
const hello = { model: 'claude', input: 'say hello' }

async function open(script: Script) {
  const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) } })
  const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: 'none', maxRetries: 0 })
  return { server, client, responses: client.responses }
}

async function thrown(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof APIError) return error
  throw new Error('the server has not refused the request', { cause: error })
}

describe('the items of a conversation', () => {
  const texts = (items: readonly object[]) =>
    items.map((item) => {
      const { role, content } = item as { role: string; content: { text: string }[] }
      return `${role}: ${content.map(({ text }) => text).join()}`
    })

  it('are what its responses got and answered, page by page', async () => {
    const { client, responses, server } = await open(HELLO)
    const { id } = await client.conversations.create()
    expect((await client.conversations.items.list(id)).data).toEqual([])
    const input = [
      { role: 'developer' as const, content: 'be brief' },
      { role: 'user' as const, content: 'first' },
    ]
    const first = await responses.create({ model: 'claude', input, conversation: id })
    await responses.create({ model: 'claude', input: 'second', conversation: id })
    const path = `/api/v1/sessions/${id.slice('conv_'.length)}/resume`
    expect((await server.request(path, { method: 'POST', body: { prompt: 'third' } })).status).toBe(200)
    const all = await client.conversations.items.list(id, { order: 'asc', include: ['reasoning.encrypted_content'] })
    const said = [
      'developer: be brief',
      'user: first',
      'assistant: Hello there',
      'user: second',
      'assistant: Hello there',
    ]
    expect(texts(all.data)).toEqual([...said, 'user: third', 'assistant: Hello there'])
    expect(all.data[2]).toEqual(first.output[0])
    expect(texts((await client.conversations.items.list(id)).data)).toEqual(texts(all.data).reverse())
    for (const order of ['asc', 'desc'] as const) {
      const paged: object[] = []
      for await (const item of client.conversations.items.list(id, { limit: 2, order })) paged.push(item)
      expect(paged).toEqual(order === 'asc' ? all.data : [...all.data].reverse())
    }
    const [one] = all.data
    expect(await client.conversations.items.retrieve(one?.id ?? '', { conversation_id: id })).toEqual(one)
    for (const limit of [1, 100])
      expect((await client.conversations.items.list(id, { limit })).has_more).toBe(limit === 1)
    expect(await thrown(client.conversations.items.list(id, { limit: 101 }).then())).toMatchObject({ status: 400 })
    expect(await thrown(client.conversations.items.list(id, { after: 'msg_x' }).then())).toMatchObject({ status: 400 })
  })

  it('have the calls of functions, also while the turn waits', async () => {
    const { client, responses } = await open({ calls: [[{ name: 'add', input: { x: 1 } }]], text: ['{{results}}'] })
    const { id } = await client.conversations.create()
    const tools = [{ type: 'function' as const, name: 'add', parameters: { type: 'object' }, strict: null }]
    const asked = { model: 'claude', tools, conversation: id }
    const first = await responses.create({ ...asked, input: 'what is 1 + 2?' })
    const [call] = first.output.filter((item) => item.type === 'function_call')
    const typesOf = async () =>
      (await client.conversations.items.list(id, { order: 'asc' })).data.map(({ type }) => type)
    expect(await typesOf()).toEqual(['message', 'function_call'])
    const item = { item_id: call?.id ?? '', conversation_id: id }
    const retrieved = await client.conversations.items.retrieve(item.item_id, item)
    expect(retrieved).toMatchObject({ type: 'function_call', call_id: call?.call_id, name: 'add' })
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'three' }
    expect((await responses.create({ ...asked, input: [output] })).output_text).toBe('three')
    expect(await typesOf()).toEqual(['message', 'function_call', 'message'])
  })

  it('stay as they are: none can be added, and none deleted', async () => {
    const { client, responses } = await open(HELLO)
    const { items } = client.conversations
    const { id } = await client.conversations.create()
    const added = items.create(id, { items: [{ role: 'user', content: 'hi' }] })
    expect(await thrown(added)).toMatchObject({
      ...{ status: 400, param: 'items', code: 'unsupported_feature' },
      message: expect.stringContaining('send them as input of the next response of the conversation'),
    })
    const { output } = await responses.create({ ...hello, conversation: id })
    const [answer] = output as { id: string }[]
    expect(await thrown(items.delete(answer?.id ?? '', { conversation_id: id }))).toMatchObject({
      ...{ status: 400, code: 'unsupported_feature' },
      message: expect.stringContaining('which the agent has in its session'),
    })
    expect((await items.list(id)).data).toHaveLength(2)
  })

  it('are only those of the conversation', async () => {
    const { client, responses } = await open(HELLO)
    const { items } = client.conversations
    const [one, two] = [await client.conversations.create(), await client.conversations.create()]
    const { output } = await responses.create({ ...hello, conversation: one.id })
    const [answer] = output as { id: string }[]
    const at = { conversation_id: two.id }
    for (const missing of [answer?.id ?? '', 'msg_x', 'fc_x'])
      for (const attempt of [() => items.retrieve(missing, at), () => items.delete(missing, at)])
        expect(await thrown(attempt())).toMatchObject({ status: 404, code: 'conversation_item_not_found' })
    for (const attempt of [
      () => items.list('conv_x').then(),
      () => items.create('conv_x', { items: [] }),
      () => items.retrieve(answer?.id ?? '', { conversation_id: 'conv_x' }),
      () => items.delete(answer?.id ?? '', { conversation_id: 'conv_x' }),
    ])
      expect(await thrown(attempt())).toMatchObject({ status: 404, code: 'conversation_not_found' })
  })
})
