/** What becomes of the files of one host that is installed or refreshed. */
import { type Digest, digest } from '../../kit/digest.ts'
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
import { emptiedDirectories, type Plan, type Preserved, type Step } from './plan.ts'
import { because, expected, preserve, sayStale } from './preserve.ts'

export type Ground = {
  readonly host: Host
  readonly surface: Surface | undefined
  readonly files: readonly InspectedFile[]
  /** The digest of the manifest that is there. */
  readonly manifest: Digest | undefined
  readonly sentinel: SentinelState
}

/** What is decided about one file. Whoever claims it knows its digest afterwards. */
type FileDecision = {
  readonly steps: readonly Step[]
  readonly claim?: Digest
  readonly preserved?: Preserved
}

export function planHostFiles(ground: Ground): Plan {
  const { host, files } = ground
  const decided = new Map<string, FileDecision>()
  const warnings = files.filter(({ standing }) => standing === 'stale').map((file) => sayStale(host, file))
  for (const inspected of files) {
    const lost = lostSupports(inspected, files, decided)
    decided.set(inspected.path, lost.length > 0 ? withdraw(inspected) : keepCurrent(inspected, files))
    if (lost.length > 0) warnings.push(sayNotCallable(host, inspected, lost))
  }
  const claims = new Map(
    [...decided].flatMap(([path, { claim }]) => (claim === undefined ? [] : [[path, claim] as const])),
  )
  const own = claims.size === 0 ? giveUp(ground) : keepRecord(ground, claims)
  if (claims.size === 0) warnings.push(sayNothingClaimed(host))
  const decisions = [...decided.values(), ...own]
  const steps = decisions.flatMap((decision) => decision.steps)
  return {
    hosts: [host.id],
    steps: [...steps, ...emptiedDirectories(steps)],
    preserved: decisions.flatMap(({ preserved }) => preserved ?? []),
    warnings,
  }
}

/** The supports of a callable that will not be drover's: with somebody else's text behind it, it must not be called. */
function lostSupports(
  { file }: InspectedFile,
  files: readonly InspectedFile[],
  decided: ReadonlyMap<string, FileDecision>,
): string[] {
  if (file?.role !== 'callable') return []
  return supportsOf(file, files)
    .map(({ path }) => path)
    .filter((path) => decided.get(path)?.claim === undefined)
}

function supportsOf(callable: GeneratedFile, files: readonly InspectedFile[]): InspectedFile[] {
  return files.filter(({ file }) => file?.capability === callable.capability && file.role !== 'callable')
}

/** The file as this release generates it, if it can be drover's. */
function keepCurrent(inspected: InspectedFile, files: readonly InspectedFile[]): FileDecision {
  const { path, file, standing, found } = inspected
  if (file === undefined) return withdraw(inspected)
  const { text } = file
  const claim = digest(text)
  const content = { path, text, mode: GENERATED_FILE_MODE }
  switch (standing) {
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

/** What is written to be called rests on supports that are there already, so they must not change meanwhile. */
function verifySupports(file: GeneratedFile, files: readonly InspectedFile[]): Step[] {
  if (file.role !== 'callable') return []
  return supportsOf(file, files)
    .filter(({ standing }) => standing === 'pristine')
    .map(({ path, found }) => ({ do: 'verify', path, expects: expected(found) }))
}

/** The file goes if it is drover's, and is left to its owner if not. */
function withdraw(inspected: InspectedFile): FileDecision {
  const { path, standing, found } = inspected
  if (standing === 'pristine' || standing === 'earlier') {
    return { steps: [{ do: 'remove', path, expects: expected(found) }] }
  }
  return standing === 'missing' || standing === 'new' ? { steps: [] } : { steps: [], preserved: preserve(inspected) }
}

function keepRecord(ground: Ground, claims: ReadonlyMap<string, Digest>): FileDecision[] {
  const { host, surface, manifest, sentinel } = ground
  const text = writeOwnership(host, { surface, claims })
  const record = { path: manifestPath(host), text, mode: OWN_FILE_MODE }
  const steps: Step[] = []
  if (manifest === undefined) steps.push({ do: 'create', ...record })
  else if (manifest !== digest(text)) steps.push({ do: 'replace', ...record, expects: manifest })
  if (sentinel === 'missing') {
    steps.push({ do: 'create', path: sentinelPath(host), text: SENTINEL, mode: OWN_FILE_MODE })
  }
  return [{ steps, ...preserveSentinel(ground) }]
}

/** Without a claim there is nothing to keep a record of. */
function giveUp(ground: Ground): FileDecision[] {
  const { host, manifest, sentinel } = ground
  const steps: Step[] = []
  if (manifest !== undefined) steps.push({ do: 'remove', path: manifestPath(host), expects: manifest })
  if (sentinel === 'whole') steps.push({ do: 'remove', path: sentinelPath(host), expects: digest(SENTINEL) })
  return [{ steps, ...preserveSentinel(ground) }]
}

export function preserveSentinel({ host, sentinel }: Pick<Ground, 'host' | 'sentinel'>): { preserved?: Preserved } {
  if (sentinel !== 'modified') return {}
  return { preserved: { path: sentinelPath(host), because: because.modified } }
}

function sayNotCallable(host: Host, { path, file }: InspectedFile, lost: readonly string[]): string {
  return `${host.id}: ${path} is not managed, so ${file?.capability} cannot be called, because drover does not own what it needs: ${lost.join(', ')}`
}

function sayNothingClaimed({ id }: Host): string {
  return `${id}: drover is not installed here now, because none of its files could be claimed`
}
