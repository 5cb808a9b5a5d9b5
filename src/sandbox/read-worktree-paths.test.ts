import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { readWorktreePaths } from './read-worktree-paths.ts'

/** The directories of a linked worktree on the branch `drover/one`. */
function createDirectories(head = 'ref: refs/heads/drover/one\n') {
  const commonDirectory = join(temporaryDirectory(), '.git')
  const directory = join(commonDirectory, 'worktrees', 'one')
  for (const each of [directory, join(commonDirectory, 'refs/heads/drover')]) mkdirSync(each, { recursive: true })
  writeFileSync(join(commonDirectory, 'config'), '[extensions]\n\tworktreeConfig = true\n')
  for (const ref of ['main', 'drover/two']) writeFileSync(join(commonDirectory, 'refs/heads', ref), 'a')
  writeFileSync(join(directory, 'HEAD'), head)
  return { directory, commonDirectory }
}

const ownPaths = (git: Parameters<typeof readWorktreePaths>[0]['git']) => {
  const paths = readWorktreePaths({ root: '/work', ...(git && { git }) }).git?.own
  const within = (path: string) => path.slice((git?.commonDirectory.length ?? 0) + 1)
  return { writable: paths?.writable.map(within), readOnly: paths?.readOnly.map(within) }
}

describe('the paths of a worktree', () => {
  it('are those of the branch in HEAD, if no branch is named', () => {
    expect(ownPaths(createDirectories())).toMatchObject({
      writable: ['worktrees/one', 'objects', 'refs/heads/drover'],
      readOnly: expect.arrayContaining(['refs/heads/drover/two']),
    })
  })

  it('are those of the named branch, whatever a command has written to HEAD', () => {
    const directories = createDirectories('ref: refs/heads/main\n')
    const { writable } = ownPaths({ ...directories, branch: 'refs/heads/drover/one' })
    expect(writable).toEqual(['worktrees/one', 'objects', 'refs/heads/drover'])
    expect(ownPaths({ ...directories, branch: null }).writable).toEqual(['worktrees/one', 'objects'])
  })

  it('are not read from a pipe, and no file is created through a link', () => {
    const piped = createDirectories()
    spawnSync('sh', ['-c', 'rm HEAD && mkfifo HEAD'], { cwd: piped.directory })
    expect(() => ownPaths(piped)).toThrow()
    const linked = createDirectories()
    const target = join(linked.commonDirectory, '..', 'target')
    symlinkSync(target, join(linked.directory, 'config.worktree'))
    expect(() => ownPaths({ ...linked, branch: null })).toThrow('ELOOP')
  })
})
