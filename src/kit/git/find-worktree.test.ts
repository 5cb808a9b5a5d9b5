import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { findWorktree } from './find-worktree.ts'

const ELSEWHERE = '/nonexistent/home'

function makeRepository() {
  const root = join(realpathSync(temporaryDirectory()), 'repository')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { stdio: 'pipe' })
  mkdirSync(join(root, 'inner'), { recursive: true })
  git('init', '-q', '-b', 'main')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  return { root, git }
}

describe('a worktree is found', () => {
  it('from a directory in the main worktree', () => {
    const { root } = makeRepository()
    const directory = join(root, '.git')
    expect(findWorktree(join(root, 'inner'), ELSEWHERE)).toEqual({
      root,
      git: { directory, commonDirectory: directory },
    })
  })

  it('from a linked worktree', () => {
    const { root, git } = makeRepository()
    const linked = `${root}-linked`
    git('worktree', 'add', '-q', linked)
    const commonDirectory = join(root, '.git')
    const directory = join(commonDirectory, 'worktrees', 'repository-linked')
    expect(findWorktree(linked, ELSEWHERE)).toEqual({ root: linked, git: { directory, commonDirectory } })
  })
})

describe('a directory is its own root', () => {
  it('if it is in no repository, or only an empty .git is above it', () => {
    const directory = realpathSync(temporaryDirectory())
    mkdirSync(join(directory, '.git'))
    mkdirSync(join(directory, 'inner'))
    expect(findWorktree(join(directory, 'inner'), ELSEWHERE)).toEqual({ root: join(directory, 'inner') })
  })

  it('if the repository is around the home directory', () => {
    const { root } = makeRepository()
    const inner = join(root, 'inner')
    expect(findWorktree(inner, root)).toEqual({ root: inner })
    expect(findWorktree(inner, join(root, 'users', 'me'))).toEqual({ root: inner })
  })

  it.each([
    ['another repository', (root: string) => join(root, '.git')],
    ['a worktree of another repository', (root: string) => join(root, '.git', 'worktrees', 'repository-linked')],
    ['any directory', () => '/etc'],
    ['nothing', () => '/nonexistent'],
  ])('if its file .git names %s', (_, target) => {
    const { root, git } = makeRepository()
    git('worktree', 'add', '-q', `${root}-linked`)
    const attacker = realpathSync(temporaryDirectory())
    writeFileSync(join(attacker, '.git'), `gitdir: ${target(root)}\n`)
    expect(findWorktree(attacker, ELSEWHERE)).toEqual({ root: attacker })
  })

  it('if its .git is a link', () => {
    const { root } = makeRepository()
    const attacker = realpathSync(temporaryDirectory())
    symlinkSync(join(root, '.git'), join(attacker, '.git'))
    expect(findWorktree(attacker, ELSEWHERE)).toEqual({ root: attacker })
  })
})
