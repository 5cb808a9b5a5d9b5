/** Every enumeration and constant of the protocol, in its order. */
import { describe, expect, it } from 'vitest'
import { contractDefinitions } from '../../scripts/contract-schema.ts'
import { MESSAGE_CHECKERS } from '../../test/support/message-checkers.ts'

type Row = readonly [place: string, ...words: unknown[]]

const TRANSACTION: readonly string[] = ['committed', 'rolled_back', 'not_committed', 'ambiguous']
const STATES: readonly string[] = ['active', 'paused', 'stopped', 'ended']
const ROLES: readonly string[] = ['outcome', 'requirements', 'acceptance_examples', 'constraints', 'non_goals']
const RESUMED: readonly string[] = [
  ...['ad_hoc_resumed', 'source_refreshed', 'source_candidate_created'],
  ...['source_refresh_skipped', 'source_amended', 'source_pinned'],
]

const WORDS: readonly Row[] = [
  ['changeReport.transaction_outcome', ...TRANSACTION],
  ['transactionOutcome', ...TRANSACTION],
  ['doctorCheck.status', 'ok', 'warning', 'error'],
  ['doctorDurability.level', 'file_and_directory_fsync', 'file_fsync_only'],
  ['sectionRole', ...ROLES],
  ['pinnedSource.sections.role', ...ROLES],
  ['sourceCandidate.valid', true, false],
  ['sourceCandidate.classification', 'valid', 'invalid'],
  [
    'sourceCandidate.classification_code',
    ...['valid_change', 'objective_marker', 'unsupported_marker', 'change_marker_required', 'source_manifest_invalid'],
    ...['source_section_missing', 'source_section_unexpected', 'source_section_minimized'],
    ...['source_section_hash_mismatch', 'source_section_invalid', 'source_section_too_large'],
    ...['source_bundle_too_large', 'invalid_change_body'],
  ],
  ['sourceChoiceReceipt.choice', 'pinned', 'adopt'],
  ['resumeResult.operation', ...RESUMED],
  ['resumeResult.budget_applied', false, true],
  [
    'pathObservation.observation',
    ...['regular', 'symlink', 'oversize_sampled', 'content_unobserved', 'missing', 'non_regular', 'unreadable'],
  ],
  ['pathObservation.content_fingerprint_kind', 'full_sha256', 'symlink_target_sha256', 'oversize_samples_v1'],
  ['runState', ...STATES],
  [
    'pauseReason',
    ...['decision_required', 'destructive_confirmation_required', 'environment_unavailable', 'budget_exhausted'],
  ],
  ['runStatus.workspace_foreign', false, true],
  [
    'runVerdict.word',
    ...['delivered', 'delivered, look first', 'nothing to change', 'not delivered', 'waits for you', 'paused by limit'],
    ...['queued', 'continued', 'running', 'waiting for limit', 'not driven', 'merged', 'discarded'],
  ],
  ['unavailableRun.code', 'run_journal_invalid', 'run_unavailable', 'run_busy'],
  ['protocolState.state', ...STATES],
  ['resumeOperation', ...RESUMED],
  ['nextInput.type', 'string', 'path', 'enum', 'digest'],
  ['cliError.exit_code', 2, 3],
  ['action.kind', 'orient', 'clarify', 'implement', 'review', 'summarize'],
  ['outcome.action_kind', 'orient', 'clarify', 'implement', 'review', 'summarize'],
  ['outcome.status', 'completed', 'needs_input', 'partial', 'error'],
  ['suggestedAction.kind', 'clarify', 'implement', 'summarize'],
  ['activity.kind', 'test', 'typecheck', 'build', 'lint'],
  ['outcome.implementation.result', 'applied', 'partial', 'not_needed', 'unable'],
  ['finishedReview.result', 'no_findings_reported', 'findings_reported'],
  ['pause.reason', 'decision_required', 'environment_unavailable'],
  ['implementPause.reason', 'decision_required', 'destructive_confirmation_required', 'environment_unavailable'],
  ['destructiveTarget.kind', 'path', 'git_ref', 'external_resource', 'data_domain'],
  ['actionMaterialReader.base_argv', 'drover', 'protocol', 'material', '--root', '--run', '--action'],
  ['next.operation', 'action', 'answer', 'resume', 'start', 'command', 'none'],
]

/** Places with a constant. */
const FIXED: readonly Row[] = [
  ...Object.keys(MESSAGE_CHECKERS)
    .filter((name) => name !== 'rawSourceEnvelope')
    .map((name): Row => [`${name}.contract_version`, 2]),
  ...['rawSourceEnvelope', 'pinnedSource', 'sourceCandidate'].flatMap((name): Row[] => [
    [`${name}.source_version`, 2],
    [`${name}.provider`, 'github'],
    [`${name}.host`, 'github.com'],
  ]),
  ['pinnedSource.parser_version', 2],
  ['sourceCandidate.parser_version', 2],
  ['pinnedSource.manifest_version', 2],
  ['pinnedSource.profile', 'change/v2'],
  ['workspaceIdentity.version', 1],
  ['gitObservation.version', 1],
  ['destructiveAuthorization.scope_version', 1],
  ['actionMaterial.message_type', 'action_material'],
  ['pinnedMaterial.message_type', 'pinned_material'],
  ['actionSource.kind', 'change_issue'],
  ['actionMaterialReader.operation', 'read_material'],
  ['actionMaterialReader.input.name', 'section'],
  ['actionMaterialReader.input.type', 'enum'],
  ['actionMaterialReader.input.flag', '--section'],
  ['actionMaterialReader.input.required', true],
  ['actionRecord.action.kind', 'review'],
  ['actionRecord.skipped', true],
  ['reviewProjection.result', 'not_run'],
  ['inconclusiveReview.result', 'inconclusive'],
  ['failedReview.result', 'error'],
  ['nextVariant.base_argv', 'drover'],
]

describe('the words of the protocol', () => {
  const found = wordsOfSchema()

  it.each([...WORDS, ...FIXED])('at %s are exactly those of this table', (place, ...words) => {
    expect([...(found.get(String(place)) ?? [])].sort()).toEqual([...words].sort())
  })

  it('are all in this table', () => {
    expect([...found.keys()].sort()).toEqual([...WORDS, ...FIXED].map(([place]) => place).sort())
  })
})

/** The values that the branches of a union allow together, by place. */
function wordsOfSchema(): Map<string, Set<unknown>> {
  const found = new Map<string, Set<unknown>>()
  const all = Object.entries(contractDefinitions()).flatMap(([name, definition]) => wordsIn(definition, name))
  for (const [place, word] of all) found.set(place, (found.get(place) ?? new Set()).add(word))
  return found
}

function wordsIn(schema: unknown, place: string): (readonly [place: string, word: unknown])[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([word, part]) => {
    if (word === 'enum' || word === 'const') return [part].flat().map((each) => [place, each] as const)
    if (word !== 'properties') return wordsIn(part, place)
    return Object.entries(part).flatMap(([name, field]) => wordsIn(field, `${place}.${name}`))
  })
}
