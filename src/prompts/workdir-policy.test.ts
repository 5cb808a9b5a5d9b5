import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createWorkdirPolicy, judgeAgain, judgeWorkdir, resolveWorkdir, resolveWorkdirAgain } from './workdir-policy.ts'

const room = realpathSync(mkdtempSync(join(tmpdir(), 'drover-workdir-')))
afterAll(() => rmSync(room, { recursive: true, force: true }))
mkdirSync(join(room, 'open', 'project'), { recursive: true })
mkdirSync(join(room, 'open-too'))
mkdirSync(join(room, 'shut', 'inner'), { recursive: true })
writeFileSync(join(room, 'open', 'file'), '')
symlinkSync(join(room, 'shut'), join(room, 'open', 'way-out'))
symlinkSync(join(room, 'open'), join(room, 'way-in'))
symlinkSync(join(room, 'shut'), join(room, 'shut-too'))
symlinkSync(join(room, 'open', 'project'), join(room, 'shut', 'way-back'))

describe('judgeWorkdir', () => {
  it.each([
    ['a directory while nothing is configured', '/a', [], [], undefined],
    ['an allowed directory itself', '/a', ['/a'], [], undefined],
    ['a directory beneath an allowed one', '/a/b', ['/a'], [], undefined],
    ['a directory that only begins like an allowed one', '/ab', ['/a'], [], 'is not among'],
    ['a directory above an allowed one', '/', ['/a'], [], 'is not among'],
    ['a blocked directory itself', '/a', [], ['/a'], 'lies in /a'],
    ['a directory beneath a blocked one', '/a/b', [], ['/a'], 'lies in /a'],
    ['a directory that only begins like a blocked one', '/ab', [], ['/a'], undefined],
    ['a blocked directory within an allowed one', '/a/b/c', ['/a'], ['/a/b'], 'lies in /a/b'],
    ['an allowed directory within a blocked one', '/a/b', ['/a/b'], ['/a'], 'lies in /a'],
    ['anything beneath a blocked root', '/a', [], ['/'], 'lies in /'],
    ['a directory around a blocked one', '/a', [], ['/a/b'], 'holds /a/b'],
    ['the root around a blocked one', '/', [], ['/a/b'], 'holds /a/b'],
    ['an allowed directory around a blocked one', '/a', ['/a'], ['/a/b'], 'holds /a/b'],
  ])('judges %s', (_name, path, allowed, blocked, refusal) => {
    const judged = judgeWorkdir(path, { allowed, blocked })
    if (refusal === undefined) expect(judged).toBeUndefined()
    else expect(judged).toContain(refusal)
  })
})

describe('resolveWorkdir', () => {
  const policy = createWorkdirPolicy({ allowed: [join(room, 'way-in/')], blocked: [join(room, 'shut-too')] })

  it.each([
    ['the directory that an allowed link leads to', 'open', 'open'],
    ['a link to an allowed directory, as what it leads to', 'way-in', 'open'],
    ['a path with detours, without them', 'open/project/../project', 'open/project'],
  ])('gives %s', (_name, given, resolved) => {
    expect(resolveWorkdir(join(room, given), policy)).toBe(join(room, resolved))
  })

  it.each([
    ['a relative path', 'open', 'must be an absolute path'],
    ['what is not there', join(room, 'open', 'nothing'), 'is not a directory that can be used'],
    [
      'what is not there and would not be allowed, as if it were',
      join(room, 'nothing'),
      'server.allowed_workdir_prefixes',
    ],
    ['a file', join(room, 'open', 'file'), 'is not a directory that can be used'],
    ['a blocked name, wherever it leads', join(room, 'shut-too', 'way-back'), 'no agent may work'],
    ['a path with a NUL', `${room}/open\0`, 'NUL'],
    ['a link that leads out of what is allowed', join(room, 'open', 'way-out'), 'no agent may work'],
    ['what lies behind such a link', join(room, 'open', 'way-out', 'inner'), 'no agent may work'],
    ['a directory beside the allowed one', join(room, 'open-too'), 'server.allowed_workdir_prefixes'],
  ])('refuses %s', (_name, given, problem) => {
    expect(() => resolveWorkdir(given, policy)).toThrow(
      expect.objectContaining({ code: 'workdir_not_allowed', message: expect.stringContaining(problem) }),
    )
  })

  it('notices that a link has taken the place of what it judged', () => {
    const place = join(room, 'open', 'place')
    mkdirSync(place)
    expect(() => judgeAgain(place, policy)).not.toThrow()
    rmSync(place, { recursive: true })
    symlinkSync(join(room, 'open', 'project'), place)
    expect(() => judgeAgain(place, policy)).toThrow('has become a link')
    rmSync(place)
    symlinkSync(join(room, 'shut'), place)
    expect(() => judgeAgain(place, policy)).toThrow('no agent may work')
  })

  it('lets the operator work anywhere there is a directory', () => {
    expect(resolveWorkdir(join(room, 'shut'), undefined)).toBe(join(room, 'shut'))
  })

  it('blocks what a blocked prefix leads to, as /bin does on a merged-usr system', () => {
    const merged = createWorkdirPolicy({ allowed: [], blocked: ['/bin', '/var/run'] })
    expect(merged.blocked).toEqual(expect.arrayContaining(['/bin', realpathSync('/bin')]))
  })
})

describe('resolveWorkdirAgain', () => {
  const policy = createWorkdirPolicy({ allowed: [], blocked: [join(room, 'shut')] })

  it('takes a directory for what it was a moment ago, and for no longer than that', async () => {
    const link = join(room, 'turning')
    symlinkSync(join(room, 'open'), link)
    expect(resolveWorkdirAgain(link, policy)).toBe(join(room, 'open'))
    rmSync(link)
    symlinkSync(join(room, 'shut'), link)
    expect(resolveWorkdirAgain(link, policy)).toBe(join(room, 'open'))
    await vi.waitFor(() => expect(() => resolveWorkdirAgain(link, policy)).toThrow('no agent may work'), 5000)
  })

  it('judges every other directory, and one that was refused each time', () => {
    resolveWorkdirAgain(join(room, 'open'), policy)
    expect(() => resolveWorkdirAgain(join(room, 'shut'), policy)).toThrow('no agent may work')
    const late = join(room, 'late')
    expect(() => resolveWorkdirAgain(late, policy)).toThrow('is not a directory')
    mkdirSync(late)
    expect(resolveWorkdirAgain(late, policy)).toBe(late)
  })

  it('judges by the policy that it is given', () => {
    const other = createWorkdirPolicy({ allowed: [], blocked: [join(room, 'open')] })
    expect(resolveWorkdirAgain(join(room, 'open'), policy)).toBe(join(room, 'open'))
    expect(() => resolveWorkdirAgain(join(room, 'open'), other)).toThrow('no agent may work')
  })
})
