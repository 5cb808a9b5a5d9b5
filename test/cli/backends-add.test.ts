import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { AcpScript } from '../fake-agent/acp-script.ts'
import type { Script } from '../fake-agent/script.ts'
import { installAcpAgent } from '../support/acp-agent.ts'
import { callMain } from '../support/call-main.ts'
import { installFakeAgents } from '../support/fake-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { isRunning } from '../support/test-command.ts'

const PLATFORMS = ['linux', 'darwin'].flatMap((system) => [`${system}-x86_64`, `${system}-aarch64`])

let home: string

beforeEach(() => {
  home = temporaryDirectory()
  env = {}
})

let env: Record<string, string> = {}
const drover = (...args: string[]) => callMain(args, { cwd: home, env: { PATH: process.env['PATH'] ?? '', ...env } })
const file = () => join(home, '.drover', 'config.yaml')
const sections = () => (existsSync(file()) ? (parse(readFileSync(file(), 'utf8')).backends ?? {}) : {})
const add = (script: AcpScript, ...flags: string[]) =>
  drover('backends', 'add', 'my-agent', ...flags, '--', installAcpAgent(home, script))

describe('drover backends add', () => {
  it('asks the agent what it can do, and writes it to the config', async () => {
    const modes = { currentModeId: 'a', availableModes: [{ id: 'a' }, { id: 'b' }] }
    const { code, stdout } = await add({ session: { modes } }, '--env', 'KEY=a=b')
    expect([code, stdout]).toEqual([0, expect.stringContaining('my-agent is a backend')])
    const profile = {
      measured: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      agent: 'fake 1.2.3',
      modes: 'a, b',
      models: 'no choice',
      images: 'yes',
    }
    const command = [join(home, 'fake-acp')]
    expect(sections()).toEqual({ 'my-agent': { protocol: 'acp', command, env: { KEY: 'a=b' }, profile } })
    expect((await drover('config', 'show')).stdout).not.toContain('a=b')
  })

  it('says that a running server does not know it before a restart', async () => {
    const serving = serveDrover(['-p', '0', '--demo'], { HOME: home })
    await portOf(serving)
    const { code, stderr } = await add({})
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`(process ${serving.child.pid}) uses the new value of backends.my-agent after a restart`),
    ])
  })

  it('tries a prompt, and whether the session can be continued', async () => {
    expect((await add({}, '--try')).stdout).toContain('You said: Reply with the single word: ready')
    expect(sections()['my-agent'].profile).toMatchObject({ resume: 'session/resume', usage: 'none' })
    const first = JSON.parse((await drover('prompt', 'hello there', '-b', 'my-agent', '-o', 'json')).stdout)
    expect(first).toMatchObject({ output: 'You said: hello there', backend: 'my-agent' })
    const again = await drover('resume', first.session_id, 'and again')
    expect(again.stdout).toBe('You said: and again\n')
  })

  it('takes the command and the variables of an agent from a registry', async () => {
    const path = join(home, 'registry.json')
    const cmd = `./anywhere/${basename(installAcpAgent(home, {}))}`
    const launch = { archive: 'https://example.com/a.tar.gz', cmd, env: { QUIET: '1', LEVEL: 'low' } }
    const binary = Object.fromEntries(PLATFORMS.map((platform) => [platform, launch]))
    writeFileSync(path, JSON.stringify({ version: '1.0.0', agents: [{ id: 'mine', distribution: { binary } }] }))
    env = { PATH: `${home}:${process.env['PATH']}` }
    const added = await drover('backends', 'add', 'mine', '--registry', 'registry.json', '--env', 'LEVEL=high')
    expect(added).toMatchObject({ code: 0 })
    expect(sections()['mine']).toMatchObject({ command: [basename(cmd)], env: { QUIET: '1', LEVEL: 'high' } })

    const before = sections()
    const other = await drover('backends', 'add', 'opencode', '--registry', path)
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('Known: mine')])
    const known = /Known: (.*)/.exec((await drover('backends', 'add', 'unheard-of')).stderr)?.[1]?.split(', ') ?? []
    expect([known.length > 10, new Set(known).size]).toEqual([true, known.length])
    for (const text of ['[]', 'no JSON', '{}']) {
      writeFileSync(path, text)
      const refused = await drover('backends', 'add', 'another', '--registry', path)
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cannot be used as a registry')])
    }
    expect((await drover('backends', 'add', 'another', '--registry', 'gone.json')).stderr).toContain('ENOENT')
    expect(sections()).toEqual(before)
  })

  it('stores and shows only printable text of an agent, and not too much of it', async () => {
    const availableModes = Array.from({ length: 500 }, (_, index) => ({ id: `mode-${index}` }))
    const agentInfo = { name: '\u001b[31mred\u0000\n', version: 'x'.repeat(5000) }
    const { code, stdout } = await add({ initialize: { agentInfo }, session: { modes: { availableModes } } })
    expect(code).toBe(0)
    const { agent, modes } = sections()['my-agent'].profile
    expect([agent.slice(0, 12), modes.slice(0, 7)]).toEqual(['[31mred xxxx', 'mode-0,'])
    expect([agent.length, modes.length]).toEqual([200, 200])
    expect(stdout).not.toContain('\u001b')
  })

  it.each<[string, AcpScript, string]>([
    ['neither way is offered', { initialize: { agentCapabilities: {} } }, 'no'],
    [
      'it is offered but fails',
      { errors: { 'session/resume': { code: -32603, message: 'x' }, 'session/load': { code: -32603, message: 'x' } } },
      'no',
    ],
    ['only loading works', { errors: { 'session/resume': { code: -32603, message: 'x' } } }, 'session/load'],
  ])('finds out how sessions are continued: %s', async (_name, script, resume) => {
    await add(script, '--try')
    expect(sections()['my-agent'].profile).toMatchObject({ resume })
  })

  it.each<[string, AcpScript, string]>([
    [
      'is not logged in',
      { errors: { 'session/new': { code: -32000, message: 'Authentication required' } } },
      'my-agent is not logged in',
    ],
    [
      'ends at once',
      { exitAtStart: 2, stderr: 'no such option\n' },
      'it ended before it answered (exit code 2): no such option',
    ],
    ['speaks another version', { initialize: { protocolVersion: 2 } }, 'speaks version 2'],
    ['does not answer the prompt', { steps: [] }, 'ended the turn without an answer'],
    [
      'prints text',
      { prints: 'Usage: agent [options]\n'.repeat(300) },
      'does not speak the Agent Client Protocol; a line that is not a JSON object was skipped: "Usage: agent [options]"',
    ],
    [
      'dies in the middle of its answer',
      { steps: [{ say: 'so' }, { exit: 3 }] },
      'ended before it had finished its answer (exit code 3)',
    ],
  ])('writes nothing if the agent %s', async (_name, script, message) => {
    const { code, stderr } = await add(script, '--try')
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(sections()).toEqual({})
  })

  it.each<[string, AcpScript, string]>([
    [
      'initialize',
      { initialize: null, prints: 'Starting…\n' },
      '1 s; check that its command starts an agent that speaks ACP; a line that is not a JSON object was skipped: "Starting…"',
    ],
    ['session/new', { silent: ['session/new'] }, 'my-agent did not answer session/new within 1 s'],
    ['session/prompt', { steps: [{ hang: true }] }, 'did not finish within 1 s and was stopped'],
  ])('gives up an agent that does not answer %s, and leaves no process', async (method, script, message) => {
    const { code, stderr } = await add(script, '--try', '--timeout', '1')
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect([stderr.split('\n').length, sections()]).toEqual([2, {}])
    const pid = Number(readFileSync(join(home, 'fake-acp.pid'), 'utf8'))
    expect([method, isRunning(pid)]).toEqual([method, false])
  })

  it.each([
    [['claude'], '"claude" is the name of a native backend'],
    [['all'], '"all" is a reserved word'],
    [['Mine'], 'must be a lowercase word'],
    [['opencod'], 'did you mean opencode?'],
    [['my-agent', '--env', 'nothing', '--', 'x'], '--env must be NAME=VALUE'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await drover('backends', 'add', ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(sections()).toEqual({})
  })

  it('refuses a program that is not installed, and says how to get one that it knows', async () => {
    const { stderr } = await callMain(['backends', 'add', 'opencode'], { cwd: home, env: { PATH: home } })
    expect(stderr).toContain('install it with "npm install --global opencode-ai"')
    expect(sections()).toEqual({})
  })

  it('refuses a name that is taken; test and remove take only such names', async () => {
    await add({})
    expect((await add({})).stderr).toContain('my-agent is already a backend')
    expect(await drover('backends', 'test', 'my-agent')).toMatchObject({ code: 0 })
    expect(sections()['my-agent'].profile).toMatchObject({ resume: 'session/resume' })
    expect((await drover('backends', 'remove', 'claude')).stderr).toContain(
      'the config defines no backend "claude"; it defines my-agent',
    )
    expect(await drover('backends', 'remove', 'my-agent')).toMatchObject({ code: 0 })
    expect(sections()).toEqual({})
    expect((await drover('backends', 'test', 'my-agent')).stderr).toContain(
      'no backend "my-agent"; use claude, codex, gemini',
    )
  })

  it('keeps what the user has set when a backend is tested again', async () => {
    await add({})
    await drover('config', 'set', 'backends.my-agent.approval_mode', 'none')
    env = { DROVER_BACKENDS_MY_AGENT_MODEL: 'x', DROVER_BACKENDS_MY_AGENT_ENABLED: 'false' }
    await drover('backends', 'test', 'my-agent')
    expect(Object.keys(sections()['my-agent'])).toEqual(['approval_mode', 'protocol', 'command', 'profile'])
    expect((await drover('config', 'get', 'backends.my-agent.model')).stdout).toBe('x\n')
    expect(sections()['my-agent']).toMatchObject({ approval_mode: 'none', profile: { resume: 'session/resume' } })
  })
})

