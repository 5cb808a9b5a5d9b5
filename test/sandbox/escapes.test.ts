/** Every attack succeeds without a boundary, and fails inside. */
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ATTACKS,
  CALLS,
  commitAfter,
  describeVictim,
  findDaemons,
  LEFT,
  OUTER_VARIABLES,
  plantCanaries,
  plantProgram,
  type Servers,
  startCanaryServers,
} from '../support/escape-victim.ts'
import { createRepositoryAt } from '../support/git-repository.ts'
import { runAt, temporaryDirectoryForAll } from '../support/run-drover.ts'
import { hasSandbox, runInside, skipWithoutSandbox } from '../support/sandbox.ts'

const GIB = 2 ** 30

const scratch = realpathSync(temporaryDirectoryForAll())
let servers: Servers | undefined
afterAll(() => servers?.close())

type Results = Record<string, unknown>
let outside: Results = {}
let inside: Results = {}
let attacked: { before: string; after: string } = { before: '', after: '' }
let left: { outside: string[]; inside: string[]; status: string } = { outside: [], inside: [], status: '' }
let daemons: { outside: number[]; inside: number[] } = { outside: [], inside: [] }

describe('a command in a boundary', () => {
  beforeAll(async () => {
    if (!hasSandbox) return
    servers = await startCanaryServers()
    const open = createVictim('open', servers)
    outside = JSON.parse(await runOutside(open))
    daemons.outside = findDaemons(open.daemon)
    for (const pid of daemons.outside) process.kill(pid, 'SIGKILL')
    const closed = createVictim('closed', servers)
    const before = describeVictim(closed.repository)
    const ran = await attackInside(closed)
    expect(ran).toMatchObject({ hasStarted: true, code: 0 })
    inside = JSON.parse(ran.stdout)
    daemons = { ...daemons, inside: findDaemons(closed.daemon) }
    attacked = { before, after: describeVictim(closed.repository) }
    const naive = createVictim('naive', servers)
    await runOutside({ ...naive, leaves: true })
    await attackInside({ ...closed, leaves: true })
    const gotBy = ({ repository, outside: outer, root: worktree }: Victim) =>
      commitAfter(repository, { outside: outer, worktree })
    left = {
      outside: gotBy(naive),
      inside: gotBy(closed),
      status: closed.repository.git('-C', closed.root, 'status', '--porcelain'),
    }
  })
  beforeEach(skipWithoutSandbox)

  it.each(ATTACKS)('does not get: %s', (attack) => {
    expect(outside[attack]).toBe(true)
    expect(inside[attack]).not.toBe(true)
    expect(inside[attack]).toEqual(expect.any(String))
  })

  it('does not get: the system, even as root', () => {
    expect(inside['the system']).toBe('EROFS')
  })

  it.each(Object.keys(CALLS))('does not get: %s', (call) => {
    const EPERM = 1
    expect(outside[call]).toBe(0)
    expect(inside[call]).toBe(EPERM)
  })

  it('leaves nothing of its repository changed but its own worktree', () => {
    expect(attacked.before).toContain('refs/heads/drover/two')
    expect(attacked.after).toBe(attacked.before)
  })

  it('leaves nothing that git outside would follow or believe, and no lock', () => {
    expect(left).toEqual({ outside: LEFT, inside: [], status: '' })
  })

  it('leaves no process behind, even one that has left its session', () => {
    expect(daemons.outside).toHaveLength(1)
    expect(daemons.inside).toEqual([])
  })
})

type Victim = ReturnType<typeof createVictim>

/** A machine in a directory: a home, drover's files, a repository with three linked worktrees, and sockets. */
function createVictim(name: string, around: Servers) {
  const place = (...names: string[]) => join(scratch, name, ...names)
  const repository = createRepositoryAt(place('repo'))
  const places = { home: place('home'), droverHome: place('drover'), outside: place('outside'), repository }
  const { root, where } = plantCanaries(places, around)
  const calls = plantProgram(root)
  const branch = 'refs/heads/drover/one'
  const own = { root, branch, gitDirectory: join(where.common, 'worktrees/one'), daemon: `${name}-${process.pid}` }
  return { ...around.places, ...where, ...own, calls, repository }
}

type Attacking = Victim & { leaves?: true }

async function runOutside(victim: Attacking): Promise<string> {
  const argv = [process.execPath, join(victim.root, 'escape.mjs'), JSON.stringify(victim)]
  const { stdout, stderr, code } = await runAt(victim.root, argv, { HOME: victim.home, ...OUTER_VARIABLES })
  if (code !== 0) throw new Error(stderr)
  return stdout
}

function attackInside(victim: Attacking) {
  const { home, droverHome, root, gitDirectory, common } = victim
  return runInside([process.execPath, join(root, 'escape.mjs'), JSON.stringify(victim)], {
    worktree: { root, git: { directory: gitDirectory, commonDirectory: common } },
    ...{ home, droverHome, hidden: [victim.secret] },
    settings: {
      read: [dirname(victim.secret)],
      limits: { memoryBytes: undefined, processes: undefined, fileBytes: 8 * GIB },
    },
  })
}
