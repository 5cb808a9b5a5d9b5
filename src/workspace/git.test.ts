import { execFileSync } from 'node:child_process'
import { existsSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replaceRepository } from '../../test/support/foreign-repository.ts'
import { PLAIN_ENV } from '../../test/support/git-repository.ts'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { askGit, askGitForOutput, type Git, gitErrorLine, locateGit } from './git.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal

/** A program in the place of git that does as the script says. */
function gitThat(script: string): Git {
  const program = join(temporaryDirectory(), 'git')
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { ...git, program }
}

const ask = (which: Git, around: { directory?: string; signal?: AbortSignal } = {}) =>
  askGit(which, { directory: '/', args: ['status', '-z'], signal, ...around })

describe('locateGit', () => {
  it('finds git in PATH and allows it 30 s and 16 MiB', () => {
    expect(git).toMatchObject({
      program: expect.stringMatching(/^\/.*\/git$/),
      timeoutMs: 30_000,
      outputLimitBytes: 16_777_216,
    })
  })

  it('finds no program if git is not installed', () => {
    expect(locateGit({ env: { PATH: temporaryDirectory() }, cwd: '/' }).program).toBeUndefined()
  })
})

describe('askGit', () => {
  it('returns the output, and an exit code other than 0 as a value', async () => {
    expect(await ask(gitThat('printf out; printf err >&2; exit 7'))).toEqual({
      code: 7,
      stdout: Buffer.from('out'),
      stderr: 'err',
    })
  })

  it('runs in the directory, with the environment for git and empty standard input', async () => {
    const script = 'pwd; echo "$GIT_OPTIONAL_LOCKS $LC_ALL"; cat'
    const { stdout } = await ask(gitThat(script), { directory: '/usr' })
    expect(stdout.toString()).toBe('/usr\n0 C\n')
  })

  it('overrides the settings of the repository', async () => {
    const { root, git: make } = createRepository()
    make('config', 'core.fsmonitor', 'true')
    make('config', 'status.showStash', 'true')
    const setting = async (name: string) =>
      String(await askGitForOutput(git, { directory: root, args: ['config', name], signal })).trim()
    expect(await setting('core.fsmonitor')).toBe('false')
    expect(await setting('core.hooksPath')).toBe('/dev/null')
    expect(await setting('status.showStash')).toBe('false')
  })

  it('uses the pinned repository of a worktree, also if the path to it has a link', async () => {
    const { root, git: make, write, commit } = createRepository()
    write('a', 'one\n')
    commit()
    const home = temporaryDirectory()
    const link = join(temporaryDirectory(), 'link')
    symlinkSync(home, link)
    make('worktree', 'add', '--quiet', join(home, 'tree'))
    const pinned = { worktree_root: realpathSync(join(home, 'tree')), git_dir: join(root, '.git/worktrees/tree') }
    execFileSync('sh', ['-c', replaceRepository(join(home, 'ran'))], { cwd: join(home, 'tree') })
    writeFileSync(join(home, 'tree/a'), 'two\n')
    const { stdout } = await ask({ ...git, pinned }, { directory: join(link, 'tree') })
    expect(String(stdout)).toBe(' M a\0')
    expect(existsSync(join(home, 'ran'))).toBe(false)
  })

  it('reports that git is missing', async () => {
    await expect(ask({ ...git, program: undefined })).rejects.toMatchObject({ code: 'git_missing' })
  })

  it('ends a git that takes too long', async () => {
    await expect(ask({ ...gitThat('exec sleep 60'), timeoutMs: 50 })).rejects.toMatchObject({
      code: 'git_timeout',
      message: 'git status did not end within 50 ms; try again when the disk is less busy',
    })
  })

  it('ends git when it is aborted', async () => {
    await expect(ask(gitThat('exec sleep 60'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'git_interrupted',
    })
  })

  it('accepts output of exactly the limit, and not one byte more', async () => {
    const printing = (bytes: number) => gitThat(`head -c ${bytes} /dev/zero`)
    expect((await ask(printing(16_777_216))).stdout.length).toBe(16_777_216)
    await expect(ask(printing(16_777_217))).rejects.toMatchObject({
      code: 'git_output_too_large',
      details: { command: 'git status', limitBytes: 16_777_216 },
    })
  })

  it('reports that git was killed', async () => {
    await expect(ask(gitThat('kill -9 $$'))).rejects.toMatchObject({
      code: 'git_failed',
      message: 'git status failed: it was killed by SIGKILL; fix that and try again',
    })
  })

  it('reports that git could not be started', async () => {
    await expect(ask(git, { directory: NOWHERE })).rejects.toMatchObject({
      code: 'git_failed',
      cause: expect.objectContaining({ code: 'program_directory_missing' }),
    })
  })
})

describe('askGitForOutput', () => {
  it('throws the error message of git', async () => {
    const failing = gitThat('echo "fatal: bad index" >&2; exit 128')
    await expect(askGitForOutput(failing, { directory: '/', args: ['ls-files'], signal })).rejects.toMatchObject({
      code: 'git_failed',
      message: 'git ls-files failed: bad index; fix that and try again',
    })
  })
})

describe('gitErrorLine', () => {
  it.each([
    ['fatal: bad index\n', 'bad index'],
    ['warning: a\nerror: b\nhint: c\n', 'b'],
    ['hint: a\nlast line\n\n', 'last line'],
    ['fatal: a\x1b[31mb\tc\u0085', 'a?[31mb?c?'],
    ['', 'it did not say why'],
    [`fatal: ${'x'.repeat(501)}`, 'x'.repeat(500)],
    [`fatal: ${'x'.repeat(499)}😀`, `${'x'.repeat(499)}\ufffd`],
  ])('finds the error message in %j', (stderr, said) => {
    expect(gitErrorLine(stderr)).toBe(said)
  })
})
