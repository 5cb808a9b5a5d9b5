/**
 * In which order branches can be merged without conflicts. It is tried in a temporary repository, which borrows the objects of the
 * user's one: nothing is written there, and no merge driver that it names is run.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askGit, askGitForOutput, type Git } from '../../workspace/git.ts'

export type Branch = { readonly branch: string; readonly commit: string }

export type MergeOrder = {
  /** One after the other, they merge without conflicts. */
  readonly order: readonly string[]
  /** The others, with the files in conflict. */
  readonly conflicts: readonly { readonly branch: string; readonly paths: readonly string[] }[]
}

type Repository = { readonly git: Git; readonly objects: string; readonly signal: AbortSignal }

/** Git needs a name for the commits between, which are thrown away. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'drover',
  GIT_AUTHOR_EMAIL: 'drover@localhost',
  GIT_COMMITTER_NAME: 'drover',
  GIT_COMMITTER_EMAIL: 'drover@localhost',
}

/** `onto` is the commit that they are merged into. Undefined if this git cannot try it: before 2.38. */
export async function findMergeOrder(
  { git, objects, signal }: Repository,
  onto: string,
  branches: readonly Branch[],
): Promise<MergeOrder | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-merge-'))
  try {
    const env = { ...git.env, ...NOBODY, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }
    const { pinned: _, ...rest } = git
    const scratch = { git: { ...rest, env, filters: [] }, directory, signal }
    await askGitForOutput(scratch.git, { directory, args: ['init', '--quiet', '--bare', '--template='], signal })
    return await tryAll(scratch, onto, branches)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

type Scratch = { readonly git: Git; readonly directory: string; readonly signal: AbortSignal }

/** The first that merges is merged, and those that did not are tried again at the end. */
async function tryAll(scratch: Scratch, onto: string, branches: readonly Branch[]): Promise<MergeOrder | undefined> {
  const order: string[] = []
  const conflicts: { branch: string; paths: readonly string[] }[] = []
  let head = onto
  for (const { branch, commit } of branches) {
    const tried = await tryMerge(scratch, head, commit)
    if (tried === undefined) return undefined
    if (tried.is === 'conflict') conflicts.push({ branch, paths: tried.paths })
    else {
      order.push(branch)
      head = await commitTree(scratch, tried.tree, [head, commit])
    }
  }
  return { order, conflicts }
}

type Tried = { is: 'clean'; tree: string } | { is: 'conflict'; paths: readonly string[] }

const CLEAN = 0
const CONFLICT = 1

async function tryMerge({ git, directory, signal }: Scratch, head: string, commit: string): Promise<Tried | undefined> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', head, commit] as const
  const { code, stdout } = await askGit(git, { directory, args, signal })
  const [tree = '', ...paths] = stdout.toString('utf8').split('\0').filter(Boolean)
  if (code === CLEAN) return { is: 'clean', tree }
  return code === CONFLICT ? { is: 'conflict', paths } : undefined
}

async function commitTree({ git, directory, signal }: Scratch, tree: string, parents: readonly string[]) {
  const args = ['commit-tree', tree, ...parents.flatMap((each) => ['-p', each]), '-m', 'drover'] as const
  const output = await askGitForOutput(git, { directory, args: [...args] as [string, ...string[]], signal })
  return output.toString('utf8').trim()
}
