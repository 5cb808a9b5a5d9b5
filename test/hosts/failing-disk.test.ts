/** A change on a sound disk, and on one that fails at any call: the report is true, and nothing is lost. */
import { existsSync, fstatSync, lstatSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ChangeReport } from '../../src/contract/reports.shape.ts'
import { lastPart, realTreeDisk, type TreeDisk } from '../../src/hosts/worktree.ts'
import { clear, type HostWorktree, systemError } from '../support/host-worktree.ts'
import { bothEnds, type EndedChange, siteToChange, type Tree, tell } from '../support/sample-change.ts'
import { type Coming, watchedDisk } from '../support/watched-disk.ts'

describe('a change on a sound disk', () => {
  it('is committed: new files have their mode, old files are removed, nothing else changes', async () => {
    const site = siteToChange()
    const mine = lstatSync(join(site.root, '.claude/mine'), { bigint: true })
    expect(await tell(site)).toEqual({
      problem: undefined,
      report: {
        contract_version: 2,
        hosts: ['claude'],
        transaction_outcome: 'committed',
        written: ['.claude/made/deep/created', '.claude/replaced'],
        removed: ['.claude/emptied/removed'],
        preserved: [],
        recovery_artifacts: [],
        warnings: [],
      },
    })
    expect(site.tree()).toEqual({
      '.claude': '755 directory',
      '.claude/made': '755 directory',
      '.claude/made/deep': '755 directory',
      '.claude/made/deep/created': '644 created',
      '.claude/mine': '644 mine, before',
      '.claude/replaced': '600 after',
      '.claude/verified': '644 verified, before',
    })
    const { ino, mtimeNs, ctimeNs } = lstatSync(join(site.root, '.claude/mine'), { bigint: true })
    expect({ ino, mtimeNs, ctimeNs }).toEqual({ ino: mine.ino, mtimeNs: mine.mtimeNs, ctimeNs: mine.ctimeNs })
    expect(lstatSync(join(site.root, '.claude/replaced')).nlink).toBe(1)
    expect(site.records()).toEqual([])
  })

  it('creates folders with mode 0755, whatever the umask', async () => {
    const before = process.umask(0o077)
    const site = siteToChange()
    await tell(site)
    process.umask(before)
    expect(site.tree()).toMatchObject({
      '.claude/made/deep': '755 directory',
      '.claude/made/deep/created': '644 created',
    })
  })

  it('leaves a directory that is not empty by then', async () => {
    const site = siteToChange()
    site.write('.claude/emptied/mine', 'mine')
    expect((await tell(site)).report.transaction_outcome).toBe('committed')
    expect(site.tree()).toHaveProperty(['.claude/emptied/mine'])
  })
})

describe('a change that is recorded as committed', () => {
  it('has synced every folder that it changed, after the last change in it', async () => {
    const site = siteToChange()
    const records = join(site.root, '.git', 'drover', 'hosts')
    const folders = ['.claude', '.claude/made', '.claude/made/deep', '.claude/emptied']
    const recovery = () => readdirSync(site.root).filter((name) => name.startsWith('.drover'))
    const folderOf = (descriptor: number) => {
      const inodeOf = (path: string) => lstatSync(join(site.root, path), { throwIfNoEntry: false })?.ino
      const { ino } = fstatSync(descriptor)
      const found = [...folders, ...recovery()].find((path) => inodeOf(path) === ino)
      return found?.startsWith('.drover') ? 'recovery' : found
    }
    const synced = new Set<string>()
    const syncedAtWrites: string[][] = []
    const disk = watchedDisk(({ name, args: [subject] }) => {
      const isRecord = String(subject).startsWith(records)
      if (name === 'openSync' && isRecord) syncedAtWrites.push([...synced])
      if (['linkSync', 'renameSync', 'mkdirSync'].includes(name) && !isRecord) synced.clear()
      const folder = name === 'fsyncSync' ? folderOf(Number(subject)) : undefined
      if (folder !== undefined) synced.add(folder)
    })
    expect((await tell(site, disk)).report.transaction_outcome).toBe('committed')
    // The record is written twice: before the first change, and to say that the change is committed.
    expect(syncedAtWrites).toHaveLength(2)
    expect(syncedAtWrites[1]?.toSorted()).toEqual([...folders, 'recovery'].toSorted())
  })
})

