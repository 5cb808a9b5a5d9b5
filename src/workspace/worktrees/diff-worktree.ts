/*
 * Compares the files of a worktree, including untracked ones, with a commit. Git can do that only with an index, so the
 * index is copied and the files are added to the copy, with its own object directory. The worktree, its index and
 * the repository are not changed.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { isFault } from '../../kit/fault.ts'
import { removeLeftovers, temporaryName } from '../../kit/files/temporary-file.ts'
import { fileNotChanged, gitFailed, gitOutputTooLarge } from '../faults.ts'
import { askGitForOutput, type Git, SLOW_GIT_MS } from '../git.ts'
import { toPathText } from '../worktree-status.ts'
import { addAll } from './add-all.ts'

type FileChange = {
  path: string
  /** The path that it was renamed from. */
  from?: string
  /** Null for a binary file. */
  insertions: number | null
  deletions: number | null
}

export type WorktreeDiff = {
  /** See `hashWorktree`. */
  tree: string
  files: readonly FileChange[]
  insertions: number
  deletions: number
}

export type Patch = {
  files: readonly FileChange[]
  /** The patch of git, at most `PATCH_LIMIT_BYTES` of it. */
  patch: string
  isCut: boolean
}

export type PatchPart = {
  /** Only this file of the list. */
  path?: string | undefined
  /** Only the list of files. */
  filesOnly?: boolean
  /** Unchanged lines around each change. */
  context?: number | undefined
}

/** More than people read at once. */
export const PATCH_LIMIT_BYTES = 1024 * 1024

export type WorktreeOptions = {
  git: Git
  /** Git uses exactly these directories, whatever `.git` in the worktree says: an agent may have replaced it. */
  workspace: Pick<WorkspaceIdentity, 'worktree_root' | 'git_dir' | 'git_common_dir'>
  signal: AbortSignal
}

export type DiffOptions = WorktreeOptions & {
  /** The commit to compare with. */
  base: string
}

type Ask = (args: readonly [string, ...string[]]) => Promise<Buffer>

/** Ignored files are left out. Throws a fault of git. */
export async function diffWorktree(options: DiffOptions): Promise<WorktreeDiff> {
  return await withTree(options, async (ask, tree) => {
    const files = await filesBetween(ask, options.base, tree)
    return { tree, files, insertions: sum(files, 'insertions'), deletions: sum(files, 'deletions') }
  })
}

/** The same, with the changes of every line. Throws `file_not_changed` if the part names another file. */
export async function patchWorktree(options: DiffOptions, part: PatchPart = {}): Promise<Patch> {
  return await withTree(options, async (ask, tree) => await patchBetween(ask, [options.base, tree], part))
}

/** The id of the tree that a commit of everything would have. Two equal states have equal ids. */
export async function hashWorktree(options: WorktreeOptions): Promise<string> {
  return await withTree(options, async (_, tree) => tree)
}

async function withTree<T>(options: WorktreeOptions, work: (ask: Ask, tree: string) => Promise<T>): Promise<T> {
  const { workspace, signal } = options
  return await withIndexOfFiles(options, async (git) => {
    const ask: Ask = async (args) => await askGitForOutput(git, { directory: workspace.worktree_root, args, signal })
    return await work(ask, (await ask(['write-tree'])).toString('latin1').trim())
  })
}

