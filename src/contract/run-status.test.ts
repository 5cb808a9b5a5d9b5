import { describe, expect, it } from 'vitest'
import { EXAMPLES, gitObservation, runStatus } from '../../scripts/protocol-examples.ts'
import {
  ALL_EXAMPLES,
  boundAction,
  destructiveAuthorization,
  destructiveRequest,
  invalidCandidate,
  OUTCOMES,
  pinnedSource,
  RECORDS,
} from '../../test/support/contract-examples.ts'
import { checkGitObservation } from '../../test/support/message-checkers.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { digest } from '../kit/digest.ts'
import { checkProtocolState } from './protocol-state.ts'
import { checkRunStatus, checkStatusList } from './run-status.ts'

const full = ALL_EXAMPLES.find(({ message, name }) => message === 'runStatus' && name === '0')?.value as Record<
  string,
  unknown
>
const [foreign] = EXAMPLES.statusList.runs

const problemsOfRun = (change: object) => problemsOf(checkRunStatus, { ...runStatus, ...change })

/** The fields that a run of another worktree lacks, in the order of the protocol. */
const LOCAL_ONLY = [
  'pause_reason',
  'review_enabled',
  'review_pending',
  'initial_budget',
  'remaining_budget',
  'initial_git',
  'current_git',
  'final_git_observed',
  'pinned_source',
  'source_candidate',
  'last_source_choice',
  'last_resume_result',
  'current_action',
  'actions',
  'pending_actions',
  'answers',
  'observations',
  'known_issues',
  'uncertainties',
  'activities',
  'summary',
  'pending_destructive_request',
  'destructive_grant',
  'updated_at',
]

describe('a run of another worktree', () => {
  it('has exactly nine fields', () => {
    expect(Object.keys(foreign ?? {})).toHaveLength(9)
    expect(problemsOf(checkRunStatus, foreign)).toEqual([])
  })

  it.each(LOCAL_ONLY)('has no %s', (field) => {
    const value = field === 'last_resume_result' ? { operation: 'ad_hoc_resumed', budget_applied: true } : full[field]
    expect(value).toBeDefined()
    expect(problemsOf(checkRunStatus, { ...foreign, [field]: value })).toEqual([
      { path: `$.${field}`, rule: expect.stringContaining('is not a known field') },
    ])
  })
})

describe('a run of this worktree', () => {
  it.each([{}, { workspace_foreign: false }])('has workspace_foreign false or not at all: %j', (said) => {
    expect(problemsOfRun(said)).toEqual([])
  })

  it('requires its fields even if it looks like a foreign one without them', () => {
    const { workspace_foreign: _foreign, ...bare } = foreign ?? {}
    expect(problemsOf(checkRunStatus, bare)).toEqual([{ path: '$.review_enabled', rule: 'is required' }])
  })

  it.each([
    ['initial_git', { ...gitObservation, path_count: 0 }, '$.initial_git.path_count'],
    ['current_git', { ...gitObservation, path_count: 0 }, '$.current_git.path_count'],
    ['pinned_source', { ...pinnedSource, issue_number: 8 }, '$.pinned_source.canonical_url'],
    ['source_candidate', { ...invalidCandidate, issue_number: 8 }, '$.source_candidate.canonical_url'],
    ['current_action', { ...boundAction, run_id: 'x' }, '$.current_action.requirements.reader.base_argv'],
    ['actions', [{ action: { ...boundAction, run_id: 'x' } }], '$.actions[0].action.requirements.reader.base_argv'],
    [
      'pending_destructive_request',
      { ...destructiveRequest, impact: 'x' },
      '$.pending_destructive_request.scope_sha256',
    ],
    ['destructive_grant', { ...destructiveAuthorization, impact: 'x' }, '$.destructive_grant.scope_sha256'],
    ['next', { ...runStatus.next, operation: 'answer' }, '$.next.variants[0].id'],
  ])('is checked with the rules of its %s', (field, value, path) => {
    expect(problemsOfRun({ [field]: value }).map((problem) => problem.path)).toContain(path)
  })

  it('is checked with the rules of the outcomes in its actions', () => {
    const outcome = structuredClone(OUTCOMES['implement needs_input']) as {
      pause: { destructive_request: { impact: string } }
    }
    outcome.pause.destructive_request.impact = 'x'
    const problems = problemsOfRun({ actions: [{ ...RECORDS['an action with an outcome'], outcome }] })
    expect(problems.map(({ path }) => path)).toEqual(['$.actions[0].outcome.pause.destructive_request.scope_sha256'])
  })
})

