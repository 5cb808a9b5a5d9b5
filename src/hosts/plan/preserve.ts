/** Files that are left alone, and how to say why. */
import type { Digest } from '../../kit/digest.ts'
import type { FoundFile } from '../found-files.ts'
import type { Host } from '../host.ts'
import type { InspectedFile } from '../inspect-host.ts'
import type { Preserved } from './plan.ts'

/** Ends of the sentence "it was left alone because …". */
export const because = {
  modified: 'it was changed after drover wrote it',
  stale: 'it is claimed with bytes that no release of drover up to this one generated',
  unclaimed: "drover's manifest does not list it",
  guards: 'it keeps the skill beside it, which stays, from being called unasked',
} as const

export function preserve({ path, standing }: InspectedFile): Preserved {
  if (standing === 'modified' || standing === 'stale' || standing === 'unclaimed') {
    return { path, because: because[standing] }
  }
  throw new TypeError(`${path} is ${standing}, which is nobody else's`)
}

/** What a file that is drover's own must still hold when its turn comes. */
export function expected(found: FoundFile): Digest {
  if (found.is !== 'regular') throw new TypeError(`a file that is ${found.is} has no digest`)
  return found.digest
}

export function sayStale(host: Host, { path }: InspectedFile): string {
  return `${host.id}: ${path} was left alone and is no longer claimed, because the manifest names bytes for it that no release of drover up to this one generated`
}
