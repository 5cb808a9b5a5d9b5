/** Prompts whose agent runs inside of a boundary. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { NATIVE_BACKENDS } from '../../src/agents/adapter/agent.ts'
import { locateAgent } from '../../src/agents/locate-agents.ts'
import { mergeLayers } from '../../src/config/layers.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'
import type { PromptContext } from '../../src/prompts/prompt-context.ts'
import type { PromptBody } from '../../src/prompts/prompt-request.shape.ts'
import type { PromptRequest } from '../../src/prompts/prompt-request.ts'
import { runPromptToEnd } from '../../src/prompts/run-prompt.ts'
import { createWorkdirPolicy } from '../../src/prompts/workdir-policy.ts'
import { createRepositoryAt } from '../support/git-repository.ts'
import { createPromptFixture, finishPrompt } from '../support/prompt-fixture.ts'
import { temporaryDirectoryForAll } from '../support/run-drover.ts'
import { skipWithoutSandbox } from '../support/sandbox.ts'
import { sandboxParts } from '../support/sandbox-parts.ts'
import { until } from '../support/until.ts'

const AGENT = readFileSync(join(import.meta.dirname, '..', 'programs', 'inside-agent.cjs'), 'utf8')

const DEMO_AGENT = join(import.meta.dirname, '..', '..', 'bin', 'demo-agent.cjs')

const GUARDED = join(import.meta.dirname, '..', 'programs', 'guarded-server.mjs')

/** Remembers for all tests that the sandbox was tried. */
const DROVER_HOME = temporaryDirectoryForAll()

type Attempt = readonly [string, ...string[]]
type Over = Omit<Partial<PromptBody>, 'sandbox'> & {
  sandbox?: PromptBody['sandbox'] | undefined
  sandboxSettings?: object
}

async function fixture() {
  const made = await createPromptFixture({}, { sandbox: sandboxParts(DROVER_HOME) })
  writeFileSync(join(made.directory, 'claude'), `#!${process.execPath}\n${AGENT}`, { mode: 0o755 })
  const own = join(made.directory, '.claude')
  mkdirSync(own)
  writeFileSync(join(own, 'settings.json'), '{"model":"mine"}')
  writeFileSync(join(own, '.credentials.json'), '{"token":"old"}')
  writeFileSync(join(made.directory, 'canary'), 'secret')
  const run = async (attempts: readonly Attempt[], { sandboxSettings = {}, ...over }: Over = {}) => {
    const context = withSandbox(made.context, sandboxSettings)
    const request = {
      backend: 'claude',
      prompt: JSON.stringify(attempts),
      sandbox: 'required',
      ...over,
    } as PromptRequest
    const { events, result } = await finishPrompt(request, context)
    return { events, result, got: result.error === undefined ? JSON.parse(result.output) : result }
  }
  return { ...made, own, run }
}

function withSandbox(context: PromptContext, sandbox: object): PromptContext {
  return { ...context, settings: { ...context.settings, sandbox: { ...mergeLayers([]).config.sandbox, ...sandbox } } }
}

