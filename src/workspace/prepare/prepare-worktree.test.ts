import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { IS_FULL } from '../../../test/support/full-counts.ts'
import { PLAIN_ENV, type Repository } from '../../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { createRepository } from '../../../test/support/temporary-repository.ts'
import { systemClock } from '../../kit/clock.ts'
import { randomIds } from '../../kit/ids.ts'
import { runCheck } from '../../kit/process/run-check.ts'
import { discoverWorkspace } from '../discover-workspace.ts'
import { locateGit } from '../git.ts'
import { createWorktree } from '../worktrees/create-worktree.ts'
import { type Preparation, prepareWorktree } from './prepare-worktree.ts'
import { listTemplates } from './templates.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal
/** Installs like a package manager: a directory that git ignores, with a script that knows where it is. */
const INSTALL = `sh -c 'mkdir -p deps/bin && echo installed >> log && cp lock deps/lock && echo "#!$PWD/deps/bin/tool" > deps/bin/run && chmod 755 deps/bin/run && ln -s "$PWD/deps/lock" deps/link'`

function createProject(): Repository {
  const repository = createRepository()
  repository.write('.gitignore', 'deps/\nlog\n.env.test\n')
  repository.write('package-lock.json', '{"version": 1}\n')
  repository.write('lock', 'one\n')
  repository.commit()
  return repository
}

const home = () => join(temporaryDirectory(), 'home')

async function open(repository: Repository, at = home()) {
  const identity = await discoverWorkspace({ start: repository.root, git, signal })
  const { path: root } = await createWorktree({
    ...{ home: join(at, 'worktrees'), repository: identity, commit: 'HEAD', title: 'Show the wind', git, signal },
    ...{ clock: systemClock, ids: randomIds },
  })
  const templates = { home: join(at, 'templates'), maxBytes: 1e9 }
  const steps: string[] = []
  const prepare = (wanted: Partial<Preparation>, more: { signal?: AbortSignal } = {}) =>
    prepareWorktree({
      preparation: { setup: [], copy: [], share: [], timeoutMs: 10_000, ...wanted },
      ...{ root, userTree: repository.root, repository: identity.git_common_dir, templates, git, signal, ...more },
      ...{ env: PLAIN_ENV, clock: systemClock, onStep: (step) => void steps.push(step.is) },
      runCommand: runCheck,
    })
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  return { root, prepare, read, steps, templates: templates.home }
}

