/** The ownership manifest: drover changes an existing file only if this manifest claims it. */
import { findDuplicates } from '../contract/duplicates.ts'
import type { Digest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { readJson } from '../kit/json/read-json.ts'
import { writeIndentedJson } from '../kit/json/write-json.ts'
import { checker, type Problem, type Rule } from '../kit/schema.ts'
import { validateOwnershipManifest } from './checks.generated.js'
import type { Host, Surface } from './host.ts'
import { type EarlierFile, generatedFiles } from './hosts.ts'
import type { OwnershipManifest } from './manifest.shape.ts'

export const MANIFEST_LIMIT_BYTES = 256 * 1024

/** The files that drover claims, by path, with the digests that it wrote. */
export type Ownership = { readonly surface: Surface | undefined; readonly claims: ReadonlyMap<string, Digest> }

/** Returns the problem if the manifest is not valid for this host. */
export function readOwnership(
  host: Host,
  bytes: Uint8Array,
  earlier: readonly EarlierFile[],
): Ownership | { readonly problem: string } {
  try {
    const value = readJson(bytes, { input: 'the ownership manifest', limitBytes: MANIFEST_LIMIT_BYTES })
    const check = checker<OwnershipManifest>(
      'the ownership manifest',
      validateOwnershipManifest,
      createRules(host, earlier),
    )
    const { surface, files } = check(value)
    return {
      surface: surface?.kiro,
      claims: new Map(files.map(({ path, sha256 }) => [path, `sha256:${sha256}`])),
    }
  } catch (error) {
    if (error instanceof Fault) return { problem: error.message }
    throw error
  }
}

/** Equal ownership gives equal text. */
export function writeOwnership(host: Host, { surface, claims }: Ownership): string {
  const files = [...claims].sort(([a], [b]) => (a < b ? -1 : 1))
  const manifest = {
    version: 2,
    tool_id: host.id,
    ...(surface !== undefined && { surface: { kiro: surface } }),
    files: files.map(([path, digest]) => ({ path, sha256: digest.slice('sha256:'.length) })),
  } satisfies OwnershipManifest
  return `${writeIndentedJson(manifest)}\n`
}

function createRules(host: Host, earlier: readonly EarlierFile[]): readonly Rule<OwnershipManifest>[] {
  const isOfThisHost: Rule<OwnershipManifest> = ({ tool_id }) =>
    tool_id === host.id ? [] : [{ path: '$.tool_id', rule: `must be "${host.id}"` }]

  const surfaceFits: Rule<OwnershipManifest> = ({ surface }) => {
    const isNeeded = host.surfaces.length > 0
    if (isNeeded === (surface !== undefined)) return []
    return [{ path: '$.surface', rule: isNeeded ? 'is required' : `is not for ${host.id}` }]
  }

  /** A claim on any other path could make drover change a file that it never wrote. */
  const pathsAreGenerated: Rule<OwnershipManifest> = ({ surface, files }) => {
    const known = new Set([
      ...generatedFiles(host, surface?.kiro).map(({ path }) => path),
      ...earlier.filter((file) => file.host === host.id).map(({ path }) => path),
    ])
    return findFileProblems(files, ({ path }) => !known.has(path), 'is not a path that drover generates for this host')
  }

  const pathsAreDistinct: Rule<OwnershipManifest> = ({ files }) => {
    const again = new Set(findDuplicates(files, ({ path }) => path))
    return findFileProblems(files, (_, index) => again.has(index), 'must not be that of another file')
  }

  return [isOfThisHost, surfaceFits, pathsAreGenerated, pathsAreDistinct]
}

type Files = OwnershipManifest['files']

function findFileProblems(
  files: Files,
  isWrong: (file: Files[number], index: number) => boolean,
  rule: string,
): Problem[] {
  return files.flatMap((file, index) => (isWrong(file, index) ? [{ path: `$.files[${index}].path`, rule }] : []))
}
