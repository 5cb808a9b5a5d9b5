/** Real agents use an MCP server of drover's settings. The model says which tool to call, in a prompt. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { portOf, type Serving, serveDrover } from '../support/serve-drover.ts'
import { digestOf, serveTiny } from '../support/tiny-mcp-server.ts'
import { until } from '../support/until.ts'
import { createAcpSetup, installedAcp } from './acp-agents.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const TINY = join(import.meta.dirname, '..', 'support', 'tiny-mcp-server.ts')
const SECRET = 'made-up-secret-of-tiny'

/** Those that were seen to use them. */
const OTHERS = ['opencode', 'goose', 'kimi', 'qwen']

const agents = [
  ...installed.map(({ backend, path }) => ({
    name: backend as string,
    model: MODELS[backend] as string | undefined,
    open: () => createAgentSetup(backend, path, upstream.port()),
  })),
  ...installedAcp
    .filter(({ name }) => OTHERS.includes(name))
    .map((agent) => ({
      name: agent.name as string,
      model: undefined,
      open: () => createAcpSetup(agent, upstream.port()),
    })),
]

describe.each(agents)('the real $name', ({ name, model, open }) => {
  let setup: AgentSetup
  let serving: Serving
  let http: Awaited<ReturnType<typeof serveTiny>>

  beforeEach(async () => {
    setup = open()
    http = await serveTiny()
    configure(setup.home, [
      { name: 'tiny', command: process.execPath, args: [TINY], env: { TINY_TOKEN: '${TINY_SECRET}' } },
      { name: 'far', url: http.url, headers: { Authorization: '${TINY_SECRET}' } },
    ])
    serving = serveDrover(['--port', '0'], { ...setup.env('client'), TINY_SECRET: SECRET })
  })

  afterEach(async () => {
    serving.child.kill('SIGTERM')
    await serving.ended
    await until(() => processesIn(setup).length === 0)
    await http.close()
    setup.remove()
  })

  it.each(['tiny', 'far'])(
    'calls the tool of the server %s, and gets its result',
    async (server) => {
      const before = upstream.received().length
      const calls = Buffer.from(JSON.stringify([[{ name: 'look', args: { x: 'it' } }]])).toString('base64url')
      const response = await fetch(`http://127.0.0.1:${await portOf(serving)}/api/v1/prompt`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          backend: name,
          prompt: `Do it. #calls=${calls}`,
          workdir: setup.work,
          mcp_servers: [server],
          ...(model !== undefined && { model }),
        }),
      })
      const text = await response.text()
      expect(text).toContain('Heard: ')
      const sent = upstream.received().slice(before)
      expect(sent).toContain(`found it with ${digestOf(SECRET)}`)
      expect([sent.includes(SECRET), text.includes(SECRET)]).toEqual([false, false])
    },
    100_000,
  )
})

function configure(home: string, servers: readonly object[]): void {
  const path = join(home, '.drover', 'config.yaml')
  mkdirSync(join(home, '.drover'), { recursive: true, mode: 0o700 })
  const before = tryRead(path)
  writeFileSync(path, stringify({ ...before, mcp_servers: servers }))
}

function tryRead(path: string): object {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
