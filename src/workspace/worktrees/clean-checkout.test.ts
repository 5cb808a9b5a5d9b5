import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLAIN_ENV } from '../../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { createRepository } from '../../../test/support/temporary-repository.ts'
import { systemClock } from '../../kit/clock.ts'
import { randomIds } from '../../kit/ids.ts'
import { discoverWorkspace } from '../discover-workspace.ts'
import { locateGit } from '../git.ts'
import { withCleanCheckout } from './clean-checkout.ts'
import { createWorktree } from './create-worktree.ts'
import { discardWorktree } from './remove-worktree.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal

async function create() {
  const repository = createRepository()
  repository.write('a', 'one\n')
  repository.write('.gitignore', 'ignored\n')
  repository.write('.gitattributes', 'a filter=own\n')
  repository.commit()
  const identity = await discoverWorkspace({ start: repository.root, git, signal })
  const home = join(temporaryDirectory(), 'worktrees')
  const around = { git, signal, clock: systemClock, ids: randomIds }
  const worktree = await createWorktree({ ...around, home, repository: identity, commit: 'HEAD', title: 'Wind' })
  const count = () => repository.git('worktree', 'list').trim().split('\n').length
  return { repository, worktree, count, options: { git, worktree, commit: worktree.base, signal } }
}

describe('a clean checkout', () => {
  it('has the files of the commit only, and nothing of it is left', async () => {
    const { worktree, count, options } = await create()
    for (const name of ['ignored', 'new', 'a']) writeFileSync(join(worktree.path, name), 'changed\n')
    const found = await withCleanCheckout(options, async ({ root }) => [
      readdirSync(root).sort(),
      readFileSync(join(root, 'a'), 'utf8'),
      count(),
    ])
    expect(found).toEqual([['.git', '.gitattributes', '.gitignore', 'a'], 'one\n', 3])
    expect([count(), readdirSync(worktree.directory).length]).toEqual([2, 2])
    expect(readFileSync(join(worktree.path, 'a'), 'utf8')).toBe('changed\n')
  })

  it('is removed after a failure, and what a killed process has left too', async () => {
    const { repository, worktree, count, options } = await create()
    const left = join(worktree.directory, 'clean-dead', worktree.folder)
    mkdirSync(dirname(left))
    repository.git('worktree', 'add', '--quiet', '--detach', left, worktree.base)
    const failed = withCleanCheckout(options, async () => {
      throw new Error('it fails')
    })
    await expect(failed).rejects.toThrow('it fails')
    expect([count(), existsSync(dirname(left))]).toEqual([2, false])
  })

  it('is removed with its worktree', async () => {
    const { repository, worktree, count } = await create()
    const left = join(worktree.directory, 'clean-dead', worktree.folder)
    mkdirSync(dirname(left))
    repository.git('worktree', 'add', '--quiet', '--detach', left, worktree.base)
    await discardWorktree({ git, worktree, signal })
    expect([count(), existsSync(worktree.directory)]).toEqual([1, false])
  })

  it('runs no filter that was configured after the worktree was created', async () => {
    const { repository, options } = await create()
    repository.git('config', 'filter.own.smudge', 'tr a-z A-Z')
    const read = async ({ root }: { root: string }) => readFileSync(join(root, 'a'), 'utf8')
    expect(await withCleanCheckout(options, read)).toBe('one\n')
  })

  it('is refused for a commit that does not exist', async () => {
    const { count, options } = await create()
    const refused = withCleanCheckout({ ...options, commit: 'f'.repeat(40) }, async () => undefined)
    await expect(refused).rejects.toMatchObject({ code: 'worktree_not_created' })
    expect(count()).toBe(2)
  })
})
