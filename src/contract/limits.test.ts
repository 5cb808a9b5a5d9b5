import { describe, expect, it } from 'vitest'
import { contractDefinitions } from '../../scripts/contract-schema.ts'
import { EXAMPLES, gitObservation, runStatus } from '../../scripts/protocol-examples.ts'
import {
  boundAction,
  DETAILS,
  destruction,
  destructiveAuthorization,
  invalidCandidate,
  OUTCOMES,
  pinnedSource,
  RECORDS,
} from '../../test/support/contract-examples.ts'
import { checkGitObservation, checkPinnedSource } from '../../test/support/message-checkers.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { digest } from '../kit/digest.ts'
import { checkAction, checkActionMaterial } from './action.ts'
import { digestScope } from './destructive.ts'
import { LIMITS } from './limits.ts'
import { checkNext } from './next.ts'
import { makeVariant } from './next-variants.ts'
import { checkOutcome } from './outcome.ts'
import { checkRawSourceEnvelope } from './raw-source-envelope.ts'
import { checkChangeReport, checkCliError } from './reports.ts'
import { checkRunStatus } from './run-status.ts'
import { checkSourceCandidate } from './source-candidate.ts'

type Check = (value: unknown) => unknown
/** A limit: its place, its keyword and value in the schema, its checker, and a message of that size. */
type Limit = [place: string, word: string, limit: number, check: Check, make: (amount: number) => object]

const { requirements } = boundAction
const [section] = pinnedSource.sections
const [requirement] = requirements.sections
const [comment] = EXAMPLES.rawSourceEnvelope.comments
const [seen] = gitObservation.path_observations
const finding = { location: 'a', summary: 'b', detail: 'c' }
const BYTES = 'x-max-utf8-bytes'

const list = <T>(length: number, item: (index: number) => T) => Array.from({ length }, (_, index) => item(index))
/** A text of that many bytes, with fewer characters. */
const bytes = (amount: number) => 'é'.repeat(Math.floor(amount / 2)) + 'e'.repeat(amount % 2)
const aliases = (amount: number) => list(amount, (index) => `https://github.com/ada/old-${index}/issues/7`)

const withRequirements = (change: object) => ({ ...boundAction, requirements: { ...requirements, ...change } })
/** An action with that many sections; only one of its three lists exceeds the limit. */
const sectionsOfAction = (varied: 'sections' | 'required' | 'choices') => (amount: number) => {
  const all = list(amount, (index) => ({ ...requirement, key: `key-${index}` }))
  const allowed = amount < 1 ? [requirement] : all.slice(0, 64)
  const of = (name: typeof varied) => (name === varied ? all : allowed)
  const keysOf = (name: typeof varied) => of(name).map((each) => each?.key)
  const reader = { ...requirements.reader, input: { ...requirements.reader.input, choices: keysOf('choices') } }
  return withRequirements({ sections: of('sections'), required_for_action: keysOf('required'), reader })
}
const commentOf = (database_id: number) => {
  const { canonical_url } = EXAMPLES.rawSourceEnvelope
  return { ...comment, node_id: `IC_${database_id}`, database_id, url: `${canonical_url}#issuecomment-${database_id}` }
}
const pinnedSectionOf = (index: number) => {
  const [id, role] = [index + 1, pinnedSource.sections[(index * 2) % 10]?.role]
  const url = `${pinnedSource.canonical_url}#issuecomment-${id}`
  const provenance = { ...section?.provenance, comment_node_id: `IC_${id}`, comment_database_id: id, url }
  return { ...section, key: `key-${index}`, role, bytes: 1, provenance }
}
const firstSection = (change: object) => ({
  ...pinnedSource,
  sections: [{ ...section, ...change }, ...pinnedSource.sections.slice(1)],
})
const targets = (amount: number) => list(amount, (index) => ({ kind: 'path', value: `/${index}` }))
const scoped = <T extends { impact: string; request_id: string }>(request: T, amount: number) => {
  const scope = { ...request, targets: targets(amount) }
  return { ...scope, scope_sha256: digestScope(scope) }
}
const envelope = (change: object) => ({ ...EXAMPLES.rawSourceEnvelope, comments: [], ...change })
const run = (change: object) => ({ ...runStatus, ...change })
const observed = (change: object) => ({ ...gitObservation, ...change })
const error = (change: object) => ({ ...EXAMPLES.cliError, details: { ...DETAILS['journal record limit'], ...change } })
const numbered = (issue_number: number) => ({
  issue_number,
  canonical_url: `https://github.com/a/b/issues/${issue_number || 1}`,
})
const projection = (change: object) => {
  const skipped = RECORDS['a review that was skipped']
  return run({ actions: [{ ...skipped, review_projection: { ...skipped?.review_projection, ...change } }] })
}
const offer = (operation: string, variants: object[]) => ({ operation, workspace_identity: digest('w'), variants })
const doctor = makeVariant('run-doctor', { ROOT: '/' })
const outcome = (name: string, change: object) => ({ ...OUTCOMES[name], ...change })
const suggest = (amount: number) => ({ suggested_actions: list(amount, () => ({ kind: 'clarify', brief: 'x' })) })
const review = (result: string, amount: number) =>
  outcome('review completed', { review: { result, findings: list(amount, () => finding), uncertainties: [] } })
