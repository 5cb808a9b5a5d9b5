/** What the user has decided about the settings of projects: one file for each, `trusted-settings/<digest>.json`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../kit/fault.ts'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { checker } from '../../kit/schema.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import { validateSettingsDecision } from './checks.generated.js'
import type { SettingsDecision } from './settings-decision.shape.ts'

const LIMIT_BYTES = 1024 * 1024

const checkDecision = checker<SettingsDecision>('settingsDecision', validateSettingsDecision)

/** `directory` is that of all decisions. */
export function saveDecision(directory: string, decision: SettingsDecision): void {
  ensurePrivateDirectory({ path: directory })
  const bytes = encodeUtf8(`${JSON.stringify(decision, null, 2)}\n`)
  replaceFile({ path: decisionPath(directory, decision.digest), bytes, mode: 0o600 })
}

/** Undefined if the user has not decided, or if the file is not valid: then nothing is trusted. */
export function findDecision(directory: string, digest: string): SettingsDecision['decision'] | undefined {
  const path = decisionPath(directory, digest)
  try {
    const bytes = readFileBytes({ path, limitBytes: LIMIT_BYTES })
    const found = checkDecision(readJson(bytes, { input: path, limitBytes: LIMIT_BYTES }))
    return found.digest === digest ? found.decision : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

export function hasDecisions(directory: string): boolean {
  return existsSync(directory)
}

function decisionPath(directory: string, digest: string): string {
  return join(directory, `${digest.replace('sha256:', '')}.json`)
}
