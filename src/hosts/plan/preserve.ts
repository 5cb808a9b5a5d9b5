/** Files that drover leaves alone, and the reasons. */
import type { Digest } from '../../kit/digest.ts'
import type { FoundFile } from '../found-files.ts'
import type { Host } from '../host.ts'
import type { InspectedFile } from '../inspect-host.ts'
import type { Preserved } from './plan.ts'

/** Each ends the sentence "it was left alone because …". */
export const because = {
  modified: 'it was changed after drover wrote it',
  stale: 'the manifest claims it with content that no release of drover up to this one generated',
  unclaimed: "drover's manifest does not list it",
  guards: 'it keeps the agent from calling the skill beside it, which stays, on its own',
} as const

export function preserve({ path, status }: InspectedFile): Preserved {
  if (status === 'modified' || status === 'stale' || status === 'unclaimed') {
    return { path, because: because[status] }
  }
  throw new TypeError(`${path} is ${status}, so it belongs to drover`)
}

/** The digest that a file of drover must still have when its step is performed. */
export function expected(found: FoundFile): Digest {
  if (found.is !== 'regular') throw new TypeError(`a file that is ${found.is} has no digest`)
  return found.digest
}

export function describeStale(host: Host, { path }: InspectedFile): string {
  return `${host.id}: ${path} was left alone and is no longer claimed, because the manifest claims it with content that no release of drover up to this one generated`
}
