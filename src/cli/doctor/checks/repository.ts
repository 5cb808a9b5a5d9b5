import { gitRepositoryRequired, type NoWorktree } from '../../../workspace/faults.ts'
import type { DiagnosticCheck } from './doctor-check.ts'
import { defineFindings, ok, problem, warning } from './finding.ts'

export const REPOSITORY = defineFindings('Repository', 'repository', {
  repository_ok: ok('The directory is inside a git worktree. The detail is the root of the worktree.'),
  repository_missing: warning(
    'The directory is not inside a git worktree. Hosts and runs were not checked. Prompts and the server need no repository.',
    'name a worktree with --root to check its hosts and runs',
  ),
  repository_unusable: problem(
    'Git cannot identify the worktree, or `--root` is not inside one. Hosts and runs were not checked.',
    'fix that and run drover doctor again',
  ),
})

/** Outside of a repository is only a warning, unless `--root` was given. */
export const checkRepository: DiagnosticCheck = async (context) => {
  const repository = await context.repository
  if (repository.is === 'found') return [REPOSITORY.repository_ok({ detail: repository.value.worktree_root })]
  const { code, details, message } = repository.why
  const reason = code === gitRepositoryRequired.code ? (details as { reason: NoWorktree }).reason : undefined
  if (reason !== 'not_a_repository' || context.root !== undefined)
    return [REPOSITORY.repository_unusable({ detail: message })]
  return [
    REPOSITORY.repository_missing({ detail: `${(details as { path: string }).path} is not inside a git worktree` }),
  ]
}
