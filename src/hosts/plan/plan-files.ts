import { type Digest, digest } from '../../kit/digest.ts'
import type { FoundFile } from '../found-files.ts'
import {
  GENERATED_FILE_MODE,
  type GeneratedFile,
  type Host,
  manifestPath,
  OWN_FILE_MODE,
  SENTINEL,
  type Surface,
  sentinelPath,
} from '../host.ts'
import type { InspectedFile, SentinelState } from '../inspect-host.ts'
import { writeOwnership } from '../manifest.ts'
import { emptiedDirectories, type Plan, type PlanStep, type Preserved } from './plan.ts'

export type HostFiles = {
  readonly host: Host
  readonly surface: Surface | undefined
  readonly files: readonly InspectedFile[]
  /** The digest of the existing manifest. */
  readonly manifest: Digest | undefined
  readonly sentinel: SentinelState
}

/** What to do with one file. `claim` is its digest afterwards, if drover claims it. */
type FileDecision = {
  readonly steps: readonly PlanStep[]
  readonly claim?: Digest
  readonly preserved?: Preserved
}

export function planHostFiles(hostFiles: HostFiles): Plan {
  const { host, files } = hostFiles
  const decided = new Map<string, FileDecision>()
  const warnings = files.filter(({ status }) => status === 'stale').map((file) => describeStale(host, file))
  for (const inspected of files) {
    const lost = lostSupports(inspected, files, decided)
    decided.set(inspected.path, lost.length > 0 ? planRemoval(inspected) : planCurrentFile(inspected, files))
    if (lost.length > 0) warnings.push(describeNotCallable(host, inspected, lost))
  }
  const claims = new Map(
    [...decided].flatMap(([path, { claim }]) => (claim === undefined ? [] : [[path, claim] as const])),
  )
  const own = claims.size === 0 ? removeRecords(hostFiles) : updateRecords(hostFiles, claims)
  if (claims.size === 0) warnings.push(describeNothingClaimed(host))
  const decisions = [...decided.values(), ...own]
  const steps = decisions.flatMap((decision) => decision.steps)
  return {
    hosts: [host.id],
    steps: [...steps, ...emptiedDirectories(steps)],
    preserved: decisions.flatMap(({ preserved }) => preserved ?? []),
    warnings,
  }
}

/** The supports of a callable that drover does not own. A callable with a foreign text behind it must not be installed. */
function lostSupports(
  { file }: InspectedFile,
  files: readonly InspectedFile[],
  decided: ReadonlyMap<string, FileDecision>,
): string[] {
  if (file?.role !== 'callable') return []
  return findSupports(file, files)
    .map(({ path }) => path)
    .filter((path) => decided.get(path)?.claim === undefined)
}

function findSupports(callable: GeneratedFile, files: readonly InspectedFile[]): InspectedFile[] {
  return files.filter(({ file }) => file?.capability === callable.capability && file.role !== 'callable')
}

/** Plans the file as this release generates it, if drover may own it. */
function planCurrentFile(inspected: InspectedFile, files: readonly InspectedFile[]): FileDecision {
  const { path, file, status, found } = inspected
  if (file === undefined) return planRemoval(inspected)
  const { text } = file
  const claim = digest(text)
  const content = { path, text, mode: GENERATED_FILE_MODE }
  switch (status) {
    case 'pristine':
      return { steps: [], claim }
    case 'missing':
    case 'new':
      return { steps: [...verifySupports(file, files), { do: 'create', ...content }], claim }
    case 'earlier':
      return {
        steps: [...verifySupports(file, files), { do: 'replace', ...content, expects: expected(found) }],
        claim,
      }
    default:
      return { steps: [], preserved: preserve(inspected) }
  }
}

/** A callable that is written depends on existing supports, so they must not change meanwhile. */
function verifySupports(file: GeneratedFile, files: readonly InspectedFile[]): PlanStep[] {
  if (file.role !== 'callable') return []
  return findSupports(file, files)
    .filter(({ status }) => status === 'pristine')
    .map(({ path, found }) => ({ do: 'verify', path, expects: expected(found) }))
}

/** Removes the file if drover owns it. */
function planRemoval(inspected: InspectedFile): FileDecision {
  const { path, status, found } = inspected
  if (status === 'pristine' || status === 'earlier') {
    return { steps: [{ do: 'remove', path, expects: expected(found) }] }
  }
  return status === 'missing' || status === 'new' ? { steps: [] } : { steps: [], preserved: preserve(inspected) }
}

function updateRecords(hostFiles: HostFiles, claims: ReadonlyMap<string, Digest>): FileDecision[] {
  const { host, surface, manifest, sentinel } = hostFiles
  const text = writeOwnership(host, { surface, claims })
  const record = { path: manifestPath(host), text, mode: OWN_FILE_MODE }
  const steps: PlanStep[] = []
  if (manifest === undefined) steps.push({ do: 'create', ...record })
  else if (manifest !== digest(text)) steps.push({ do: 'replace', ...record, expects: manifest })
  if (sentinel === 'missing') {
    steps.push({ do: 'create', path: sentinelPath(host), text: SENTINEL, mode: OWN_FILE_MODE })
  }
  return [{ steps, ...preserveSentinel(hostFiles) }]
}

/** Without any claim, no manifest is needed. */
function removeRecords(hostFiles: HostFiles): FileDecision[] {
  const { host, manifest, sentinel } = hostFiles
  const steps: PlanStep[] = []
  if (manifest !== undefined) steps.push({ do: 'remove', path: manifestPath(host), expects: manifest })
  if (sentinel === 'whole') steps.push({ do: 'remove', path: sentinelPath(host), expects: digest(SENTINEL) })
  return [{ steps, ...preserveSentinel(hostFiles) }]
}

export function preserveSentinel({ host, sentinel }: Pick<HostFiles, 'host' | 'sentinel'>): { preserved?: Preserved } {
  if (sentinel !== 'modified') return {}
  return { preserved: { path: sentinelPath(host), because: because.modified } }
}

function describeNotCallable(host: Host, { path, file }: InspectedFile, lost: readonly string[]): string {
  return `${host.id}: ${path} is not managed and ${file?.capability} cannot be called, because drover does not own files that it needs: ${lost.join(', ')}`
}

function describeNothingClaimed({ id }: Host): string {
  return `${id}: drover is not installed here, because it could not claim any of its files`
}

/** Each ends the sentence "it was left alone because …". */
export const because = {
  modified: 'it was changed after drover wrote it',
  stale: 'the manifest claims it with content that no release of drover up to this one generated',
  unclaimed: "drover's manifest does not list it",
  guards: 'it keeps the agent from calling the skill beside it, which stays, on its own',
} as const

/** Files that drover leaves alone, and the reasons. */
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
