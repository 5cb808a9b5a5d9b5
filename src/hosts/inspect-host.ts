/** Classifies every file of a host, before a plan is made. */
import { type Digest, digest } from '../kit/digest.ts'
import {
  describeBlocked,
  type FoundDirectories,
  type FoundFile,
  type FoundFiles,
  foundAt,
  isBlocked,
} from './found-files.ts'
import { type GeneratedFile, type Host, manifestPath, SENTINEL, type Surface, sentinelPath } from './host.ts'
import { EARLIER_FILES, type EarlierFile, generatedFiles, listPaths } from './hosts.ts'
import { type Ownership, readOwnership } from './manifest.ts'

export type SentinelState = 'whole' | 'missing' | 'modified' | 'blocked'

export type InspectedFile = {
  readonly path: string
  /** Undefined for a path that only an earlier release had. */
  readonly file: GeneratedFile | undefined
  readonly status: FileStatus
  readonly found: FoundFile
}

export type Installed = {
  readonly is: 'installed'
  readonly surface: Surface | undefined
  readonly manifest: Digest
  readonly files: readonly InspectedFile[]
  readonly sentinel: SentinelState
  /** Which file could not be inspected, and why. */
  readonly blocked: string | undefined
}

export type Inspection =
  /** `blocked` says why the host cannot be installed, if so. */
  | { readonly is: 'absent'; readonly blocked: string | undefined }
  /** A sentinel without a manifest: drover was installed here, but cannot tell which files are its own. */
  | { readonly is: 'marker_only' }
  /** The manifest is invalid or cannot be read. */
  | { readonly is: 'unreadable'; readonly problem: string }
  | Installed

export const MANIFEST_REMEDY =
  'update drover if a newer release wrote the manifest; otherwise restore the manifest, or move it and the generated files away and install the host again'

export type InspectedHost = { readonly host: Host; readonly inspection: Inspection }

export function inspectHost(
  host: Host,
  found: FoundFiles,
  earlier: readonly EarlierFile[] = EARLIER_FILES,
): Inspection {
  const manifest = foundAt(found, manifestPath(host))
  const sentinel = sentinelState(foundAt(found, sentinelPath(host)))
  if (manifest.is === 'unreachable' || (manifest.is === 'absent' && sentinel === 'missing')) {
    return { is: 'absent', blocked: describeBlocked(listPaths(host, earlier), found) }
  }
  if (manifest.is === 'absent') return withoutManifest(host, found)
  if (manifest.is !== 'regular') return { is: 'unreadable', problem: describeNotRegular(manifestPath(host), manifest) }
  const ownership = readOwnership(host, manifest.bytes, earlier)
  if ('problem' in ownership) return { is: 'unreadable', problem: `${manifestPath(host)}: ${ownership.problem}` }
  const files = inspectFiles({ host, ownership, found, earlier })
  return {
    is: 'installed',
    surface: ownership.surface,
    manifest: manifest.digest,
    files,
    sentinel,
    blocked: describeBlocked([...files.map(({ path }) => path), sentinelPath(host)], found),
  }
}

function withoutManifest(host: Host, found: FoundFiles): Inspection {
  const problem = describeBlocked([sentinelPath(host)], found)
  return problem === undefined ? { is: 'marker_only' } : { is: 'unreadable', problem }
}

export type FilesInspection = {
  readonly host: Host
  readonly ownership: Ownership
  readonly found: FoundFiles
  readonly earlier: readonly EarlierFile[]
}

/** Every file that this release generates, and the claimed files of earlier releases. */
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
    return { path, file, status: classifyFile(facts), found: facts.found }
  }
  return [...generated.map((file) => inspect(file.path, file)), ...former.map((path) => inspect(path, undefined))]
}

const KINDS = {
  oversize: 'larger than any manifest',
  symlink: 'a symbolic link',
  directory: 'a directory',
  other: 'not a regular file',
}

function describeNotRegular(path: string, found: Exclude<FoundFile, { is: 'absent' | 'regular' }>): string {
  return isBlocked(found) ? `${path} cannot be inspected: ${found.reason}` : `${path} is ${KINDS[found.is]}`
}

const SENTINEL_DIGEST = digest(SENTINEL)

function sentinelState(found: FoundFile): SentinelState {
  if (isBlocked(found)) return 'blocked'
  if (found.is === 'absent') return 'missing'
  return found.is === 'regular' && found.digest === SENTINEL_DIGEST ? 'whole' : 'modified'
}

