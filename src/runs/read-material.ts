import { checkActionMaterial, checkPinnedMaterial } from '../contract/action.ts'
import { CONTRACT_VERSION } from '../contract/limits.ts'
import type { ActionMaterial, PinnedMaterial } from '../contract/material.shape.ts'
import type { PinnedSource, PinnedSourceSection } from '../contract/pinned-source.shape.ts'
import { materialUnavailable } from '../engine/faults.ts'
import { checkSectionKey, findActionSection, findPinnedSection } from '../engine/operations/find-material.ts'
import type { Run } from '../engine/state/run.ts'
import { materialBlobUnreadable } from '../journal/faults.ts'
import type { MaterialReader } from '../journal/materials.ts'
import type { Digest } from '../kit/digest.ts'
import { isFault } from '../kit/fault.ts'
import { decodeUtf8 } from '../kit/files/read-file.ts'
import { matchesSection } from '../source/revisions.ts'
import type { PinnedReading } from './change-run.ts'
import { materialCorrupt } from './faults.ts'
import { openRun } from './open-run.ts'
import type { RunContext } from './run-context.ts'

/** Reads a section for an action, which must be the current one. */
export async function readActionMaterial(
  context: RunContext,
  { runId, actionId, key }: { runId: string; actionId: string; key: string },
): Promise<ActionMaterial> {
  checkSectionKey(key)
  return await openRun(context, runId, (run, materials) => {
    const section = findActionSection(run, actionId, key)
    return checkActionMaterial({
      contract_version: CONTRACT_VERSION,
      message_type: 'action_material',
      run_id: run.id,
      action_id: actionId,
      requirements_revision: requireSource(run).requirements_revision,
      section: withText(section, materials),
    })
  })
}

/** Reads a section for a person, in any state of the run. */
export async function readPinnedMaterial(
  context: RunContext,
  { runId, key }: { runId: string; key: string },
): Promise<PinnedMaterial> {
  checkSectionKey(key)
  return await openRun(context, runId, (run, materials) => {
    const section = findPinnedSection(run, key)
    const { source_revision, requirements_revision } = requireSource(run)
    return checkPinnedMaterial({
      contract_version: CONTRACT_VERSION,
      message_type: 'pinned_material',
      run_id: run.id,
      run_state: run.state,
      source_revision,
      requirements_revision,
      section: withText(section, materials),
    })
  })
}

/** The source that a run is bound to, with the texts of its sections, for another run that continues it. */
export async function readPinnedSource(context: RunContext, runId: string): Promise<PinnedReading | undefined> {
  return await openRun(context, runId, ({ pinned_source: source }, read) => {
    if (source === undefined) return undefined
    const texts = source.sections.map((section) => [section.material_sha256, withText(section, read).markdown] as const)
    return { is: 'pinned', source, materials: new Map(texts) }
  })
}

/** Call this after a section was found: then there is a source. */
function requireSource({ pinned_source }: Run): PinnedSource {
  if (pinned_source === undefined) throw new TypeError('there is a section but no source')
  return pinned_source
}

function withText(section: PinnedSourceSection, read: MaterialReader) {
  const { key, role, title, section_revision } = section
  const markdown = readSection(section, read)
  if (!matchesSection(section, markdown)) throw materialCorrupt({ key, problem: 'its length or its revision differs' })
  return { key, role, title, section_revision, markdown }
}

function readSection({ key, material_sha256 }: PinnedSourceSection, read: MaterialReader): string {
  try {
    return decodeUtf8({ bytes: read(material_sha256 as Digest), source: `the text of ${key}` })
  } catch (error) {
    if (!isFault(error, materialBlobUnreadable)) throw error
    throw materialUnavailable({ key, problem: error.message }, error)
  }
}
