/** Creates a git worktree on a new branch, in a directory of the user. */
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import { Fault, tryTo } from '../../kit/fault.ts'
import { isFilterSetting } from '../../kit/git/git-program-settings.ts'
import { parseGitList } from '../../kit/git/parse-git-config.ts'
import { digestRemotes, readGitSettings } from '../../kit/git/read-settings.ts'
import type { Ids } from '../../kit/ids.ts'
import { worktreeNotCreated } from '../faults.ts'
import { askGit, askGitForOutput, type Git, gitErrorLine, SLOW_GIT_MS } from '../git.ts'
import type { WorktreeRecord } from '../worktree-record.shape.ts'
import {
  claimName,
  deleteRecord,
  listWorktrees,
  saveRecord,
  type Worktree,
  withdrawRecord,
} from '../worktree-records.ts'
import { discardWorktree } from './remove-worktree.ts'

const NAME_ATTEMPTS = 10
const TITLE_CHARACTERS = 200

export type NewWorktree = {
  /** The directory of all worktrees of the user. */
  home: string
  /** Any worktree of the repository. */
  repository: WorkspaceIdentity
  /** A commit, in any form that git understands. */
  commit: string
  /** The goal: its first words become the name of the branch. */
  title: string
  /** For worktrees that are created together. */
  group?: { id: string; label: string } | undefined
  /** The id of the API key that it belongs to. */
  keyId?: string | undefined
  git: Git
  clock: Clock
  ids: Ids
  signal: AbortSignal
}

/** Throws `worktree_not_created` if the commit is unknown or git fails. Then nothing is left of the worktree. */
export async function createWorktree(wanted: NewWorktree): Promise<Worktree> {
  const base = await findCommit(wanted)
  const worktree = await saveNewRecord(wanted, base)
  try {
    const { name, branch } = worktree
    await checkOut(wanted, worktree, { name, what: (path) => ['--no-track', '-b', branch, path, base] })
    return worktree
  } catch (error) {
    // With a separate signal: the caller's may be the reason for the failure.
    await discardWorktree({ git: wanted.git, worktree, signal: new AbortController().signal })
    throw error
  }
}

/**
 * Checks a branch of drover out again, where its worktree was before it was removed. `commit` is what the branch started from,
 * and `gitDir` the git directory of the worktree, which is a part of its identity.
 */
export async function restoreWorktree(wanted: NewWorktree, branch: string, gitDir: string): Promise<Worktree> {
  const { home, ids, repository } = wanted
  const name = branch.slice(toBranch('').length)
  const base = await findCommit(wanted)
  const settings = await readSettings(wanted)
  if (!(await hasBranch(wanted, branch)) || !claimName(home, name)) {
    const problem = `the branch ${branch} was deleted, or is used by another worktree`
    throw worktreeNotCreated({ repository: repository.worktree_root, problem })
  }
  const port = await choosePorts(home, ids)
  const worktree = saveRecord(home, toRecord(wanted, { name, base, settings, port }))
  try {
    await checkOut(wanted, worktree, { name: basename(gitDir), what: (path) => [path, branch] })
    return worktree
  } catch (error) {
    deleteRecord(worktree)
    throw error
  }
}

async function findCommit({ git, repository, commit, signal }: NewWorktree): Promise<string> {
  const { code, stdout } = await askGit(git, {
    directory: repository.worktree_root,
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`],
    signal,
  })
  const found = stdout.toString('latin1').trim()
  if (code === 0 && found !== '') return found
  const problem =
    commit === 'HEAD'
      ? 'the repository has no commit yet; make a first commit'
      : `${JSON.stringify(commit)} is not a commit of it; name a branch, a tag or a commit`
  throw worktreeNotCreated({ repository: repository.worktree_root, problem })
}

async function saveNewRecord(wanted: NewWorktree, base: string): Promise<Worktree> {
  const { home, ids } = wanted
  const settings = await readSettings(wanted)
  const name = await claimFreeName(wanted)
  try {
    for (;;) {
      const worktree = saveRecord(home, toRecord(wanted, { name, base, settings, port: await choosePorts(home, ids) }))
      if (!sharesPort(home, worktree)) return worktree
      withdrawRecord(worktree)
    }
  } catch (error) {
    deleteRecord({ directory: join(home, name) })
    throw error
  }
}

/** Another process may have chosen the same ports at the same time. Of two, the last one that looks sees the other. */
function sharesPort(home: string, { name, port }: Worktree): boolean {
  return port !== undefined && listWorktrees(home).some((other) => other.port === port && other.name !== name)
}

type GitSettings = Pick<WorktreeRecord, 'filters' | 'remotes'>
type Chosen = { name: string; base: string; settings: GitSettings; port: number | undefined }

function toRecord(wanted: NewWorktree, { name, base, settings, port }: Chosen): WorktreeRecord {
  const { repository, title, group, keyId, clock } = wanted
  return {
    version: 1,
    name,
    branch: toBranch(name),
    folder: folderFor(basename(repository.worktree_root)),
    base,
    repository: repository.worktree_root,
    git_common_dir: repository.git_common_dir,
    title: title.slice(0, TITLE_CHARACTERS).toWellFormed(),
    ...(group && { group: group.id, label: group.label }),
    ...(keyId !== undefined && { key_id: keyId }),
    ...(port !== undefined && { port }),
    ...settings,
    created_at: toTimestamp(clock.now()),
  }
}

/** The settings of git that an agent must not change. None if drover could not tell later whether they have changed. */
async function readSettings({ git, repository, signal }: NewWorktree): Promise<GitSettings> {
  const found = tryToRead(() => readGitSettings({ directory: repository.git_dir, home: git.env['HOME'] }))
  if (found === undefined) return {}
  const args = ['config', '--null', '--list'] as const
  const listed = await askGitForOutput(git, { directory: repository.worktree_root, args, signal })
  return { filters: parseGitList(listed.toString('utf8')).filter(isFilterSetting), remotes: digestRemotes(found) }
}

function tryToRead<T>(read: () => T): T | undefined {
  return tryTo(() => read())
}

/** A name for which neither a directory nor a branch exists. */
async function claimFreeName(wanted: NewWorktree): Promise<string> {
  const { home, repository, title, group, ids } = wanted
  const slug = group === undefined ? toSlug(title) : `${toSlug(title)}-${toSlug(group.label)}`
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt += 1) {
    const name = `${slug}-${ids.hex(4)}`
    if (!(await hasBranch(wanted, toBranch(name))) && claimName(home, name)) return name
  }
  const problem = `${NAME_ATTEMPTS} names beginning with ${slug} are all taken; try again`
  throw worktreeNotCreated({ repository: repository.worktree_root, problem })
}

async function hasBranch({ git, repository, signal }: NewWorktree, branch: string): Promise<boolean> {
  const { code } = await askGit(git, {
    directory: repository.worktree_root,
    args: ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`],
    signal,
  })
  return code === 0
}

