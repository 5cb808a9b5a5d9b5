/** What differs between two states of a repository. Pure. */
import { digest } from '../kit/digest.ts'
import { parseGitConfig } from '../kit/git/parse-git-config.ts'
import { compareBytes } from '../kit/utf8.ts'
import type { RepositoryState } from './repository-state.ts'

export type RepositoryChange = {
  readonly what: 'ref' | 'head' | 'config' | 'hook' | 'git_file' | 'user_config' | 'file'
  /** A ref, or a path: of settings, hooks and others in the git directory, of files in the worktree of the user. */
  readonly name: string
  /** The object of a ref, or a digest of a file. Absent if there was none. */
  readonly before?: string
  readonly after?: string
  /** The settings that differ. Their values may be secret. */
  readonly keys?: readonly string[]
}

/** Written by programs in the background, and read by none. */
const PREFETCHED = /^refs\/prefetch\//

/** Without the branches of the run itself. */
export function compareRepositories(
  before: RepositoryState,
  after: RepositoryState,
  branches: ReadonlySet<string>,
): RepositoryChange[] {
  const isOwn = (ref: string) =>
    PREFETCHED.test(ref) || branches.has(ref.replace(/^refs\/(?:heads|remotes\/[^/]+)\//, ''))
  const refs = differing(before.refs, after.refs).filter((name) => !isOwn(name))
  // A state that an older version has saved shows fewer files.
  const isOlder = before.user_config === undefined
  const files = differing(before.files, after.files).filter((name) => !isOlder || /^(?:config|hooks\/)/.test(name))
  const userFiles = isOlder ? [] : differing(before.user_config, after.user_config ?? {})
  const paths = before.tree === undefined || after.tree === undefined ? [] : differing(before.tree, after.tree)
  return [
    ...refs.map((name) => ({ what: 'ref' as const, name, ...sides(before.refs[name], after.refs[name]) })),
    ...(before.head === after.head ? [] : [{ what: 'head' as const, name: 'HEAD', ...sides(before.head, after.head) }]),
    ...files.map((name) => toFileChange(name, before.files[name], after.files[name])),
    ...userFiles.map((name) => ({
      what: 'user_config' as const,
      name,
      ...sides(before.user_config?.[name], after.user_config?.[name]),
    })),
    ...paths.map((name) => ({ what: 'file' as const, name })),
  ]
}

function toFileChange(name: string, before: string | undefined, after: string | undefined): RepositoryChange {
  const digests = sides(before && digest(before), after && digest(after))
  if (name.startsWith('hooks/')) return { what: 'hook', name, ...digests }
  if (!name.startsWith('config')) return { what: 'git_file', name, ...digests }
  return { what: 'config', name, ...digests, keys: differing(valuesIn(before), valuesIn(after)) }
}

function valuesIn(base64 = ''): Record<string, string> {
  const settings = parseGitConfig(Buffer.from(base64, 'base64').toString('utf8')) ?? []
  const byKey = Map.groupBy(settings, ({ key }) => key)
  return Object.fromEntries([...byKey].map(([key, found]) => [key, found.map(({ value }) => value).join('\n')]))
}

function differing(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].filter((name) => one[name] !== other[name]).sort(compareBytes)
}

function sides(before: string | undefined, after: string | undefined) {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}