describe('a backend of the config', () => {
  const ask = async (...args: string[]) => JSON.parse((await drover(...args, '-o', 'json')).stdout)

  it('that counts the tokens of whole sessions has those of each turn, also in a new process', async () => {
    const program = installAcpAgent(home, { countsSession: true }, 'vibe-acp')
    await drover('backends', 'add', 'vibe', '--', program)
    const first = await ask('prompt', 'one', '-b', 'vibe')
    const turns = [first, await ask('resume', first.session_id, 'two'), await ask('resume', first.session_id, 'three')]
    const ofOne = { input_tokens: 100, output_tokens: 10, cached_tokens: 60 }
    expect(turns).toMatchObject([{ token_usage: ofOne }, { token_usage: ofOne }, { token_usage: ofOne }])
    const { stdout } = await drover('usage', '--by', 'backend', '-b', 'vibe', '--json')
    expect(JSON.parse(stdout).rows).toMatchObject([{ backend: 'vibe', executions: 3, input_tokens: 300 }])
  })

  it.runIf(IS_FULL)('takes over a conversation from another agent, and hands it over', async () => {
    env = { DROVER_EXECUTIONS_KEEP: 'results', PATH: `${installFakeAgents(home)}:/usr/bin:/bin` }
    await add({})
    const native = await ask('prompt', 'first words', '-b', 'claude')
    const taken = await ask('resume', native.session_id, '--fork', '-b', 'my-agent', 'second words')
    expect([taken.backend, taken.output]).toEqual(['my-agent', expect.stringMatching(/> first words.*second words$/s)])
    const same = await ask('resume', taken.session_id, '--fork', 'third words')
    expect(same).toMatchObject({ backend: 'my-agent', output: 'You said: third words' })
    const { stdout } = await drover('resume', taken.session_id, '--fork', '-b', 'codex', 'fourth', '--dry-run')
    expect(stdout).toMatch(/first words.*my-agent:.*You said:.*fourth/s)
  })

  it('is listed, completed and compared like the others', async () => {
    await add({})
    expect((await drover('backends')).stdout).toMatch(/^my-agent +version unknown .*fake-acp$/m)
    expect((await drover('complete-words', '--', 'prompt', '--backend', '')).stdout).toBe(
      'claude\ncodex\ngemini\nmy-agent\n',
    )
    const { stdout } = await drover('compare', 'hello there', '--backends', 'my-agent,my-agent', '--json')
    expect(JSON.parse(stdout).results).toMatchObject([
      { output: 'You said: hello there' },
      { output: 'You said: hello there' },
    ])
    const { stderr } = await drover('prompt', 'x y', '-b', 'nime')
    expect(stderr).toContain('--backend must be one of claude, codex, gemini, my-agent, not "nime"')
  })
})

