/** Example messages that together use every branch of every shape of the machine protocol. */
import {
  ACTION,
  action,
  EXAMPLES,
  gitObservation,
  next,
  ROOT,
  RUN,
  runStatus,
  workspaceIdentity,
} from '../../scripts/protocol-examples.ts'
import type { Action } from '../../src/contract/action.shape.ts'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import type { DestructiveAuthorization, DestructiveRequest } from '../../src/contract/destructive.shape.ts'
import { digestScope } from '../../src/contract/destructive.ts'
import type { GitObservation } from '../../src/contract/git-observation.shape.ts'
import type { Next } from '../../src/contract/next.shape.ts'
import { makeVariant } from '../../src/contract/next-variants.ts'
import type { Outcome } from '../../src/contract/outcome.shape.ts'
import type { PinnedSource } from '../../src/contract/pinned-source.shape.ts'
import type { ActionRecord, AnswerRecord } from '../../src/contract/run-record.shape.ts'
import type { LocalRun } from '../../src/contract/run-status.shape.ts'
import type { RunVerdict } from '../../src/contract/run-verdict.shape.ts'
import type { SourceCandidate } from '../../src/contract/source-candidate.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import type { MessageName } from './message-checkers.ts'

const ISSUE_URL = 'https://github.com/ada/weather/issues/7'
const ROLES = ['outcome', 'requirements', 'acceptance_examples', 'constraints', 'non_goals'] as const
/** Two sections per role, so that removing one keeps the role. */
const SECTIONS = ROLES.flatMap((role) => [
  { key: role, role },
  { key: `${role}-2`, role },
])
const KEYS = SECTIONS.map(({ key }) => key)

const scope = {
  request_id: '44444444-4444-4444-8444-444444444444',
  targets: [
    { kind: 'git_ref', value: 'refs/heads/old' },
    { kind: 'path', value: '/home/ada/weather/cache' },
  ],
  impact: 'The cache and an old branch are gone for good.',
} as const

export const destructiveRequest: DestructiveRequest = { ...scope, scope_sha256: digestScope(scope) }

export const destructiveAuthorization: DestructiveAuthorization = {
  ...destructiveRequest,
  originating_action_id: ACTION,
  scope_version: 1,
  confirmed_at: '2026-01-31T10:05:00.123Z',
}

const parent = {
  repository_id: 'R_kgDOB5fHzA',
  issue_id: 'I_kwDOB5fHzM5parent',
  canonical_url: 'https://github.com/ada/plans/issues/1',
}

export const pinnedSource: PinnedSource = {
  source_version: 2,
  parser_version: 2,
  manifest_version: 2,
  profile: 'change/v2',
  provider: 'github',
  host: 'github.com',
  repository_id: 'R_kgDOB5fHzA',
  issue_id: 'I_kwDOB5fHzM5xQ2Yt',
  issue_number: 7,
  canonical_url: ISSUE_URL,
  url_aliases: ['https://github.com/ada/old-weather/issues/7'],
  source_revision: digest('source'),
  manifest_revision: digest('manifest'),
  requirements_revision: digest('requirements'),
  parent_requirements_revision: digest('requirements before'),
  parent,
  title: 'Show the wind in knots',
  sections: SECTIONS.map(({ key, role }, index) => ({
    key,
    role,
    title: `About ${key}`,
    body_sha256: digest(`body ${key}`),
    section_revision: digest(`section ${key}`),
    material_sha256: digest(`material ${key}`),
    bytes: 100 + index,
    provenance: {
      comment_node_id: `IC_${key}`,
      comment_database_id: 1900 + index,
      url: `${ISSUE_URL}#issuecomment-${1900 + index}`,
      author_id: 'MDQ6VXNlcjE=',
      observed_updated_at: '2026-01-31T09:31:00Z',
    },
  })),
}

