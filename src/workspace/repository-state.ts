/**
 * What an agent in a worktree can change of the repository that the worktree belongs to: refs, settings, hooks, and the worktree
 * of the user. Also the settings of git for the whole user. Two states that are observed before and after an attempt show what
 * has changed meanwhile.
 */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { digest } from '../kit/digest.ts'
import { errorCode, Fault } from '../kit/fault.ts'
import { parseGitConfig } from '../kit/git/parse-git-config.ts'
import { userConfigFiles } from '../kit/git/read-settings.ts'
import { compareBytes } from '../kit/utf8.ts'
import { askGitForOutput, type Git } from './git.ts'
import { namesIn, readBytes } from './read-content.ts'
import { readHeads, type WorktreeHeads } from './worktree-heads.ts'
import { askStatus } from './worktree-status.ts'

export type RepositoryState = {
  /** Each with the object that it names, or `ref: ` and the ref. */
  readonly refs: Readonly<Record<string, string>>
  /** The settings and hooks, in base64, by their paths in the git directory. */
  readonly files: Readonly<Record<string, string>>
  /** What the user has checked out: the text of `HEAD`. */
  readonly head?: string
  /** The changed files of the user: a mark for each path that changes with it. */
  readonly tree?: Readonly<Record<string, string>>
  /** Digests of the files with settings for the whole user, by their paths. Older states have none of what follows. */
  readonly user_config?: Readonly<Record<string, string>>
  readonly heads?: WorktreeHeads
  /** Changes with every fetch in the worktree of the user. */
  readonly fetched?: string
}

export type ObservedRepository = {
  readonly gitCommonDir: string
  /** The worktree of the user. Absent if the agents work in it. */
  readonly user?: Pick<WorkspaceIdentity, 'worktree_root' | 'git_dir'> | undefined
  /** Files of the user that git may ignore, and that worktrees get a copy of. */
  readonly copied?: readonly string[] | undefined
  readonly git: Git
  readonly signal: AbortSignal
}

const FILE_LIMIT_BYTES = 1024 * 1024
/** More hooks than git has. */
const MAX_HOOKS = 100
/** More would make a large record of someone's unfinished work. */
const MAX_PATHS = 5000

/** They change what git reads, ignores and shows, without a setting. */
const OTHER_FILES = ['info/attributes', 'info/exclude', 'info/grafts', 'objects/info/alternates', 'shallow']

export async function observeRepository(options: ObservedRepository): Promise<RepositoryState> {
  const { user, gitCommonDir } = options
  // Before the refs: what is committed meanwhile is in the log after this size.
  const heads = readHeads(gitCommonDir)
  const [refs, tree] = await Promise.all([readRefs(options), user && readTree(options, user)])
  const head = user && readBytes(join(user.git_dir, 'HEAD'), FILE_LIMIT_BYTES)?.toString('utf8').trim()
  const fetched = user && markOf(join(user.git_dir, 'FETCH_HEAD'))
  return {
    refs,
    files: readFiles(gitCommonDir),
    ...(head !== undefined && { head }),
    ...(tree !== undefined && { tree }),
    user_config: readUserConfig(options.git.env),
    heads,
    ...(fetched !== undefined && { fetched }),
  }
}

function readUserConfig(env: Git['env']): Record<string, string> {
  const { HOME: home } = env
  const files = userConfigFiles(env).flatMap((path) => {
    const bytes = readBytes(path, FILE_LIMIT_BYTES)
    const name = home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
    return bytes === undefined ? [] : [[name, digest(bytes)] as const]
  })
  return Object.fromEntries(files)
}

function markOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found && [found.size, found.mtimeNs].join(' ')
}

async function readRefs({ git, gitCommonDir: directory, signal }: ObservedRepository): Promise<Record<string, string>> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname) %(symref)'] as const
  const lines = (await askGitForOutput(git, { directory, args, signal })).toString('utf8').split('\n')
  const refs = lines.filter(Boolean).map((line) => line.split(' '))
  return Object.fromEntries(refs.map(([name, object, target]) => [name, target ? `ref: ${target}` : object]))
}

/** Without what the repository tells git to run: an agent may have changed that. */
async function readTree(
  { git, signal, copied = [] }: ObservedRepository,
  user: NonNullable<ObservedRepository['user']>,
): Promise<Record<string, string> | undefined> {
  const { worktree_root: directory } = user
  try {
    const { changed } = await askStatus({ ...git, pinned: user }, { directory, signal })
    const marks = changed.slice(0, MAX_PATHS).map(({ path, state, category }) => {
      return [path, [category, state, markOf(join(directory, path))].join(' ')] as const
    })
    const copies = copied.map((path) => [path, `copied ${markOf(join(directory, path))}`] as const)
    return Object.fromEntries([...copies, ...marks])
  } catch (error) {
    // The worktree of the user is gone, or cannot be read now: that is no reason to end a run.
    if (error instanceof Fault || errorCode(error) !== undefined) return undefined
    throw error
  }
}

function readFiles(directory: string): Record<string, string> {
  const hooks = namesIn(join(directory, 'hooks')).filter((name) => !name.endsWith('.sample'))
  const names = [
    'config',
    'config.worktree',
    ...OTHER_FILES,
    ...hooks.slice(0, MAX_HOOKS).map((name) => `hooks/${name}`),
  ]
  const found = names.map(
    (name) => [name, readBytes(join(directory, name), FILE_LIMIT_BYTES)?.toString('base64')] as const,
  )
  return Object.fromEntries(found.filter((entry): entry is readonly [string, string] => entry[1] !== undefined))
}

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

/** What differs between two states, without the branches of the run itself. Pure. */
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
