/** Kills a change at calls that write to disk, and checks what the next process does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inspectChanges } from '../../src/hosts/change/recover-changes.ts'
import { listHosts } from '../../src/hosts/list/list-hosts.ts'
import { openWorktree, realTreeDisk } from '../../src/hosts/worktree.ts'
import { bundledProgram } from '../support/bundled-program.ts'
import { STEP } from '../support/full-counts.ts'
import {
  clear,
  createHostWorktree,
  diskOfKilled,
  type HostWorktree,
  install,
  uninstall,
} from '../support/host-worktree.ts'
import type { LastingCall } from '../support/watched-disk.ts'

const RUN_SKILL = '.claude/skills/drover-run/SKILL.md'
const REVIEW_SKILL = '.claude/skills/drover-review/SKILL.md'

type Disk = typeof realTreeDisk

const SCENARIOS: readonly {
  name: string
  prepare: (site: HostWorktree) => Promise<unknown>
  change: (site: HostWorktree, disk?: Disk) => Promise<unknown>
}[] = [
  {
    name: 'a first install',
    prepare: async (site) => site.write('.claude/mine.md', 'mine'),
    change: (site, disk) => install(site, ['claude'], disk && { disk }),
  },
  {
    name: 'a refresh that writes, replaces and gives up files',
    prepare: async (site) => {
      await install(site, ['claude'])
      site.write(RUN_SKILL, 'edited by another program')
      rmSync(join(site.root, REVIEW_SKILL))
      site.write('.claude/skills/drover-clarify/references/decision-interview.md', 'edited as well')
    },
    change: (site, disk) => install(site, ['claude'], disk && { disk }),
  },
  {
    name: 'an uninstall that leaves an edited file',
    prepare: async (site) => {
      await install(site, ['claude'])
      site.write(RUN_SKILL, 'edited by another program')
    },
    change: (site, disk) => uninstall(site, ['claude'], disk && { disk }),
  },
]

describe.each(SCENARIOS)('$name, killed at any call', ({ prepare, change }) => {
  it('is undone or finished by the next process, to the last byte and mode', async () => {
    const { before, after } = await bothEnds({ prepare, change })
    const seen = new Set<string>()
    for (let at = 1; ; at += STEP) {
      const site = await prepared(prepare)
      if (!(await isKilled(at, (disk) => change(site, disk)))) break
      await clear(site)
      const tree = site.tree()
      seen.add(same(tree, before) ? 'undone' : 'finished')
      expect([at, tree]).toEqual([at, same(tree, before) ? before : after])
      expect(site.records()).toEqual([])
      await change(site)
      expect([at, site.tree()]).toEqual([at, after])
    }
    expect([...seen].sort()).toEqual(['finished', 'undone'])
  })

  it('is undone or finished automatically by the next change', async () => {
    const { after } = await bothEnds({ prepare, change })
    for (let at = 1; ; at += 5) {
      const site = await prepared(prepare)
      if (!(await isKilled(at, (disk) => change(site, disk)))) break
      await change(site)
      expect([at, site.tree(), site.records()]).toEqual([at, after, []])
    }
  })
})

describe('undoing a change', () => {
  it('can itself be killed at any call', async () => {
    const { prepare, change } = SCENARIOS[1] as (typeof SCENARIOS)[1]
    const { before, after } = await bothEnds({ prepare, change })
    for (let at = 1; ; at += STEP) {
      const site = await prepared(prepare)
      await isKilled(2, (disk) => change(site, disk), ['linkSync'])
      expect(site.records()).toHaveLength(1)
      const again = (disk: Disk) => clear(site, disk)
      if (!(await isKilled(at, again))) break
      await clear(site)
      expect([at, site.tree()]).toEqual([at, before])
      await change(site)
      expect([at, site.tree()]).toEqual([at, after])
    }
  })
})

describe('an interrupted change', () => {
  it('shows in the list at the hosts it is about, until it is ended', async () => {
    const site = await prepared(SCENARIOS[0]?.prepare)
    await isKilled(3, (disk) => install(site, ['claude'], { disk }), ['linkSync'])
    expect(Object.entries(site.tree())).toContainEqual([
      expect.stringMatching(/^\.drover-recovery-[0-9a-f]{32}$/),
      '700 directory',
    ])
    const warning = expect.stringMatching(
      /^a change of \d+ steps was interrupted: .*\.drover-recovery-[0-9a-f]{32}; the next "drover hosts install" or "drover hosts uninstall" undoes it first$/,
    )
    const warnings = async () => (await listHosts(site.workspace)).hosts.map((host) => [host.id, host.warning])
    expect(await warnings()).toEqual(ids.map((id) => [id, id === 'claude' ? warning : undefined]))
    const { plan } = await install(site, ['codex'])
    expect(plan.warnings).toEqual(['an earlier change of claude was interrupted; it was undone first'])
    expect(await warnings()).toEqual(ids.map((id) => [id, undefined]))
  })

  it('is not confused with a running change', async () => {
    const site = await prepared(SCENARIOS[0]?.prepare)
    const seen: (string | undefined)[] = []
    const holder = spawn(process.execPath, [bundledProgram('programs/change-and-die'), site.root, '8', 'wait'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(holder.stdout, 'data')
    seen.push((await listHosts(site.workspace)).hosts.find(({ id }) => id === 'claude')?.warning)
    holder.kill('SIGKILL')
    await once(holder, 'close')
    seen.push((await listHosts(site.workspace)).hosts.find(({ id }) => id === 'claude')?.warning)
    expect(seen).toEqual([
      'another process is changing it; list again when that process is done',
      expect.stringMatching(/^a change of \d+ steps was interrupted/),
    ])
  })

  it('with a folder that looks like a recovery folder leaves that folder alone and warns', async () => {
    const site = createHostWorktree()
    const name = `.drover-recovery-${'0'.repeat(32)}`
    site.write(`${name}/snapshot-0`, 'put here by the repository')
    using tree = openWorktree(site.root, realTreeDisk)
    expect(await inspectChanges(site.workspace, tree)).toEqual({
      left: [{ hosts: [], text: expect.stringMatching(`^${name} looks like a recovery folder of drover, but`) }],
      isRunning: false,
    })
    await install(site, ['claude'])
    await clear(site)
    expect(site.tree()).toHaveProperty([`${name}/snapshot-0`])
  })

  it('with an unreadable record stops the next change, which says what to do', async () => {
    const site = createHostWorktree()
    const path = `.git/drover/hosts/change-${'1'.repeat(32)}.json`
    site.write(path, '{"version": 1}')
    await expect(install(site, ['claude'])).rejects.toMatchObject({
      code: 'install_failed',
      message: expect.stringMatching(
        /a change record cannot be read: .*; check the files of your hosts, then delete the record$/,
      ),
      details: { report: { transaction_outcome: 'not_committed' } },
    })
    expect((await listHosts(site.workspace)).hosts).toHaveLength(ids.length)
  })
})

describe('a process that is really killed', () => {
  it('leaves what the next one ends, at every change of a name by every kind of step', {
    timeout: 60_000,
  }, async () => {
    const { before, after } = await realEnds()
    let at = 0
    let isOver = false
    const work = async () => {
      while (!isOver) {
        at += STEP
        const mine = at
        const site = realSite()
        if ((await die(site, mine)) !== 'SIGKILL') {
          isOver = true
          expect(site.tree()).toEqual(after)
          return
        }
        await clear(site)
        const tree = site.tree()
        expect([mine, tree]).toEqual([mine, same(tree, before) ? before : after])
        expect(site.records()).toEqual([])
      }
    }
    await Promise.all([work(), work(), work()])
    expect(at).toBeGreaterThan(20)
  })
})

const ids = ['agents', 'claude', 'codex', 'copilot', 'cursor', 'kilo', 'kiro', 'opencode', 'pi', 'qwen', 'windsurf']

async function prepared(prepare: ((site: HostWorktree) => Promise<unknown>) | undefined): Promise<HostWorktree> {
  const site = createHostWorktree()
  await prepare?.(site)
  return site
}

async function bothEnds({ prepare, change }: Pick<(typeof SCENARIOS)[0], 'prepare' | 'change'>) {
  const site = await prepared(prepare)
  const before = site.tree()
  await change(site)
  return { before, after: site.tree() }
}

/** False when the work was over before its turn to be killed came. */
async function isKilled(
  at: number,
  work: (disk: Disk) => Promise<unknown>,
  calls?: readonly LastingCall[],
): Promise<boolean> {
  const disk = diskOfKilled(at, calls)
  // A killed process reports nothing.
  await work(disk).catch(() => undefined)
  return disk.isReached
}

function realSite(): HostWorktree {
  const site = createHostWorktree()
  for (const name of ['replaced', 'removed', 'verified', 'emptied/file'])
    site.write(`.claude/${name}`, `${name}, before`)
  return site
}

async function realEnds() {
  const site = realSite()
  const before = site.tree()
  expect(await die(site, Number.POSITIVE_INFINITY)).toBe(null)
  return { before, after: site.tree() }
}

async function die(site: HostWorktree, at: number): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [bundledProgram('programs/change-and-die'), site.root, String(at)], {
    stdio: 'inherit',
  })
  const [, killedBy] = await once(child, 'close')
  return killedBy
}

function same(one: Record<string, string>, other: Record<string, string>): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