/** Calls `work` with a git whose index is a copy and has all files as they are now, without those that git ignores. */
export async function withIndexOfFiles<T>(options: WorktreeOptions, work: (git: Git) => Promise<T>): Promise<T> {
  const { workspace, signal } = options
  if (!existsSync(workspace.git_dir)) throw gitFailed({ command: 'git add', problem: `${workspace.git_dir} is gone` })
  removeLeftovers(workspace.git_dir)
  const scratch = join(workspace.git_dir, temporaryName())
  mkdirSync(join(scratch, 'objects'), { recursive: true, mode: 0o700 })
  try {
    copyIndex(join(workspace.git_dir, 'index'), join(scratch, 'index'))
    const git = withScratch(options.git, { workspace, scratch })
    await addAll({ git, directory: workspace.worktree_root, signal, isPartial: true })
    return await work(git)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

type CommitDiff = { git: Git; directory: string; from: string; to: string; signal: AbortSignal }

/** What differs between two commits. Throws a fault of git, also if there is no such commit. */
export async function diffCommits({ from, to, ...place }: CommitDiff): Promise<FileChange[]> {
  return await filesBetween(commitAsker(place), from, to)
}

/** The same, with the changes of every line. Throws `file_not_changed` if the part names another file. */
export async function patchCommits({ from, to, ...place }: CommitDiff, part: PatchPart = {}): Promise<Patch> {
  return await patchBetween(commitAsker(place), [from, to], part)
}

function commitAsker({ git, directory, signal }: Omit<CommitDiff, 'from' | 'to'>): Ask {
  return async (args) => await askGitForOutput({ ...git, timeoutMs: SLOW_GIT_MS }, { directory, args, signal })
}

const DIFF_TREE = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv'] as const

async function filesBetween(ask: Ask, from: string, to: string): Promise<FileChange[]> {
  return parseNumstat(await ask([...DIFF_TREE, '-z', '--numstat', from, to]))
}

const CONTEXT_LINES = 3

async function patchBetween(ask: Ask, [from, to]: readonly [string, string], part: PatchPart): Promise<Patch> {
  const all = await filesBetween(ask, from, to)
  if (part.filesOnly === true) return { files: all, patch: '', isCut: false }
  const files = part.path === undefined ? all : [findFile(all, part.path)]
  // No argument can name a path that is not UTF-8.
  if (part.path?.startsWith('"') === true) return patchOfFile(await patchBetween(ask, [from, to], {}), part.path)
  // A rename is one change only if both paths are named.
  const named = part.path === undefined ? [] : files.flatMap((file) => [file.from ?? [], file.path].flat())
  const context = `--unified=${part.context ?? CONTEXT_LINES}`
  const paths = ['--', ...named.map((path) => `:(top,literal)${path}`)]
  const patch = await ask([...DIFF_TREE, '--patch', context, '--no-color', from, to, ...paths]).catch(ignoreTooLarge)
  const shown = patch.subarray(0, PATCH_LIMIT_BYTES)
  return {
    files,
    patch: shown.toString('utf8'),
    isCut: patch.length > shown.length || (patch.length === 0 && files.length > 0),
  }
}

/** One file of a patch of all. Throws `file_not_changed`. */
export function patchOfFile({ files, patch, isCut }: Patch, path: string): Patch {
  const file = findFile(files, path)
  // A line of a file begins with a space or a sign.
  const parts = patch.split(/^(?=diff --git )/m)
  const at = files.indexOf(file)
  return { files: [file], patch: parts[at] ?? '', isCut: isCut && at >= parts.length - 1 }
}

function findFile(files: readonly FileChange[], path: string): FileChange {
  const found = files.find((file) => file.path === path)
  if (found === undefined) throw fileNotChanged({ path })
  return found
}

/** A patch that is larger than all that git may print is not shown at all. */
function ignoreTooLarge(error: unknown): Buffer {
  if (isFault(error, gitOutputTooLarge)) return Buffer.alloc(0)
  throw error
}

/**
 * With the time of the original: git reads a file again if it was written in the same second as the index or later. Without
 * an index, git adds all files again.
 */
function copyIndex(from: string, to: string): void {
  const found = statSync(from, { throwIfNoEntry: false })
  if (found === undefined) return
  copyFileSync(from, to)
  const seconds = Math.floor(found.mtimeMs / 1000)
  utimesSync(to, seconds, seconds)
}

function withScratch(git: Git, { workspace, scratch }: Pick<WorktreeOptions, 'workspace'> & { scratch: string }): Git {
  const env = {
    ...git.env,
    GIT_INDEX_FILE: join(scratch, 'index'),
    GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quote(join(workspace.git_common_dir, 'objects')),
  }
  return { ...git, env, timeoutMs: SLOW_GIT_MS, pinned: workspace }
}

/** Without quotes, a colon would separate two directories. */
function quote(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Parses `git diff --numstat -z`: `1 TAB 2 TAB path NUL`, or for a rename `1 TAB 2 TAB NUL from NUL path NUL`. */
export function parseNumstat(output: Buffer): FileChange[] {
  const fields = output.toString('latin1').split('\0')
  if (fields.pop() !== '') throw unreadable('its last record has no end')
  const changes: FileChange[] = []
  for (let at = 0; at < fields.length; at += 1) {
    const [, insertions = '', deletions = '', path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(fields[at] ?? '') ?? []
    if (path === undefined) throw unreadable(`it has the record ${JSON.stringify(fields[at]?.slice(0, 40))}`)
    const counts = { insertions: toCount(insertions), deletions: toCount(deletions) }
    if (path !== '') {
      changes.push({ path: toText(path), ...counts })
      continue
    }
    changes.push({ path: toText(fields[at + 2] ?? ''), from: toText(fields[at + 1] ?? ''), ...counts })
    at += 2
  }
  return changes
}

function toCount(text: string): number | null {
  return text === '-' ? null : Number(text)
}

function toText(bytes: string): string {
  return toPathText(Buffer.from(bytes, 'latin1'))
}

function sum(files: readonly FileChange[], field: 'insertions' | 'deletions'): number {
  return files.reduce((total, file) => total + (file[field] ?? 0), 0)
}

function unreadable(problem: string) {
  return gitFailed({ command: 'git diff-tree', problem: `its output cannot be read, because ${problem}` })
}
