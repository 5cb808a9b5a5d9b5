/** Looks at the worktree of a run: its state, and what differs between two states. */
import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tryToRead } from '../kit/fault.ts'
import { askGit } from '../workspace/git.ts'
import { observeAllPaths } from '../workspace/observe-git.ts'
import { findUnseenConfiguration } from '../workspace/unseen-configuration.ts'
import { hashWorktree } from '../workspace/worktrees/diff-worktree.ts'
import { observeGitConfiguration } from '../workspace/worktrees/git-configuration.ts'
import type { DriveContext } from './drive-context.ts'
import type { FileChange } from './evidence/changed-tests/judge-test-change.ts'
import { changedPaths, toTree } from './evidence/tree.ts'
import type { Tree } from './record/drive-event.shape.ts'

type Place = Pick<DriveContext, 'runs'>

const TEXT_LIMIT_BYTES = 1024 * 1024

/** Not interrupted by the signal of the driver: the state after an attempt is needed most when it was cancelled. */
export async function observeTree(place: Place): Promise<Tree> {
  const { observation, leftOut, unseen } = await observe(place)
  return toTree(observation, { leftOut, unseen })
}

/** With all paths, also if they are too many for a record, and those that the index hides from git. */
export async function observeWholeTree(place: Place): Promise<{ tree: Tree; hidden: ReadonlySet<string> }> {
  const { observation, hidden, ...more } = await observe(place)
  return { tree: toTree(observation, more), hidden: new Set(hidden) }
}

async function observe({ runs: { git, workspace } }: Place) {
  const { signal } = new AbortController()
  const { worktree_root: root } = workspace
  const [observed, unseen] = await Promise.all([
    observeAllPaths({ start: root, isRoot: true, git, signal }),
    findUnseenConfiguration({ root, git, signal }),
  ])
  const ofGit = observeGitConfiguration({ workspace, home: git.env['HOME'] })
  return { ...observed, unseen: { ...unseen, paths: [...unseen.paths, ...ofGit] } }
}

/** The id of the tree that a commit of everything would have now. */
export async function hashTree({ runs: { git, workspace } }: Place): Promise<string> {
  const { signal } = new AbortController()
  return await hashWorktree({ git, workspace, signal })
}

/** The paths that differ between two states, sorted. */
export async function pathsBetween(place: Place, before: Tree, after: Tree): Promise<string[]> {
  return changedPaths(before, after, await committedBetween(place, before.head, after.head))
}

/** The paths that differ between two commits. */
export async function committedBetween(place: Place, from: string, to: string): Promise<string[]> {
  if (from === to || from === 'unborn' || to === 'unborn') return []
  const args = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', from, to] as const
  return (await ask(place, args)).split('\0').filter((path) => path !== '')
}

/** The paths that a commit has, and that are not like that now. */
export async function changedSince(place: Place, commit: string): Promise<ReadonlySet<string>> {
  if (commit === 'unborn') return new Set()
  const names = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', '--ignore-submodules'] as const
  return new Set((await ask(place, [...names, '--diff-filter=a', commit, '--'])).split('\0'))
}

/** Those of the paths that git ignores. */
export async function ignoredPaths(place: Place, paths: readonly string[]): Promise<string[]> {
  const ignored: string[] = []
  for (const path of paths) {
    const { code } = await git(place, ['check-ignore', '--quiet', '--', path])
    if (code === 0) ignored.push(path)
  }
  return ignored
}

/** A file at the given commit and now. */
export async function fileChange(place: Place, path: string, commit: string): Promise<FileChange> {
  return {
    path,
    before: await textAt(place, path, commit),
    after: textNow(place.runs.workspace.worktree_root, path),
  }
}

export async function textAt(place: Place, path: string, commit: string): Promise<string | undefined> {
  if (commit === 'unborn') return undefined
  const { code, stdout } = await git(place, ['show', '--no-ext-diff', '--no-textconv', `${commit}:${path}`])
  return code === 0 && stdout.length <= TEXT_LIMIT_BYTES ? stdout.toString('utf8') : undefined
}

/** The files that commits since then have added or changed, each with its commit. */
export async function committedSince(place: Place, commit: string): Promise<{ commit: string; path: string }[]> {
  if (commit === 'unborn') return []
  const args = ['log', '--format=%x00%H', '--name-only', '--no-ext-diff', '--no-renames', '-m', '-z'] as const
  const text = await ask(place, [...args, '--diff-filter=AM', `${commit}..HEAD`])
  let at = ''
  return text.split('\0').flatMap((part) => {
    const name = part.replace(/^\n/, '')
    if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(name)) at = name
    else if (name !== '' && at !== '') return [{ commit: at, path: name }]
    return []
  })
}

/** The target of a symbolic link; undefined if it is none. */
export function linkTarget(root: string, path: string): string | undefined {
  const place = join(root, path)
  return tryToRead(() => (lstatSync(place).isSymbolicLink() ? readlinkSync(place) : undefined))
}

/** The commits since `commit`, and whether it is still part of the history. */
export async function historySince(place: Place, commit: string): Promise<{ isDescendant: boolean; commits: number }> {
  if (commit === 'unborn') return { isDescendant: true, commits: 0 }
  const { code } = await git(place, ['merge-base', '--is-ancestor', commit, 'HEAD'])
  if (code !== 0) return { isDescendant: false, commits: 0 }
  return { isDescendant: true, commits: Number(await ask(place, ['rev-list', '--count', `${commit}..HEAD`])) }
}

/** A link has no text, wherever it leads. A folder that was replaced by a link is not part of the worktree. */
export function textNow(root: string, path: string, limitBytes = TEXT_LIMIT_BYTES): string | undefined {
  return tryToRead(() => {
    const place = join(realpathSync(root), path)
    if (realpathSync(dirname(place)) !== dirname(place)) return undefined
    const found = lstatSync(place)
    if (found.isSymbolicLink()) return ''
    return found.isFile() && found.size <= limitBytes ? readFileSync(place, 'utf8') : undefined
  })
}

async function ask(place: Place, args: readonly [string, ...string[]]): Promise<string> {
  return (await git(place, args)).stdout.toString('utf8')
}

async function git({ runs }: Place, args: readonly [string, ...string[]]) {
  const { signal } = new AbortController()
  return await askGit(runs.git, { directory: runs.workspace.worktree_root, args, signal })
}