describe('a setup', () => {
  it('runs once, and the next worktree with the same lock files gets a copy that knows its own place', async () => {
    const [repository, at] = [createProject(), home()]
    const first = await open(repository, at)
    expect(await first.prepare({ setup: [INSTALL] })).toEqual({ is: 'prepared', from: 'setup', copied: [], notes: [] })
    const second = await open(repository, at)
    expect(await second.prepare({ setup: [INSTALL] })).toMatchObject({ from: 'template', notes: [] })
    expect(second.read('log')).toBe('installed\n')
    expect(second.read('deps/bin/run')).toBe(`#!${second.root}/deps/bin/tool\n`)
    expect(readlinkSync(join(second.root, 'deps/link'))).toBe(join(second.root, 'deps/lock'))
    expect(statSync(join(second.root, 'deps/bin/run')).mode & 0o777).toBe(0o755)
    writeFileSync(join(second.root, 'deps/lock'), 'changed\n')
    expect(first.read('deps/lock')).toBe('one\n')
    const third = await open(repository, at)
    await third.prepare({ setup: [INSTALL] })
    expect(third.read('deps/lock')).toBe('one\n')
  })

  it.runIf(IS_FULL)('runs again for another lock file, another command and another repository', async () => {
    const [repository, at] = [createProject(), home()]
    const setup = [INSTALL]
    await (await open(repository, at)).prepare({ setup })
    repository.write('package-lock.json', '{"version": 2}\n')
    repository.commit()
    expect(await (await open(repository, at)).prepare({ setup })).toMatchObject({ from: 'setup' })
    expect(await (await open(repository, at)).prepare({ setup: [INSTALL, 'true'] })).toMatchObject({ from: 'setup' })
    expect(await (await open(createProject(), at)).prepare({ setup })).toMatchObject({ from: 'setup' })
    expect(listTemplates(join(at, 'templates'))).toHaveLength(4)
  })

  it('that fails ends with its output, and leaves nothing to the next one', async () => {
    const { prepare, root, templates } = await open(createProject())
    const end = await prepare({ setup: [INSTALL, `sh -c 'echo no network; exit 7'`, 'touch never'] })
    expect(end).toMatchObject({ is: 'failed', setup: { exitCode: 7, output: 'no network\n' } })
    expect(listTemplates(templates)).toEqual([])
    expect(await prepare({ setup: [`sh -c 'test ! -e deps && test ! -e never'`] })).toMatchObject({ from: 'setup' })
    expect(existsSync(join(root, 'deps'))).toBe(false)
  })

  it('that creates nothing in the worktree runs each time', async () => {
    const [repository, at, cache] = [createProject(), home(), join(temporaryDirectory(), 'cache')]
    const setup = [`sh -c 'echo ran >> ${cache}'`]
    for (const _ of [1, 2]) {
      const { prepare } = await open(repository, at)
      expect(await prepare({ setup })).toMatchObject({ from: 'setup', notes: [] })
    }
    expect(readFileSync(cache, 'utf8')).toBe('ran\nran\n')
  })

  it('that takes too long is stopped', async () => {
    const { prepare } = await open(createProject())
    expect(await prepare({ setup: ['sleep 60'], timeoutMs: 100 })).toMatchObject({
      is: 'failed',
      setup: { exitCode: null, problem: 'it timed out after 0.1 s' },
    })
  })

  it('that changes files of the commit is named, and makes no template', async () => {
    const { prepare, templates } = await open(createProject())
    const notes = ['the setup changed files that git does not ignore, so they become part of the work: lock, new']
    expect(await prepare({ setup: [`sh -c 'echo two > lock; touch new'`] })).toMatchObject({ from: 'setup', notes })
    expect(listTemplates(templates)).toEqual([])
  })

  it('that was interrupted is run again, without what it left in ignored files and with what a person changed', async () => {
    const { prepare, root } = await open(createProject())
    const stopping = new AbortController()
    const hang = `sh -c 'mkdir deps; echo half > deps/lock; sleep 60'`
    const watch = setInterval(() => existsSync(join(root, 'deps/lock')) && stopping.abort(), 5)
    await expect(prepare({ setup: [hang] }, { signal: stopping.signal })).rejects.toThrow()
    clearInterval(watch)
    mkdirSync(join(root, '..', 'incoming-1'))
    writeFileSync(join(root, 'lock'), 'repaired\n')
    expect(await prepare({ setup: [INSTALL] })).toMatchObject({
      from: 'setup',
      notes: [expect.stringContaining('lock')],
    })
    expect(readFileSync(join(root, 'deps/lock'), 'utf8')).toBe('repaired\n')
    expect(readdirSync(join(root, '..')).filter((name) => name.startsWith('incoming'))).toEqual([])
  })
})

