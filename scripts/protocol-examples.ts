/** An example of every message, for the documentation and for tests. */
import type { Action } from '../src/contract/action.shape.ts'
import type { CliError } from '../src/contract/cli-error.shape.ts'
import type { GitObservation } from '../src/contract/git-observation.shape.ts'
import type { ActionMaterial, PinnedMaterial } from '../src/contract/material.shape.ts'
import type { Next } from '../src/contract/next.shape.ts'
import { makeVariant } from '../src/contract/next-variants.ts'
import type { Outcome } from '../src/contract/outcome.shape.ts'
import type { ProtocolState } from '../src/contract/protocol-state.shape.ts'
import type { RawSourceEnvelope } from '../src/contract/raw-source-envelope.shape.ts'
import type { ChangeReport, DoctorReport, ListReport } from '../src/contract/reports.shape.ts'
import type { LocalRun, StatusList } from '../src/contract/run-status.shape.ts'
import type { WorkspaceIdentity } from '../src/contract/workspace-identity.shape.ts'
import { digest } from '../src/kit/digest.ts'

export const RUN = '5f0c6f0e-7c1b-4a52-9a53-0d5e6a1f2b3c'
export const ACTION = '0b9d7a46-2f58-4d8e-8f3a-6f1f0c2d4e5a'
export const ROOT = '/home/ada/weather'
const ISSUE_URL = 'https://github.com/ada/weather/issues/7'

export const workspaceIdentity: WorkspaceIdentity = {
  version: 1,
  worktree_root: ROOT,
  git_dir: `${ROOT}/.git`,
  git_common_dir: `${ROOT}/.git`,
  id: digest(ROOT),
}

export const next: Next = {
  operation: 'action',
  workspace_identity: workspaceIdentity.id,
  variants: [
    makeVariant('submit-outcome-file', { RUN, ACTION, ROOT }),
    makeVariant('submit-outcome-stdin', { RUN, ACTION, ROOT }),
    makeVariant('skip-action', { RUN, ACTION, ROOT }),
  ],
}

export const action = {
  contract_version: 2,
  run_id: RUN,
  action_id: ACTION,
  kind: 'orient',
  goal: 'Show the wind in knots',
  brief: 'Find out how the repository is built and tested, and what the goal touches.',
  context: 'Decisions:\n(none)\nRecent outcome:\n(none)\nEarlier outcomes:\n(none)\n',
  remaining_budget: 7,
} as const satisfies Action

const actionMaterial: ActionMaterial = {
  contract_version: 2,
  message_type: 'action_material',
  run_id: RUN,
  action_id: ACTION,
  requirements_revision: digest('requirements'),
  section: {
    key: 'outcome',
    role: 'outcome',
    title: 'What will be different',
    section_revision: digest('section outcome'),
    markdown: 'The forecast shows the wind in knots.\n',
  },
}

const pinnedMaterial: PinnedMaterial = {
  contract_version: 2,
  message_type: 'pinned_material',
  run_id: RUN,
  run_state: 'ended',
  source_revision: digest('source'),
  requirements_revision: actionMaterial.requirements_revision,
  section: actionMaterial.section,
}

const rawSourceEnvelope: RawSourceEnvelope = {
  source_version: 2,
  provider: 'github',
  host: 'github.com',
  repository_id: 'R_kgDOB5fHzA',
  issue_id: 'I_kwDOB5fHzM5xQ2Yt',
  issue_number: 7,
  canonical_url: ISSUE_URL,
  updated_at: '2026-01-31T09:30:00Z',
  fetched_at: '2026-01-31T10:00:00Z',
  title: 'Show the wind in knots',
  body: '<!-- drover-level: change/v2 -->\n',
  labels: ['change'],
  comments: [
    {
      node_id: 'IC_kwDOB5fHzM5xQ2Zu',
      database_id: 1907,
      url: `${ISSUE_URL}#issuecomment-1907`,
      updated_at: '2026-01-31T09:31:00Z',
      author_id: 'MDQ6VXNlcjE=',
      is_minimized: false,
      body: '<!-- drover-section:v1 key=outcome -->\nThe forecast shows the wind in knots.\n',
    },
  ],
}

const outcome: Outcome = {
  contract_version: 2,
  action_id: ACTION,
  action_kind: 'orient',
  status: 'completed',
  summary: 'The wind is formatted in one place, src/wind.ts, and its tests run in two seconds.',
  observations: ['`npm test` passes before any change.'],
  known_issues: [],
  suggested_actions: [{ kind: 'implement', brief: 'Format the wind in knots in src/wind.ts and extend its tests.' }],
  pause: null,
  implementation: null,
  review: null,
}

