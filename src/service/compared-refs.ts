/** What became of the work of a comparison, as refs in the repository: they are there also if nothing else is kept. */
import { Fault } from '../kit/fault.ts'
import { askGit, askGitForOutput, type Git } from '../workspace/git.ts'
import type { Worktree } from '../workspace/worktree-records.ts'

/** A ref keeps the commit, also when its branch is merged and deleted. */
const keptRef = (id: string, name: string) => `refs/drover/kept/${id}/${name}`

/** What the work began with. */
const baseRef = (id: string) => `refs/drover/base/${id}`

/** Points to a text with the commit, so that git may still forget the commit itself. */
const droppedRef = (id: string, name: string) => `refs/drover/dropped/${id}/${name}`

type Noted = { git: Git; commit: string; signal: AbortSignal }

/** Call it before the worktree is removed. */
export async function noteKept(worktree: Worktree, { git, commit, signal }: Noted): Promise<void> {
  const { group, label } = worktree
  if (group === undefined || label === undefined) return
  await note(worktree, { git, ref: keptRef(group, label), target: commit, signal })
  await noteBase(worktree, group, { git, signal })
}

async function noteBase(worktree: Worktree, group: string, options: Omit<Noted, 'commit'>): Promise<void> {
  await note(worktree, { ...options, ref: baseRef(group), target: worktree.base })
}

type Ref = Omit<Noted, 'commit'> & { ref: string; target: string }

async function note({ git_common_dir: directory }: Worktree, { git, ref, target, signal }: Ref): Promise<void> {
  await askGitForOutput(git, { directory, args: ['update-ref', ref, target], signal })
}

/** The caller knows the commit anyway, so a failure of git is ignored. */
export async function noteDropped(worktree: Worktree, { git, commit, signal }: Noted): Promise<void> {
  const { group, label, git_common_dir: directory } = worktree
  if (group === undefined || label === undefined) return
  try {
    const args = ['hash-object', '-w', '--stdin'] as const
    const text = await askGitForOutput(git, { directory, args, signal, stdin: `${commit}\n` })
    const id = text.toString('latin1').trim()
    await note(worktree, { git, ref: droppedRef(group, label), target: id, signal })
    await noteBase(worktree, group, { git, signal })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  }
}

type Asked = { git: Git; signal: AbortSignal; repository: string; id: string }

/** The commit that was kept of an agent. */
export async function findKept(asked: Asked, name: string): Promise<string | undefined> {
  return await ask(asked, ['rev-parse', '--verify', '--quiet', `${keptRef(asked.id, name)}^{commit}`])
}

export async function findDropped(asked: Asked, name: string): Promise<string | undefined> {
  return await ask(asked, ['cat-file', 'blob', droppedRef(asked.id, name)])
}

/** The commit that the work began with, if some was kept or dropped. */
export async function findBase(asked: Asked): Promise<string | undefined> {
  return await ask(asked, ['rev-parse', '--verify', '--quiet', `${baseRef(asked.id)}^{commit}`])
}

/** The branch with the kept work, unless it was changed, renamed or deleted. */
export async function findBranch(asked: Asked, commit: string): Promise<string | undefined> {
  const args = ['for-each-ref', `--points-at=${commit}`, '--format=%(refname:short)', 'refs/heads/drover/'] as const
  const [branch = ''] = (await ask(asked, args))?.split('\n') ?? []
  return branch === '' ? undefined : branch
}

/** What git prints; undefined if it fails. The repository may be gone. */
async function ask({ git, signal, repository }: Asked, args: readonly [string, ...string[]]) {
  const asked = await askGit(git, { directory: repository, args, signal }).catch(() => undefined)
  return asked?.code === 0 ? asked.stdout.toString('utf8').trim() : undefined
}
