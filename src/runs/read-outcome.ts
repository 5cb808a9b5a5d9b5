import { CONTRACT_VERSION, LIMITS } from '../contract/limits.ts'
import { checkOutcomeForm } from '../contract/outcome.ts'
import { validateOutcomeForm } from '../contract/runs.generated.js'
import { invalidOutcome } from '../engine/faults.ts'
import type { Submission } from '../engine/operations/submit.ts'
import { digest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { readJson } from '../kit/json/read-json.ts'
import { isArray, type JsonObject, type JsonValue } from '../kit/json-value.ts'
import { contractVersionMismatch } from './faults.ts'

/**
 * Parses an outcome and checks its structure. An unknown field is reported first, then a version mismatch, then everything
 * else: an outcome of another version would break many rules of this one. The rules about values come later, because they
 * matter only for the current action.
 */
export function readOutcome(bytes: Uint8Array): Pick<Submission, 'outcome' | 'payloadSha256'> {
  try {
    const value = readJson(bytes, { input: 'it', limitBytes: LIMITS.outcomeBytes })
    refuseOtherVersion(value)
    return { outcome: checkOutcomeForm(value), payloadSha256: digest(bytes) }
  } catch (error) {
    if (!(error instanceof Fault) || error.code === contractVersionMismatch.code) throw error
    throw invalidOutcome({ problem: error.message }, error)
  }
}

function refuseOtherVersion(value: JsonValue): void {
  if (typeof value !== 'object' || value === null || isArray(value)) return
  const { contract_version: found } = value
  const isVersion = found === undefined || typeof found === 'number' || typeof found === 'bigint'
  if (!isVersion || found === CONTRACT_VERSION) return
  refuseUnknownField(value)
  throw contractVersionMismatch({ found: found === undefined ? 'none' : String(found), expected: CONTRACT_VERSION })
}

/** Fills in missing fields, which are reported only after the version. */
const DEFAULTS = {
  action_id: '-',
  action_kind: 'orient',
  status: 'completed',
  summary: '-',
  observations: [],
  known_issues: [],
  suggested_actions: [],
  pause: null,
  implementation: null,
  review: null,
}

function refuseUnknownField(value: JsonObject): void {
  const completed = { ...DEFAULTS, ...value, contract_version: CONTRACT_VERSION }
  if (validateOutcomeForm(completed)) return
  const isUnknown = validateOutcomeForm.errors?.some(
    (each) => each.keyword === 'enum' && each.propertyName !== undefined,
  )
  if (isUnknown) checkOutcomeForm(completed)
}