const protocolState: ProtocolState = { contract_version: 2, run_id: RUN, state: 'active', action, next }

const changeReport: ChangeReport = {
  contract_version: 2,
  hosts: ['claude'],
  transaction_outcome: 'committed',
  written: ['.claude/skills/drover-run/SKILL.md'],
  removed: [],
  preserved: [],
  recovery_artifacts: [],
  warnings: [],
}

const listReport: ListReport = {
  contract_version: 2,
  hosts: [
    { id: 'claude', detected: true, installed: true, needs_refresh: false, capabilities: ['run', 'review'] },
    {
      id: 'codex',
      detected: true,
      installed: false,
      needs_refresh: false,
      capabilities: [],
      warning: 'its manifest cannot be read',
    },
  ],
}

const doctorReport: DoctorReport = {
  contract_version: 2,
  checks: [
    { code: 'repository_ok', status: 'ok', host_id: '-', name: 'repository', detail: ROOT },
    {
      code: 'runstore_durability_limited',
      status: 'warning',
      host_id: '-',
      name: 'runstore durability',
      detail: 'file_fsync_only: names in directories are not forced to the disk',
      durability: {
        level: 'file_fsync_only',
        file_sync: true,
        directory_sync: false,
        limitation: 'directory_fsync_unsupported',
      },
    },
  ],
}

export const gitObservation: GitObservation = {
  version: 1,
  head: '9c1185a5c5e9fc54612808977ee8f548b2258d31',
  index_fingerprint: digest('index'),
  status_fingerprint: digest('status'),
  snapshot_hash: digest('snapshot'),
  path_fingerprint: digest('paths'),
  path_count: 1,
  details_truncated: false,
  content_observation_complete: true,
  content_bytes_hashed: 6,
  content_byte_limit: 67_108_864,
  content_byte_limit_exceeded: false,
  content_deadline_exceeded: false,
  dirty_files: ['notes.txt'],
  path_observations: [
    {
      path: 'notes.txt',
      category: 'untracked',
      state: '??',
      observation: 'regular',
      modified_unix_nano: 1_769_851_800_000_000_001n,
      size: 6,
      content_sha256: digest('hello\n'),
      content_fingerprint_kind: 'full_sha256',
    },
  ],
}

export const runStatus: LocalRun = {
  contract_version: 2,
  id: RUN,
  goal: action.goal,
  workspace: ROOT,
  workspace_identity: workspaceIdentity,
  state: 'active',
  review_enabled: true,
  review_pending: false,
  initial_budget: 8,
  remaining_budget: 7,
  initial_git: gitObservation,
  current_git: gitObservation,
  final_git_observed: false,
  current_action: action,
  actions: [{ action }],
  created_at: '2026-01-31T10:00:00Z',
  updated_at: '2026-01-31T10:00:00Z',
  next,
}

const statusList: StatusList = {
  contract_version: 2,
  runs: [
    {
      contract_version: 2,
      id: 'b0c6a3d2-1e0f-4c55-9d6e-7f8a9b0c1d2e',
      goal: 'Name the months',
      workspace: '/home/ada/weather-docs',
      workspace_identity: {
        version: 1,
        worktree_root: '/home/ada/weather-docs',
        git_dir: `${ROOT}/.git/worktrees/weather-docs`,
        git_common_dir: `${ROOT}/.git`,
        id: digest('/home/ada/weather-docs'),
      },
      workspace_foreign: true,
      state: 'paused',
      created_at: '2026-01-30T16:00:00Z',
      next: {
        operation: 'command',
        workspace_identity: digest('/home/ada/weather-docs'),
        variants: [
          makeVariant('inspect-run-in-its-workspace', {
            RUN: 'b0c6a3d2-1e0f-4c55-9d6e-7f8a9b0c1d2e',
            ROOT: '/home/ada/weather-docs',
          }),
        ],
      },
    },
  ],
  unavailable_runs: [{ id: 'old-run', code: 'run_journal_invalid', detail: 'record 12 is not valid JSON' }],
}

const cliError: CliError = {
  contract_version: 2,
  code: 'stale_action',
  message: 'the action is not the current one of the run; submit an outcome for the current action',
  next,
  exit_code: 3,
  details: { run_id: RUN, state: 'active' },
}

export const EXAMPLES = {
  action,
  actionMaterial,
  pinnedMaterial,
  rawSourceEnvelope,
  outcome,
  protocolState,
  cliError,
  changeReport,
  listReport,
  doctorReport,
  runStatus,
  statusList,
}
