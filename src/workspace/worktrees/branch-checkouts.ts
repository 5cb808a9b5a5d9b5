/** Which worktrees of a repository have a branch checked out, and how a branch is moved in them. */
import { askGit, askGitForOutput, type Git, gitErrorLine, SLOW_GIT_MS } from '../git.ts'
import { askStatus } from '../worktree-status.ts'

type Around = { readonly directory: string; readonly signal: AbortSignal }

/** The branch that is checked out. Undefined: none. */
export async function findBranch(git: Git, around: Around): Promise<string | undefined> {
  const { code, stdout } = await askGit(git, { ...around, args: ['symbolic-ref', '--quiet', 'HEAD'] })
  return code === 0 ? stdout.toString('utf8').trim().replace('refs/heads/', '') : undefined
}

/** The roots of the worktrees that have the branch checked out. One whose directory is gone does not count. */
export async function findCheckouts(git: Git, around: Around, branch: string): Promise<string[]> {
  const args = ['worktree', 'list', '--porcelain'] as const
  const listed = (await askGitForOutput(git, { ...around, args })).toString('utf8').split('\n\n')
  return listed.flatMap((entry) => {
    const lines = entry.split('\n')
    const isThere = lines.includes(`branch refs/heads/${branch}`) && !lines.some((line) => line.startsWith('prunable'))
    return isThere ? (lines[0]?.replace(/^worktree /, '') ?? []) : []
  })
}

/** Tracked files with changes. Untracked files do not count: git overwrites none of them. */
export async function listDirty(git: Git, around: Around): Promise<string[]> {
  const { changed } = await askStatus(git, around)
  return changed.filter(({ category }) => category !== 'untracked').map(({ path }) => path)
}

/** The commit of a ref with exactly this name, such as `refs/heads/main`. Undefined if there is none. */
export async function findTip(git: Git, around: Around, ref: string): Promise<string | undefined> {
  const { code, stdout } = await askGit(git, { ...around, args: ['show-ref', '--verify', '--hash', ref] })
  return code === 0 ? stdout.toString('latin1').trim() : undefined
}

/** The object that a revision names, such as `HEAD` or `HEAD^{tree}`. Throws if there is none. */
export async function resolveRevision(git: Git, around: Around, revision: string): Promise<string> {
  const found = await askGitForOutput(git, { ...around, args: ['rev-parse', '--verify', revision] })
  return found.toString('latin1').trim()
}

export async function isAncestor(git: Git, around: Around, [one, other]: readonly [string, string]): Promise<boolean> {
  return (await askGit(git, { ...around, args: ['merge-base', '--is-ancestor', one, other] })).code === 0
}

type Move = {
  readonly branch: string
  readonly from: string
  readonly to: string
  /** The worktree that has it checked out. */
  readonly root: string | undefined
}

/**
 * Moves a branch forward, with the files of the worktree that has it checked out. Returns why git refuses; then nothing has
 * changed. `git merge` would run hooks of the repository, which drover does not.
 */
export async function moveBranch(
  git: Git,
  around: Around,
  { branch, from, to, root }: Move,
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`
  const quiet = ['--quiet', '--no-stat', '--no-autostash', '--no-verify-signatures'] as const
  const { code, stderr } =
    root === undefined
      ? await askGit(git, { ...around, args: ['update-ref', '-m', 'drover: merge', ref, to, from] })
      : await askGit(
          { ...git, timeoutMs: SLOW_GIT_MS },
          { ...around, directory: root, args: ['merge', '--ff-only', ...quiet, to] },
        )
  if (code !== 0) return gitErrorLine(stderr)
  return (await findTip(git, around, ref)) === to ? undefined : `${branch} was moved by another process`
}

/** Deletes a branch that is still at this commit and is not checked out anywhere. */
export async function deleteBranchAt(
  git: Git,
  around: Around,
  { branch, commit }: { branch: string; commit: string },
): Promise<void> {
  if ((await findCheckouts(git, around, branch)).length > 0) return
  await askGit(git, { ...around, args: ['update-ref', '-d', `refs/heads/${branch}`, commit] })
}
