import { checker } from '../kit/schema.ts'
import type { ActionMaterial, PinnedMaterial } from './material.shape.ts'
import { validateActionMaterial, validatePinnedMaterial } from './runs.generated.js'

export const checkActionMaterial = checker<ActionMaterial>('actionMaterial', validateActionMaterial)

export const checkPinnedMaterial = checker<PinnedMaterial>('pinnedMaterial', validatePinnedMaterial)
