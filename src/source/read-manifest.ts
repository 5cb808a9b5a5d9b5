import { LIMITS, ROLES } from '../contract/limits.ts'
import { checkerInOrder, fieldSteps, type IndexedItem, ofItem, onEach, step } from '../kit/check-in-order.ts'
import { Fault } from '../kit/fault.ts'
import { type JsonPlace, jsonInvalid, messageInvalid } from '../kit/faults.ts'
import { readJson } from '../kit/json/read-json.ts'
import type { Problem, Rule } from '../kit/schema.ts'
import { validateManifestFields, validateManifestForm, validateManifestSectionFields } from './checks.generated.js'
import { type Rejection, reject } from './classification.ts'
import type { ManifestSection, SourceManifest } from './source-manifest.shape.ts'

export const MANIFEST_LIMIT_BYTES = 256 * 1024

export type ManifestText = {
  text: string
  /** The number of the body line above the manifest. */
  lineAbove: number
}

/** Parses and checks the manifest, or returns a rejection. */
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
    if (error instanceof Fault) return invalid(describeProblem(error, lineAbove))
    throw error
  }
}

export function invalid(problem: string): Rejection {
  return reject('source_manifest_invalid', problem)
}

function describeProblem(fault: Fault, lineAbove: number): string {
  if (fault.code === jsonInvalid.code) {
    const { problem, place } = fault.details as { problem: string; place?: JsonPlace }
    const where = place && ` at ${place.location} (line ${lineAbove + place.line} of the body, column ${place.column})`
    return `the manifest is not usable JSON${where ?? ''}: ${problem}`
  }
  if (fault.code !== messageInvalid.code) throw fault
  const { problems } = fault.details as { problems: readonly Problem[] }
  return `the manifest is not valid: ${problems[0]?.path} ${problems[0]?.rule}`
}

type Section = IndexedItem<ManifestSection, SourceManifest>

const field = fieldSteps<SourceManifest>(validateManifestFields)
const section = fieldSteps<ManifestSection>(validateManifestSectionFields)
const ofSection = (name: keyof ManifestSection) => ofItem(section.required(name))

const isOwn =
  (name: keyof ManifestSection): Rule<Section> =>
  ({ item, index, whole }) =>
    whole.sections.slice(0, index).some((other) => other[name] === item[name])
      ? [{ path: `$.${name}`, rule: 'must not be that of another section' }]
      : []

/** The number of sections is checked before the sections. */
const hasValidCount: Rule<SourceManifest> = (manifest) => {
  const count = Array.isArray(manifest.sections) ? manifest.sections.length : 0
  const isValid = count >= LIMITS.fewestSections && count <= LIMITS.mostSections
  return isValid ? [] : field.required('sections')(manifest)
}

const hasEveryRole: Rule<SourceManifest> = ({ sections }) => {
  const missing = ROLES.filter((role) => !sections.some((each) => each.role === role))
  return missing.map((role) => ({ path: '$.sections', rule: `must hold a section with the role ${role}` }))
}

/** The checks run in this order, and the first problem is reported. */
const STEPS: readonly Rule<SourceManifest>[] = [
  step(validateManifestForm),
  field.required('manifest_version'),
  field.required('profile'),
  field.optional('parent_requirements_revision'),
  hasValidCount,
  onEach('sections', [
    ofSection('key'),
    isOwn('key'),
    ofSection('role'),
    ofSection('title'),
    ofSection('comment_node_id'),
    isOwn('comment_node_id'),
    ofSection('comment_database_id'),
    isOwn('comment_database_id'),
    ofSection('body_sha256'),
  ]),
  hasEveryRole,
]

export const checkManifest = checkerInOrder<SourceManifest>('manifest', STEPS)