const report = EXAMPLES.changeReport

/** The limits that the protocol lists, in its order. Section keys are tested below. */
const LISTED: readonly Limit[] = [
  [
    'rawSourceEnvelope.labels',
    'maxItems',
    100,
    checkRawSourceEnvelope,
    (n) => envelope({ labels: list(n, () => 'x') }),
  ],
  [
    'rawSourceEnvelope.comments',
    'maxItems',
    64,
    checkRawSourceEnvelope,
    (n) => envelope({ comments: list(n, (index) => commentOf(index + 1)) }),
  ],
  [
    'pinnedSource.sections',
    'minItems',
    5,
    checkPinnedSource,
    (n) => ({ ...pinnedSource, sections: list(n, pinnedSectionOf) }),
  ],
  [
    'pinnedSource.sections',
    'maxItems',
    64,
    checkPinnedSource,
    (n) => ({ ...pinnedSource, sections: list(n, pinnedSectionOf) }),
  ],
  [
    'pinnedSource.url_aliases',
    'maxItems',
    64,
    checkPinnedSource,
    (n) => ({ ...pinnedSource, url_aliases: aliases(n) }),
  ],
  [
    'sourceCandidate.url_aliases',
    'maxItems',
    64,
    checkSourceCandidate,
    (n) => ({ ...invalidCandidate, url_aliases: aliases(n) }),
  ],
  ['pinnedSourceSection.bytes', 'minimum', 1, checkPinnedSource, (n) => firstSection({ bytes: n })],
  ['pinnedSourceSection.bytes', 'maximum', 262_144, checkPinnedSource, (n) => firstSection({ bytes: n })],
  ['pinnedSourceSection.title', BYTES, 512, checkPinnedSource, (n) => firstSection({ title: bytes(n) })],
  [
    'sourceCandidate.classification_error',
    BYTES,
    1024,
    checkSourceCandidate,
    (n) => ({ ...invalidCandidate, classification_error: bytes(n) }),
  ],
  ['runStatus.initial_budget', 'minimum', 1, checkRunStatus, (n) => run({ initial_budget: n })],
  [
    'gitObservation.content_byte_limit',
    'minimum',
    1,
    checkGitObservation,
    (n) => observed({ content_byte_limit: n, content_bytes_hashed: 0 }),
  ],
]

