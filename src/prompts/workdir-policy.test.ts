import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import {
  assessWorkdir,
  chooseDefaultWorkdir,
  createWorkdirPolicy,
  recheckWorkdir,
  resolveWorkdir,
  resolveWorkdirCached,
} from './workdir-policy.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'drover-workdir-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))
mkdirSync(join(root, 'open', 'project'), { recursive: true })
mkdirSync(join(root, 'open-too'))
mkdirSync(join(root, 'shut', 'inner'), { recursive: true })
writeFileSync(join(root, 'open', 'file'), '')
symlinkSync(join(root, 'shut'), join(root, 'open', 'way-out'))
symlinkSync(join(root, 'open-too'), join(root, 'open', 'way-too'))
symlinkSync(join(root, 'open'), join(root, 'way-in'))
symlinkSync(join(root, 'shut'), join(root, 'shut-too'))
symlinkSync(join(root, 'open', 'project'), join(root, 'shut', 'way-back'))

describe('assessWorkdir', () => {
  it.each([
    ['a directory while nothing is configured', '/a', [], [], undefined],
    ['an allowed directory itself', '/a', ['/a'], [], undefined],
    ['a directory beneath an allowed one', '/a/b', ['/a'], [], undefined],
    ['a directory that only begins like an allowed one', '/ab', ['/a'], [], 'is not allowed by'],
    ['a directory above an allowed one', '/', ['/a'], [], 'is not allowed by'],
    ['a blocked directory itself', '/a', [], ['/a'], 'is blocked'],
    ['a directory beneath a blocked one', '/a/b', [], ['/a'], 'is in /a'],
    ['a directory that only begins like a blocked one', '/ab', [], ['/a'], undefined],
    ['a blocked directory within an allowed one', '/a/b/c', ['/a'], ['/a/b'], 'is in /a/b'],
    ['an allowed directory within a blocked one', '/a/b', ['/a/b'], ['/a'], 'is in /a'],
    ['anything beneath a blocked root', '/a', [], ['/'], 'is in /'],
    ['a directory around a blocked one', '/a', [], ['/a/b'], undefined],
    ['the root around a blocked one', '/', [], ['/a/b'], undefined],
    ['an allowed directory around a blocked one', '/a', ['/a'], ['/a/b'], undefined],
  ])('decides about %s', (_name, path, allowed, blocked, expected) => {
    const reason = assessWorkdir(path, { allowed, blocked })
    if (expected === undefined) expect(reason).toBeUndefined()
    else expect(reason).toContain(expected)
  })
})

describe('the directories of a worker', () => {
  const repositories = [join(root, 'way-in/')]

  it.each([
    ['a directory in one of them', 'way-in/project', []],
    ['the target of a link to one of them', 'open', []],
  ])('have %s', (_name, given, allowed) => {
    const policy = createWorkdirPolicy({ allowed, blocked: [], repositories })
    expect(() => resolveWorkdir(join(root, given), policy)).not.toThrow()
  })

  it.each([
    ['one next to them', 'open-too', []],
    ['one behind a link in them', 'open/way-out/inner', []],
    ['one behind a detour', 'open/../shut', []],
    ['one that is allowed, and not in them', 'open-too', [join(root, 'open-too')]],
  ])('do not have %s', (_name, given, allowed) => {
    const policy = createWorkdirPolicy({ allowed, blocked: [], repositories })
    expect(() => resolveWorkdir(join(root, given), policy)).toThrow('is not in work.repositories of the worker')
  })
})

describe('the directories of a key', () => {
  const policyOf = (paths: string[], allowed: string[] = []) =>
    createWorkdirPolicy({
      allowed,
      blocked: [join(root, 'shut')],
      ofKey: { paths, setting: 'directories of the key ci' },
    })

  it.each([
    ['one of them', 'open', ['open']],
    ['one beneath them', 'open/project', ['open']],
    ['the target of a link among them', 'open', ['way-in/']],
    ['a link into them', 'way-in/project', ['open']],
    ['one of several', 'open-too', ['open', 'open-too']],
  ])('have %s', (_name, given, paths) => {
    const policy = policyOf(paths.map((path) => join(root, path)))
    expect(() => resolveWorkdir(join(root, given), policy)).not.toThrow()
  })

  it.each([
    ['one that begins like one of them', 'open-too', ['open']],
    ['one behind a detour', 'open/../open-too', ['open']],
    ['one behind a link in them', 'open/way-too', ['open']],
    ['one around them', 'open', ['open/project']],
    ['a missing one, as if it existed', 'nothing', ['open']],
  ])('do not have %s', (_name, given, paths) => {
    const named = paths.map((path) => join(root, path))
    expect(() => resolveWorkdir(join(root, given), policyOf(named))).toThrow(
      `is not allowed by directories of the key ci; choose one of them: ${named.join(', ')}`,
    )
  })

  it('allow nothing that the server does not allow', () => {
    const shut = policyOf([join(root, 'shut')])
    expect(() => resolveWorkdir(join(root, 'shut', 'inner'), shut)).toThrow('blocked for agents')
    const other = policyOf([join(root, 'open-too')], [join(root, 'open')])
    expect(() => resolveWorkdir(join(root, 'open-too'), other)).toThrow('server.allowed_workdir_prefixes')
  })

  it('are resolved at each request', () => {
    const link = join(root, 'current')
    symlinkSync(join(root, 'open'), link)
    const policy = policyOf([link])
    expect(resolveWorkdir(link, policy)).toBe(join(root, 'open'))
    rmSync(link)
    symlinkSync(join(root, 'open-too'), link)
    expect(() => resolveWorkdir(join(root, 'open'), policy)).toThrow('directories of the key ci')
    expect(resolveWorkdir(link, policy)).toBe(join(root, 'open-too'))
  })

  it.each<[string, string, string[] | undefined, string[], string]>([
    ['that of the server, in them', 'open/project', ['open-too', 'open'], [], 'open/project'],
    ['the first of them', 'open', ['open-too', 'open/project'], [], 'open-too'],
    ['that of the server, without any', 'open', [], [], 'open'],
    ['that of the server, for a key without', 'open', undefined, [], 'open'],
    ['that of the server, where it allows it', 'open/project', undefined, ['open-too', 'open'], 'open/project'],
    ['the first one of the server', 'shut', undefined, ['open-too', 'open'], 'open-too'],
    ['the first of them that the server allows', 'shut', ['open-too', 'open/project'], ['open'], 'open/project'],
    ['the one of the server that is in them', 'shut', ['open'], ['open/project'], 'open/project'],
    ['one of them, which is then refused', 'shut', ['open-too'], ['open'], 'open-too'],
  ])('default to %s', (_name, cwd, paths, allowed, expected) => {
    const at = (path: string) => join(root, path)
    const ofKey = paths && { paths: paths.map(at), setting: '' }
    expect(chooseDefaultWorkdir(at(cwd), { allowed: allowed.map(at), ofKey })).toBe(at(expected))
  })
})