describe('drover backends test', () => {
  beforeEach(() => {
    installFakeAgents(home)
    env = { PATH: `${home}:${process.env['PATH']}` }
  })
  const teach = (script: Script) => {
    env = { ...env, FAKE_AGENT_SCRIPT: JSON.stringify(script) }
  }

  it.each(['claude', 'codex', 'gemini'])(
    'says what it costs, sends one prompt to %s, and prints its answer',
    async (name) => {
      teach({ text: ['ready'] })
      const { code, stdout, stderr } = await drover('backends', 'test', name)
      expect(stderr).toBe(`drover: sending one short prompt to ${name}; it costs one prompt\n`)
      expect([code, stdout]).toEqual([0, expect.stringMatching(`^${name} works: it answered "ready" in [0-9.]+ s`)])
      expect(JSON.parse((await drover('sessions', 'list', '--json')).stdout)).toMatchObject({ sessions: [] })
    },
  )

  it('prints JSON', async () => {
    teach({ text: ['ready'] })
    const { code, stdout, stderr } = await drover('backends', 'test', 'claude', '--json')
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      0,
      '',
      expect.objectContaining({ backend: 'claude', works: true, answer: 'ready', duration_ms: expect.any(Number) }),
    ])
  })

  it('fails with the steps to log in, as text and as JSON', async () => {
    teach({ fail: 401 })
    const text = await drover('backends', 'test', 'claude')
    const steps = 'to log in, run `claude` in a terminal and type /login, or set ANTHROPIC_API_KEY'
    expect([text.code, text.stdout]).toEqual([1, ''])
    expect(text.stderr).toContain(steps)
    const json = await drover('backends', 'test', 'claude', '--json')
    expect([json.code, JSON.parse(json.stderr)]).toEqual([
      1,
      expect.objectContaining({ error: 'backend_probe_failed', message: expect.stringContaining(steps) }),
    ])
  })

  it.runIf(IS_FULL)('fails for an agent that does not answer in time', async () => {
    teach({ hangAfter: 'init' })
    const { code, stderr } = await drover('backends', 'test', 'codex', '--timeout', '1')
    expect([code, stderr]).toEqual([1, expect.stringContaining('codex did not finish within 1 s')])
  })

  it('fails for an agent that is not installed or unknown', async () => {
    env = { PATH: '/nowhere' }
    expect((await drover('backends', 'test', 'codex')).stderr).toContain('codex is not installed')
    expect((await drover('backends', 'test', 'codx')).stderr).toContain('did you mean codex?')
  })
})