describe('an agent inside of a boundary', () => {
  beforeEach(skipWithoutSandbox)

  it('sees its working directory and its own files, and nothing else of the home directory', async () => {
    const { run, directory, work, own } = await fixture()
    writeFileSync(join(work, 'readme'), 'hello')
    const { got } = await run([
      ['read', join(work, 'readme')],
      ['write', join(work, 'made'), 'x'],
      ['read', join(own, 'settings.json')],
      ['write', join(own, 'settings.json'), '{}'],
      ['read', join(directory, 'canary')],
      ['read', join(directory, 'sessions.db')],
    ])
    expect(got).toEqual(['hello', 'written', '{"model":"mine"}', null, null, null])
    expect(existsSync(join(work, 'made'))).toBe(true)
  })

  it('works in additional directories as in its own, and leaves their repositories alone', async () => {
    const { run, directory } = await fixture()
    const added = join(directory, 'added')
    mkdirSync(join(added, '.git'), { recursive: true })
    writeFileSync(join(added, 'readme'), 'hello')
    const attempts: Attempt[] = [
      ['read', join(added, 'readme')],
      ['write', join(added, 'made'), 'x'],
      ['write', join(added, '.git', 'hook'), 'x'],
    ]
    const more = { additional_directories: [added] }
    expect((await run(attempts)).got).toEqual([null, 'written', 'written'])
    expect(existsSync(join(added, 'made'))).toBe(false)
    expect((await run(attempts, { ...more, sandbox_mode: 'read-only' })).got).toEqual(['hello', null, null])
    expect((await run(attempts, more)).got).toEqual(['hello', 'written', null])
    expect([existsSync(join(added, 'made')), existsSync(join(added, '.git', 'hook'))]).toEqual([true, false])
  })

  it('changes no repository below its directory that was there before, nor puts another one in its place', async () => {
    const { run, work } = await fixture()
    const at = (path: string) => join(work, path)
    const { git } = createRepositoryAt(at('team/repo'))
    git('commit', '--quiet', '--allow-empty', '--message=First')
    git('worktree', 'add', '--quiet', at('linked'))
    const attempts: Attempt[] = [
      ['write', at('team/repo/.git/config'), 'x'],
      ['write', at('team/repo/.git/hooks/post-checkout'), 'x'],
      ['write', at('linked/.git'), 'gitdir: /tmp'],
      ['move', at('team/repo/.git'), at('team/repo/away')],
      ['move', at('team/repo'), at('team/away')],
      ['move', at('team'), at('away')],
      ['move', at('linked'), at('away')],
    ]
    expect((await run(attempts)).got).toEqual(attempts.map(() => null))
    const allowed: Attempt[] = [
      ['write', at('team/repo/made'), 'x'],
      ['move', at('team/repo/made'), at('team/repo/moved')],
      ['write', at('own/.git/config'), 'x'],
    ]
    expect((await run(allowed)).got).toEqual(['written', 'moved', 'written'])
    expect(git('status', '--porcelain')).toBe('?? moved\n')
  })

  it('works where drover cannot find all repositories only if nothing requires the sandbox, and with a warning', async () => {
    const { run, context, work } = await fixture()
    createRepositoryAt(join(work, 'repo'))
    symlinkSync('repo/.git', join(work, '.git'))
    const refused = { code: 'sandbox_repositories_unknown', message: expect.stringContaining(`${work}/.git is a link`) }
    await expect(run([])).rejects.toMatchObject(refused)
    expect((await run([], { sandbox_mode: 'read-only' })).result.error).toBeUndefined()
    Object.assign(context, { by: { is: 'user' } })
    expect((await run([])).result.warnings).toEqual([expect.stringContaining('may not protect all repositories')])
  })

  it('writes of a repository only what its caller may work in', async () => {
    const { run, context, work, directory } = await fixture()
    createRepositoryAt(work)
    const at = (path: string) => join(work, path)
    for (const path of ['a/b', 'a/shut']) mkdirSync(at(path), { recursive: true })
    const files = ['file', '.git/config', 'a/file', 'a/b/file', 'a/shut/file'].map(at)
    const attempts = files.flatMap((path): Attempt[] => [
      ['read', path],
      ['write', path, 'x'],
    ])
    /** What the agent saw, and what it changed outside. */
    const results = async (policy: object) => {
      for (const path of files) writeFileSync(path, '')
      Object.assign(context, { workdirs: createWorkdirPolicy({ allowed: [], blocked: [], ...policy }) })
      const { got } = await run(attempts, { workdir: at('a/b') })
      const isOpen = (path: string, index: number) => got[index * 2] === '' || readFileSync(path, 'utf8') === 'x'
      return files.filter(isOpen).map((path) => path.slice(work.length + 1))
    }
    const ofKey = { ofKey: { paths: [at('a')], setting: 'directories of the key ci' } }
    const [allowed, blocked] = [['a/file', 'a/b/file'], { blocked: [at('a/shut')] }]
    expect(await results({ allowed: [directory] })).toEqual(files.map((path) => path.slice(work.length + 1)))
    expect(await results({ allowed: [directory], ...ofKey, ...blocked })).toEqual(allowed)
    expect(await results({ allowed: [at('a')], ...blocked })).toEqual(allowed)
    expect(await results({ allowed: [directory], ...blocked })).toEqual(['file', '.git/config', ...allowed])
  })

  it('sees no file because an argument of its caller names it', async () => {
    const { run, directory } = await fixture()
    const canary = join(directory, 'canary')
    expect((await run([['read', canary]], { model: canary })).got).toEqual([null])
  })

  it('keeps a login that it refreshes, and its sessions, and nothing else', async () => {
    const { run, own, work } = await fixture()
    const project = work.replace(/[^A-Za-z0-9]/g, '-')
    const link = join(own, 'projects', project, 'link.jsonl')
    const { got } = await run([
      ['replace', join(own, '.credentials.json'), '{"token":"new"}'],
      ['write', join(own, 'projects', project, 'session.jsonl'), '{}'],
      ['write', join(own, 'hooks', 'evil.sh'), 'x'],
      ['write', join(own, 'projects', 'other', 'session.jsonl'), '{}'],
      ['link', link, join(own, '..', '.bashrc')],
    ])
    expect(got).toEqual(['replaced', 'written', 'written', 'written', 'linked'])
    // Outside, an agent that resumes a session would write through it.
    expect(() => lstatSync(link)).toThrow('ENOENT')
    expect(readFileSync(join(own, '.credentials.json'), 'utf8')).toBe('{"token":"new"}')
    expect(existsSync(join(own, 'projects', project, 'session.jsonl'))).toBe(true)
    expect(existsSync(join(own, 'hooks'))).toBe(false)
    expect(existsSync(join(own, 'projects', 'other'))).toBe(false)
  })

  it('leaves no directory for sessions if it stores none', async () => {
    const { run, own, directory } = await fixture()
    expect((await run([['variable', 'IS_SANDBOX']])).got).toEqual(['1'])
    expect(existsSync(join(own, 'projects'))).toBe(false)
    const projects = join(own, 'projects')
    mkdirSync(projects)
    await run([['variable', 'IS_SANDBOX']])
    expect(readdirSync(projects)).toEqual([])
    expect(existsSync(join(directory, 'canary'))).toBe(true)
  })

  it('keeps the directory of its sessions while another agent of it works', async () => {
    const { run, own, work } = await fixture()
    const log = join(work, 'log')
    const session = join(own, 'projects', work.replace(/[^A-Za-z0-9]/g, '-'), 'session.jsonl')
    const waiting = run([
      ['wait', log, join(work, 'go')],
      ['write', session, '{}'],
    ])
    await until(() => existsSync(log))
    await run([['variable', 'IS_SANDBOX']])
    writeFileSync(join(work, 'go'), '')
    expect((await waiting).got.at(-1)).toBe('written')
    expect(existsSync(session)).toBe(true)
  })

  it.each(NATIVE_BACKENDS)('makes none of the directories of %s if it is the demo agent', async (backend) => {
    const { context, directory } = await fixture()
    const home = join(directory, 'home')
    mkdirSync(home)
    const alone: PromptContext = {
      ...context,
      env: { PATH: '/usr/bin:/bin', HOME: home },
      locate: (name) =>
        locateAgent(name, { ...alone, backends: context.settings.backends, demo: [process.execPath, DEMO_AGENT] }),
    }
    const { result } = await finishPrompt({ backend, prompt: 'hello', sandbox: 'required' }, alone)
    expect(result).toMatchObject({ output: expect.stringContaining('demo agent'), boundary: expect.anything() })
    expect(readdirSync(home)).toEqual([])
  })

  it('keeps caches as checks do, one set for each repository', async () => {
    const { run, directory } = await fixture()
    const cache = join(directory, '.npm', 'package')
    mkdirSync(join(directory, '.npm'))
    writeFileSync(join(directory, '.npm', 'mine'), 'x')
    expect(
      (
        await run([
          ['write', cache, 'kept'],
          ['read', join(directory, '.npm', 'mine')],
        ])
      ).got,
    ).toEqual(['written', null])
    expect((await run([['read', cache]])).got).toEqual(['kept'])
    expect(existsSync(cache)).toBe(false)
  })

  it('has its own variables, and not those of others', async () => {
    const { run, context } = await fixture()
    Object.assign(context.env, { ANTHROPIC_API_KEY: 'mine', AWS_SECRET_ACCESS_KEY: 'theirs', LISTED: 'yes' })
    const variables = ['ANTHROPIC_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'LISTED', 'IS_SANDBOX'].map(
      (name): Attempt => ['variable', name],
    )
    expect((await run(variables)).got).toEqual(['mine', null, null, '1'])
    expect((await run(variables, { sandboxSettings: { env: ['LISTED'] } })).got).toEqual(['mine', null, 'yes', '1'])
  })

  it('names the host that is refused and the setting, not a login, if its model service is not listed', async () => {
    const { run, own } = await fixture()
    const refused = {
      error_code: 'agent_host_refused',
      error: expect.stringContaining('refuses models.example:80; list'),
    }
    expect((await run([['ask', 'http://models.example/']])).result).toMatchObject(refused)
    const settings = { env: { ANTHROPIC_BASE_URL: 'http://localhost:1234' } }
    writeFileSync(join(own, 'settings.json'), JSON.stringify(settings))
    const closed = { ...refused, error: expect.stringContaining('refuses localhost:1234; list') }
    expect((await run([['ask', 'http://models.example/']])).result).toMatchObject(closed)
  })

  it('reaches listed hosts alone, and the result and the events say so', async () => {
    const { run } = await fixture()
    const server = createServer((socket) => socket.end())
    onTestFinished(() => void server.close())
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    )
    const { got, events, result } = await run(
      [
        ['connect', 'evil.example:443'],
        ['connect', 'evil.example:443'],
        ['connect', `127.0.0.1:${port}`],
      ],
      { sandboxSettings: { hosts: [`127.0.0.1:${port}`] } },
    )
    expect(got).toEqual([null, null, 'connected'])
    expect(result.boundary).toEqual({
      enforced_by: 'bubblewrap',
      reached: [{ host: `127.0.0.1:${port}`, count: 1 }],
      refused: [{ host: 'evil.example:443', reason: 'not listed', count: 2 }],
      unwritable: [],
      exceeded: [],
    })
    expect(events.filter(({ type }) => type === 'boundary').map(({ content }) => content)).toEqual([
      { is: 'refused', host: 'evil.example:443', reason: 'not listed' },
      { is: 'reached', host: `127.0.0.1:${port}` },
    ])
    expect(events.map(({ type }) => type).at(0)).toBe('init')
    expect(events.map(({ type }) => type).at(-1)).toBe('done')
  })

  it('changes nothing if it may only read', async () => {
    const { run, work } = await fixture()
    const { got } = await run([['write', join(work, 'made'), 'x']], { sandbox_mode: 'read-only' })
    expect(got).toEqual([null])
  })

  it('asks no one with the approval mode sandboxed, which implies a sandbox', async () => {
    const { run, directory } = await fixture()
    const { got, result } = await run([['arguments'], ['read', join(directory, 'canary')]], {
      approval_mode: 'sandboxed',
      sandbox: undefined,
    })
    expect(got[0]).toContain('--permission-mode bypassPermissions')
    expect(got[1]).toBeNull()
    expect(result.boundary).toMatchObject({ enforced_by: 'bubblewrap' })
  })

  it('is asked to stop before it is killed', async () => {
    const { context, work } = await fixture()
    const log = join(work, 'log')
    const cancel = new AbortController()
    const request = { backend: 'claude', prompt: JSON.stringify([['wait', log]]), sandbox: 'required' } as const
    const ended = runPromptToEnd(request, context, { signal: cancel.signal })
    await until(() => existsSync(log))
    cancel.abort()
    expect(await ended).toMatchObject({ error_code: 'agent_cancelled' })
    expect(readFileSync(log, 'utf8')).toBe('waiting\nSIGINT\n')
  })
})

