import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { AcpScript } from '../fake-agent/acp-script.ts'
import { installAcpAgent } from '../support/acp-agent.ts'
import { callMain } from '../support/call-main.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

let home: string

beforeEach(() => {
  home = temporaryDirectory()
})

const drover = (...args: string[]) => callMain(args, { cwd: home, env: { PATH: process.env['PATH'] ?? '' } })
const file = () => join(home, '.drover', 'config.yaml')
const sections = () => (existsSync(file()) ? (parse(readFileSync(file(), 'utf8')).backends ?? {}) : {})
const add = (script: AcpScript, ...flags: string[]) =>
  drover('backends', 'add', 'mine', ...flags, '--', installAcpAgent(home, script))

describe('drover backends add', () => {
  it('asks the agent what it can do, and writes it to the config', async () => {
    const modes = { currentModeId: 'a', availableModes: [{ id: 'a' }, { id: 'b' }] }
    const { code, stdout } = await add({ session: { modes } }, '--env', 'KEY=a=b')
    expect([code, stdout]).toEqual([0, expect.stringContaining('mine is a backend')])
    const profile = {
      measured: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      agent: 'fake 1.2.3',
      modes: 'a, b',
      models: 'no choice',
      images: 'yes',
    }
    const command = [join(home, 'fake-acp')]
    expect(sections()).toEqual({ mine: { protocol: 'acp', command, env: { KEY: 'a=b' }, profile } })
    expect((await drover('config', 'show')).stdout).not.toContain('a=b')
  })

  it('tries a prompt, and whether the session can be continued', async () => {
    expect((await add({}, '--try')).stdout).toContain('You said: Reply with the single word: ready')
    expect(sections().mine.profile).toMatchObject({ resume: 'session/resume', usage: 'none' })
    const first = JSON.parse((await drover('prompt', 'hello there', '-b', 'mine', '-o', 'json')).stdout)
    expect(first).toMatchObject({ output: 'You said: hello there', backend: 'mine' })
    const again = await drover('resume', first.session_id, 'and again')
    expect(again.stdout).toBe('You said: and again\n')
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
    expect(sections().mine.profile).toMatchObject({ resume })
  })

  it.each<[string, AcpScript, string]>([
    [
      'is not logged in',
      { errors: { 'session/new': { code: -32000, message: 'Authentication required' } } },
      'mine is not logged in',
    ],
    [
      'ends at once',
      { exitAtStart: 2, stderr: 'no such option\n' },
      'it ended before it answered (exit code 2): no such option',
    ],
    ['speaks another version', { initialize: { protocolVersion: 2 } }, 'speaks version 2'],
    ['does not answer the prompt', { steps: [] }, 'ended the turn without an answer'],
  ])('writes nothing if the agent %s', async (_name, script, message) => {
    const { code, stderr } = await add(script, '--try')
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(sections()).toEqual({})
  })

  it.each([
    [['claude'], '"claude" is the name of a native backend'],
    [['all'], '"all" is a reserved word'],
    [['Mine'], 'must be a lowercase word'],
    [['opencod'], 'did you mean opencode?'],
    [['mine', '--env', 'nothing', '--', 'x'], '--env must be NAME=VALUE'],
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
    expect((await add({})).stderr).toContain('mine is a backend already')
    expect(await drover('backends', 'test', 'mine')).toMatchObject({ code: 0 })
    expect(sections().mine.profile).toMatchObject({ resume: 'session/resume' })
    expect((await drover('backends', 'remove', 'claude')).stderr).toContain(
      'the config defines no backend "claude"; it defines mine',
    )
    expect(await drover('backends', 'remove', 'mine')).toMatchObject({ code: 0 })
    expect(sections()).toEqual({})
    expect((await drover('backends', 'test', 'mine')).stderr).toContain('the config defines no backend "mine"')
  })

  it('keeps what the user has set when a backend is tested again', async () => {
    await add({})
    await drover('config', 'set', 'backends.mine.approval_mode', 'none')
    await drover('backends', 'test', 'mine')
    expect(sections().mine).toMatchObject({ approval_mode: 'none', profile: { resume: 'session/resume' } })
  })
})

describe('a backend of the config', () => {
  it('is listed, completed and compared like the others', async () => {
    await add({})
    expect((await drover('backends')).stdout).toMatch(/^mine +version unknown .*fake-acp$/m)
    expect((await drover('complete-words', '--', 'prompt', '--backend', '')).stdout).toBe(
      'claude\ncodex\ngemini\nmine\n',
    )
    const { stdout } = await drover('compare', 'hello there', '--backends', 'mine,mine', '--json')
    expect(JSON.parse(stdout).results).toMatchObject([
      { output: 'You said: hello there' },
      { output: 'You said: hello there' },
    ])
    const { stderr } = await drover('prompt', 'x y', '-b', 'nime')
    expect(stderr).toContain('--backend must be one of claude, codex, gemini, mine, not "nime"')
  })
})
