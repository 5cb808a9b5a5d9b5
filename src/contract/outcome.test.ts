import { describe, expect, it } from 'vitest'
import {
  decision,
  destruction,
  destructiveRequest,
  environment,
  OUTCOMES,
} from '../../test/support/contract-examples.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { digestScope } from './destructive.ts'
import { checkOutcome } from './outcome.ts'

type Row = {
  kind: string
  status: string[]
  implementation?: string[]
  review?: string[]
  pause?: string[]
  suggestions?: number
}

const INPUT = { status: ['needs_input'], pause: ['decision_required', 'environment_unavailable'] }

/** The table of the protocol, in its order. A missing column is null or empty. */
const TABLE: readonly Row[] = [
  { kind: 'orient', status: ['completed', 'partial', 'error'], suggestions: 1 },
  { kind: 'orient', ...INPUT },
  { kind: 'clarify', status: ['completed', 'error'], suggestions: 1 },
  { kind: 'clarify', ...INPUT },
  { kind: 'implement', status: ['completed'], implementation: ['applied', 'not_needed'] },
  { kind: 'implement', status: ['partial'], implementation: ['partial'] },
  { kind: 'implement', status: ['error'], implementation: ['unable'] },
  { kind: 'implement', status: ['needs_input'], pause: [...INPUT.pause, 'destructive_confirmation_required'] },
  { kind: 'review', status: ['completed'], review: ['no_findings_reported 0', 'findings_reported 1'] },
  { kind: 'review', status: ['partial'], review: ['inconclusive 0', 'inconclusive 1'] },
  { kind: 'review', status: ['error'], review: ['error 0', 'error 1'] },
  { kind: 'summarize', status: ['completed', 'error'] },
]

const KINDS = ['orient', 'clarify', 'implement', 'review', 'summarize']
const STATUSES = ['completed', 'needs_input', 'partial', 'error']

const report = { contract_version: 2, action_id: 'a', summary: 'Done.', observations: [], known_issues: [] }
const suggestion = { kind: 'implement', brief: 'Do it.' }
const work = { files_changed: [], activities: [], uncertainties: [], attempts: 1 }
const finding = { location: 'a.ts:1', summary: 'Wrong', detail: 'It is wrong.' }

const IMPLEMENTATIONS = new Map<string, unknown>([
  ['null', null],
  ...['applied', 'partial', 'not_needed', 'unable'].map((result): [string, unknown] => [result, { ...work, result }]),
])
const REVIEWS = new Map<string, unknown>([
  ['null', null],
  ...['no_findings_reported', 'findings_reported', 'inconclusive', 'error', 'not_run'].flatMap((result) =>
    [[], [finding]].map((findings): [string, unknown] => [
      `${result} ${findings.length}`,
      { result, findings, uncertainties: [] },
    ]),
  ),
])
const PAUSES = new Map<string, unknown>([
  ['null', null],
  ['decision_required', decision],
  ['environment_unavailable', environment],
  ['destructive_confirmation_required', destruction],
  ['budget_exhausted', { ...decision, reason: 'budget_exhausted' }],
])