describe('an action record', () => {
  const { action, outcome, outcome_payload_sha256 } = RECORDS['an action with an outcome'] ?? {}
  const projection = { result: 'not_run', findings: [], uncertainties: [] }
  const review = { action: boundAction, skipped: true, review_projection: projection }
  const finding = { location: 'a', summary: 'b', detail: 'c' }

  it.each([
    ['an action alone', { action }, []],
    ['an outcome with its digest', { action, outcome, outcome_payload_sha256 }, []],
    ['an outcome without its digest', { action, outcome }, ['$.outcome_payload_sha256']],
    ['a digest without its outcome', { action, outcome_payload_sha256 }, ['$.outcome_payload_sha256']],
    ['a skipped review', review, []],
    ['a skipped review that was withdrawn', { ...review, voided: true }, []],
    ['a projection that was not skipped', { ...review, skipped: false }, ['$.skipped']],
    ['a projection of what is no review', { ...review, action }, ['$.action.kind']],
    ['a projection beside an outcome', { ...review, outcome, outcome_payload_sha256 }, ['$.outcome']],
    ['a projection with a digest', { ...review, outcome_payload_sha256 }, ['$.outcome_payload_sha256']],
    [
      'a projection with a result',
      { ...review, review_projection: { ...projection, result: 'error' } },
      ['$.review_projection.result'],
    ],
    [
      'a projection with a finding',
      { ...review, review_projection: { ...projection, findings: [finding] } },
      ['$.review_projection.findings'],
    ],
    [
      'a projection with a doubt',
      { ...review, review_projection: { ...projection, uncertainties: [''] } },
      ['$.review_projection.uncertainties'],
    ],
  ])('of %s', (_name, record, paths) => {
    const places = paths.map((path) => path.replace('$', '$.actions[0]'))
    expect(problemsOfRun({ actions: [record] }).map(({ path }) => path)).toEqual(places)
  })
})

describe('a resume result', () => {
  const OPERATIONS = [
    ['source_candidate_created', false, 'required'],
    ['source_amended', true, 'required'],
    ['source_pinned', true, 'optional'],
    ['ad_hoc_resumed', true, 'absent'],
    ['source_refreshed', true, 'absent'],
    ['source_refresh_skipped', true, 'absent'],
  ] as const

  it.each(OPERATIONS)('of %s has budget_applied %s and candidate_id %s', (operation, budget_applied, candidate) => {
    const isAccepted = (result: object) => problemsOfRun({ last_resume_result: { operation, ...result } }).length === 0
    expect({
      with: isAccepted({ budget_applied, candidate_id: 'c' }),
      without: isAccepted({ budget_applied }),
      opposite: isAccepted({ budget_applied: !budget_applied, ...(candidate === 'required' && { candidate_id: 'c' }) }),
    }).toEqual({ with: candidate !== 'absent', without: candidate !== 'required', opposite: false })
  })

  it('has a known operation', () => {
    expect(problemsOfRun({ last_resume_result: { operation: 'slept', budget_applied: true } })).toEqual([
      {
        path: '$.last_resume_result.operation',
        rule: expect.stringMatching(/^must be one of "source_candidate_created"/),
      },
    ])
  })
})

describe('a run', () => {
  it('has the worktree root of its identity', () => {
    expect(problemsOfRun({ workspace: '/elsewhere' })).toEqual([
      { path: '$.workspace', rule: `must be workspace_identity.worktree_root, ${runStatus.workspace}` },
    ])
  })
})

describe('a protocol state', () => {
  const { action, ...rest } = EXAMPLES.protocolState
  const resumed = { resume_operation: 'ad_hoc_resumed', budget_applied: true }

  it.each([
    ['active', { action }, []],
    ['active', {}, ['$.action']],
    ['paused', { action }, []],
    ['paused', {}, []],
    ['stopped', {}, []],
    ['ended', {}, []],
    ['asleep', {}, ['$.state']],
  ])('%s with %j', (state, fields, paths) => {
    expect(problemsOf(checkProtocolState, { ...rest, state, ...fields }).map(({ path }) => path)).toEqual(paths)
  })

  it.each([
    ['both', resumed, []],
    ['neither', {}, []],
    ['the operation alone', { resume_operation: 'ad_hoc_resumed' }, ['$.budget_applied']],
    ['the budget alone', { budget_applied: true }, ['$.budget_applied']],
    ['an unknown operation', { ...resumed, resume_operation: 'slept' }, ['$.resume_operation']],
    ...['ad_hoc_resumed', 'source_refreshed', 'source_refresh_skipped', 'source_amended', 'source_pinned'].map(
      (resume_operation): [string, object, string[]] => [
        `${resume_operation} without its budget`,
        { resume_operation, budget_applied: false },
        ['$.budget_applied'],
      ],
    ),
    [
      'source_candidate_created with a budget',
      { resume_operation: 'source_candidate_created', budget_applied: true },
      ['$.budget_applied'],
    ],
    [
      'source_candidate_created without one',
      { resume_operation: 'source_candidate_created', budget_applied: false },
      [],
    ],
  ])('has both fields of a resume or none: %s', (_name, fields, paths) => {
    expect(problemsOf(checkProtocolState, { ...EXAMPLES.protocolState, ...fields }).map(({ path }) => path)).toEqual(
      paths,
    )
  })

  it.each([
    ['action', { ...boundAction, run_id: 'x' }, '$.action.requirements.reader.base_argv'],
    ['pinned_source', { ...pinnedSource, issue_number: 8 }, '$.pinned_source.canonical_url'],
    ['source_candidate', { ...invalidCandidate, issue_number: 8 }, '$.source_candidate.canonical_url'],
    ['next', { ...runStatus.next, operation: 'answer' }, '$.next.variants[0].id'],
  ])('is checked with the rules of its %s', (field, value, path) => {
    const problems = problemsOf(checkProtocolState, { ...EXAMPLES.protocolState, [field]: value })
    expect(problems.map((problem) => problem.path)).toContain(path)
  })
})

