import type { PathObservation } from '../contract/git-observation.shape.ts'

/** The approximate size of the details in a journal record. */
const COST_LIMIT = 512 * 1024

/** The first observations that fit. The list ends at the first that does not fit, so no path is skipped. */
export function limitObservations(observations: readonly PathObservation[]): readonly PathObservation[] {
  let cost = 0
  const end = observations.findIndex((observation) => {
    cost += estimateCost(observation)
    return cost > COST_LIMIT
  })
  return end === -1 ? observations : observations.slice(0, end)
}

/** An upper bound of its JSON size: a byte may take six characters (`\u0000`), and a path is listed twice. */
function estimateCost(observation: PathObservation): number {
  const { path, category, state, content_sha256 = '', content_fingerprint_kind = '' } = observation
  const words = [category, state, observation.observation]
  return 12 * bytesOf([path]) + 6 * bytesOf(words) + bytesOf([content_sha256, content_fingerprint_kind]) + 320
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
