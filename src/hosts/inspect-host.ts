/** What a host's files come to, before anything is decided about them. */
import { type Digest, digest } from '../kit/digest.ts'
import { classifyFile, type Standing } from './classify-file.ts'
import { EARLIER_FILES, type EarlierFile } from './earlier-files.ts'
import { type FoundFile, type FoundFiles, foundAt } from './found.ts'
import { type GeneratedFile, type Host, manifestPath, type Surface, sentinelPath } from './host.ts'
import { type Ownership, readOwnership } from './manifest.ts'
import { generatedFiles } from './registry.ts'
import { type SentinelState, sentinelState } from './sentinel.ts'

export type InspectedFile = {
  readonly path: string
  /** Undefined for a path that only an earlier release had. */
  readonly file: GeneratedFile | undefined
  readonly standing: Standing
  readonly found: FoundFile
}

export type Installed = {
  readonly is: 'installed'
  readonly surface: Surface | undefined
  readonly manifest: Digest
  readonly files: readonly InspectedFile[]
  readonly sentinel: SentinelState
  /** Which of the files could not be looked at, and why. */
  readonly blocked: string | undefined
}

export type Inspection =
  | { readonly is: 'absent' }
  /** There is a sentinel and no manifest: drover was here, and nobody can say which files are its own. */
  | { readonly is: 'marker_only' }
  /** The manifest cannot be believed. */
  | { readonly is: 'unreadable'; readonly problem: string }
  | Installed

export type InspectedHost = { readonly host: Host; readonly inspection: Inspection }

export function inspectHost(
  host: Host,
  found: FoundFiles,
  earlier: readonly EarlierFile[] = EARLIER_FILES,
): Inspection {
  const manifest = foundAt(found, manifestPath(host))
  const sentinel = sentinelState(foundAt(found, sentinelPath(host)))
  if (manifest.is === 'absent') return withoutManifest(host, found, sentinel)
  if (manifest.is !== 'regular') return { is: 'unreadable', problem: sayNotRegular(manifestPath(host), manifest) }
  const ownership = readOwnership(host, manifest.bytes, earlier)
  if ('problem' in ownership) return { is: 'unreadable', problem: `${manifestPath(host)}: ${ownership.problem}` }
  const files = inspectFiles({ host, ownership, found, earlier })
  return {
    is: 'installed',
    surface: ownership.surface,
    manifest: manifest.digest,
    files,
    sentinel,
    blocked: sayBlocked(files) ?? sayUnreadable(sentinelPath(host), foundAt(found, sentinelPath(host))),
  }
}

function withoutManifest(host: Host, found: FoundFiles, sentinel: SentinelState): Inspection {
  if (sentinel === 'missing') return { is: 'absent' }
  const problem = sayUnreadable(sentinelPath(host), foundAt(found, sentinelPath(host)))
  return problem === undefined ? { is: 'marker_only' } : { is: 'unreadable', problem }
}

export type FilesInspection = {
  readonly host: Host
  readonly ownership: Ownership
  readonly found: FoundFiles
  readonly earlier: readonly EarlierFile[]
}

/** Every file that this release generates, and those that an earlier one left and the manifest claims. */
export function inspectFiles({ host, ownership, found, earlier }: FilesInspection): InspectedFile[] {
  const { surface, claims } = ownership
  const generated = generatedFiles(host, surface)
  const former = [...claims.keys()].filter((path) => !generated.some((file) => file.path === path)).sort()
  const inspect = (path: string, file: GeneratedFile | undefined): InspectedFile => {
    const facts = {
      found: foundAt(found, path),
      claim: claims.get(path),
      current: file && digest(file.text),
      earlier: earlier.filter((each) => each.path === path).map((each) => each.digest),
    }
    return { path, file, standing: classifyFile(facts), found: facts.found }
  }
  return [...generated.map((file) => inspect(file.path, file)), ...former.map((path) => inspect(path, undefined))]
}

/** The first file that could not be looked at, and why. */
export function sayBlocked(files: readonly InspectedFile[]): string | undefined {
  return files.map(({ path, found }) => sayUnreadable(path, found)).find((problem) => problem !== undefined)
}

function sayUnreadable(path: string, found: FoundFile): string | undefined {
  return found.is === 'unreadable' ? `${path} cannot be inspected: ${found.reason}` : undefined
}

const KINDS = {
  oversize: 'larger than any manifest',
  symlink: 'a symbolic link',
  directory: 'a directory',
  other: 'not a regular file',
}

function sayNotRegular(path: string, found: Exclude<FoundFile, { is: 'absent' | 'regular' }>): string {
  return found.is === 'unreadable' ? `${path} cannot be inspected: ${found.reason}` : `${path} is ${KINDS[found.is]}`
}
