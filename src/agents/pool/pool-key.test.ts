import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentRequest } from '../../../test/support/agent-request.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { type PoolKey, toPoolKey } from './pool-key.ts'
import type { ConfigFile, WarmBackend } from './warm-backends.ts'

function keyOf(over: Partial<AgentRequest>, client = '', configs: readonly ConfigFile[] = []): PoolKey {
  const backend = { fixedParts: ({ model }: AgentRequest) => [model ?? ''], configFiles: () => configs }
  const key = toPoolKey(agentRequest('claude', over), backend as unknown as WarmBackend, client)
  if (key === undefined) throw new Error('the request needs a separate process')
  return key
}

const BOUNDARY = {
  programs: { bubblewrap: '/bwrap', node: '/node', forwarder: '/forwarder', limiter: undefined },
  worktree: { root: '/work' },
  repositories: { fixed: [], pinned: [] },
  ...{ isMadeByDrover: false, needsAllRepositories: false, arguments: [] },
  droverHome: '/drover',
  hidden: [],
  caches: [],
  settings: {
    ...{ hosts: ['npm'], env: [], read: [], write: [] },
    limits: { memoryBytes: undefined, processes: undefined, fileBytes: undefined },
  },
}

describe('a process inside of a boundary is not shared by requests', () => {
  it.each<[string, Partial<AgentRequest>]>([
    ['without one', { boundary: undefined }],
    ['with other hosts', { boundary: { ...BOUNDARY, settings: { ...BOUNDARY.settings, hosts: [] } } }],
    ['in another worktree', { boundary: { ...BOUNDARY, worktree: { root: '/other' } } }],
    ['in a part of the worktree', { boundary: { ...BOUNDARY, worktree: { root: '/work/part' } } }],
    [
      'where repositories have come',
      { boundary: { ...BOUNDARY, repositories: { fixed: ['/work/a/.git'], pinned: [] } } },
    ],
    ['that must not see what is blocked', { boundary: { ...BOUNDARY, hidden: ['/work/b'] } }],
    ['that may only read', { sandboxMode: 'read-only' }],
    ['that must not see other files', { closedFiles: ['/keys'] }],
  ])('%s', (_, over) => {
    expect(keyOf({ boundary: BOUNDARY })).toEqual(keyOf({ boundary: BOUNDARY, prompt: 'another' }))
    expect(keyOf({ boundary: BOUNDARY, ...over }).place).not.toBe(keyOf({ boundary: BOUNDARY }).place)
  })
})

describe('a process is shared by requests', () => {
  const env = { HOME: '/home/ada', PATH: '/bin' }

  it.each<[string, Partial<AgentRequest>]>([
    ['another prompt', { prompt: 'say goodbye' }],
    ['an equal environment in another order', { env: { PATH: '/bin', HOME: '/home/ada' } }],
    ['what a shell counts', { env: { ...env, SHLVL: '2', _: '/bin/x', OLDPWD: '/' } }],
  ])('with %s', (_, over) => {
    expect(keyOf({ env, ...over })).toEqual(keyOf({ env }))
  })

  it.each<[string, Partial<AgentRequest>]>([
    ['another backend', { backend: 'codex' }],
    ['another directory', { workdir: '/elsewhere' }],
    ['an additional directory', { additionalDirectories: ['/elsewhere'] }],
    ['another value in the environment', { env: { ...env, HOME: '/home/eve' } }],
    ['one more variable', { env: { ...env, X: '' } }],
    ['one variable less', { env: { HOME: '/home/ada' } }],
    ['the settings of the user only', { ignoresProject: true }],
    ['ceilings', { isLimited: true }],
    ['a boundary', { boundary: BOUNDARY }],
    ['ceilings and the settings of the user only', { isLimited: true, ignoresProject: true, env: {} }],
    ['another program', { program: ['/bin/other'] }],
    ['one more argument', { program: ['/bin/agent', ''] }],
    ['what the backend cannot change', { model: 'large' }],
  ])('but not with %s', (_, over) => {
    expect(keyOf({ env, ...over }).place).not.toBe(keyOf({ env }).place)
  })

  it('but not by those of two keys', () => {
    expect(keyOf({ env }, 'ada').place).not.toBe(keyOf({ env }, 'eve').place)
  })

  it('but not with and without ceilings, whether settings of the project count', () => {
    const places = [{}, { ignoresProject: true }, { isLimited: true }].map((over) => keyOf({ env, ...over }).place)
    expect(new Set(places).size).toBe(3)
  })

  it('unless the backend needs a new process', () => {
    const backend = { fixedParts: () => undefined } as unknown as WarmBackend
    expect(toPoolKey(agentRequest('claude'), backend, '')).toBeUndefined()
  })
})

