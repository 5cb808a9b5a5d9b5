import { writeJson } from '../kit/json/write-json.ts'
import { checker, type Problem, type Rule, within } from '../kit/schema.ts'
import type { Action, ActionRequirements } from './action.shape.ts'
import { destructiveRules } from './destructive.ts'
import { findDuplicates } from './duplicates.ts'
import { LIMITS } from './limits.ts'
import type { ActionMaterial, PinnedMaterial } from './material.shape.ts'
import { validateAction, validateActionMaterial, validatePinnedMaterial } from './runs.generated.js'

/** The size of an action as it is sent: as JSON with a line feed. */
export function actionBytes(action: Action): number {
  return Buffer.byteLength(writeJson(action)) + 1
}

/** An upper bound for the size of a value as JSON. */
function maxBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + countEscapes(value) + 2
  if (typeof value !== 'object' || value === null) return 24
  return Object.entries(value).reduce((sum, [key, part]) => sum + 6 * key.length + 4 + maxBytes(part), 2)
}

/** The characters in texts of an action that JSON escapes with one extra byte. */
const ESCAPED = ['"', '\\', '\n', '\r', '\t']

function countEscapes(text: string): number {
  let count = 0
  for (const unit of ESCAPED) {
    for (let at = text.indexOf(unit); at !== -1; at = text.indexOf(unit, at + 1)) count += 1
  }
  return count
}

function actionFitsItsSize(action: Action): Problem[] {
  // Most actions are far below the limit, and measuring one takes longer than all other checks.
  if (maxBytes(action) < LIMITS.actionBytes) return []
  const bytes = actionBytes(action)
  return bytes <= LIMITS.actionBytes
    ? []
    : [{ path: '$', rule: `must have at most ${LIMITS.actionBytes} bytes as JSON and has ${bytes}` }]
}

function revisionsAgree({ source, requirements }: Action): Problem[] {
  return source?.requirements_revision === requirements?.requirements_revision
    ? []
    : [{ path: '$.requirements.requirements_revision', rule: 'must be the requirements_revision of the source' }]
}

function readerIsForThisAction({ run_id, action_id, requirements }: Action): Problem[] {
  if (requirements === undefined) return []
  const [, , , , , , run, , action] = requirements.reader.base_argv
  return run === run_id && action === action_id
    ? []
    : [{ path: '$.requirements.reader.base_argv', rule: 'must name the run and the action that carry it' }]
}

function sectionsHaveDistinctKeys({ sections }: ActionRequirements): Problem[] {
  return findDuplicates(sections, ({ key }) => key).map((index) => ({
    path: `$.sections[${index}].key`,
    rule: 'must not be the key of another section',
  }))
}

function everySectionIsRequired({ sections, required_for_action, reader }: ActionRequirements): Problem[] {
  const keys = sections.map(({ key }) => key).join()
  const lists = [
    { path: '$.required_for_action', list: required_for_action },
    { path: '$.reader.input.choices', list: reader.input.choices },
  ]
  return lists
    .filter(({ list }) => list.join() !== keys)
    .map(({ path }) => ({ path, rule: 'must be the keys of all sections, in order' }))
}

export const actionRules: readonly Rule<Action>[] = [
  actionFitsItsSize,
  revisionsAgree,
  readerIsForThisAction,
  within('requirements', [sectionsHaveDistinctKeys, everySectionIsRequired]),
  within('destructive_authorization', destructiveRules),
]

export const checkAction = checker<Action>('action', validateAction, actionRules)

export const checkActionMaterial = checker<ActionMaterial>('actionMaterial', validateActionMaterial)

export const checkPinnedMaterial = checker<PinnedMaterial>('pinnedMaterial', validatePinnedMaterial)