describe('a status list', () => {
  it('is checked with the rules of its runs', () => {
    const runs = [foreign, { ...runStatus, next: { ...runStatus.next, operation: 'answer' } }]
    const [problem] = problemsOf(checkStatusList, { ...EXAMPLES.statusList, runs })
    expect(problem?.path).toBe('$.runs[1].next.variants[0].id')
  })

  it.each(['run_journal_invalid', 'run_unavailable', 'run_busy', 'run_lost'])(
    'knows why a run is unavailable: %s',
    (code) => {
      const unavailable_runs = [{ id: 'r', code, detail: 'd' }]
      const paths = problemsOf(checkStatusList, { ...EXAMPLES.statusList, unavailable_runs }).map(({ path }) => path)
      expect(paths).toEqual(code === 'run_lost' ? ['$.unavailable_runs[0].code'] : [])
    },
  )
})

describe('a git observation', () => {
  const [seen] = gitObservation.path_observations
  const two = { dirty_files: ['a', 'b'], path_count: 2 }
  const observe = (...paths: string[]) => paths.map((path) => ({ ...seen, path }))

  it.each([
    ['nothing', { dirty_files: [], path_observations: [], path_count: 0 }, []],
    ['two paths', { ...two, path_observations: observe('a', 'b') }, []],
    ['a path of one space', { dirty_files: [' '], path_observations: observe(' ') }, []],
    ['two paths in another order', { ...two, path_observations: observe('b', 'a') }, ['$.path_observations[0].path']],
    [
      'one observation too few',
      { ...two, path_observations: observe('a') },
      ['$.path_observations', '$.details_truncated'],
    ],
    ['a path twice', { ...two, dirty_files: ['a', 'a'], path_observations: observe('a', 'a') }, ['$.dirty_files']],
    ['fewer paths than listed', { path_count: 0 }, ['$.path_count']],
    ['more paths than listed', { path_count: 2 }, ['$.details_truncated']],
    ['more paths than listed, said', { path_count: 2, details_truncated: true }, []],
    ['all listed, and more said', { details_truncated: true }, ['$.details_truncated']],
    ['complete, over the bytes', { content_byte_limit_exceeded: true }, ['$.content_observation_complete']],
    ['complete, over the time', { content_deadline_exceeded: true }, ['$.content_observation_complete']],
    [
      'incomplete, over both',
      { content_observation_complete: false, content_byte_limit_exceeded: true, content_deadline_exceeded: true },
      [],
    ],
    ['as many bytes as allowed', { content_bytes_hashed: 5, content_byte_limit: 5 }, []],
    ['more bytes than allowed', { content_bytes_hashed: 6, content_byte_limit: 5 }, ['$.content_bytes_hashed']],
    ['an empty head', { head: '' }, []],
  ])('of %s', (_name, change, paths) => {
    expect(problemsOf(checkGitObservation, { ...gitObservation, ...change }).map(({ path }) => path)).toEqual(paths)
  })

  it.each([
    ['regular', 'required'],
    ['symlink', 'optional'],
    ['oversize_sampled', 'required'],
    ['content_unobserved', 'optional'],
    ['missing', 'optional'],
    ['non_regular', 'optional'],
    ['unreadable', 'optional'],
  ])('of a path that is %s has a modification time: %s', (observation, presence) => {
    const { modified_unix_nano = 1, ...rest } = { ...(seen ?? { modified_unix_nano: 1 }), observation }
    const isAccepted = (path: object) =>
      problemsOf(checkGitObservation, { ...gitObservation, path_observations: [path] }).length === 0
    expect(isAccepted({ ...rest, modified_unix_nano })).toBe(true)
    expect(isAccepted(rest)).toBe(presence === 'optional')
  })

  it.each([
    ['nanoseconds beyond 2^53', { modified_unix_nano: 1_769_851_800_000_000_001n }, []],
    ['nanoseconds before 1970', { modified_unix_nano: -1 }, []],
    ['nanoseconds that lost their last digits', { modified_unix_nano: 2 ** 53 }, ['modified_unix_nano']],
    ['an unknown fingerprint', { content_fingerprint_kind: 'md5' }, ['content_fingerprint_kind']],
    ['a version', { version: 1 }, ['version']],
    ['a digest without its prefix', { content_sha256: digest('x').slice(7) }, ['content_sha256']],
  ])('of a path with %s', (_name, change, fields) => {
    const value = { ...gitObservation, path_observations: [{ ...seen, ...change }] }
    const places = fields.map((field) => `$.path_observations[0].${field}`)
    expect(problemsOf(checkGitObservation, value).map(({ path }) => path)).toEqual(places)
  })
})