const projection = {
  candidate_id: 'c4c7d2aa-0f4d-4c1c-8f39-1d2b5a8f7e66',
  source_version: 2,
  parser_version: 2,
  provider: 'github',
  host: 'github.com',
  repository_id: 'R_kgDOB5fHzA',
  issue_id: 'I_kwDOB5fHzM5xQ2Yt',
  issue_number: 7,
  canonical_url: ISSUE_URL,
  url_aliases: [],
  created_at: '2026-01-31T11:00:00Z',
} as const

export const validCandidate: SourceCandidate = {
  ...projection,
  valid: true,
  classification: 'valid',
  classification_code: 'valid_change',
  source_revision: digest('source'),
  requirements_revision: digest('requirements'),
  title: 'Show the wind in knots',
  snapshot: pinnedSource,
}

export const invalidCandidate: SourceCandidate = {
  ...projection,
  valid: false,
  classification: 'invalid',
  classification_code: 'source_section_missing',
  classification_error: 'the comment of the section "outcome" is not there',
  observation_sha256: digest('observation'),
  parent,
}

export const boundAction = {
  ...action,
  kind: 'review',
  source: {
    kind: 'change_issue',
    canonical_url: ISSUE_URL,
    issue_id: pinnedSource.issue_id,
    source_revision: pinnedSource.source_revision,
    manifest_revision: pinnedSource.manifest_revision,
    requirements_revision: pinnedSource.requirements_revision,
  },
  requirements: {
    requirements_revision: pinnedSource.requirements_revision,
    sections: pinnedSource.sections.map(({ key, role, title, section_revision, material_sha256, bytes }) => ({
      key,
      role,
      title,
      section_revision,
      material_sha256,
      bytes,
    })),
    required_for_action: [...KEYS],
    reader: {
      operation: 'read_material',
      base_argv: ['drover', 'protocol', 'material', '--root', ROOT, '--run', RUN, '--action', ACTION],
      input: { name: 'section', type: 'enum', flag: '--section', required: true, choices: [...KEYS] },
    },
  },
} as const satisfies Action

const { source, requirements } = boundAction

/** The six forms of an action, in the order of the documentation. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  'ad hoc, not implement': action,
  'issue-bound, not implement': boundAction,
  'ad hoc implement': { ...action, kind: 'implement' },
  'issue-bound implement': { ...action, kind: 'implement', source, requirements },
  'ad hoc authorized implement': {
    ...action,
    kind: 'implement',
    destructive_authorization: destructiveAuthorization,
  },
  'issue-bound authorized implement': {
    ...action,
    kind: 'implement',
    source,
    requirements,
    destructive_authorization: destructiveAuthorization,
  },
}

const report = {
  contract_version: 2,
  action_id: ACTION,
  summary: 'Done.',
  observations: [''],
  known_issues: ['The wind is sometimes negative.'],
  suggested_actions: [],
  pause: null,
  implementation: null,
  review: null,
} as const

const work = {
  files_changed: ['src/wind.ts', ''],
  activities: [{ kind: 'test', command: 'npm test', exit_code: -9, summary: 'It was killed.' }],
  uncertainties: [''],
  attempts: 1,
} as const

const finding = { location: 'src/wind.ts:7', summary: 'Rounds twice', detail: 'The second rounding loses a knot.' }

export const decision = {
  reason: 'decision_required',
  question: 'Knots or metres per second?',
  destructive_request: null,
} as const
export const environment = { ...decision, reason: 'environment_unavailable' } as const
export const destruction = {
  reason: 'destructive_confirmation_required',
  question: 'May the cache go?',
  destructive_request: destructiveRequest,
} as const

/** One outcome for each row of the outcome table, in its order. */
export const OUTCOMES: Readonly<Record<string, Outcome>> = {
  'orient completed': EXAMPLES.outcome,
  'orient partial': { ...report, action_kind: 'orient', status: 'partial' },
  'orient error': { ...report, action_kind: 'orient', status: 'error' },
  'orient needs_input': { ...report, action_kind: 'orient', status: 'needs_input', pause: decision },
  'clarify completed': { ...report, action_kind: 'clarify', status: 'completed' },
  'clarify error': { ...report, action_kind: 'clarify', status: 'error' },
  'clarify needs_input': { ...report, action_kind: 'clarify', status: 'needs_input', pause: environment },
  'implement completed': {
    ...report,
    action_kind: 'implement',
    status: 'completed',
    implementation: { ...work, result: 'applied' },
  },
  'implement partial': {
    ...report,
    action_kind: 'implement',
    status: 'partial',
    implementation: { ...work, result: 'partial' },
  },
  'implement error': {
    ...report,
    action_kind: 'implement',
    status: 'error',
    implementation: { ...work, result: 'unable' },
  },
  'implement needs_input': { ...report, action_kind: 'implement', status: 'needs_input', pause: destruction },
  'review completed': {
    ...report,
    action_kind: 'review',
    status: 'completed',
    review: { result: 'findings_reported', findings: [finding], uncertainties: [''] },
  },
  'review partial': {
    ...report,
    action_kind: 'review',
    status: 'partial',
    review: { result: 'inconclusive', findings: [finding], uncertainties: [] },
  },
  'review error': {
    ...report,
    action_kind: 'review',
    status: 'error',
    review: { result: 'error', findings: [], uncertainties: [] },
  },
  'summarize completed': { ...report, action_kind: 'summarize', status: 'completed' },
  'summarize error': { ...report, action_kind: 'summarize', status: 'error' },
}

