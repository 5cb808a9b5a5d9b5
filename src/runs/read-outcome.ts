import { CONTRACT_VERSION, LIMITS } from '../contract/limits.ts'
import { checkOutcome } from '../contract/outcome.ts'
import { invalidOutcome } from '../engine/faults.ts'
import type { Submission } from '../engine/submit.ts'
import { digest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { isArray, type JsonValue } from '../kit/json-value.ts'
import { readJson } from '../kit/read-json.ts'
import { contractVersionMismatch } from './faults.ts'

/** An outcome from its bytes. One for another version is told so, and not what all does not fit this one. */
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
  throw contractVersionMismatch({ found: found === undefined ? 'none' : String(found), expected: CONTRACT_VERSION })
}
