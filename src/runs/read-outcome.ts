import { CONTRACT_VERSION, LIMITS } from '../contract/limits.ts'
import { checkOutcome } from '../contract/outcome.ts'
import { validateOutcome } from '../contract/runs.generated.js'
import { invalidOutcome } from '../engine/faults.ts'
import type { Submission } from '../engine/operations/submit.ts'
import { digest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { isArray, type JsonObject, type JsonValue } from '../kit/json/json-value.ts'
import { readJson } from '../kit/json/read-json.ts'
import { contractVersionMismatch } from './faults.ts'

/**
 * An outcome from its bytes. A field that nobody knows is told before the version is looked at; beyond that, an outcome for
 * another version is told so, and not what all does not fit this one.
 */
export function readOutcome(bytes: Uint8Array): Pick<Submission, 'outcome' | 'payloadSha256'> {
  try {
    const value = readJson(bytes, { input: 'it', limitBytes: LIMITS.outcomeBytes })
    refuseOtherVersion(value)
    return { outcome: checkOutcome(value), payloadSha256: digest(bytes) }
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

/** Stands in for what an outcome leaves out, which is told after its version. */
const PLAINEST = {
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
  const likened = { ...PLAINEST, ...value, contract_version: CONTRACT_VERSION }
  if (validateOutcome(likened)) return
  const isUnknown = validateOutcome.errors?.some((each) => each.keyword === 'enum' && each.propertyName !== undefined)
  if (isUnknown) checkOutcome(likened)
}