const FURTHER_OUTCOMES: readonly Outcome[] = [
  {
    ...report,
    action_kind: 'review',
    status: 'completed',
    review: { result: 'no_findings_reported', findings: [], uncertainties: [] },
  },
  { ...report, action_kind: 'orient', status: 'needs_input', pause: environment },
  {
    ...report,
    action_kind: 'implement',
    status: 'needs_input',
    pause: { ...decision, supersedes_answer_action_id: 'a' },
  },
  { ...report, action_kind: 'implement', status: 'needs_input', pause: environment },
]

const none: Next = { operation: 'none', workspace_identity: workspaceIdentity.id, variants: [] }

const installKiro: Next = {
  operation: 'command',
  workspace_identity: workspaceIdentity.id,
  variants: [makeVariant('install-kiro', { ROOT })],
}

/** The six forms of details, in the order of the documentation. */
export const DETAILS: Readonly<Record<string, NonNullable<CliError['details']>>> = {
  mutation: {
    phase: 'journal_sync',
    committed: false,
    projection_stale: false,
    namespace_detached: false,
    ambiguous: true,
  },
  'run state': { run_id: RUN, state: 'active' },
  'workspace identity': {
    expected_workspace_identity: digest('expected'),
    observed_workspace_identity: digest('observed'),
    discovery_error: 'git was not found',
  },
  'source issue mismatch': { run_id: RUN, state: 'paused', pinned_issue_id: 'I_1', refreshed_issue_id: 'I_2' },
  'adapter mutation': {
    transaction_outcome: 'rolled_back',
    report: { ...EXAMPLES.changeReport, transaction_outcome: 'rolled_back', written: [], removed: [] },
  },
  'journal record limit': { context: 'event payload', size: 4_128_769, limit: 4_128_768 },
}

const answer: AnswerRecord = {
  action_id: ACTION,
  text: '',
  confirm_destructive: true,
  scope_sha256: destructiveRequest.scope_sha256,
  payload_sha256: digest('answer'),
  active: false,
  source_revision: pinnedSource.source_revision,
  requirements_revision: pinnedSource.requirements_revision,
  superseded_by: 'requirements:x',
  at: '2026-01-31T10:05:00Z',
}

export const RECORDS: Readonly<Record<string, ActionRecord>> = {
  'an action without an outcome': { action, voided: true, skipped: false },
  'an action with an outcome': {
    action,
    outcome: EXAMPLES.outcome,
    outcome_payload_sha256: digest('outcome'),
    skipped: true,
  },
  'a review that was skipped': {
    action: boundAction,
    skipped: true,
    review_projection: { result: 'not_run', findings: [], uncertainties: [] },
  },
}

