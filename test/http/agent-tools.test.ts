/** An agent without its own tools is a plain model: by a header, a field, the name of the model, or the key. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ServerOptions, startServer } from '../support/start-server.ts'

const KEY = 'key-of-plain-models'
const keys = [{ name: 'plain', sha256: createHash('sha256').update(KEY).digest('hex'), agent_tools: 'none' }]

/** The command that would be started. */
async function commandFor(body: object, headers: object = {}, options: ServerOptions = {}) {
  const server = await startServer(options)
  const { body: answer } = await server.request('/openai/v1/chat/completions', {
    method: 'POST',
    body: { model: 'claude', messages: [{ role: 'user', content: 'hello' }], dry_run: true, ...body },
    headers: { ...headers },
  })
  const chat = answer as { choices?: { message: { content: string } }[] }
  return String(chat.choices?.[0]?.message.content ?? JSON.stringify(answer))
}

describe('the own tools of an agent', () => {
  it.each<[string, object, object?, ServerOptions?]>([
    ['a header', {}, { 'x-drover-agent-tools': 'none' }],
    ['a field', { agent_tools: 'none' }],
    ['the name of the model', { model: 'claude:model' }],
    ['its key', {}, { authorization: `Bearer ${KEY}` }, { server: { keys } }],
    ['its key, whatever it asks for', { agent_tools: 'all' }, { authorization: `Bearer ${KEY}` }, { server: { keys } }],
  ])('are switched off by %s', async (_, body, headers, options) => {
    expect(await commandFor(body, headers, options)).toContain("--tools ''")
  })

  it('stay by default, and if the header says so', async () => {
    expect(await commandFor({})).not.toContain('--tools')
    expect(await commandFor({ model: 'claude:model' }, { 'x-drover-agent-tools': 'all' })).not.toContain('--tools')
  })

  it('are not switched off by anything else', async () => {
    expect(await commandFor({}, { 'x-drover-agent-tools': 'some' })).toContain('must be all or none')
    expect(await commandFor({ agent_tools: 'some' })).toContain('agent_tools')
  })
})
