import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { type Discovery, discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { gitRepositoryRequired, type NoWorktree } from '../../workspace/faults.ts'
import { defineCheck, type Finding } from './check.ts'

export const repositoryOk = defineCheck({
  code: 'repository_ok',
  group: 'Repository',
  name: 'repository',
  status: 'ok',
  means: 'The place is inside a git worktree; this is its root.',
})

export const repositoryMissing = defineCheck({
  code: 'repository_missing',
  group: 'Repository',
  name: 'repository',
  status: 'warning',
  means: 'The place is in no git worktree. Hosts and runs were not checked; prompts and the server need no repository.',
  todo: 'name a worktree with --root to check its hosts and runs',
})

export const repositoryUnusable = defineCheck({
  code: 'repository_unusable',
  group: 'Repository',
  name: 'repository',
  status: 'error',
  means: 'Git cannot tell the worktree of the place, or `--root` names none. Hosts and runs were not checked.',
  todo: 'mend that and run drover doctor again',
})

/** A worktree, or why there is none. */
export type Place = { is: 'worktree'; workspace: WorkspaceIdentity } | { is: 'none'; why: Fault }

export async function findPlace(discovery: Discovery): Promise<Place> {
  try {
    return { is: 'worktree', workspace: await discoverWorkspace(discovery) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { is: 'none', why: error }
  }
}

/** `isNamed`: somebody said that it is a worktree. */
export function judgePlace(place: Place, { isNamed }: { isNamed: boolean }): Finding[] {
  if (place.is === 'worktree') return [repositoryOk({ detail: place.workspace.worktree_root })]
  const { code, details, message } = place.why
  const reason = code === gitRepositoryRequired.code ? (details as { reason: NoWorktree }).reason : undefined
  if (reason !== 'not_a_repository' || isNamed) return [repositoryUnusable({ detail: message })]
  return [repositoryMissing({ detail: `${(details as { path: string }).path} is not inside a git worktree` })]
}
