/** What the user has decided about the settings of projects: one file for each, `trusted-settings/<digest>.json`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { tryTo } from '../../kit/fault.ts'
import { readRecordFile, saveRecordFile } from '../../kit/files/record-file.ts'
import { checker } from '../../kit/schema.ts'
import { validateSettingsDecision } from './checks.generated.js'
import type { SettingsDecision } from './user-records.shape.ts'

const LIMIT_BYTES = 1024 * 1024

const checkDecision = checker<SettingsDecision>('settingsDecision', validateSettingsDecision)

/** `directory` is that of all decisions. */
export function saveDecision(directory: string, decision: SettingsDecision): void {
  saveRecordFile(decisionPath(directory, decision.digest), decision)
}

/** Undefined if the user has not decided, or if the file is not valid: then nothing is trusted. */
export function findDecision(directory: string, digest: string): SettingsDecision['decision'] | undefined {
  const found = tryTo(() => readRecordFile(decisionPath(directory, digest), checkDecision, LIMIT_BYTES))
  return found?.digest === digest ? found.decision : undefined
}

export function hasDecisions(directory: string): boolean {
  return existsSync(directory)
}

function decisionPath(directory: string, digest: string): string {
  return join(directory, `${digest.replace('sha256:', '')}.json`)
}
