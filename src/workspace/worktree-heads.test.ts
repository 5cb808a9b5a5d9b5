import { appendFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRepositoryAt } from '../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { commitsNotedSince, readHeads } from './worktree-heads.ts'

function createWorktrees() {
  const scratch = realpathSync(temporaryDirectory())
  const { root, git, write, commit } = createRepositoryAt(join(scratch, 'weather'))
  write('a.txt', 'a\n')
  commit()
  const name = 'knots-1'
  mkdirSync(join(scratch, 'worktrees', name), { recursive: true })
  git('worktree', 'add', '--quiet', '-b', 'drover/knots', join(scratch, 'worktrees', name, 'weather'))
  const gitCommonDir = join(root, '.git')
  const record = { version: 1, name, branch: 'drover/knots', folder: 'weather', base: git('rev-parse', 'HEAD').trim() }
  const more = { repository: root, git_common_dir: gitCommonDir, title: 't', created_at: '2026-01-31T10:00:00.000Z' }
  const save = (changes: object = {}) =>
    writeFileSync(join(scratch, 'worktrees', name, 'worktree.json'), JSON.stringify({ ...record, ...more, ...changes }))
  save()
  return { git, gitCommonDir, root, save }
}

describe('the heads of the worktrees of a repository', () => {
  it('tell which branch is checked out, the size of the log, and whether drover created the worktree', () => {
    const { git, gitCommonDir, save } = createWorktrees()
    expect(readHeads(gitCommonDir)).toEqual({
      '.': { branch: 'main', log: expect.any(Number) },
      'worktrees/weather': { branch: 'drover/knots', log: expect.any(Number), is_ours: true },
    })
    save({ git_common_dir: '/other/.git' })
    git('checkout', '--quiet', '--detach')
    expect(readHeads(gitCommonDir)).toEqual({
      '.': { log: expect.any(Number) },
      'worktrees/weather': { branch: 'drover/knots', log: expect.any(Number) },
    })
  })

  it('tell what was committed in which worktree since', () => {
    const { git, gitCommonDir } = createWorktrees()
    const { '.': main = {}, 'worktrees/weather': other = {} } = readHeads(gitCommonDir)
    git('commit', '--quiet', '--allow-empty', '--message=b')
    const commit = git('rev-parse', 'HEAD').trim()
    git('update-ref', 'refs/heads/drover/knots', commit)
    expect([...commitsNotedSince(gitCommonDir, '.', main.log ?? 0)]).toEqual([commit])
    expect([...commitsNotedSince(gitCommonDir, 'worktrees/weather', other.log ?? 0)]).toEqual([])
  })

  it('read a log that git has shortened from its beginning, and other lines not at all', () => {
    const { gitCommonDir, git } = createWorktrees()
    const commit = git('rev-parse', 'HEAD').trim()
    expect([...commitsNotedSince(gitCommonDir, '.', 1_000_000)]).toEqual([commit])
    appendFileSync(join(gitCommonDir, 'logs/HEAD'), `no ${commit} log\n`)
    const { log = 0 } = readHeads(gitCommonDir)['.'] ?? {}
    expect([...commitsNotedSince(gitCommonDir, '.', log)]).toEqual([])
    expect([...commitsNotedSince(gitCommonDir, 'worktrees/none', 0)]).toEqual([])
  })
})