const RESUMES = [
  { operation: 'source_candidate_created', budget_applied: false, candidate_id: 'c' },
  { operation: 'source_amended', budget_applied: true, candidate_id: 'c' },
  { operation: 'source_pinned', budget_applied: true, candidate_id: 'c' },
  { operation: 'ad_hoc_resumed', budget_applied: true },
] as const

const partlySeen: GitObservation = {
  ...gitObservation,
  path_count: 9,
  details_truncated: true,
  content_observation_complete: false,
  content_byte_limit_exceeded: true,
  path_observations: [{ path: 'notes.txt', category: 'untracked', state: '??', observation: 'missing' }],
}

const verdict: RunVerdict = {
  word: 'delivered, look first',
  line: 'delivered, look first: test deleted: wind.test.js',
  exit_code: 5,
  reason: 'test deleted: wind.test.js',
  next: `drover report ${RUN}`,
  look_first: ['test deleted: wind.test.js'],
  exists: {
    branch: 'drover/wind-1',
    commit: 'c0ffee',
    pull_request: 'https://github.com/ada/weather/pull/8',
    worktree: ROOT,
    follow_up: RUN,
  },
}

const fullRun: LocalRun = {
  ...runStatus,
  verdict,
  workspace_foreign: false,
  state: 'paused',
  pause_reason: 'decision_required',
  current_git: partlySeen,
  pinned_source: pinnedSource,
  source_candidate: validCandidate,
  last_source_choice: { candidate_id: 'c', choice: 'pinned', resulting_action_id: ACTION, at: '2026-01-31T10:05:00Z' },
  current_action: boundAction,
  actions: Object.values(RECORDS),
  pending_actions: [{ kind: 'summarize', brief: 'Say what was done.' }],
  answers: [answer],
  observations: ['source_pinned'],
  known_issues: ['The wind is sometimes negative.'],
  uncertainties: [''],
  activities: [{ kind: 'lint', command: 'npm run lint', exit_code: 0, summary: 'Clean.' }],
  summary: 'The wind is in knots.',
  pending_destructive_request: destructiveRequest,
  destructive_grant: destructiveAuthorization,
}

export type Example = { message: MessageName; name: string; value: object }

const several = (message: MessageName, values: Readonly<Record<string, object>> | readonly object[]): Example[] =>
  Object.entries(values).map(([name, value]) => ({ message, name, value }))

export const ALL_EXAMPLES: readonly Example[] = [
  ...Object.entries(EXAMPLES).map(([message, value]) => ({
    message: message as MessageName,
    name: 'documented',
    value,
  })),
  ...several('action', ACTIONS),
  ...several('outcome', OUTCOMES),
  ...several('outcome', FURTHER_OUTCOMES),
  ...several('rawSourceEnvelope', [{ ...EXAMPLES.rawSourceEnvelope, parent, labels: [], comments: [] }]),
  ...several('protocolState', {
    'an active run that was resumed': {
      ...EXAMPLES.protocolState,
      resume_operation: 'ad_hoc_resumed',
      budget_applied: true,
    },
    'a run that ended': { ...EXAMPLES.protocolState, state: 'ended', summary: 'The wind is in knots.', next: none },
    'a run that waits for a choice': {
      contract_version: 2,
      run_id: RUN,
      state: 'paused',
      pause_reason: 'decision_required',
      next: none,
      pinned_source: pinnedSource,
      source_candidate: invalidCandidate,
      resume_operation: 'source_candidate_created',
      budget_applied: false,
    },
  }),
  ...several(
    'cliError',
    Object.fromEntries(
      Object.entries(DETAILS).map(([name, details]) => [name, { ...EXAMPLES.cliError, next: installKiro, details }]),
    ),
  ),
  ...several('runStatus', [
    fullRun,
    ...RESUMES.map((last_resume_result) => ({ ...runStatus, last_resume_result, next })),
  ]),
  ...several('statusList', [{ ...EXAMPLES.statusList, runs: [runStatus] }]),
]
