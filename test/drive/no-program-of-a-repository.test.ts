/** Plants every setting that makes git run a program, and finds that no operation of drover on a worktree runs one. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DriveContext } from '../../src/drive/drive-context.ts'
import { changedSince, fileChange, hashTree, ignoredPaths, observeWholeTree } from '../../src/drive/observe-tree.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'
import { runCheck } from '../../src/kit/process/run-check.ts'
import { openRunContext, withPinnedGit } from '../../src/runs/run-context.ts'
import { discoverWorkspace } from '../../src/workspace/discover-workspace.ts'
import { askGit, locateGit } from '../../src/workspace/git.ts'
import { prepareWorktree } from '../../src/workspace/prepare/prepare-worktree.ts'
import type { Worktree } from '../../src/workspace/worktree-records.ts'
import { createWorktree } from '../../src/workspace/worktrees/create-worktree.ts'
import { diffCommits, diffWorktree, patchCommits, patchWorktree } from '../../src/workspace/worktrees/diff-worktree.ts'
import { inspectWorktree } from '../../src/workspace/worktrees/inspect-worktree.ts'
import { commitAll, removeWorktree } from '../../src/workspace/worktrees/remove-worktree.ts'
import { createDriving } from '../support/driven-agents.ts'
import { HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf } from '../support/full-counts.ts'
import { PLAIN_ENV } from '../support/git-repository.ts'
import { ROOT } from '../support/npm.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { createRepository } from '../support/temporary-repository.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal
const ATTRIBUTES = '* filter=planted diff=planted merge=planted\n'

/** The settings in the first column of the table. */
function documentedKeys(): string[] {
  const page = readFileSync(join(ROOT, 'docs/decisions/0072-no-program-of-a-repository.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, key = '']) => key))
}

/** Values that are no program, but make git look for one. */
const SWITCHES: Readonly<Record<string, string>> = {
  'commit.gpgSign': 'true',
  'log.showSignature': 'true',
  'push.gpgSign': 'true',
  'gc.auto': '1',
  'maintenance.auto': 'true',
  'submodule.recurse': 'true',
  'status.submoduleSummary': 'true',
  'diff.submodule': 'diff',
  'protocol.ext.allow': 'always',
  'remote.<name>.vcs': 'planted',
}

async function plantedWorktree() {
  const room = temporaryDirectory()
  const log = join(room, 'log')
  /** A program that leaves its name, and then does what a filter does. */
  const program = (name: string) => {
    const path = join(room, name.replace(/[^A-Za-z.]/g, '_'))
    writeFileSync(path, `#!/bin/sh\necho '${name}' >> '${log}'\ncat\n`, { mode: 0o755 })
    return path
  }
  const settings = documentedKeys()
    .filter((key) => !key.startsWith('include'))
    .map((key) => [key.replace('*', 'status').replace(/<[^>]*>/, 'planted'), SWITCHES[key] ?? program(key)] as const)
  const values: Readonly<Record<string, string>> = {
    'core.hooksPath': room,
    'alias.status': `!${program('alias')}`,
    'submodule.planted.update': `!${program('submodule')}`,
    'url.planted.insteadOf': 'planted:',
  }
  for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction', 'post-checkout', 'pre-push'])
    program(hook)
  const config = settings.map(([key, value]) => toConfig(key, values[key] ?? value)).join('')
  const repository = createRepository()
  repository.write('a', 'one\n')
  repository.write('.gitignore', 'ignored\n')
  repository.commit()
  const origin = join(room, 'origin.git')
  repository.git('init', '--quiet', '--bare', origin)
  repository.git('remote', 'add', 'origin', origin)
  const identity = await discoverWorkspace({ start: repository.root, git, signal })
  const home = join(room, 'worktrees')
  const wanted = {
    home,
    repository: identity,
    commit: 'HEAD',
    title: 'Wind',
    git,
    signal,
    clock: systemClock,
    ids: randomIds,
  }
  const worktree = await createWorktree(wanted)
  return { room, log, config, repository, worktree }
}

function toConfig(key: string, value: string): string {
  const [section = '', name = ''] = [key.slice(0, key.indexOf('.')), key.slice(key.lastIndexOf('.') + 1)]
  const middle = key.slice(section.length + 1, -name.length - 1)
  return `[${section}${middle === '' ? '' : ` "${middle}"`}]\n\t${name} = "${value}"\n`
}

/** Everything that drover does to a worktree with git, until it is removed. */
async function doEverything({ room, worktree }: { room: string; worktree: Worktree }): Promise<void> {
  const { path, base } = worktree
  const workspace = await discoverWorkspace({ start: path, git, signal })
  const runs = withPinnedGit(openRunContext({ workspace, git, signal, clock: systemClock }))
  const context = { runs } as DriveContext
  const prepared = await prepareWorktree({
    ...{
      preparation: { setup: [], copy: [], share: [], timeoutMs: 60_000 },
      root: path,
      userTree: worktree.repository,
    },
    ...{
      repository: worktree.git_common_dir,
      templates: { home: join(room, 'templates'), maxBytes: 0 },
      git: runs.git,
    },
    ...{ env: PLAIN_ENV, clock: systemClock, signal, onStep: () => {}, runCommand: runCheck },
  })
  expect(prepared.is).toBe('prepared')
  appendFileSync(join(path, 'a'), 'two\n')
  writeFileSync(join(path, 'b'), 'new\n')
  expect((await observeWholeTree(context)).tree.paths).toMatchObject({ a: expect.anything(), b: expect.anything() })
  await hashTree(context)
  await changedSince(context, base)
  await ignoredPaths(context, ['ignored', 'a'])
  expect(await fileChange(context, 'a', base)).toMatchObject({ before: 'one\n', after: 'one\ntwo\n' })
  const compared = { git: runs.git, workspace, base, signal }
  expect((await diffWorktree(compared)).files.map((file) => file.path)).toEqual(expect.arrayContaining(['a', 'b']))
  expect((await patchWorktree(compared)).patch).toContain('+two')
  await inspectWorktree({ git, worktree, signal })
  const { head } = await commitAll(worktree, { git, signal })
  await diffCommits({ git: runs.git, directory: path, from: base, to: head, signal })
  expect((await patchCommits({ git: runs.git, directory: path, from: base, to: head, signal })).patch).toContain('+two')
  // Git reads every file again.
  utimesSync(join(path, 'a'), 5, 5)
  expect(await removeWorktree({ git, worktree, signal })).toMatchObject({ is: 'removed' })
}

const ran = (log: string) => (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [])

describe('in a worktree, git runs no program that the repository names', () => {
  it.each(
    firstOf([
      ['its config', 'config', 'info/attributes'],
      ['a config of the worktree', 'config.worktree', 'info/attributes'],
      ['a file that its config includes', 'included', '.gitattributes'],
    ]),
  )('in %s', async (_, file, attributes) => {
    const { room, log, config, repository, worktree } = await plantedWorktree()
    const common = join(repository.root, '.git')
    const own = repository.git('-C', worktree.path, 'rev-parse', '--absolute-git-dir').trim()
    if (file === 'config.worktree') repository.git('config', 'extensions.worktreeConfig', 'true')
    if (file === 'included') repository.git('config', 'include.path', 'included')
    appendFileSync(join(file === 'config.worktree' ? own : common, file), config)
    const place = attributes === '.gitattributes' ? worktree.path : common
    mkdirSync(join(place, 'info'), { recursive: true })
    writeFileSync(join(place, attributes), ATTRIBUTES)
    await doEverything({ room, worktree })
    expect(ran(log)).toEqual([])
  })

  it('although an ordinary git would run it', async () => {
    const { log, config, repository, worktree } = await plantedWorktree()
    appendFileSync(join(repository.root, '.git/config'), config)
    writeFileSync(join(repository.root, '.git/info/attributes'), ATTRIBUTES)
    appendFileSync(join(worktree.path, 'a'), 'two\n')
    await askGit({ ...git, filters: undefined }, { directory: repository.root, args: ['diff'], signal })
    repository.git('-C', worktree.path, '-c', 'alias.status=', 'status')
    expect(ran(log)).toContain('core.fsmonitor')
  })

  it('whatever the name of the filter is', async () => {
    const { room, log, repository, worktree } = await plantedWorktree()
    const filter = (name: string, more = '') => `[filter "${name}"]\n\tclean = "echo ${name} >> ${log}; cat"\n${more}`
    appendFileSync(join(repository.root, '.git/config'), filter('a=b', '\trequired = true\n') + filter('c.d'))
    writeFileSync(join(repository.root, '.git/info/attributes'), 'a filter=a=b\nb filter=c.d\n')
    await doEverything({ room, worktree })
    expect(ran(log)).toEqual([])
  })

  it('but filters that it had before, with the commands that they had', async () => {
    const room = temporaryDirectory()
    const [before, after] = [join(room, 'before'), join(room, 'after')]
    const repository = createRepository()
    repository.git('config', 'filter.upper.clean', `echo x >> ${before}; tr a-z A-Z`)
    repository.git('config', 'filter.upper.smudge', 'tr A-Z a-z')
    repository.write('.gitattributes', '*.txt filter=upper\n')
    repository.write('a.txt', 'one\n')
    repository.commit()
    const identity = await discoverWorkspace({ start: repository.root, git, signal })
    const wanted = { home: join(room, 'w'), repository: identity, commit: 'HEAD', title: 'Wind', git, signal }
    const worktree = await createWorktree({ ...wanted, clock: systemClock, ids: randomIds })
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('one\n')
    repository.git('config', 'filter.upper.clean', `touch ${after}; cat`)
    writeFileSync(join(worktree.path, 'b.txt'), 'two\n')
    const { head } = await commitAll(worktree, { git, signal })
    expect(repository.git('show', `${head}:b.txt`)).toBe('TWO\n')
    expect([existsSync(before), existsSync(after)]).toEqual([true, false])
  })

  it('nor one that an agent plants in the settings of the user', async () => {
    const driving = createDriving()
    const log = join(driving.scratch, 'log')
    const plant = [
      `git config --global filter.own.clean "echo own >> '${log}'; cat"`,
      `git config filter.shared.clean "echo shared >> '${log}'; cat"`,
      'printf "*.txt filter=own\\n*.js filter=shared\\n" > .gitattributes; touch *',
    ]
    driving.rewrite({ implement: [{ ...HONEST, runs: plant }] })
    const { stdout } = await driving.drive('Show the wind in knots', '--no-review', '--check', 'sh check.sh')
    for (const command of ['status', 'report']) await driving.call([command, runIdIn(stdout)])
    await driving.drive('--list')
    expect(driving.calls().map(({ kind }) => kind)).toContain('implement')
    expect(ran(log)).toEqual([])
  })
})