describe('an MCP server, which runs outside of the boundary', () => {
  beforeEach(skipWithoutSandbox)

  /** A server that guards an empty directory. Its agent attacks it. */
  async function guarded(attempt: readonly [string, ...string[]], isDirect: boolean) {
    const { run, context, directory } = await fixture()
    const [starts, guards] = [join(directory, 'starts'), join(directory, 'guarded')]
    mkdirSync(guards)
    const argv = [process.execPath, GUARDED, guards, starts] as const
    const [command, ...args] = argv
    const mcp_servers = isDirect ? [] : [{ name: 'guarded', command, args }]
    Object.assign(context, { settings: { ...context.settings, mcp_servers } })
    const [name, ...rest] = attempt
    const words = rest.map((each) => each.replace('~', directory))
    const { got } = await run([[name, isDirect ? JSON.stringify(argv) : 'guarded', ...words]], {
      sandbox: isDirect ? 'off' : 'required',
    })
    return { got, started: readFileSync(starts, 'utf8').trim().split('\n').length }
  }

  it.each([
    ['name directories that the server may use', 'read', 'secret'],
    ['consent in place of a person', 'remove', 'removed'],
  ])('does not let the agent %s', async (_, tool, taken) => {
    expect((await guarded(['lie', tool, '~/canary'], true)).got).toEqual([taken])
    expect((await guarded(['lie', tool, '~/canary'], false)).got).toEqual(['refused'])
  })

  it('is not started as often as the agent likes', async () => {
    const many = { got: [40], started: 40 }
    expect(await guarded(['crowd', '40'], true)).toEqual(many)
    expect(await guarded(['crowd', '40'], false)).toEqual({ got: [16], started: 16 })
  })
})

