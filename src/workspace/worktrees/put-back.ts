/** Puts the files of a worktree back to how they were before something ran there. */
import { rmSync } from 'node:fs'
import { askStatus } from '../ask-status.ts'
import { askGitForOutput, type Git } from '../git.ts'
import type { ChangedPath } from '../parse-status.ts'
import { type WorktreeOptions, withIndexOfFiles } from './diff-worktree.ts'

/**
 * Calls `work`. What it changes, creates or deletes is put back, except files that git ignores, and named. Changes from before
 * stay, whether they are committed or not.
 */
export async function puttingBack<T>(
  options: WorktreeOptions,
  work: () => Promise<T>,
): Promise<{ result: T; paths: readonly string[] }> {
  const { signal } = options
  const { worktree_root: directory } = options.workspace
  return await withIndexOfFiles(options, async (git) => {
    const listChanges = async () => (await askStatus(git, { directory, signal })).changed.filter(isNotInIndex)
    const before = new Set((await listChanges()).map(({ bytes }) => bytes))
    const result = await work()
    const changed = (await listChanges()).filter(({ bytes }) => !before.has(bytes))
    if (changed.length === 0) return { result, paths: [] }
    await checkOut(git, options)
    // Only now, because the ignore rules are files too.
    const created = (await listChanges()).filter(({ bytes }) => !before.has(bytes))
    for (const { bytes } of created) rmSync(toPlace(directory, bytes), { recursive: true, force: true })
    return { result, paths: [...new Set([...changed, ...created].map(({ path }) => path))] }
  })
}

/** The second letter compares the file with the index. */
function isNotInIndex({ category, state }: ChangedPath): boolean {
  return category === 'untracked' || state[1] !== '.'
}

async function checkOut(git: Git, { workspace, signal }: WorktreeOptions): Promise<void> {
  const args = ['checkout-index', '--all', '--force', '--quiet'] as const
  await askGitForOutput(git, { directory: workspace.worktree_root, args, signal })
}

/** A name may not be UTF-8. */
function toPlace(directory: string, bytes: string): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(bytes.replace(/\/$/, ''), 'latin1')])
}
