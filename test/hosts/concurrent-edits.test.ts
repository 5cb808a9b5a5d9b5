/** A user edits the same files while drover changes them: no edit is lost, and the report is true. */
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changeHosts } from '../../src/hosts/change/change-hosts.ts'
import { installFailed } from '../../src/hosts/faults.ts'
import { NOTHING } from '../../src/hosts/plan/plan.ts'
import { lastPart, type TreeDisk } from '../../src/hosts/worktree.ts'
import { createHostWorktree, type HostWorktree } from '../support/host-worktree.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { bothEnds, siteToChange, tell } from '../support/sample-change.ts'
import { type LastingCall, watchedDisk } from '../support/watched-disk.ts'

describe('a user who works on the same files during a change', () => {
  const at = (site: HostWorktree, path: string) => join(site.root, path)

  it.each<[string, (site: HostWorktree) => void, RegExp]>([
    [
      'edits a file',
      (site) => site.write('.claude/replaced', 'mine now'),
      /replaced was changed while drover was working: it was edited/,
    ],
    [
      'removes a file',
      (site) => rmSync(at(site, '.claude/replaced')),
      /replaced was changed while drover was working: it was removed/,
    ],
    [
      'creates a file',
      (site) => site.write('.claude/made/deep/created', 'mine'),
      /created was changed while drover was working: it was created/,
    ],
    [
      'swaps a file for a link to one with the same bytes',
      (site) => {
        renameSync(at(site, '.claude/replaced'), at(site, 'elsewhere'))
        symlinkSync(at(site, 'elsewhere'), at(site, '.claude/replaced'))
      },
      /replaced was changed while drover was working: it was replaced/,
    ],
    [
      'swaps the folder for a link',
      (site) => {
        renameSync(at(site, '.claude'), at(site, 'elsewhere'))
        symlinkSync('elsewhere', at(site, '.claude'))
      },
      /\.claude is a symbolic link, and drover only changes files in real folders; replace it with a folder/,
    ],
    [
      'edits what must only stay',
      (site) => site.write('.claude/verified', 'mine now'),
      /verified was changed while drover was working: it was edited/,
    ],
    [
      'puts a file where a folder is needed',
      (site) => site.write('.claude/made', 'mine'),
      /\.claude\/made is a regular file/,
    ],
  ])(
    'stops the change, which then changes nothing, if the user %s before the first step',
    async (_, interfere, problem) => {
      const site = siteToChange()
      interfere(site)
      const found = site.tree()
      expect(await tell(site)).toMatchObject({
        report: { transaction_outcome: 'not_committed', hosts: ['claude'], recovery_artifacts: [] },
        problem: expect.stringMatching(problem),
      })
      expect(site.tree()).toEqual(found)
    },
  )

  it.each<{
    they: string
    call: LastingCall
    count: number
    interfere: (site: HostWorktree) => void
    problem: RegExp
    left: Theirs
  }>([
    {
      they: 'edits a file',
      call: 'linkSync',
      count: 1,
      interfere: (site) => site.write('.claude/replaced', 'mine now'),
      problem: /replaced .* it was edited/,
      left: { '.claude/replaced': '640 mine now' },
    },
    {
      they: 'swaps a file for a link',
      call: 'linkSync',
      count: 1,
      interfere: (site) => {
        renameSync(at(site, '.claude/replaced'), at(site, 'elsewhere'))
        symlinkSync('../elsewhere', at(site, '.claude/replaced'))
      },
      problem: /replaced .* it was replaced/,
      left: { '.claude/replaced': 'link to ../elsewhere', elsewhere: '640 replaced, before' },
    },
    {
      they: 'swaps a file for another with the same bytes',
      call: 'linkSync',
      count: 1,
      interfere: (site) => {
        site.write('.claude/copy', 'replaced, before')
        renameSync(at(site, '.claude/copy'), at(site, '.claude/replaced'))
      },
      problem: /replaced .* it was replaced/,
      left: { '.claude/replaced': '644 replaced, before' },
    },
    {
      they: 'creates the file that is to be created',
      call: 'linkSync',
      count: 1,
      interfere: (site) => site.write('.claude/made/deep/created', 'mine'),
      problem: /created .* it was created/,
      left: {
        '.claude/made': '755 directory',
        '.claude/made/deep': '755 directory',
        '.claude/made/deep/created': '644 mine',
      },
    },
    {
      they: 'edits what must only stay',
      call: 'linkSync',
      count: 2,
      interfere: (site) => site.write('.claude/verified', 'mine now'),
      problem: /verified .* it was edited/,
      left: { '.claude/verified': '644 mine now' },
    },
    {
      they: 'makes the folder that is to be made, and works in it',
      call: 'mkdirSync',
      count: 4,
      interfere: (site) => site.write('.claude/made/mine', 'mine'),
      problem: /\.claude\/made: file already exists \(EEXIST\)/,
      left: { '.claude/made': '755 directory', '.claude/made/mine': '644 mine' },
    },
    {
      they: 'swaps the folder for a link',
      call: 'linkSync',
      count: 1,
      interfere: (site) => {
        renameSync(at(site, '.claude/emptied'), at(site, 'elsewhere'))
        symlinkSync('../elsewhere', at(site, '.claude/emptied'))
      },
      problem:
        /\.claude\/emptied is a symbolic link, and drover only changes files in real folders; replace it with a folder/,
      left: {
        '.claude/emptied': 'link to ../elsewhere',
        '.claude/emptied/removed': undefined,
        elsewhere: '755 directory',
        'elsewhere/removed': '644 emptied/removed, before',
      },
    },
  ])('keeps their work, and the change is rolled back, if they $they between two steps', async (row) => {
    const site = siteToChange()
    const before = site.tree()
    expect(
      await tell(
        site,
        meddling(row.call, row.count, () => row.interfere(site)),
      ),
    ).toMatchObject({
      report: { transaction_outcome: 'rolled_back', written: [], removed: [], recovery_artifacts: [] },
      problem: expect.stringMatching(row.problem),
    })
    expect(site.tree()).toEqual(definedOf({ ...before, ...row.left }))
    expect(site.records()).toEqual([])
  })

  it('keeps an edit of a file that drover has just replaced, and learns where the old file is', async () => {
    const site = siteToChange()
    const disk = watchedDisk(() => undefined)
    const { linkSync: link } = disk
    disk.linkSync = (from, to) => {
      link(from, to)
      if (String(to).endsWith('/replaced') && String(from).includes('/new-')) writeFileSync(to, 'mine already')
    }
    const { report, problem } = await tell(site, disk)
    expect(problem).toMatch(/replaced .* changed right after drover wrote it/)
    expect(report).toMatchObject({
      transaction_outcome: 'ambiguous',
      recovery_artifacts: [expect.stringMatching(/^\.drover-recovery-[0-9a-f]{32}\/snapshot-1$/)],
      warnings: [
        expect.stringMatching(/^the old content of \.claude\/replaced is in .*snapshot-1: it was edited after drover/),
      ],
    })
    const [artifact = ''] = report.recovery_artifacts
    expect(readFileSync(at(site, artifact), 'utf8')).toBe('replaced, before')
    expect(readFileSync(at(site, '.claude/replaced'), 'utf8')).toBe('mine already')

    const next = await tell(site)
    expect(next).toMatchObject({
      report: { transaction_outcome: 'not_committed', recovery_artifacts: [artifact] },
      problem: expect.stringMatching(
        /an earlier change is not finished: .* move it back or delete it, then run the command again$/,
      ),
    })
    renameSync(at(site, artifact), at(site, '.claude/replaced'))
    expect((await tell(site)).report.transaction_outcome).toBe('committed')
    expect(site.tree()).toEqual((await bothEnds()).after)
  })

  it('keeps an edit of a file that drover has just created', async () => {
    const site = siteToChange()
    const disk = watchedDisk(() => undefined)
    const { linkSync: link } = disk
    disk.linkSync = (from, to) => {
      link(from, to)
      if (String(to).endsWith('/created')) writeFileSync(to, 'mine already')
    }
    expect(await tell(site, disk)).toMatchObject({
      report: {
        transaction_outcome: 'ambiguous',
        recovery_artifacts: [],
        warnings: ['.claude/made/deep/created was not changed: it was edited after drover wrote it'],
      },
    })
    expect(site.tree()).toMatchObject({
      '.claude/made/deep/created': '644 mine already',
      '.claude/replaced': '640 replaced, before',
    })
    expect(site.records()).toEqual([])
  })

  it('keeps an edit of the old file that an editor has open', async () => {
    const site = siteToChange()
    linkSync(at(site, '.claude/replaced'), at(site, 'open-in-an-editor'))
    const disk = meddling('linkSync', 2, () => writeFileSync(at(site, 'open-in-an-editor'), 'saved late'))
    expect(await tell(site, disk)).toMatchObject({
      report: { transaction_outcome: 'rolled_back' },
      problem: expect.stringMatching(/replaced .* it was edited/),
    })
    expect(readFileSync(at(site, '.claude/replaced'), 'utf8')).toBe('saved late')
  })

  it('keeps an edit of the old file after the commit, in the recovery folder', async () => {
    const site = siteToChange()
    linkSync(at(site, '.claude/replaced'), at(site, 'open-in-an-editor'))
    const disk = meddling('unlinkSync', 1, () => writeFileSync(at(site, 'open-in-an-editor'), 'saved late'))
    const { report, problem } = await tell(site, disk)
    expect(problem).toBe('some of the old files could not be deleted')
    expect(report).toMatchObject({
      transaction_outcome: 'committed',
      written: ['.claude/made/deep/created', '.claude/replaced'],
      recovery_artifacts: [expect.stringMatching(/\/snapshot-1$/)],
      warnings: [expect.stringMatching(/it was edited after drover moved it aside/)],
    })
    expect(readFileSync(at(site, report.recovery_artifacts[0] ?? ''), 'utf8')).toBe('saved late')
  })

  it('keeps a file that replaces the planned one: it is not moved aside', async () => {
    const site = siteToChange()
    const moved: string[] = []
    const disk = watchedDisk(({ name, counts, args }) => {
      if (name === 'linkSync' && counts.get(name) === 1) site.write('.claude/swapped', 'theirs')
      if (name === 'linkSync' && counts.get(name) === 1)
        renameSync(at(site, '.claude/swapped'), at(site, '.claude/replaced'))
      if (name === 'renameSync') moved.push(lastPart(String(args[0])))
    })
    expect(await tell(site, disk)).toMatchObject({ report: { transaction_outcome: 'rolled_back' } })
    expect(moved).not.toContain('replaced')
  })

  it('and removes the folder of a file that was moved aside gets its new location reported', async () => {
    const site = siteToChange()
    const disk = watchedDisk(() => undefined)
    const { renameSync: rename } = disk
    disk.renameSync = (from, to) => {
      rename(from, to)
      if (!String(from).endsWith('/removed')) return
      rmSync(at(site, '.claude/emptied'), { recursive: true })
      site.write('.claude/verified', 'mine now')
    }
    const { report } = await tell(site, disk)
    expect(report).toMatchObject({
      transaction_outcome: 'ambiguous',
      recovery_artifacts: [expect.stringMatching(/\/snapshot-2$/)],
      warnings: [
        expect.stringMatching(
          /^the old content of \.claude\/emptied\/removed is in .*: its folder no longer exists; move it back/,
        ),
      ],
    })
    expect(readFileSync(at(site, report.recovery_artifacts[0] ?? ''), 'utf8')).toBe('emptied/removed, before')
  })

  it.each([
    ['before the first step', 'not_committed', 'linkSync', 0],
    ['between two steps', 'ambiguous', 'linkSync', 2],
  ] as const)(
    'and replaces the worktree %s finds it unchanged at its new location',
    async (_, outcome, call, count) => {
      const git = realpathSync(temporaryDirectory())
      const site = siteToChange(createHostWorktree(realpathSync(temporaryDirectory()), git))
      const [before, moved] = [site.tree(), join(realpathSync(temporaryDirectory()), 'moved')]
      const replace = () => {
        renameSync(site.root, moved)
        mkdirSync(site.root)
      }
      const disk = count === 0 ? diskAfterOpening(site.root, replace) : meddling(call, count, replace)
      expect(await tell(site, disk)).toMatchObject({
        report: { transaction_outcome: outcome, recovery_artifacts: [] },
        problem: expect.stringMatching(/: it was replaced$/),
      })
      expect(createHostWorktree(moved, git).tree()).toEqual(before)
      expect(createHostWorktree(site.root, git).tree()).toEqual({})
      expect(site.records()).toEqual([])
    },
  )

  it('gets the outcome ambiguous after replacing the whole repository', async () => {
    const site = siteToChange()
    const moved = `${site.root}-moved`
    const disk = meddling('linkSync', 2, () => {
      renameSync(site.root, moved)
      mkdirSync(site.root)
    })
    expect(await tell(site, disk)).toMatchObject({ report: { transaction_outcome: 'ambiguous', written: [] } })
    expect(createHostWorktree(site.root).tree()).toEqual({})
    rmSync(moved, { recursive: true })
  })
})