describe('files to copy', () => {
  it('come from the tree of the user, which stays as it is', async () => {
    const repository = createProject()
    repository.write('.env.test', 'KEY=1\n')
    const { prepare, read, root } = await open(repository)
    expect(await prepare({ copy: ['.env.test', 'log'] })).toEqual({
      ...{ is: 'prepared', from: 'nothing', copied: ['.env.test'] },
      notes: [`log is not in ${repository.root}, so it was not copied`],
    })
    writeFileSync(join(root, '.env.test'), 'KEY=2\n')
    expect([read('.env.test'), readFileSync(join(repository.root, '.env.test'), 'utf8')]).toEqual([
      'KEY=2\n',
      'KEY=1\n',
    ])
  })

  it.each([
    ['/etc/passwd', 'it must be relative'],
    ['../outside', 'it must stay in the repository'],
    ['deps/../../outside', 'it must stay in the repository'],
    ['.git/config', 'it is part of a git repository'],
    ['link', 'it is a link'],
    ['folder/passwd', 'it is a link, or leads through one'],
    ['lock', 'git does not ignore it'],
  ])('%s are refused, and nothing is copied', async (path, problem) => {
    const repository = createProject()
    repository.write('.env.test', 'KEY=1\n')
    symlinkSync('/etc/passwd', join(repository.root, 'link'))
    symlinkSync('/etc', join(repository.root, 'folder'))
    const { prepare, root } = await open(repository)
    await expect(prepare({ copy: ['.env.test', path] })).rejects.toMatchObject({
      code: 'preparation_path_invalid',
      message: expect.stringContaining(problem),
    })
    expect(existsSync(join(root, '.env.test'))).toBe(false)
  })

  it('that the disk cannot take fail with a reason', async () => {
    const repository = createProject()
    repository.write('.gitignore', 'secret\n')
    repository.write('folder', 'a file\n')
    repository.commit()
    const { prepare } = await open(repository)
    rmSync(join(repository.root, 'folder'))
    repository.write('folder/secret', 'mine\n')
    await expect(prepare({ copy: ['folder/secret'] })).rejects.toMatchObject({
      code: 'preparation_failed',
      message: expect.stringContaining('EEXIST'),
    })
  })

  it('are refused where the commit has a link', async () => {
    const repository = createProject()
    const outside = temporaryDirectory()
    repository.write('.gitignore', 'secret\n')
    symlinkSync(outside, join(repository.root, 'folder'))
    repository.commit()
    const { prepare } = await open(repository)
    rmSync(join(repository.root, 'folder'))
    repository.write('folder/secret', 'mine\n')
    await expect(prepare({ copy: ['folder/secret'] })).rejects.toMatchObject({ code: 'preparation_path_invalid' })
    expect(readdirSync(outside)).toEqual([])
  })
})

it('has the sparse checkout of the user, and files that it leaves out do not matter', async () => {
  const repository = createProject()
  repository.write('app/package.json', '{}\n')
  repository.write('web/package.json', '{}\n')
  repository.commit()
  repository.git('sparse-checkout', 'set', 'app')
  repository.write('deps/a', 'a\n')
  const { prepare, root } = await open(repository)
  expect(await prepare({ share: ['deps'], setup: ['false'] })).toMatchObject({ from: 'share', notes: [] })
  expect(readdirSync(root).toSorted()).toEqual([...['.git', '.gitignore', 'app', 'deps', 'lock', 'package-lock.json']])
})

describe('directories to share', () => {
  it('replace the setup if all lock files are equal', async () => {
    const repository = createProject()
    repository.write('deps/a', 'a\n')
    const { prepare, read, root, steps } = await open(repository)
    expect(await prepare({ share: ['deps'], setup: ['false'] })).toMatchObject({ from: 'share' })
    expect([read('deps/a'), steps]).toEqual(['a\n', ['share']])
    writeFileSync(join(root, 'deps/a'), 'changed\n')
    expect(readFileSync(join(repository.root, 'deps/a'), 'utf8')).toBe('a\n')
  })

  it('know their new place, and the original still knows its own', async () => {
    const repository = createProject()
    const script = repository.write('deps/bin/run', `#!${repository.root}/deps/bin/tool\n`)
    chmodSync(script, 0o555)
    repository.write('deps/binary', `\0${repository.root}`)
    const { prepare, read, root } = await open(repository)
    expect(await prepare({ share: ['deps'] })).toMatchObject({ from: 'share' })
    expect([read('deps/bin/run'), read('deps/binary')]).toEqual([
      ...[`#!${root}/deps/bin/tool\n`, `\0${repository.root}`],
    ])
    expect(statSync(join(root, 'deps/bin/run')).mode & 0o777).toBe(0o555)
    expect(readFileSync(script, 'utf8')).toBe(`#!${repository.root}/deps/bin/tool\n`)
  })

  it('are not used if a lock file differs, or one is missing', async () => {
    const repository = createProject()
    repository.write('deps/a', 'a\n')
    const { prepare, root } = await open(repository)
    repository.write('package-lock.json', '{"version": 2}\n')
    expect(await prepare({ share: ['deps'], setup: ['mkdir deps'] })).toMatchObject({ from: 'setup' })
    expect(existsSync(join(root, 'deps/a'))).toBe(false)
    repository.git('checkout', '--quiet', 'package-lock.json')
    expect(await prepare({ share: ['deps', 'log'] })).toMatchObject({
      from: 'nothing',
      notes: [/^deps was/, /^log was/].map((each) => expect.stringMatching(each)),
    })
  })
})
