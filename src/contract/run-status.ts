import { checker, type Problem, type Rule, within } from '../kit/schema.ts'
import { actionRules } from './action.ts'
import { destructiveRules } from './destructive.ts'
import { gitObservationRules } from './git-observation.ts'
import { nextRules } from './next.ts'
import { outcomeRules } from './outcome.ts'
import { pinnedSourceRules } from './pinned-source.ts'
import type { ActionRecord } from './run-record.shape.ts'
import type { RunStatus, StatusList } from './run-status.shape.ts'
import { validateRunStatus, validateStatusList } from './runs.generated.js'
import { sourceCandidateRules } from './source-candidate.ts'

const actionRecordRules: readonly Rule<ActionRecord>[] = [
  within('action', actionRules),
  within('outcome', outcomeRules),
]

function workspaceIsTheWorktree({ workspace, workspace_identity }: RunStatus): Problem[] {
  return workspace === workspace_identity.worktree_root
    ? []
    : [{ path: '$.workspace', rule: `must be workspace_identity.worktree_root, ${workspace_identity.worktree_root}` }]
}

const runStatusRules: readonly Rule<RunStatus>[] = [
  workspaceIsTheWorktree,
  within('initial_git', gitObservationRules),
  within('current_git', gitObservationRules),
  within('pinned_source', pinnedSourceRules),
  within('source_candidate', sourceCandidateRules),
  within('current_action', actionRules),
  within('actions', actionRecordRules),
  within('pending_destructive_request', destructiveRules),
  within('destructive_grant', destructiveRules),
  within('next', nextRules),
]

export const checkRunStatus = checker<RunStatus>('runStatus', validateRunStatus, runStatusRules)

export const checkStatusList = checker<StatusList>('statusList', validateStatusList, [within('runs', runStatusRules)])
