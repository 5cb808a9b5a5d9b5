import { describe, expect, it } from 'vitest'
import { PLAIN_ENV } from '../../test/support/git-repository.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { locateGit } from './git.ts'
import { compareRepositories, observeRepository } from './repository-state.ts'

describe('the state of a repository', () => {
  it('changes with a file that git ignores and that worktrees get a copy of', async () => {
    const repository = createRepository()
    const { root, write } = repository
    write('.gitignore', 'local.cfg\nother.cfg\n')
    repository.commit()
    write('local.cfg', 'm/s\n')
    const git = locateGit({ env: PLAIN_ENV, cwd: root })
    const user = { worktree_root: root, git_dir: `${root}/.git` }
    const observe = async () => {
      const { signal } = new AbortController()
      return await observeRepository({
        gitCommonDir: user.git_dir,
        user,
        git,
        copied: ['local.cfg', 'none.cfg'],
        signal,
      })
    }
    const before = await observe()
    write('other.cfg', 'x\n')
    expect(compareRepositories(before, await observe(), new Set())).toEqual([])
    write('local.cfg', 'knots\n')
    expect(compareRepositories(before, await observe(), new Set())).toEqual([{ what: 'file', name: 'local.cfg' }])
  })
})
