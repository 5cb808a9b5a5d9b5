/** Asks git which worktree a path belongs to. */
import { realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { digestSections } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { textNotUtf8 } from '../kit/faults.ts'
import { systemReason } from '../kit/files/disk.ts'
import { decodeUtf8 } from '../kit/files/read-file.ts'
import {
  gitFailed,
  gitInterrupted,
  gitMissing,
  gitRepositoryRequired,
  gitRepositoryUnavailable,
  gitTimeout,
  type NoWorktree,
} from './faults.ts'
import { askGit, askGitForOutput, type Git, gitErrorLine } from './git.ts'

export type Discovery = {
  /** Absolute: a directory, or a file in one. */
  start: string
  git: Git
  signal: AbortSignal
}

const QUESTIONS = ['--show-toplevel', '--git-dir', '--git-common-dir'] as const
/** Available since git 2.31. An older git prints the unknown option. */
const PATH_FORMAT = '--path-format=absolute'

/** Throws `git_repository_required`, or `git_repository_unavailable` if git took too long or was interrupted. */
export async function discoverWorkspace(discovery: Discovery): Promise<WorkspaceIdentity> {
  const { start } = discovery
  const directory = enter(start)
  try {
    const { root, own, shared } = await askForPaths(discovery, directory)
    return identifyWorkspace({
      worktree_root: toDirectory(root, directory),
      git_dir: toDirectory(own, directory),
      git_common_dir: toDirectory(shared, directory),
    })
  } catch (error) {
    throw toDiscoveryFault(start, error)
  }
}

function enter(start: string): string {
  try {
    const place = realpathSync.native(start)
    return statSync(place).isDirectory() ? place : dirname(place)
  } catch (error) {
    throw gitRepositoryRequired({ path: start, reason: 'path_missing', found: systemReason(error) }, error)
  }
}

/** All questions share one deadline. */
async function askForPaths(discovery: Discovery, directory: string) {
  const deadline = performance.now() + discovery.git.timeoutMs
  const ask = (questions: readonly string[]) => {
    const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()))
    return askForLines({ ...discovery, git: { ...discovery.git, timeoutMs } }, { directory, questions })
  }
  const [root = '', own = '', shared = '', ...rest] = (await ask(QUESTIONS)).split('\n')
  if (rest.length === 1) return { root, own, shared }
  // More lines than questions: a path contains a line feed. Ask again, one question at a time.
  const alone = async (question: string) => (await ask([question])).slice(0, -1)
  const [first, second, third] = QUESTIONS
  return { root: await alone(first), own: await alone(second), shared: await alone(third) }
}

async function askForLines(
  { start, git, signal }: Discovery,
  { directory, questions }: { directory: string; questions: readonly string[] },
): Promise<string> {
  const { code, stdout, stderr } = await askGit(git, {
    directory,
    args: ['rev-parse', PATH_FORMAT, ...questions],
    signal,
  })
  if (code !== 0) throw toRefusal(start, stderr)
  const text = decodeUtf8({ bytes: stdout, source: start })
  if (!text.startsWith(PATH_FORMAT)) return text
  const version = await askGitForOutput(git, { directory, args: ['version'], signal })
  throw gitRepositoryRequired({ path: start, reason: 'git_too_old', found: version.toString('utf8').trim() })
}

/** Recognizes git's error messages, which are in English because of LC_ALL=C. */
const REFUSALS: readonly (readonly [RegExp, NoWorktree])[] = [
  [/dubious ownership|unsafe repository/, 'unsafe_ownership'],
  [/must be run in a work tree|cannot use bare repository/, 'no_worktree'],
  [/not a git repository/, 'not_a_repository'],
]

function toRefusal(path: string, stderr: string): Fault {
  const reason = REFUSALS.find(([words]) => words.test(stderr))?.[1]
  const said = gitErrorLine(stderr)
  if (reason === undefined) return gitFailed({ command: 'git rev-parse', problem: said })
  return gitRepositoryRequired({ path, reason, found: said })
}

/** Resolves links. `from` is for relative answers. */
function toDirectory(path: string, from: string): string {
  // The trailing separator makes the system refuse anything that is not a directory.
  return realpathSync.native(`${resolve(from, path)}/`)
}

function toDiscoveryFault(path: string, error: unknown): Fault {
  const fault = error instanceof Fault ? error : unusableAnswer(error)
  const required = (reason: NoWorktree, found: string) => gitRepositoryRequired({ path, reason, found }, fault)
  switch (fault.code) {
    case gitRepositoryRequired.code:
      return fault
    case gitTimeout.code:
    case gitInterrupted.code:
      return gitRepositoryUnavailable({ path, problem: fault.message }, fault)
    case gitMissing.code:
      return required('git_missing', fault.message)
    case textNotUtf8.code:
      return required('path_not_text', '')
    default:
      return required('git_failed', fault.message)
  }
}

function unusableAnswer(error: unknown): Fault {
  return gitFailed(
    { command: 'git rev-parse', problem: `it names a directory that cannot be used: ${systemReason(error)}` },
    error,
  )
}

type WorktreeDirectories = Pick<WorkspaceIdentity, 'worktree_root' | 'git_dir' | 'git_common_dir'>

/** The identity of a worktree. The directories must be absolute and without links. */
export function identifyWorkspace({ worktree_root, git_dir, git_common_dir }: WorktreeDirectories): WorkspaceIdentity {
  const places = { worktree_root, git_dir, git_common_dir }
  return { version: 1, ...places, id: digestSections([['version', '1'], ...Object.entries(places)]) }
}

/** The directory of the repository that a worktree belongs to. */
export function repositoryOf({ git_common_dir: shared }: Pick<WorkspaceIdentity, 'git_common_dir'>): string {
  return shared.replace(/\/\.git$/, '')
}

/** Two worktrees of one repository share `git_common_dir` but are different workspaces. */
export function isSameWorkspace(one: WorkspaceIdentity, other: WorkspaceIdentity): boolean {
  const fields = ['version', 'worktree_root', 'git_dir', 'git_common_dir', 'id'] as const
  return fields.every((field) => one[field] === other[field])
}