/** All other limits, in the order of the schema. */
const OTHERS: readonly Limit[] = [
  ['action.brief', BYTES, 8192, checkAction, (n) => ({ ...boundAction, brief: bytes(n) })],
  ['action.context', BYTES, 131_072, checkAction, (n) => ({ ...boundAction, context: bytes(n) })],
  ['action.remaining_budget', 'minimum', 0, checkAction, (n) => ({ ...boundAction, remaining_budget: n })],
  ['actionMaterialReader.base_argv', 'minItems', 9, checkAction, readerWith],
  ['actionMaterialReader.base_argv', 'maxItems', 9, checkAction, readerWith],
  ['actionMaterialReader.input.choices', 'minItems', 1, checkAction, sectionsOfAction('choices')],
  ['actionMaterialReader.input.choices', 'maxItems', 64, checkAction, sectionsOfAction('choices')],
  [
    'actionMaterialSection.markdown',
    BYTES,
    262_144,
    checkActionMaterial,
    (n) => ({ ...EXAMPLES.actionMaterial, section: { ...EXAMPLES.actionMaterial.section, markdown: bytes(n) } }),
  ],
  ['actionRequirementSection.bytes', 'minimum', 1, checkAction, sectionBytes],
  ['actionRequirementSection.bytes', 'maximum', 262_144, checkAction, sectionBytes],
  ['actionRequirements.required_for_action', 'minItems', 1, checkAction, sectionsOfAction('required')],
  ['actionRequirements.required_for_action', 'maxItems', 64, checkAction, sectionsOfAction('required')],
  ['actionRequirements.sections', 'minItems', 1, checkAction, sectionsOfAction('sections')],
  ['actionRequirements.sections', 'maxItems', 64, checkAction, sectionsOfAction('sections')],
  [
    'changeReport.removed',
    'maxItems',
    0,
    checkChangeReport,
    (n) => ({ ...report, transaction_outcome: 'ambiguous', written: [], removed: list(n, () => 'x') }),
  ],
  [
    'changeReport.written',
    'maxItems',
    0,
    checkChangeReport,
    (n) => ({ ...report, transaction_outcome: 'ambiguous', written: list(n, () => 'x') }),
  ],
  [
    'destructiveAuthorization.targets',
    'minItems',
    1,
    checkRunStatus,
    (n) => run({ destructive_grant: scoped(destructiveAuthorization, n) }),
  ],
  [
    'destructiveRequest.targets',
    'minItems',
    1,
    checkOutcome,
    (n) =>
      outcome('implement needs_input', {
        pause: { ...destruction, destructive_request: scoped(destruction.destructive_request, n) },
      }),
  ],
  ['finishedReview.findings', 'maxItems', 0, checkOutcome, (n) => review('no_findings_reported', n)],
  ['finishedReview.findings', 'minItems', 1, checkOutcome, (n) => review('findings_reported', n)],
  [
    'gitObservation.content_bytes_hashed',
    'minimum',
    0,
    checkGitObservation,
    (n) => observed({ content_bytes_hashed: n }),
  ],
  [
    'gitObservation.path_count',
    'minimum',
    0,
    checkGitObservation,
    (n) => observed({ path_count: n, dirty_files: [], path_observations: [] }),
  ],
  ['journalRecordLimitDetails.limit', 'minimum', 1, checkCliError, (n) => error({ limit: n })],
  ['journalRecordLimitDetails.size', 'minimum', 1, checkCliError, (n) => error({ size: n })],
  [
    'next.variants',
    'maxItems',
    0,
    checkNext,
    (n) =>
      offer(
        'none',
        list(n, () => doctor),
      ),
  ],
  [
    'next.variants',
    'minItems',
    1,
    checkNext,
    (n) =>
      offer(
        'command',
        list(n, () => doctor),
      ),
  ],
  [
    'outcome.implementation.attempts',
    'minimum',
    1,
    checkOutcome,
    (n) =>
      outcome('implement error', { implementation: { ...OUTCOMES['implement error']?.implementation, attempts: n } }),
  ],
  ['outcome.suggested_actions', 'maxItems', 0, checkOutcome, (n) => outcome('summarize error', suggest(n))],
  ['outcome.suggested_actions', 'maxItems', 1, checkOutcome, (n) => outcome('orient error', suggest(n))],
  [
    'pathObservation.size',
    'minimum',
    0,
    checkGitObservation,
    (n) => observed({ path_observations: [{ ...seen, size: n }] }),
  ],
  ['pinnedSource.issue_number', 'minimum', 1, checkPinnedSource, pinnedWithNumber],
  ['rawSourceComment.database_id', 'minimum', 1, checkRawSourceEnvelope, (n) => envelope({ comments: [commentOf(n)] })],
  ['rawSourceEnvelope.issue_number', 'minimum', 1, checkRawSourceEnvelope, (n) => envelope(numbered(n))],
  ['reviewProjection.findings', 'maxItems', 0, checkRunStatus, (n) => projection({ findings: list(n, () => finding) })],
  [
    'reviewProjection.uncertainties',
    'maxItems',
    0,
    checkRunStatus,
    (n) => projection({ uncertainties: list(n, () => 'x') }),
  ],
  ['runStatus.remaining_budget', 'minimum', 0, checkRunStatus, (n) => run({ remaining_budget: n })],
  [
    'sectionProvenance.comment_database_id',
    'minimum',
    1,
    checkPinnedSource,
    (n) =>
      firstSection({
        provenance: {
          ...section?.provenance,
          comment_database_id: n,
          url: `${pinnedSource.canonical_url}#issuecomment-${n}`,
        },
      }),
  ],
  [
    'sourceCandidate.issue_number',
    'minimum',
    1,
    checkSourceCandidate,
    (n) => ({ ...invalidCandidate, ...numbered(n) }),
  ],
  [
    'suggestedAction.brief',
    BYTES,
    8192,
    checkOutcome,
    (n) => outcome('orient error', { suggested_actions: [{ kind: 'clarify', brief: bytes(n) }] }),
  ],
]

