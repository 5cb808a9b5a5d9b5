/** What a repository tells git to run is not run by looking at it. */
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { PLAIN_ENV, type Repository } from '../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { locateGit } from './git.ts'
import { observeGit } from './observe-git.ts'

const signal = new AbortController().signal

let log: string
let program: string
let repository: Repository

beforeEach(() => {
  const room = temporaryDirectory()
  log = join(room, 'log')
  program = join(room, 'program')
  writeFileSync(program, `#!/bin/sh\necho "$1" >> '${log}'\n`, { mode: 0o755 })
  repository = createRepository()
  repository.write('a', 'one\n')
  repository.commit()
})

const observe = (root: string, env: Record<string, string> = {}) =>
  observeGit({ start: root, git: locateGit({ env: { ...PLAIN_ENV, ...env }, cwd: '/' }), signal })

/** Sees to it that git has to look at the file again. */
const disturb = (root: string) => utimesSync(join(root, 'a'), 5, 5)

describe('observeGit', () => {
  it('does not run an fsmonitor, which an ordinary status runs', async () => {
    repository.git('config', 'core.fsmonitor', program)
    await observe(repository.root)
    expect(existsSync(log)).toBe(false)
    repository.git('status')
    expect(existsSync(log)).toBe(true)
  })

  it('does not run the fsmonitor of a submodule', async () => {
    const outer = createRepository()
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository.root, 'inner')
    outer.git('-C', 'inner', 'config', 'core.fsmonitor', program)
    await observe(outer.root)
    expect(existsSync(log)).toBe(false)
    outer.git('status')
    expect(existsSync(log)).toBe(true)
  })

  it('does not run a hook, which an ordinary status runs', async () => {
    writeFileSync(join(repository.root, '.git/hooks/post-index-change'), readFileSync(program), { mode: 0o755 })
    disturb(repository.root)
    await observe(repository.root)
    expect(existsSync(log)).toBe(false)
    repository.git('status')
    expect(existsSync(log)).toBe(true)
  })

  it.each([
    ['an external diff', 'diff.external', ''],
    ['a diff driver', 'diff.driver.command', 'diff=driver'],
    ['a textconv', 'diff.driver.textconv', 'diff=driver'],
    ['a pager', 'core.pager', ''],
    ['a pager of status', 'pager.status', ''],
    ['an alias', 'alias.status', ''],
    ['an editor', 'core.editor', ''],
    ['an ssh command', 'core.sshCommand', ''],
  ])('does not run %s', async (_what, setting, attribute) => {
    repository.git('config', setting, setting.startsWith('alias') ? `!${program}` : program)
    repository.write('.gitattributes', `* ${attribute}\n`)
    repository.write('a', 'two\n')
    await observe(repository.root)
    expect(existsSync(log)).toBe(false)
  })

  it.each(['GIT_EXTERNAL_DIFF', 'GIT_PAGER', 'GIT_SSH_COMMAND', 'GIT_ASKPASS'])(
    'does not run the program that %s names',
    async (name) => {
      repository.write('a', 'two\n')
      await observe(repository.root, { [name]: program })
      expect(existsSync(log)).toBe(false)
    },
  )

  it('does not fetch what a partial clone lacks', async () => {
    repository.write('b', `${'some line\n'.repeat(20)}`)
    repository.commit()
    repository.git('config', 'uploadpack.allowFilter', 'true')
    const clone = join(temporaryDirectory(), 'clone')
    repository.git('clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${repository.root}`, clone)
    const partial = createRepository({ at: clone })
    // Git would allow this protocol, whatever it is told about all of them.
    partial.git('config', 'protocol.file.allow', 'always')
    partial.git('config', 'remote.origin.uploadpack', `${program}; git-upload-pack`)
    // To see whether this is a rename, git would need the content that it has not got.
    partial.git('read-tree', '--empty')
    partial.write('c', `${'some line\n'.repeat(20)}another\n`)
    partial.git('add', 'c')
    await expect(observe(clone)).rejects.toMatchObject({ code: 'git_observation_failed' })
    expect(existsSync(log)).toBe(false)
    partial.git('status')
    expect(existsSync(log)).toBe(true)
  })

  it('runs clean filters, without which git could not tell what has changed', async () => {
    repository.git('config', 'filter.driver.clean', `'${program}' clean; cat`)
    repository.write('.git/info/attributes', '* filter=driver\n')
    disturb(repository.root)
    const { dirty_files } = await observe(repository.root)
    expect(dirty_files).toEqual([])
    expect(readFileSync(log, 'utf8')).toBe('clean\n')
  })
})
