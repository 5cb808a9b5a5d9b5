import type { Digest } from '../kit/digest.ts'
import type { HostId } from './host.ts'

/** A file as an earlier release of drover generated it. */
export type EarlierFile = {
  readonly host: HostId
  readonly path: string
  readonly digest: Digest
  readonly release: string
}

/**
 * What earlier releases generated and this one does not. A file with such bytes that the manifest claims is drover's own,
 * which nothing in a repository can forge, so a refresh replaces it. A release that changes a generated file, or gives up
 * its path, adds the old one here.
 */
export const EARLIER_FILES: readonly EarlierFile[] = []
