/** What `drover install` writes, used by real hosts with a fake model server. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LocalRun } from '../../src/contract/run-status.shape.ts'
import { CAPABILITIES, type CapabilityName } from '../../src/hosts/capabilities.ts'
import type { Host } from '../../src/hosts/host.ts'
import { installDrover } from '../support/drover-shim.ts'
import { hostOf } from '../support/host-tree.ts'
import { DROVER, type Ran, runAt } from '../support/run-drover.ts'
import { CLEAR_REQUEST, QUESTION, UNCLEAR_REQUEST, WIND_FILES } from '../support/scripted-actions.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const [claude, codex] = [hostOf('claude'), hostOf('codex')]

type Listed = { name: string; description: string }

type HostCase = {
  adapter: Host
  /** The arguments for a prompt; the agent may use its shell. */
  prompt: (text: string) => string[]
  /** The arguments to continue the last conversation. */
  continueWith: (text: string) => string[]
  /** How to list what a user can call: lines for standard input, and a reader of the response. */
  list: {
    words: string[]
    lines: (cwd: string) => object[]
    read: (line: Record<string, unknown>) => Listed[] | undefined
  }
}

const HOSTS: Readonly<Record<'claude' | 'codex', HostCase>> = {
  claude: {
    adapter: claude,
    prompt: (text) => ['-p', '--model', MODELS.claude, '--allowedTools', 'Bash', '--', text],
    continueWith: (text) => ['-c', '-p', '--model', MODELS.claude, '--allowedTools', 'Bash', '--', text],
    list: {
      words: ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      lines: () => [{ type: 'control_request', request_id: 'list', request: { subtype: 'initialize' } }],
      read: ({ type, response }) => {
        if (type !== 'control_response') return undefined
        const { commands } = (response as { response: { commands: Listed[] } }).response
        return commands.map((each) => ({ ...each, description: each.description.replace(/ \(project\)$/, '') }))
      },
    },
  },
  codex: {
    adapter: codex,
    prompt: (text) => ['exec', '-s', 'workspace-write', '--', text],
    continueWith: (text) => ['exec', '-s', 'workspace-write', 'resume', '--last', '--', text],
    list: {
      words: ['app-server'],
      lines: (cwd) => [
        { id: 1, method: 'initialize', params: { clientInfo: { name: 'test', title: 'test', version: '0' } } },
        { method: 'initialized' },
        { id: 2, method: 'skills/list', params: { cwds: [cwd] } },
      ],
      read: ({ id, result }) => (id === 2 ? (result as { data: { skills: Listed[] }[] }).data[0]?.skills : undefined),
    },
  },
}

/** The rule that the documentation tells users of Codex to write. */
const CODEX_RULE = /```python\n *(.*?)\n *```/s.exec(
  readFileSync(join(import.meta.dirname, '../../docs/hosts.md'), 'utf8'),
)?.[1]

const WHOLE = ['orient completed', 'implement completed', 'review completed', 'summarize completed']

const upstream = useUpstream()
const hosts = installed.flatMap(({ backend, path }) =>
  backend === 'gemini' ? [] : [{ backend, path, host: HOSTS[backend] }],
)