describe('a process is out of date', () => {
  it('when its program is another file, also behind the same link', () => {
    const directory = temporaryDirectory()
    const link = join(directory, 'agent')
    const request: Partial<AgentRequest> = { program: ['node', link, 'relative'] }
    const stamps: string[] = []
    const stamp = () => stamps.push(keyOf(request).stamp)
    stamp()
    for (const name of ['one', 'two']) {
      writeFileSync(join(directory, name), '1')
      utimesSync(join(directory, name), 1, 1)
    }
    symlinkSync(join(directory, 'one'), link)
    stamp()
    rmSync(link)
    symlinkSync(join(directory, 'two'), link)
    stamp()
    writeFileSync(join(directory, 'two'), '22')
    utimesSync(join(directory, 'two'), 1, 1)
    stamp()
    utimesSync(join(directory, 'two'), 2, 2)
    stamp()
    expect(new Set(stamps).size).toBe(stamps.length)
    expect(keyOf(request).stamp).toBe(stamps.at(-1))
  })

  it('but not when a file is named like one of its arguments', () => {
    const [there, missing] = ['package.json', 'missing.json'].map(
      (name) => keyOf({ program: ['/bin/agent', name] }).stamp,
    )
    expect(there).toBe(missing)
  })

  it('when its directory was replaced', () => {
    const directory = temporaryDirectory()
    const workdir = join(directory, 'work')
    const stamps = [keyOf({ workdir }).stamp]
    mkdirSync(workdir)
    stamps.push(keyOf({ workdir }).stamp)
    // The old directory stays, so that the new one cannot have its number.
    renameSync(workdir, join(directory, 'old'))
    mkdirSync(workdir)
    stamps.push(keyOf({ workdir }).stamp)
    expect(new Set(stamps).size).toBe(3)
  })

  it('when a setting has changed, but not when another field of the file has', () => {
    const path = join(temporaryDirectory(), 'settings.json')
    let time = 0
    const stampOf = (text: string, fields?: readonly string[]) => {
      writeFileSync(path, text)
      time += 1
      utimesSync(path, time, time)
      return keyOf({}, '', [{ path, ...(fields && { fields }) }]).stamp
    }
    const missing = keyOf({}, '', [{ path, fields: ['hooks'] }]).stamp
    const first = stampOf('{"hooks": 1, "count": 1}', ['hooks'])
    expect(stampOf('{"hooks": 1, "count": 2}', ['hooks'])).toBe(first)
    expect(keyOf({}, '', [{ path, fields: ['hooks'] }]).stamp).toBe(first)
    const none = stampOf('{"count": 2}', ['hooks'])
    expect(stampOf('{"hooks": null}', ['hooks'])).toBe(none)
    const others = [
      missing,
      first,
      none,
      stampOf('{"hooks": 2}', ['hooks']),
      stampOf('[]', ['hooks']),
      stampOf('{', ['hooks']),
    ]
    expect(new Set(others).size).toBe(others.length)
    expect(stampOf('{"count": 1}')).not.toBe(stampOf('{"count": 2}'))
  })
})