/** The user has to decide which of the files that look generated are still as drover wrote them. */
export function describeMarkerOnly(host: Host): string {
  const surface = host.surfaces.length > 0 ? ` --surface ${host.surfaces.join('|')}` : ''
  return `${sentinelPath(host)} exists but ${manifestPath(host)} does not, so drover cannot tell which files are its own and changes none of them; back up what you need, move the sentinel and the drover files that you want created again out of the way, then run drover hosts install --tool ${host.id}${surface}; drover does not take over the files that stay`
}

export function isDetected(host: Host, found: FoundDirectories): boolean {
  return host.directories.some((path) => foundAt(found, path).is === 'directory')
}

/**
 * The status of a file, compared with what drover generates. A file is claimed if the ownership manifest lists it.
 * - `pristine`: claimed, and as this release generates it
 * - `earlier`: claimed, and as an earlier release generated it
 * - `missing`: claimed, and does not exist
 * - `modified`: claimed, and changed since
 * - `stale`: exists, but is claimed with a digest that no release generated, so the claim proves nothing
 * - `unclaimed`: exists and is not claimed, whatever its content
 * - `new`: neither exists nor is claimed
 * - `blocked`: cannot be inspected
 */
export type FileStatus = 'pristine' | 'earlier' | 'missing' | 'modified' | 'stale' | 'unclaimed' | 'new' | 'blocked'

type FileFacts = {
  readonly found: FoundFile
  /** The digest in the manifest. */
  readonly claim: Digest | undefined
  /** The digest that this release generates; undefined for a path that only an earlier release had. */
  readonly current: Digest | undefined
  /** The digests that earlier releases generated at this path. */
  readonly earlier: readonly Digest[]
}

export function classifyFile({ found, claim, current, earlier }: FileFacts): FileStatus {
  if (isBlocked(found)) return 'blocked'
  if (found.is === 'absent') return claim === undefined ? 'new' : 'missing'
  if (claim === undefined) return 'unclaimed'
  if (claim !== current && !earlier.includes(claim)) return 'stale'
  if (found.is !== 'regular') return 'modified'
  if (found.digest === current) return 'pristine'
  return earlier.includes(found.digest) ? 'earlier' : 'modified'
}

/** The modified files of a host, if all of them differ only in CRLF line endings; otherwise none. */
export function convertedFiles(host: Host, { files, sentinel }: Installed, found: FoundFiles): readonly string[] {
  const changed = files.filter(({ status }) => status === 'modified')
  const wanted = [
    ...changed.map(({ path, file }) => {
      const earlier = EARLIER_FILES.filter((each) => each.path === path).map((each) => each.digest)
      return { path, digests: file === undefined ? earlier : [digest(file.text), ...earlier] }
    }),
    ...(sentinel === 'modified' ? [{ path: sentinelPath(host), digests: [digest(SENTINEL)] }] : []),
  ]
  const isConverted = ({ path, digests }: (typeof wanted)[number]) => {
    const there = foundAt(found, path)
    return there.is === 'regular' && digests.includes(digest(withoutReturns(there.bytes)))
  }
  return wanted.every(isConverted) ? wanted.map(({ path }) => path) : []
}

export function describeConverted(paths: readonly string[]): string {
  const files = paths.length === 1 ? '1 file has' : `${paths.length} files have`
  return `${files} converted line endings and no other change; git does that with core.autocrlf`
}

/** The lines for `.gitattributes` that keep git from converting the files of a host. */
export function attributesFor(host: Host, { files }: Pick<Installed, 'files'>): readonly string[] {
  const paths = [...files.map(({ path }) => path), manifestPath(host), sentinelPath(host)]
  return [...new Set(paths.map(toPattern))].map((pattern) => `${pattern} text eol=lf`)
}

/** Most files of drover are in a folder `drover`, or in a folder or file whose name starts with `drover-`. */
function toPattern(path: string): string {
  const parts = /^(.*?\/)(drover|drover-[^/]*)(\/.*)?$/.exec(path)
  if (parts === null) return path
  const [, above = '', name = '', below] = parts
  return `${above}${name === 'drover' ? name : 'drover-*'}${below === undefined ? '' : '/**'}`
}

function withoutReturns(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
}