describe('resolveWorkdir', () => {
  const policy = createWorkdirPolicy({ allowed: [join(root, 'way-in/')], blocked: [join(root, 'shut-too')] })

  it.each([
    ['the target of an allowed link', 'open', 'open'],
    ['the target of a link to an allowed directory', 'way-in', 'open'],
    ['a path without its detours', 'open/project/../project', 'open/project'],
  ])('returns %s', (_name, given, resolved) => {
    expect(resolveWorkdir(join(root, given), policy)).toBe(join(root, resolved))
  })

  it.each([
    ['a relative path', 'open', 'must be an absolute path'],
    ['a missing directory', join(root, 'open', 'nothing'), 'does not exist; create it'],
    [
      'a missing directory that is not allowed, as if it existed',
      join(root, 'nothing'),
      'server.allowed_workdir_prefixes',
    ],
    ['a file', join(root, 'open', 'file'), 'is not a usable directory'],
    ['a blocked name, whatever its target', join(root, 'shut-too', 'way-back'), 'blocked for agents'],
    ['a path with a NUL', `${root}/open\0`, 'NUL'],
    ['a link to a blocked directory', join(root, 'open', 'way-out'), 'blocked for agents'],
    ['a directory behind such a link', join(root, 'open', 'way-out', 'inner'), 'blocked for agents'],
    ['a directory next to the allowed one', join(root, 'open-too'), 'server.allowed_workdir_prefixes'],
  ])('refuses %s', (_name, given, problem) => {
    expect(() => resolveWorkdir(given, policy)).toThrow(
      expect.objectContaining({ code: 'workdir_not_allowed', message: expect.stringContaining(problem) }),
    )
  })

  it('is refused after a link has replaced the directory', () => {
    const directory = join(root, 'open', 'place')
    mkdirSync(directory)
    expect(() => recheckWorkdir(directory, policy)).not.toThrow()
    rmSync(directory, { recursive: true })
    symlinkSync(join(root, 'open', 'project'), directory)
    expect(() => recheckWorkdir(directory, policy)).toThrow('has been replaced by a link')
    rmSync(directory)
    symlinkSync(join(root, 'shut'), directory)
    expect(() => recheckWorkdir(directory, policy)).toThrow('blocked for agents')
  })

  it('allows every directory without a policy', () => {
    expect(resolveWorkdir(join(root, 'shut'), undefined)).toBe(join(root, 'shut'))
  })

  it('blocks the target of a blocked link, such as /bin', () => {
    const merged = createWorkdirPolicy({ allowed: [], blocked: ['/bin', '/var/run'] })
    expect(merged.blocked).toEqual(expect.arrayContaining(['/bin', realpathSync('/bin')]))
  })
})

describe('resolveWorkdirCached', () => {
  const policy = createWorkdirPolicy({ allowed: [], blocked: [join(root, 'shut')] })

  it('remembers a directory for a moment only', async () => {
    const link = join(root, 'turning')
    symlinkSync(join(root, 'open'), link)
    expect(resolveWorkdirCached(link, policy)).toBe(join(root, 'open'))
    rmSync(link)
    symlinkSync(join(root, 'shut'), link)
    expect(resolveWorkdirCached(link, policy)).toBe(join(root, 'open'))
    await vi.waitFor(() => expect(() => resolveWorkdirCached(link, policy)).toThrow('blocked for agents'), 5000)
  })

  it('checks every other directory, and a refused one every time', () => {
    resolveWorkdirCached(join(root, 'open'), policy)
    expect(() => resolveWorkdirCached(join(root, 'shut'), policy)).toThrow('blocked for agents')
    const late = join(root, 'late')
    expect(() => resolveWorkdirCached(late, policy)).toThrow('does not exist')
    mkdirSync(late)
    expect(resolveWorkdirCached(late, policy)).toBe(late)
  })

  it('checks against the policy of the call', () => {
    const other = createWorkdirPolicy({ allowed: [], blocked: [join(root, 'open')] })
    expect(resolveWorkdirCached(join(root, 'open'), policy)).toBe(join(root, 'open'))
    expect(() => resolveWorkdirCached(join(root, 'open'), other)).toThrow('blocked for agents')
  })
})
