/**
 * What the repository of a worktree tells git to run: programs in its settings, hooks, and the file `.git` if it no longer names that
 * repository. Git shows none of it. Agents may change it, and git runs it for the next one who works there.
 */
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault, tryToRead } from '../../kit/fault.ts'
import { digestPrograms, readGitSettings } from '../../kit/git/read-settings.ts'
import { createPathReader, observePath } from '../observe-path.ts'
import { ContentBudget } from '../read-content.ts'
import type { ObservedConfiguration } from '../unseen-configuration.ts'
import { isLinkedTo } from './pin-worktree.ts'

type Place = { readonly workspace: WorkspaceIdentity; readonly home: string | undefined }

/** More hooks than git has. */
const MAX_HOOKS = 100

/** With the names that they have in a repository without linked worktrees. */
export function observeGitConfiguration({ workspace, home }: Place): ObservedConfiguration[] {
  const { worktree_root: root, git_dir, git_common_dir: shared } = workspace
  const replaced = isRepositoryOf(root, git_dir) ? [] : [observe(root, '.git')]
  const hooks = hooksIn(shared).map((path) => ({ ...observe(shared, path), path: `.git/${path}` }))
  return [...replaced, ...observePrograms(git_dir, home), ...hooks]
}

function observePrograms(gitDir: string, home: string | undefined): ObservedConfiguration[] {
  const path = '.git/config'
  try {
    const programs = digestPrograms(readGitSettings({ directory: gitDir, home }))
    return programs === undefined ? [] : [{ path, observation: 'regular', content_sha256: programs }]
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [{ path, observation: 'unreadable' }]
  }
}

function observe(root: string, path: string): ObservedConfiguration {
  const subject = { path, bytes: Buffer.from(path).toString('latin1'), category: 'ignored', state: '!' } as const
  return observePath(subject, createPathReader({ root, budget: new ContentBudget() }))
}

/** Git brings examples, which it does not run. The directory may be a link. */
function hooksIn(repository: string): string[] {
  const directory = join(repository, 'hooks')
  if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink()) return ['hooks']
  const names = tryToRead(() => readdirSync(directory)) ?? []
  return names
    .filter((name) => !name.endsWith('.sample'))
    .slice(0, MAX_HOOKS)
    .map((name) => `hooks/${name}`)
}

function isRepositoryOf(root: string, gitDir: string): boolean {
  const own = tryToRead(() =>
    lstatSync(join(root, '.git')).isDirectory() ? realpathSync(join(root, '.git')) : undefined,
  )
  return isLinkedTo(gitDir, root) || (own !== undefined && own === tryToRead(() => realpathSync(gitDir)))
}