describe('the outcome table', () => {
  it.each(Object.entries(OUTCOMES))('has a row for %s', (_name, outcome) => {
    expect(problemsOf(checkOutcome, outcome)).toEqual([])
  })

  const pairs = KINDS.flatMap((kind) => STATUSES.map((status) => ({ kind, status })))
  it.each(pairs)('decides which fields $kind $status may have', (pair) => {
    const wrong = combinationsOf(pair).filter(({ outcome, isLegal }) => {
      return (problemsOf(checkOutcome, outcome).length === 0) !== isLegal
    })
    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  it.each([
    ['clarify', 'partial', 'must be one of "completed", "error", "needs_input"'],
    ['review', 'needs_input', 'must be one of "completed", "partial", "error"'],
    ['summarize', 'partial', 'must be one of "completed", "error"'],
    ['summarize', 'needs_input', 'must be one of "completed", "error"'],
  ])('reports the status of %s %s', (action_kind, status, rule) => {
    const outcome = { ...OUTCOMES['summarize completed'], action_kind, status }
    expect(problemsOf(checkOutcome, outcome)).toEqual([{ path: '$.status', rule }])
  })

  it.each([
    ['an unknown kind', { action_kind: 'rest' }, '$.action_kind'],
    ['an unknown status', { status: 'done' }, '$.status'],
    ['another version', { contract_version: 3 }, '$.contract_version'],
    [
      'a suggestion of a kind that is not for suggestions',
      { suggested_actions: [{ kind: 'orient', brief: 'x' }] },
      '$.suggested_actions[0].kind',
    ],
    ['a list that is null', { observations: null }, '$.observations'],
  ])('refuses %s', (_name, change, path) => {
    const problems = problemsOf(checkOutcome, { ...OUTCOMES['orient completed'], ...change })
    expect(problems.map((problem) => problem.path)).toEqual([path])
  })
})

function combinationsOf({ kind, status }: { kind: string; status: string }) {
  const row = TABLE.find((each) => each.kind === kind && each.status.includes(status))
  const allows = (allowed: string[] | undefined, name: string) => (allowed ?? ['null']).includes(name)
  return [...IMPLEMENTATIONS].flatMap(([implementation, given]) =>
    [...REVIEWS].flatMap(([review, reviewed]) =>
      [...PAUSES].flatMap(([pause, waiting]) =>
        [0, 1, 2].map((suggestions) => ({
          name: `${implementation}, ${review}, ${pause}, ${suggestions}`,
          outcome: {
            ...report,
            action_kind: kind,
            status,
            implementation: given,
            review: reviewed,
            pause: waiting,
            suggested_actions: Array.from({ length: suggestions }, () => suggestion),
          },
          isLegal:
            row !== undefined &&
            allows(row.implementation, implementation) &&
            allows(row.review, review) &&
            allows(row.pause, pause) &&
            suggestions <= (row.suggestions ?? 0),
        })),
      ),
    ),
  )
}

describe('a pause', () => {
  const paused = (pause: unknown) => ({ ...OUTCOMES['implement needs_input'], pause })

  it.each([
    ['a decision', decision, []],
    ['a decision that supersedes', { ...decision, supersedes_answer_action_id: 'a' }, []],
    [
      'a decision with a request',
      { ...decision, destructive_request: destructiveRequest },
      ['$.pause.destructive_request'],
    ],
    [
      'a decision that supersedes null',
      { ...decision, supersedes_answer_action_id: null },
      ['$.pause.supersedes_answer_action_id'],
    ],
    ['an environment', environment, []],
    [
      'an environment that supersedes',
      { ...environment, supersedes_answer_action_id: 'a' },
      ['$.pause.supersedes_answer_action_id'],
    ],
    [
      'an environment with a request',
      { ...environment, destructive_request: destructiveRequest },
      ['$.pause.destructive_request'],
    ],
    ['a destruction', destruction, []],
    ['a destruction without a request', { ...destruction, destructive_request: null }, ['$.pause.destructive_request']],
    [
      'a destruction that supersedes',
      { ...destruction, supersedes_answer_action_id: 'a' },
      ['$.pause.supersedes_answer_action_id'],
    ],
    ['a spent budget', { ...decision, reason: 'budget_exhausted' }, ['$.pause.reason']],
  ])('for %s is checked by its reason', (_name, pause, paths) => {
    expect(problemsOf(checkOutcome, paused(pause)).map(({ path }) => path)).toEqual(paths)
  })
})

describe('a destructive request', () => {
  const asking = (change: object) => {
    const request = { ...destructiveRequest, ...change }
    const scope_sha256 = 'scope_sha256' in change ? change.scope_sha256 : digestScope(request)
    return {
      ...OUTCOMES['implement needs_input'],
      pause: { ...destruction, destructive_request: { ...request, scope_sha256 } },
    }
  }
  const target = (kind: string, value: string) => ({ kind, value })
  const ORDER = 'must come after the one before it by kind and value'

  it.each([
    ['one target', [target('path', '/a')], []],
    [
      'kinds in the order of their bytes',
      ['data_domain', 'external_resource', 'git_ref', 'path'].map((kind) => target(kind, 'x')),
      [],
    ],
    ['values in the order of their UTF-8 bytes', [target('path', '\uffff'), target('path', '😀')], []],
    ['values in the order of UTF-16', [target('path', '😀'), target('path', '\uffff')], ['$.targets[1]']],
    ['kinds out of order', [target('path', 'a'), target('git_ref', 'b')], ['$.targets[1]']],
    ['values out of order', [target('path', 'a'), target('path', 'c'), target('path', 'b')], ['$.targets[2]']],
    ['a target twice', [target('path', 'a'), target('path', 'a')], ['$.targets[1]']],
  ])('with %s', (_name, targets, paths) => {
    const expected = paths.map((path) => ({ path: path.replace('$', '$.pause.destructive_request'), rule: ORDER }))
    expect(problemsOf(checkOutcome, asking({ targets }))).toEqual(expected)
  })

  it('has the digest of its scope, which the refusal names', () => {
    const wrong = asking({ scope_sha256: `sha256:${'0'.repeat(64)}` })
    expect(problemsOf(checkOutcome, wrong)).toEqual([
      {
        path: '$.pause.destructive_request.scope_sha256',
        rule: `must be the digest of this scope, ${destructiveRequest.scope_sha256}`,
      },
    ])
  })

  it.each([
    ['44444444-4444-4444-8444-444444444444', true],
    ['44444444-4444-1444-b444-444444444444', true],
    ['00000000-0000-0000-0000-000000000000', false],
    ['44444444-4444-4444-c444-444444444444', false],
    ['44444444-4444-4444-8444-44444444444A', false],
    ['44444444444444448444444444444444', false],
  ])('has a UUID as its id: %s', (request_id, isAccepted) => {
    expect(problemsOf(checkOutcome, asking({ request_id })).length === 0).toBe(isAccepted)
  })
})