describe('a boundary that does not hold', () => {
  beforeEach(skipWithoutSandbox)

  it('is found out before the agent starts', async () => {
    const { run, directory, work } = await fixture()
    const real = findProgram('bwrap', { env: process.env, cwd: work })
    // A filter that no one reads filters nothing.
    const without = `for each; do shift; case "$each" in --seccomp) set -- "$@" --setenv UNUSED ;; *) set -- "$@" "$each" ;; esac; done`
    writeFileSync(join(directory, 'bwrap'), `#!/bin/sh\n${without}\nexec ${real} "$@"\n`, { mode: 0o755 })
    await expect(run([['write', join(work, 'made'), 'x']])).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringContaining('system calls that lead out are refused: no'),
    })
    expect(existsSync(join(work, 'made'))).toBe(false)
  })
})

describe('without bubblewrap', () => {
  async function withoutBubblewrap() {
    const { context, run, ...rest } = await fixture()
    const env = context.env as Record<string, string>
    env['PATH'] = env['PATH']?.split(':')[0] ?? ''
    return { run, ...rest }
  }

  it.each([
    ['a request requires a sandbox', {}],
    ['the settings do', { sandbox: undefined, sandboxSettings: { mode: 'required' } }],
    ['the approval mode does', { sandbox: undefined, approval_mode: 'sandboxed' }],
  ])('nothing is started if %s', async (_, over) => {
    const { run, work } = await withoutBubblewrap()
    const running = run([['write', join(work, 'made'), 'x']], over as Over)
    await expect(running).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringContaining('apt install bubblewrap'),
    })
    expect(existsSync(join(work, 'made'))).toBe(false)
  })

  it('an agent runs with a warning if a sandbox is only wanted', async () => {
    const { run, work } = await withoutBubblewrap()
    const { got, result } = await run([['write', join(work, 'made'), 'x']], { sandbox: 'on' })
    expect(got).toEqual(['written'])
    expect(result.warnings).toEqual([expect.stringContaining('the agent runs without a sandbox: there is no sandbox')])
    expect(result.boundary).toBeUndefined()
  })
})

it('a request cannot turn off what is required', async () => {
  const { run } = await fixture()
  const settings = { sandbox: 'off', sandboxSettings: { mode: 'required' } } as const
  await expect(run([], settings)).rejects.toMatchObject({ code: 'sandbox_required' })
  const mode = { sandbox: 'off', approval_mode: 'sandboxed' } as const
  await expect(run([], mode)).rejects.toMatchObject({ code: 'sandbox_required' })
})
