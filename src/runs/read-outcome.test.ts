import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../scripts/protocol-examples.ts'
import { decision } from '../../test/support/contract-examples.ts'
import { outcomeFor } from '../../test/support/drive-run.ts'
import { thrownFault } from '../../test/support/thrown-fault.ts'
import { LIMITS } from '../contract/limits.ts'
import { digest } from '../kit/digest.ts'
import { readOutcome } from './read-outcome.ts'

const text = JSON.stringify(EXAMPLES.outcome)

const otherwise = (fields: object) => JSON.stringify({ ...EXAMPLES.outcome, ...fields })
const review = { result: 'error', findings: [], uncertainties: [] }
const implementation = { result: 'applied', files_changed: [], activities: [], uncertainties: [], attempts: 1 }

const otherVersion = (inPause: object) =>
  JSON.stringify({
    ...outcomeFor(undefined, { status: 'needs_input', pause: decision }),
    contract_version: 3,
    pause: { ...decision, ...inPause },
  })

const codeOf = (input: string | Buffer) => thrownFault(() => readOutcome(Buffer.from(input)))?.code ?? 'read'

describe('an outcome', () => {
  it('is read with the digest of its exact bytes', () => {
    const bytes = Buffer.from(`${text}\n`)
    expect(readOutcome(bytes)).toEqual({ outcome: EXAMPLES.outcome, payloadSha256: digest(bytes) })
  })

  it.each([
    ['another version, with its own field', '{"contract_version":3,"news":[]}', 'invalid_outcome'],
    ['another version, with its own field deep inside', otherVersion({ news: 1 }), 'invalid_outcome'],
    ['another version, with its own value', otherVersion({ reason: 'news' }), 'contract_version_mismatch'],
    ['another version, and all the rest as it should be', otherVersion({}), 'contract_version_mismatch'],
    ['no version', '{}', 'contract_version_mismatch'],
    ['a version beyond all numbers', `{"contract_version":${'9'.repeat(30)}}`, 'contract_version_mismatch'],
    ['a version that is a text', '{"contract_version":"3"}', 'invalid_outcome'],
    ['a version that is null', '{"contract_version":null}', 'invalid_outcome'],
    ['a version twice', '{"contract_version":3,"contract_version":3}', 'invalid_outcome'],
    ['a list', '[2]', 'invalid_outcome'],
    ['null', 'null', 'invalid_outcome'],
    ['no JSON', '{', 'invalid_outcome'],
    ['nothing', '', 'invalid_outcome'],
    ['a status that its kind does not have', otherwise({ action_kind: 'summarize', status: 'partial' }), 'read'],
    ['a kind that does not exist', otherwise({ action_kind: 'dance' }), 'read'],
    ['an id of white space', otherwise({ action_id: ' ' }), 'read'],
    ['a control character', otherwise({ summary: 'a\u0007b' }), 'read'],
    ['a list that is null', otherwise({ observations: null }), 'invalid_outcome'],
    ['a field too few', otherwise({ review: undefined }), 'invalid_outcome'],
    ['a field too few in a part', otherwise({ review: { result: 'error', findings: [] } }), 'invalid_outcome'],
    ['a list in a part that is null', otherwise({ review: { ...review, findings: null } }), 'invalid_outcome'],
    ['a part of the wrong type', otherwise({ pause: 'decision_required' }), 'invalid_outcome'],
    [
      'a null that may not be',
      otherwise({ pause: { ...decision, supersedes_answer_action_id: null } }),
      'invalid_outcome',
    ],
    ['a fraction for a number', otherwise({ implementation: { ...implementation, attempts: 1.5 } }), 'invalid_outcome'],
    ['a number below its limit', otherwise({ implementation: { ...implementation, attempts: 0 } }), 'read'],
    ['a field too many', JSON.stringify({ ...EXAMPLES.outcome, news: [] }), 'invalid_outcome'],
    ['a byte order mark', `\ufeff${text}`, 'invalid_outcome'],
    ['as many bytes as allowed', text.padEnd(LIMITS.outcomeBytes), 'read'],
    ['one byte more', text.padEnd(LIMITS.outcomeBytes + 1), 'invalid_outcome'],
  ])('with %s', (_name, input, code) => {
    expect(codeOf(input)).toBe(code)
  })

  it('with an unknown field is refused for it, whatever the version', () => {
    expect(() => readOutcome(Buffer.from(otherVersion({ news: 1 })))).toThrow('$.pause.news is not a known field')
  })
})