describe('a git directory with a link in it', () => {
  it.each(['drover', 'drover/hosts'])('in place of %s is not followed', async (name) => {
    const site = siteToChange()
    const [before, elsewhere] = [site.tree(), realpathSync(temporaryDirectory())]
    mkdirSync(dirname(join(site.root, '.git', name)), { recursive: true })
    symlinkSync(elsewhere, join(site.root, '.git', name))
    expect(await tell(site)).toMatchObject({
      report: { transaction_outcome: 'not_committed' },
      problem: expect.stringContaining(`${name} cannot be used as a private directory: it is a symbolic link`),
    })
    expect(readdirSync(elsewhere)).toEqual([])
    expect(site.tree()).toEqual(before)
  })
})

describe('a change that is interrupted while it waits for its turn', () => {
  it('reports that nothing was started', async () => {
    const { workspace } = createHostWorktree()
    const decide = () => NOTHING
    await expect(
      changeHosts({ workspace, hosts: [], decide, fail: installFailed, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: 'install_failed',
      message: 'the hosts could not be installed: it was interrupted before it started',
      details: { report: { transaction_outcome: 'not_committed' } },
    })
  })
})

/** Calls `interfere` once, when the worktree has been opened. */
function diskAfterOpening(root: string, interfere: () => void): TreeDisk {
  const disk = watchedDisk(() => undefined)
  const { openSync: open } = disk
  let isOpen = false
  disk.openSync = (path, ...rest) => {
    const descriptor = open(path, ...rest)
    if (path === root && !isOpen) {
      isOpen = true
      interfere()
    }
    return descriptor
  }
  return disk
}

/** Calls `interfere` once, right before the `at`-th call of this name. */
function meddling(name: LastingCall, at: number, interfere: () => void): TreeDisk {
  return watchedDisk(({ name: coming, counts }) => {
    if (coming === name && counts.get(name) === at) interfere()
  })
}

/** The edits of another process, by path; undefined for a file that it deleted. */
type Theirs = Record<string, string | undefined>

function definedOf(tree: Theirs): Theirs {
  return Object.fromEntries(Object.entries(tree).filter(([, content]) => content !== undefined))
}
