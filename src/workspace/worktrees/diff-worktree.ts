/*
 * Compares the files of a worktree, including untracked ones, with a commit. Git can do that only with an index, so the
 * index is copied and the files are added to the copy, with an object directory of its own. The worktree, its index and
 * the repository are not changed.
 */
import { copyFileSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { removeLeftovers, temporaryName } from '../../kit/files/temporary-file.ts'
import { gitFailed } from '../faults.ts'
import { askGit, askGitForOutput, type Git, gitErrorLine } from '../git.ts'
import { toPathText } from '../path-text.ts'
import { SLOW_GIT_MS } from './git-time.ts'

type FileChange = {
  path: string
  /** The path that it was renamed from. */
  from?: string
  /** Null for a binary file. */
  insertions: number | null
  deletions: number | null
}

export type WorktreeDiff = {
  /** The id of the tree that a commit of everything would have. Two equal states have equal ids. */
  tree: string
  files: readonly FileChange[]
  insertions: number
  deletions: number
}

export type DiffOptions = {
  git: Git
  workspace: Pick<WorkspaceIdentity, 'worktree_root' | 'git_dir' | 'git_common_dir'>
  /** The commit to compare with. */
  base: string
  signal: AbortSignal
}

/** Ignored files are left out. Throws a fault of git. */
export async function diffWorktree(options: DiffOptions): Promise<WorktreeDiff> {
  const { workspace, base } = options
  removeLeftovers(workspace.git_dir)
  const scratch = join(workspace.git_dir, temporaryName())
  mkdirSync(join(scratch, 'objects'), { recursive: true, mode: 0o700 })
  try {
    copyIndex(join(workspace.git_dir, 'index'), join(scratch, 'index'))
    const ask = asker(options, scratch)
    await addAll(options, scratch)
    const tree = (await ask(['write-tree'])).toString('latin1').trim()
    const output = await ask(['diff-tree', '-r', '-z', '-M', '--numstat', '--no-ext-diff', '--no-textconv', base, tree])
    const files = parseNumstat(output)
    return { tree, files, insertions: sum(files, 'insertions'), deletions: sum(files, 'deletions') }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

type CommitDiff = { git: Git; directory: string; from: string; to: string; signal: AbortSignal }

/** What differs between two commits. Throws a fault of git, also if there is no such commit. */
export async function diffCommits({ git, directory, from, to, signal }: CommitDiff): Promise<FileChange[]> {
  const args = ['diff-tree', '-r', '-z', '-M', '--numstat', '--no-ext-diff', '--no-textconv', from, to] as const
  return parseNumstat(await askGitForOutput({ ...git, timeoutMs: SLOW_GIT_MS }, { directory, args, signal }))
}

/**
 * With the time of the original: git reads a file again if it was written in the same second as the index or later. Without
 * an index, git adds all files anew.
 */
function copyIndex(from: string, to: string): void {
  const found = statSync(from, { throwIfNoEntry: false })
  if (found === undefined) return
  copyFileSync(from, to)
  const seconds = Math.floor(found.mtimeMs / 1000)
  utimesSync(to, seconds, seconds)
}

/** An exit code of 1 means that some files cannot be read, or that a repository inside of the worktree has no commit. */
async function addAll({ git, workspace, signal }: DiffOptions, scratch: string): Promise<void> {
  const args = ['add', '--all', '--ignore-errors'] as const
  const command = { directory: workspace.worktree_root, args, signal }
  const { code, stderr } = await askGit(withScratch(git, { workspace, scratch }), command)
  if (code > 1) throw gitFailed({ command: 'git add', problem: gitErrorLine(stderr) })
}

function asker({ git, workspace, signal }: DiffOptions, scratch: string) {
  const asked = withScratch(git, { workspace, scratch })
  return async (args: readonly [string, ...string[]]) =>
    await askGitForOutput(asked, { directory: workspace.worktree_root, args, signal })
}

function withScratch(git: Git, { workspace, scratch }: Pick<DiffOptions, 'workspace'> & { scratch: string }): Git {
  const env = {
    ...git.env,
    GIT_INDEX_FILE: join(scratch, 'index'),
    GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quote(join(workspace.git_common_dir, 'objects')),
  }
  return { ...git, env, timeoutMs: SLOW_GIT_MS }
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