describe.each(hosts)('the real $backend', ({ backend, path, host }) => {
  let setup: AgentSetup
  let bin: string

  beforeEach(async () => {
    setup = createAgentSetup(backend, path, upstream.port())
    const repository = createRepository({ at: setup.work })
    for (const [name, content] of Object.entries(WIND_FILES)) repository.write(name, content)
    repository.commit()
    bin = installDrover(setup.home).bin
    // Agents use login shells, which have a PATH of their own.
    writeFileSync(join(setup.home, '.profile'), `PATH=${bin}:$PATH\n`)
    expect(await drover('install', '--tool', backend)).toMatchObject({ code: 0, stderr: '' })
  })

  afterEach(async () => {
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  const environment = (scenario: string) => {
    const env = setup.env(scenario)
    return { ...env, PATH: `${bin}:${env['PATH']}` }
  }
  /** How a user calls a capability. */
  const call = (name: CapabilityName) => host.adapter.invocation(name, undefined)
  const drover = (...args: string[]) => runAt(setup.work, [process.execPath, DROVER, ...args], { HOME: setup.home })
  const prompt = (text: string, scenario: string): Promise<Ran> =>
    runAt(setup.work, [path, ...host.prompt(text)], environment(scenario))
  /** All requests to the model in a scenario, as JSON text. */
  const receivedIn = (scenario: string) =>
    upstream
      .received()
      .split('\n')
      .filter((line) => line.includes(`"scenario":"${scenario}"`))
      .join('\n')
  /** How each action of the only run ended. */
  const actions = async () => {
    const { runs }: { runs: LocalRun[] } = JSON.parse((await drover('status', '--json')).stdout)
    expect(runs.length).toBeLessThan(2)
    return runs[0]?.actions.map(({ action, outcome }) => `${action.kind} ${outcome?.status}`)
  }

  function listCapabilities(): Promise<Listed[]> {
    const { words, lines, read } = host.list
    const child = spawn(path, words, { cwd: setup.work, env: environment('plain'), stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.write(
      lines(setup.work)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    )
    return new Promise((resolve, reject) => {
      child.on('close', () => reject(new Error(`${backend} ended without a list`)))
      createInterface(child.stdout).on('line', (line) => {
        const listed = read(JSON.parse(line))
        if (listed === undefined) return
        child.stdin.end()
        resolve(listed)
      })
    })
  }

  it('lists every capability to its user, with its description', async () => {
    const listed = (await listCapabilities()).filter(({ name }) => name.startsWith('drover-'))
    const expected = CAPABILITIES.map(({ name, description }) => ({ name, description }))
    expect(listed.map(({ name, description }) => ({ name, description }))).toEqual(
      expected.sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
  })

  it('offers none of them to its model', async () => {
    const scenario = `plain~${backend}-unasked`
    expect(await prompt('say hello', scenario)).toMatchObject({ code: 0 })
    const received = receivedIn(scenario)
    expect(received).toContain('say hello')
    expect(CAPABILITIES.filter(({ description }) => received.includes(description))).toEqual([])
  })

  it.each(CAPABILITIES)('sends the whole text of $name to its model', async ({ name, text }) => {
    const scenario = `plain~${backend}-${name}`
    expect(await prompt(`${call(name)} the wind`, scenario)).toMatchObject({ code: 0 })
    expect(receivedIn(scenario).includes(JSON.stringify(text.trimEnd()).slice(1, -1))).toBe(true)
  })

  it('is led by drover-run through a whole run', async () => {
    permitDrover()
    const { stdout } = await prompt(`${call('drover-run')} ${CLEAR_REQUEST}`, 'follow')
    expect(stdout).toMatch(/^The run \S+ is ended\.$/m)
    expect(await actions()).toEqual(WHOLE)
    expect(readFileSync(join(setup.work, 'wind.txt'), 'utf8')).toBe('wind: 23 knots\n')
  })

  it('asks its user the question of the run, and continues with the answer', async () => {
    permitDrover()
    const asked = await prompt(`${call('drover-run')} ${UNCLEAR_REQUEST}`, 'follow')
    expect(asked.stdout).toContain(QUESTION)
    expect(await actions()).toEqual(['orient needs_input'])
    const { stdout } = await runAt(setup.work, [path, ...host.continueWith('Knots.')], environment('follow'))
    expect(stdout).toMatch(/^The run \S+ is ended\.$/m)
    expect(await actions()).toEqual(['orient needs_input', ...WHOLE])
  })

  if (backend === 'codex') {
    it('keeps drover from the git directory until a rule permits it', async () => {
      const { stdout } = await prompt(`${call('drover-run')} ${CLEAR_REQUEST}`, 'follow')
      expect(stdout).toMatch(/^I stop here: .*read-only file system/m)
      expect(await actions()).toBeUndefined()
    })
  }

  function permitDrover(): void {
    if (backend !== 'codex') return
    const directory = join(setup.home, '.codex', 'rules')
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'default.rules'), CODEX_RULE ?? '')
  }
})
