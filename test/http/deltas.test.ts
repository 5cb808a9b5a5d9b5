/** A client gets each piece of text before the agent prints the next: nothing is buffered on the way. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Script } from '../fake-agent/script.ts'
import { type OpenStream, openStream } from '../support/read-stream.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer } from '../support/start-server.ts'

type Style = {
  path: string
  headers?: Record<string, string>
  body: (agent: string) => object
  textOf: (line: string) => string
}

const messages = [{ role: 'user', content: 'say hello' }]
const read = (line: string) => (/^(?:data: )?\{/.test(line) ? JSON.parse(line.replace('data: ', '')) : {})

const STYLES: Readonly<Record<string, Style>> = {
  native: {
    path: '/api/v1/prompt',
    body: (backend) => ({ backend, prompt: 'say hello', output_format: 'stream-json' }),
    textOf: (line) => (read(line).type === 'message' ? read(line).content.text : ''),
  },
  chat: {
    path: '/openai/v1/chat/completions',
    body: (model) => ({ model, messages, stream: true }),
    textOf: (line) => read(line).choices?.[0]?.delta.content ?? '',
  },
  message: {
    path: '/anthropic/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: (model) => ({ model, max_tokens: 9, messages, stream: true }),
    textOf: (line) => read(line).delta?.text ?? '',
  },
}

/** An agent that prints a piece each time the test allows it, and a client that reads the stream. */
async function follow(style: Style, agent: string, script: Script) {
  const permits = join(temporaryDirectory(), 'permits')
  const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify({ ...script, permits }) } })
  const { path, headers = {}, body } = style
  const opened = openStream({ port: server.port, path, headers, body: body(agent) })
  const allow = (pieces: number) => appendFileSync(permits, '.'.repeat(pieces))
  return { opened, allow }
}

async function nextText(stream: OpenStream, { textOf }: Style): Promise<string> {
  for (;;) {
    const line = await stream.nextLine()
    if (line === undefined) throw new Error('the stream has ended')
    const text = textOf(line)
    if (text !== '') return text
  }
}

describe.each(Object.entries(STYLES))('a %s stream', (_name, style) => {
  it.each(['claude', 'gemini'])('of %s sends each word before the next is printed', async (agent) => {
    const words = ['one', ' two', ' three', ' four']
    const { opened, allow } = await follow(style, agent, { text: words })
    const heard: string[] = []
    for (const word of words) {
      allow(1)
      heard.push(await nextText(await opened, style))
      expect(heard.at(-1)).toBe(word)
    }
    expect((await (await opened).rest()).map(style.textOf).join('')).toBe('')
  })

  it('of codex sends each message before the next is printed', async () => {
    const { opened, allow } = await follow(style, 'codex', { tool: 'true', text: ['done'] })
    allow('I will run a command.'.split(' ').length)
    expect(await nextText(await opened, style)).toBe('I will run a command.')
    allow(1)
    expect((await nextText(await opened, style)).trim()).toBe('done')
    expect((await (await opened).rest()).map(style.textOf).join('')).toBe('')
  })
})