describe('a change that fails at its end', () => {
  it('undoes its steps in reverse, so that a callable is removed before its supports', async () => {
    const site = siteToChange()
    const done: string[] = []
    const disk = watchedDisk(({ name, args }) => {
      const path = String(args.at(-1))
      if (name === 'renameSync' && path.includes('/change-') && done.length > 0) throw systemError('ENOSPC')
      if (name === 'linkSync') done.push(`put ${lastPart(path)}`)
      if (name === 'unlinkSync' && /created|replaced/.test(path)) done.push(`took ${lastPart(path)}`)
    })
    expect((await tell(site, disk)).report.transaction_outcome).toBe('rolled_back')
    expect(done).toEqual([
      ...['put created', 'put replaced'],
      ...['put removed', 'took replaced', 'put replaced', 'took created'],
    ])
  })
})

describe('where the system has no paths for open folders', () => {
  const without: TreeDisk = {
    ...realTreeDisk,
    lstatSync: ((path: string, options: never) =>
      path.startsWith('/proc/') ? undefined : lstatSync(path, options)) as TreeDisk['lstatSync'],
  }

  it('a change is still made', async () => {
    const site = siteToChange()
    expect((await tell(site, without)).report.transaction_outcome).toBe('committed')
    expect(site.tree()).toEqual((await bothEnds()).after)
  })

  it('links are still refused', async () => {
    const site = siteToChange()
    renameSync(join(site.root, '.claude'), join(site.root, 'elsewhere'))
    symlinkSync('elsewhere', join(site.root, '.claude'))
    expect((await tell(site, without)).problem).toMatch(/\.claude is a symbolic link/)
  })
})

/** What may go wrong at a call, for once or for good. */
const TROUBLES: readonly {
  name: string
  isFor: (coming: Coming, at: number) => boolean
  code: 'ENOSPC' | 'EIO' | 'EACCES'
}[] = [
  { name: 'one call fails', code: 'EIO', isFor: ({ counts }, at) => total(counts) === at },
  {
    name: 'the disk is full from then on',
    code: 'ENOSPC',
    isFor: ({ name, counts }, at) => total(counts) >= at && !['unlinkSync', 'rmdirSync', 'fsyncSync'].includes(name),
  },
  { name: 'nothing can be written any more', code: 'EACCES', isFor: ({ counts }, at) => total(counts) >= at },
]

const total = (counts: Coming['counts']) => [...counts.values()].reduce((sum, count) => sum + count, 0)

describe.each(TROUBLES)('when $name, at any call', ({ isFor, code }) => {
  it('the report is true, files moved aside are named, and the next change succeeds', async () => {
    const { before, after } = await bothEnds()
    const both = { before: filesOf(before), after: filesOf(after) }
    const outcomes = new Set<string>()
    for (let at = 1; ; at += 1) {
      const site = siteToChange()
      let isReached = false
      const disk = watchedDisk((coming) => {
        if (!isFor(coming, at)) return
        isReached = true
        throw systemError(code)
      })
      const told = await tell(site, disk)
      if (!isReached) break
      outcomes.add(told.report.transaction_outcome)
      expectTruth(told, { at, site, ...both })
      await clear(site)
      if (same(filesOf(site.tree()), both.before)) await tell(site)
      expect({ at, tree: filesOf(site.tree()), records: site.records() }).toEqual({ at, tree: both.after, records: [] })
    }
    expect(outcomes).toContain('not_committed')
    expect(outcomes).toContain(code === 'ENOSPC' ? 'rolled_back' : 'ambiguous')
  })
})

type Trees = { before: Tree; after: Tree }

function expectTruth(
  { report, problem }: EndedChange,
  { at, site, before, after }: Trees & { at: number; site: HostWorktree },
): void {
  const { transaction_outcome: outcome, recovery_artifacts: artifacts } = report
  const said = { at, outcome, problem }
  for (const path of artifacts)
    expect({ ...said, path, is: existsSync(join(site.root, path)) }).toMatchObject({ is: true })
  if (outcome === 'ambiguous') expect({ ...said, artifacts }).not.toMatchObject({ artifacts: [] })
  else
    expect({ ...said, tree: besides(report, site) }).toEqual({
      ...said,
      tree: outcome === 'committed' ? after : before,
    })
}

const same = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other)

/** The files but for those that the report names as put aside. */
function besides({ recovery_artifacts }: ChangeReport, site: HostWorktree): Tree {
  return Object.fromEntries(Object.entries(filesOf(site.tree())).filter(([path]) => !recovery_artifacts.includes(path)))
}

/** An empty folder that cannot be removed is no reason for anything. */
function filesOf(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([, content]) => !content.endsWith(' directory')))
}