type Checkout = { name: string; what: (path: string) => readonly string[] }

/**
 * Git names its directory for a worktree after the folder, which all worktrees of a repository have in common. So the worktree
 * is created in a folder with its own name, and moved: the name stays free for it while it is removed.
 */
async function checkOut(
  { git, repository, signal }: NewWorktree,
  { directory, path }: Worktree,
  { name, what }: Checkout,
): Promise<void> {
  const refuse = (problem: string, cause?: unknown) =>
    worktreeNotCreated({ repository: repository.worktree_root, problem }, cause)
  const begun = join(directory, name)
  const add = ['worktree', 'add', '--quiet', ...what(begun)] as const
  const move = ['worktree', 'move', begun, path] as const
  try {
    for (const args of begun === path ? [add] : [add, move]) {
      const command = { directory: repository.worktree_root, args, signal }
      const { code, stderr } = await askGit({ ...git, timeoutMs: SLOW_GIT_MS }, command)
      if (code !== 0) throw refuse(explain(stderr))
    }
  } catch (error) {
    throw error instanceof Fault && error.code.startsWith('git_') ? refuse(error.message, error) : error
  }
}

function explain(stderr: string): string {
  return /'refs\/heads\/drover' exists/.test(stderr)
    ? 'a branch named drover leaves no room for branches below drover/; rename it with git branch -m drover NEW'
    : gitErrorLine(stderr)
}

/** The names of worktrees and their branches. Pure. */

const LONGEST_SLUG = 40
/** A goal can be a whole document; its first words are enough. */
const READ_CHARACTERS = 1000

/** A short name for a text: lowercase letters and digits joined by `-`, which git and every file system accept. */
export function toSlug(text: string): string {
  const plain = text
    .slice(0, READ_CHARACTERS)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const [first = 'change', ...rest] = plain.match(/[a-z0-9]+/g) ?? []
  let slug = first.slice(0, LONGEST_SLUG)
  for (const word of rest) {
    if (slug.length + 1 + word.length > LONGEST_SLUG) break
    slug = `${slug}-${word}`
  }
  return slug
}

function toBranch(name: string): string {
  return `drover/${name}`
}

/** The directory of the checkout has the name of the repository, because programs show it and some derive names from it. */
export function folderFor(repositoryName: string): string {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(repositoryName) && !repositoryName.endsWith('.json')
    ? repositoryName
    : 'repository'
}

const PORTS_EACH = 10
/** Below the ports that systems choose by themselves. */
const FIRST = 20_000
const BLOCKS = 1_200

/**
 * Finds ten ports for a worktree, so that servers of several worktrees can run at the same time. The first of ten ports that
 * are free now and belong to no other worktree. Undefined if there are none.
 */
export async function choosePorts(home: string, ids: Ids): Promise<number | undefined> {
  const used = new Set(listWorktrees(home).map(({ port }) => port))
  // From a random place, because another process may choose at the same time.
  const start = Number.parseInt(ids.hex(4), 16) % BLOCKS
  for (let at = 0; at < BLOCKS; at += 1) {
    const first = FIRST + ((start + at) % BLOCKS) * PORTS_EACH
    if (!used.has(first) && (await areFree(first))) return first
  }
  return undefined
}

async function areFree(first: number): Promise<boolean> {
  const ports = Array.from({ length: PORTS_EACH }, (_, at) => first + at)
  return (await Promise.all(ports.map(isFree))).every(Boolean)
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  return promise
}
