import { repeated } from '../contract/distinct.ts'
import { Fault } from '../kit/fault.ts'
import { type JsonPlace, jsonInvalid, messageInvalid } from '../kit/faults.ts'
import { readJson } from '../kit/read-json.ts'
import { checker, type Problem, type Rule } from '../kit/schema.ts'
import { validateSourceManifest } from './checks.generated.js'
import { type Rejection, reject } from './classification.ts'
import type { SourceManifest } from './manifest.shape.ts'
import { ROLES } from './roles.ts'

export const MANIFEST_LIMIT_BYTES = 256 * 1024

export type ManifestText = {
  text: string
  /** The line of the body above its first one. */
  lineAbove: number
}

/** The manifest in the body of an issue, or why it is none. */
export function readManifest(found: ManifestText): { is: 'read'; manifest: SourceManifest } | Rejection {
  const { text, lineAbove } = found
  if (text === '') return invalid(`the manifest in line ${lineAbove} of the body is empty`)
  const bytes = Buffer.from(text)
  if (bytes.length > MANIFEST_LIMIT_BYTES) {
    return invalid(`the manifest has ${bytes.length} bytes and may have at most ${MANIFEST_LIMIT_BYTES}`)
  }
  try {
    const value = readJson(bytes, { input: 'the manifest', limitBytes: MANIFEST_LIMIT_BYTES })
    return { is: 'read', manifest: checkManifest(value) }
  } catch (error) {
    if (error instanceof Fault) return invalid(sayProblem(error, lineAbove))
    throw error
  }
}

function invalid(problem: string): Rejection {
  return reject('source_manifest_invalid', problem)
}

function sayProblem(fault: Fault, lineAbove: number): string {
  if (fault.code === jsonInvalid.code) {
    const { problem, place } = fault.details as { problem: string; place?: JsonPlace }
    const where = place && ` at ${place.location} (line ${lineAbove + place.line} of the body, column ${place.column})`
    return `the manifest is not usable JSON${where ?? ''}: ${problem}`
  }
  if (fault.code !== messageInvalid.code) throw fault
  const { problems } = fault.details as { problems: readonly Problem[] }
  return `the manifest is not valid: ${problems[0]?.path} ${problems[0]?.rule}`
}

function sectionsAreDistinct({ sections }: SourceManifest): Problem[] {
  const fields = ['key', 'comment_node_id', 'comment_database_id'] as const
  return fields.flatMap((field) =>
    repeated(sections, (section) => section[field]).map((index) => ({
      path: `$.sections[${index}].${field}`,
      rule: 'must not be that of another section',
    })),
  )
}

function everyRoleIsThere({ sections }: SourceManifest): Problem[] {
  const missing = ROLES.filter((role) => !sections.some((section) => section.role === role))
  return missing.map((role) => ({ path: '$.sections', rule: `must hold a section with the role ${role}` }))
}

const rules: readonly Rule<SourceManifest>[] = [sectionsAreDistinct, everyRoleIsThere]

export const checkManifest = checker<SourceManifest>('manifest', validateSourceManifest, rules)
