import { gitRepositoryRequired, type NoWorktree } from '../../../workspace/faults.ts'
import type { DiagnosticCheck } from './doctor-check.ts'
import { defineFinding } from './finding.ts'

const REPOSITORY = { group: 'Repository', name: 'repository' } as const

export const repositoryOk = defineFinding({
  ...REPOSITORY,
  code: 'repository_ok',
  status: 'ok',
  means: 'The directory is inside a git worktree. The detail is the root of the worktree.',
})

export const repositoryMissing = defineFinding({
  ...REPOSITORY,
  code: 'repository_missing',
  status: 'warning',
  means:
    'The directory is not inside a git worktree. Hosts and runs were not checked. Prompts and the server need no repository.',
  todo: 'name a worktree with --root to check its hosts and runs',
})

export const repositoryUnusable = defineFinding({
  ...REPOSITORY,
  code: 'repository_unusable',
  status: 'error',
  means: 'Git cannot identify the worktree, or `--root` is not inside one. Hosts and runs were not checked.',
  todo: 'fix that and run drover doctor again',
})

/** Outside of a repository is only a warning, unless `--root` was given. */
export const checkRepository: DiagnosticCheck = async (context) => {
  const repository = await context.repository
  if (repository.is === 'found') return [repositoryOk({ detail: repository.value.worktree_root })]
  const { code, details, message } = repository.why
  const reason = code === gitRepositoryRequired.code ? (details as { reason: NoWorktree }).reason : undefined
  if (reason !== 'not_a_repository' || context.root !== undefined) return [repositoryUnusable({ detail: message })]
  return [repositoryMissing({ detail: `${(details as { path: string }).path} is not inside a git worktree` })]
}
