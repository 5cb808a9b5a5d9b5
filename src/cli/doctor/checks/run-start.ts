/** Whether a driven run can start in the repository, and what would test its work. No check is run. */
import { findPaths } from '../../../config/paths.ts'
import { settingsForUser } from '../../../config/projects/projects.ts'
import type { WorkspaceIdentity } from '../../../contract/workspace-identity.shape.ts'
import { whyNoScript } from '../../../drive/run-checks.ts'
import { refuseMissingProgram } from '../../../drive/start/drive-options.ts'
import { toErrorMessage } from '../../../kit/fault.ts'
import { askGit } from '../../../workspace/git.ts'
import { toPrintable } from '../../output/printable.ts'
import { type CheckContext, inWorktree } from './doctor-check.ts'
import { defineFindings, type Finding, ok, warning } from './finding.ts'

export const RUN_START = defineFindings('Repository', 'checks', {
  repository_empty: warning('The repository has no commit, so no run can start.', 'make a first commit'),
  checks_saved: ok('What tests the work of a run: the checks saved for the repository, or those in `drive.checks`.'),
  checks_none: warning(
    'No checks are saved for the repository, and `drive.checks` has none: without `--check`, nothing tests the work of a run.',
    'run drover init to choose them',
  ),
  check_not_runnable: warning(
    'The program or the npm script of a saved check or setup does not exist.',
    'correct it with drover init',
  ),
})

/** Another check reports settings and homes that are invalid. */
export const checkRunStart = inWorktree(async (workspace, context) => {
  const config = await context.config
  if (config.is === 'missing') return []
  const { worktree_root: root, git_common_dir: repository } = workspace
  const place = { home: findPaths(context.configEnvironment).projects, repository, root }
  const { checks, setup } = settingsForUser(config.value.config, place).drive
  const saved = `checks: ${checks.map((check) => toPrintable(check)).join(', ')}`
  return [
    ...((await hasCommit(workspace, context)) ? [] : [RUN_START.repository_empty({ detail: 'no commit yet' })]),
    checks.length === 0
      ? RUN_START.checks_none({ detail: 'no checks are saved, so nothing would be tested' })
      : RUN_START.checks_saved({ detail: saved }),
    ...[...setup.slice(0, 1), ...checks].flatMap((command) => findGap(command, { root, env: context.runtime.env })),
  ]
})

function findGap(command: string, { root, env }: { root: string; env: CheckContext['runtime']['env'] }): Finding[] {
  const problem = whyNoScript(command, root) ?? whyNoProgram(command, env)
  return problem === undefined ? [] : [RUN_START.check_not_runnable({ detail: toPrintable(problem) })]
}

function whyNoProgram(command: string, env: CheckContext['runtime']['env']): string | undefined {
  try {
    refuseMissingProgram(command, env)
    return undefined
  } catch (error) {
    return toErrorMessage(error)
  }
}

async function hasCommit(
  { worktree_root: directory }: WorkspaceIdentity,
  { git, signal }: CheckContext,
): Promise<boolean> {
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] as const
  return (await askGit(git, { directory, args, signal })).code === 0
}