const TABLE = [...LISTED, ...OTHERS]

function readerWith(amount: number) {
  const argv: readonly string[] = requirements.reader.base_argv
  return withRequirements({ reader: { ...requirements.reader, base_argv: [...argv, 'x'].slice(0, amount) } })
}

function pinnedWithNumber(issue_number: number) {
  const issue = numbered(issue_number)
  const sections = pinnedSource.sections.map((each) => {
    const url = `${issue.canonical_url}#issuecomment-${each.provenance.comment_database_id}`
    return { ...each, provenance: { ...each.provenance, url } }
  })
  return { ...pinnedSource, ...issue, sections }
}

function sectionBytes(amount: number) {
  const [first, ...others] = requirements.sections
  return withRequirements({ sections: [{ ...first, bytes: amount }, ...others] })
}

/** Tested in next.test.ts. */
const ELSEWHERE = ['nextInput.choices minItems 1', 'nextVariant.base_argv minItems 2']

describe('every limit', () => {
  it('is in this table', () => {
    const listed = TABLE.map(([place, word, limit]) => `${place} ${word} ${limit}`)
    expect([...listed, ...ELSEWHERE].sort()).toEqual(limitsOfSchema().sort())
  })

  it.each(TABLE)('of %s holds: %s %i', (place, word, limit, check, make) => {
    const past = word.startsWith('min') ? limit - 1 : limit + 1
    expect(problemsOf(check, make(limit))).toEqual([])
    const paths = problemsOf(check, make(past)).map(({ path }) => path.replaceAll(/\[\d+\]/g, ''))
    expect(paths).toEqual([expect.stringMatching(`^\\$(\\.\\w+)*\\.${place.split('.').slice(1).join('\\.')}$`)])
  })
})

describe('a lower limit', () => {
  it('does not exist for labels, comments and aliases: they may be empty', () => {
    expect(problemsOf(checkRawSourceEnvelope, envelope({ labels: [], comments: [] }))).toEqual([])
    expect(problemsOf(checkPinnedSource, { ...pinnedSource, url_aliases: [] })).toEqual([])
  })
})

describe('the limits', () => {
  it('have these values, including those that no schema has', () => {
    expect(LIMITS).toEqual({
      outcomeBytes: 1_048_576,
      actionBytes: 262_144,
      briefBytes: 8192,
      contextBytes: 131_072,
      goalBytes: 262_144,
      answerBytes: 262_144,
      envelopeBytes: 16_777_216,
      labels: 100,
      comments: 64,
      fewestSections: 5,
      mostSections: 64,
      sectionKeyCharacters: 64,
      sectionTitleBytes: 512,
      sectionBytes: 262_144,
      bundleBytes: 4_194_304,
      urlAliases: 64,
      classificationErrorBytes: 1024,
      budget: 1000,
    })
  })
})

describe('a text limit', () => {
  it('counts bytes, not characters', () => {
    expect(problemsOf(checkPinnedSource, firstSection({ title: '😀'.repeat(128) }))).toEqual([])
    expect(problemsOf(checkPinnedSource, firstSection({ title: `${'😀'.repeat(128)}e` }))).toEqual([
      { path: '$.sections[0].title', rule: 'must have at most 512 bytes in UTF-8' },
    ])
  })
})

describe('a section key', () => {
  it.each([
    ['a', true],
    ['0', true],
    [`a${'.'.repeat(63)}`, true],
    [`a${'.'.repeat(64)}`, false],
    ['a._-9z', true],
    ['', false],
    ['.a', false],
    ['-a', false],
    ['A', false],
    ['a b', false],
    ['ä', false],
  ])('has 1 to 64 characters and starts with a letter or digit: %j', (key, isAccepted) => {
    expect(problemsOf(checkPinnedSource, firstSection({ key })).length === 0).toBe(isAccepted)
  })
})

const WORDS = ['minimum', 'maximum', 'minItems', 'maxItems', BYTES]

/** Every limit in the definitions, as `definition.field word limit`. */
function limitsOfSchema(): string[] {
  return [...new Set(Object.entries(contractDefinitions()).flatMap(([name, definition]) => limitsIn(definition, name)))]
}

function limitsIn(schema: unknown, place: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([word, part]) => {
    if (WORDS.includes(word)) return [`${place} ${word} ${part}`]
    if (word !== 'properties') return limitsIn(part, place)
    return Object.entries(part).flatMap(([name, field]) => limitsIn(field, `${place}.${name}`))
  })
}
