/** Puts the files and the index of a worktree back to how they were before something ran there. */
import { lstatSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../kit/files/write-file.ts'
import { askGitForOutput, type Git, SLOW_GIT_MS } from '../git.ts'
import { askStatus, type ChangedPath } from '../worktree-status.ts'
import { type WorktreeOptions, withIndexOfFiles } from './diff-worktree.ts'

type PutBackOptions = WorktreeOptions & {
  /** Files from before stay as `work` leaves them. */
  readonly createdOnly?: boolean
}

/**
 * Calls `work`. What it changes, creates or deletes is put back, except files that git ignores, and named. Changes from before
 * stay, whether they are staged or not. What `work` stages or unstages is put back too.
 */
export async function puttingBack<T>(
  options: PutBackOptions,
  work: () => Promise<T>,
): Promise<{ result: T; paths: readonly string[] }> {
  const { signal } = options
  const { worktree_root: directory } = options.workspace
  return await withIndexOfFiles(options, async (git) => {
    const listChanges = async () => (await askStatus(git, { directory, signal })).changed.filter(isNotInIndex)
    const before = new Set((await listChanges()).map(({ bytes }) => bytes))
    const restoreIndex = keepIndex(join(options.workspace.git_dir, 'index'))
    const result = await work()
    restoreIndex()
    const listNew = async () => (await listChanges()).filter(({ bytes }) => !before.has(bytes))
    const changed = (await listNew()).filter((each) => options.createdOnly !== true || isUntracked(each))
    if (changed.length === 0) return { result, paths: [] }
    if (options.createdOnly !== true) await checkOut(git, options)
    // Only now, because the ignore rules are files too.
    const created = options.createdOnly === true ? changed : await listNew()
    remove(directory, created)
    return { result, paths: [...new Set([...changed, ...created].map(({ path }) => path))] }
  })
}

type Listed = { readonly untracked: readonly string[]; readonly tracked: readonly string[] }

/** Removes the untracked files that `choose` names, and returns their paths. */
export async function removeUntracked(
  { git, workspace, signal }: WorktreeOptions,
  choose: (paths: Listed) => readonly string[],
): Promise<string[]> {
  const around = { directory: workspace.worktree_root, signal }
  const pinned = { ...git, pinned: workspace, timeoutMs: SLOW_GIT_MS }
  const untracked = (await askStatus(pinned, around)).changed.filter(isUntracked)
  const tracked = (await askGitForOutput(pinned, { ...around, args: ['ls-files', '-z'] })).toString('utf8').split('\0')
  const chosen = new Set(choose({ untracked: untracked.map(({ path }) => path), tracked }))
  const unwanted = untracked.filter(({ path }) => chosen.has(path))
  remove(around.directory, unwanted)
  return unwanted.map(({ path }) => path)
}

function remove(directory: string, files: readonly ChangedPath[]): void {
  for (const { bytes } of files) rmSync(toPlace(directory, bytes), { recursive: true, force: true })
}

/** Reads the index, and returns a function that puts it back if it has changed since. */
function keepIndex(path: string): () => void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return () => rmSync(path, { recursive: true, force: true })
  const bytes = readFileSync(path)
  return () => {
    const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
    if (isFile && readFileSync(path).equals(bytes)) return
    if (!isFile) rmSync(path, { recursive: true, force: true })
    replaceFile({ path, bytes, mode: found.mode & 0o777 })
    // Git trusts what the index says about files that are older than it. The work may have written some of them since.
    const seconds = Math.floor(found.mtimeMs / 1000)
    utimesSync(path, seconds, seconds)
  }
}

/** The second letter compares the file with the index. */
function isNotInIndex({ category, state }: ChangedPath): boolean {
  return category === 'untracked' || state[1] !== '.'
}

const isUntracked = ({ category }: ChangedPath): boolean => category === 'untracked'

async function checkOut(git: Git, { workspace, signal }: WorktreeOptions): Promise<void> {
  const args = ['checkout-index', '--all', '--force', '--quiet'] as const
  await askGitForOutput(git, { directory: workspace.worktree_root, args, signal })
}

/** A name may not be UTF-8. */
function toPlace(directory: string, bytes: string): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(bytes.replace(/\/$/, ''), 'latin1')])
}
