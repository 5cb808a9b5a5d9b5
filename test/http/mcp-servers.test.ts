/** Agents get the MCP servers of the settings. Drover runs them, and the agents see none of their secrets. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf } from '../support/full-counts.ts'
import { runDrover, temporaryDirectory } from '../support/run-drover.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { digestOf, serveTiny } from '../support/tiny-mcp-server.ts'
import { until } from '../support/until.ts'

const TINY = join(import.meta.dirname, '..', 'support', 'tiny-mcp-server.ts')
const SECRET = 'tiny-secret-8d21'
const tiny = { name: 'tiny', command: process.execPath, args: [TINY], env: { TINY_TOKEN: '${TINY_SECRET}' } }
const script = { calls: [[{ name: 'look', input: { x: 'it' } }]], text: ['I {{results}}, by {{tools}}'] }

async function open(servers: readonly object[], { env = {}, ...more }: ServerOptions = {}) {
  const given = { FAKE_AGENT_SCRIPT: JSON.stringify(script), TINY_SECRET: SECRET, ...env }
  const server = await startServer({ config: { mcp_servers: servers }, ...more, env: given })
  const prompt = async (body: object = {}, headers: Record<string, string> = {}) =>
    await server.request('/api/v1/prompt', {
      method: 'POST',
      body: { backend: 'claude', prompt: 'Look it up', workdir: server.workdir, ...body },
      headers,
    })
  return { server, prompt }
}

const outputOf = ({ body }: { body: unknown }) => (body as { output: string }).output

describe('an MCP server of the settings', () => {
  it.each(firstOf(['claude', 'codex', 'gemini']))('is given to %s, with its secret', async (backend) => {
    const { prompt } = await open([tiny])
    const answer = await prompt({ backend })
    expect(outputOf(answer)).toBe(`I found it with ${digestOf(SECRET)}, by look`)
    expect(answer.text).not.toContain(SECRET)
  })

  it('may be an address, with its secret in a header from a file', async () => {
    const file = join(temporaryDirectory(), 'token')
    writeFileSync(file, `${SECRET}\n`)
    const { url, methods, close } = await serveTiny()
    onTestFinished(close)
    const headers = { Authorization: `Bearer \${file:${file}}` }
    const { prompt } = await open([{ name: 'tiny', url, headers }])
    expect(outputOf(await prompt())).toBe(`I found it with ${digestOf(`Bearer ${SECRET}`)}, by look`)
    expect(methods).toContain('POST')
  })

  it('ends with its agent', async () => {
    const { prompt } = await open([tiny])
    await prompt()
    await until(() => processesWith(TINY).length === 0)
  })

  it('is chosen by name, and none is by an empty list', async () => {
    const { prompt } = await open([{ ...tiny, name: 'other', args: [TINY, '--broken'] }, tiny])
    expect(outputOf(await prompt({ mcp_servers: ['tiny'] }))).toContain('found it')
    expect((await prompt({ mcp_servers: [], dry_run: true })).text).not.toContain('--mcp-config')
    const refused = await prompt({ mcp_servers: ['tniy'] })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'mcp_server_unknown', message: 'no MCP server "tniy"; use other, tiny; did you mean tiny?' },
    })
  })

  it('that does not start is a warning', async () => {
    const { prompt } = await open([{ ...tiny, command: 'no-such-program' }])
    const { body } = await prompt({ timeout_secs: 20 })
    expect((body as { warnings?: string[] }).warnings?.join()).toContain('the MCP server tiny does not start')
  })

  it('whose secret is missing keeps the agent from starting', async () => {
    const { prompt } = await open([tiny], { env: { TINY_SECRET: '' } })
    const { status, text } = await prompt()
    expect([status, text]).toEqual([503, expect.stringContaining('the MCP server tiny needs ${TINY_SECRET}')])
  })

  it('is not given to an agent that may only read, unless its tools change nothing', async () => {
    const { prompt } = await open([tiny, { ...tiny, name: 'docs', read_only: true }])
    const { text } = await prompt({ sandbox_mode: 'read-only', mcp_servers: ['tiny', 'docs'], dry_run: true })
    expect(text).toContain('mcp__docs')
    expect(text).not.toContain('mcp__tiny')
    expect(text).toContain('the agent does not get the MCP servers it was asked to use (tiny)')
  })

  it('is shown without its secret', async () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'config.yaml'), JSON.stringify({ mcp_servers: [tiny] }))
    const env = { DROVER_HOME: home, TINY_SECRET: SECRET }
    const shown = await runDrover(['config', 'show', '--json'], { env })
    expect(shown.stdout).toContain('"TINY_TOKEN": "********"')
    expect(shown.stdout).not.toContain(SECRET)
  })
})

const KEY = 'key-with-a-list-of-servers'
const keyed = (more: object) => ({
  server: { keys: [{ name: 'ci', sha256: createHash('sha256').update(KEY).digest('hex'), ...more }] },
})
const headers = { authorization: `Bearer ${KEY}` }

describe('an API key', () => {
  it('may use only the MCP servers that it lists', async () => {
    const { prompt } = await open([tiny, { ...tiny, name: 'docs' }], keyed({ mcp_servers: ['docs'] }))
    const { text } = await prompt({ dry_run: true }, headers)
    expect([text.includes('mcp__docs'), text.includes('mcp__tiny')]).toEqual([true, false])
    expect((await prompt({ mcp_servers: ['tiny'] }, headers)).body).toMatchObject({
      error: 'mcp_server_refused',
      message: 'the MCP server "tiny" cannot be used: mcp_servers of the key ci does not have it',
    })
  })

  it('with limited modes uses none that it does not list', async () => {
    const limited = { max_sandbox_mode: 'workspace' }
    const { prompt } = await open([tiny], keyed(limited))
    expect((await prompt({ dry_run: true }, headers)).text).not.toContain('mcp__tiny')
    expect((await prompt({ mcp_servers: ['tiny'] }, headers)).status).toBe(400)
    const listed = await open([tiny], keyed({ ...limited, mcp_servers: ['tiny'] }))
    expect((await listed.prompt({ dry_run: true }, headers)).text).toContain('mcp__tiny')
  })
})

describe('a driven run', () => {
  it.each(firstOf(['claude', 'codex']))('lets %s use the MCP servers, and its report lists them', async (backend) => {
    const docs = { ...tiny, name: 'docs', read_only: true, env: { TINY_TOKEN: '${TINY_DOCS}' } }
    const script = { orient: [{ looks: 'docs' }], implement: [{ ...HONEST, looks: 'it' }] }
    const driving = createDriving(script, { config: JSON.stringify({ mcp_servers: [tiny, docs] }) })
    Object.assign(driving.env, { TINY_SECRET: SECRET, TINY_DOCS: 'docs-secret' })
    const rest = ['--check', 'sh check.sh', '--no-review', '--baseline', 'skip', '--with', backend]
    const { code, stdout, stderr } = await driving.drive('Show the wind in knots', '--json', ...rest)
    expect([code, stderr]).toEqual([0, ''])
    // Who looks around may only read, and gets only the second.
    expect(stdout.match(/I found \w+ with \w+/g)).toEqual([
      `I found docs with ${digestOf('docs-secret')}`,
      `I found it with ${digestOf(SECRET)}`,
    ])
    expect(stdout).not.toContain(SECRET)
    const report = await driving.call(['report', runIdIn(stdout)])
    expect(report.stdout).toContain('## MCP servers of the agents\n\n- tiny\n- docs\n')
  })
})

function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(word)
    } catch {
      return false
    }
  })
}
