/** In which order branches can be merged without conflicts. */
import {
  commitTree,
  type MergeRepository,
  type MergeScratch,
  tryMerge,
  withMergeScratch,
} from '../../workspace/worktrees/try-merge.ts'

export type Branch = { readonly branch: string; readonly commit: string }

type MergeOrder = {
  /** One after the other, they merge without conflicts. */
  readonly order: string[]
  /** The others, with the files in conflict. */
  readonly conflicts: { branch: string; paths: string[] }[]
}

/** `onto` is the commit that they are merged into. Undefined if this git cannot try it: before 2.38. */
export async function findMergeOrder(
  repository: MergeRepository,
  onto: string,
  branches: readonly Branch[],
): Promise<MergeOrder | undefined> {
  return await withMergeScratch(repository, { stay: false }, (scratch) => tryAll(scratch, onto, branches))
}

/** The first that merges is merged, and those that did not are tried again at the end. */
async function tryAll(
  scratch: MergeScratch,
  onto: string,
  branches: readonly Branch[],
): Promise<MergeOrder | undefined> {
  const order: string[] = []
  const conflicts: { branch: string; paths: string[] }[] = []
  let head = onto
  for (const { branch, commit } of branches) {
    const tried = await tryMerge(scratch, head, commit)
    if (tried === undefined) return undefined
    if (tried.is === 'conflict') conflicts.push({ branch, paths: [...tried.paths] })
    else {
      order.push(branch)
      head = await commitTree(scratch, { tree: tried.tree, parents: [head, commit], message: 'drover' })
    }
  }
  return { order, conflicts }
}
