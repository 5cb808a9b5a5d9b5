/** Commits everything in a worktree on its branch. No hooks run, and the commit is not signed: both can ask or fail. */
import { listSome } from '../../kit/wording.ts'
import { worktreeNotCommitted } from '../faults.ts'
import { askGit, askGitForOutput, type Git, NOT_INTO_SUBMODULES, SLOW_GIT_MS } from '../git.ts'
import { askStatus } from '../worktree-status.ts'
import { addAll } from './add-all.ts'
import { findBranch } from './branch-checkouts.ts'
import { findUntrackedRepositories } from './inspect-worktree.ts'

/** Used if the user has not told git who they are. */
export const OWN_NAME = {
  GIT_AUTHOR_NAME: 'drover',
  GIT_AUTHOR_EMAIL: 'drover@localhost',
  GIT_COMMITTER_NAME: 'drover',
  GIT_COMMITTER_EMAIL: 'drover@localhost',
}
const SHOWN_PATHS = 3

export type CommitOptions = {
  git: Git
  /** The root of the worktree. */
  directory: string
  /** Must be checked out. */
  branch: string
  message: string
  signal: AbortSignal
}

/** The checked-out commit, and whether this call created it: without changes there is nothing to commit. */
export type Committed = { head: string; isNew: boolean }

/** Throws `worktree_not_committed` in a state in which a commit would lose or mix up something. */
export async function commitWorktree(options: CommitOptions): Promise<Committed> {
  await checkBranch(options)
  await checkPaths(options)
  await addAll({ ...around(options), git: patient(options.git) })
  const { code } = await askGit(options.git, {
    ...around(options),
    args: ['diff', '--cached', '--quiet', '--no-ext-diff', NOT_INTO_SUBMODULES],
  })
  if (code === 0) return { head: await readHead(options), isNew: false }
  await commitIndex(options)
  return { head: await readHead(options), isNew: true }
}

async function checkBranch(options: CommitOptions): Promise<void> {
  const branch = await findBranch(options.git, around(options))
  if (branch === options.branch) return
  const found = branch === undefined ? 'on no branch' : `on ${branch}`
  throw refuse(options, `it is ${found} instead of ${options.branch}; run git switch ${options.branch} there`)
}

async function checkPaths(options: CommitOptions): Promise<void> {
  const { changed } = await askStatus(patient(options.git), around(options))
  const unmerged = changed.filter(({ category }) => category.includes('unmerged')).map(({ path }) => path)
  if (unmerged.length > 0)
    throw refuse(options, `merge conflicts in ${listSome(unmerged, SHOWN_PATHS)}; resolve them there`)
  const nested = findUntrackedRepositories(changed)
  if (nested.length === 0) return
  throw refuse(
    options,
    `other git repositories inside: ${listSome(nested, SHOWN_PATHS)}; remove them or add them to .gitignore`,
  )
}

async function commitIndex(options: CommitOptions): Promise<void> {
  const git = patient(options.git)
  const { code } = await askGit(git, { ...around(options), args: ['var', 'GIT_COMMITTER_IDENT'] })
  const args = ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '--cleanup=whitespace', '--file=-'] as const
  const named = code === 0 ? git : { ...git, env: { ...git.env, ...OWN_NAME } }
  await askGitForOutput(named, { ...around(options), args, stdin: options.message })
}

async function readHead(options: CommitOptions): Promise<string> {
  return (await ask(options, ['rev-parse', '--verify', 'HEAD'])).toString('latin1').trim()
}

async function ask(options: CommitOptions, args: readonly [string, ...string[]]): Promise<Buffer> {
  return await askGitForOutput(patient(options.git), { ...around(options), args })
}

function patient(git: Git): Git {
  return { ...git, timeoutMs: SLOW_GIT_MS }
}

function around({ directory, signal }: CommitOptions) {
  return { directory, signal }
}

function refuse({ directory }: CommitOptions, problem: string) {
  return worktreeNotCommitted({ path: directory, problem })
}
