import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createPolicy, type WorktreeDirectories } from './create-policy.ts'

/** The directories of a linked worktree. */
function createDirectories(head = 'ref: refs/heads/drover/one\n') {
  const commonDirectory = join(temporaryDirectory(), '.git')
  const directory = join(commonDirectory, 'worktrees', 'one')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'HEAD'), head)
  return { directory, commonDirectory }
}

function ownIn(git: WorktreeDirectories['git']) {
  const limits = { memoryBytes: undefined, processes: undefined, fileBytes: undefined }
  const settings = { hosts: [], env: [], read: [], write: [], limits }
  const worktree = { root: '/work', ...(git && { git }) }
  return createPolicy({ worktree, home: '/home/me', droverHome: '/home/me/.drover', programs: [], settings }).own
}

const branchIn = (git: WorktreeDirectories['git']) => ownIn(git)?.branch

describe('the branch that a command may write', () => {
  it.each([
    ['ref: refs/heads/drover/one\n', 'refs/heads/drover/one'],
    ['0123456789012345678901234567890123456789\n', undefined],
    ['ref: refs/heads/.invalid\n', undefined],
    ['ref: refs/heads/../../config\n', undefined],
  ])('is that of HEAD, if no branch is named: %j', (head, branch) => {
    expect(branchIn(createDirectories(head))).toBe(branch)
  })

  it('is the named one, whatever a command has written to HEAD', () => {
    const directories = createDirectories('ref: refs/heads/main\n')
    expect(branchIn({ ...directories, branch: 'refs/heads/drover/one' })).toBe('refs/heads/drover/one')
    expect(branchIn({ ...directories, branch: null })).toBeUndefined()
  })

  it('is not read from a pipe', () => {
    const piped = createDirectories()
    spawnSync('sh', ['-c', 'rm HEAD && mkfifo HEAD'], { cwd: piped.directory })
    expect(() => branchIn(piped)).toThrow()
  })
})

it('nothing of a repository may be written in its main worktree', () => {
  const { commonDirectory } = createDirectories()
  expect(ownIn({ directory: commonDirectory, commonDirectory })).toBeUndefined()
})
