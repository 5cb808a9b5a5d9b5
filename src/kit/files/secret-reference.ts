/** Secrets in settings are references: `${NAME}` is a variable of drover's environment, `${file:/path}` a file. */

import { tryTo } from '../fault.ts'
import { referenceUnresolved } from '../faults.ts'
import { readFileText } from './read-file.ts'

export const REFERENCE = /\$\{(?:file:([^}]+)|([A-Za-z_][A-Za-z0-9_]*))\}/

type Variables = Readonly<Record<string, string | undefined>>

const ALL = new RegExp(REFERENCE, 'g')
const LIMIT_BYTES = 64 * 1024

/** The text with what its references stand for. Throws a Fault that names the reference, never a value. */
export function resolveReferences(text: string, env: Variables, place: string): string {
  return text.replace(ALL, (reference, path: string | undefined, name: string | undefined) => {
    const value = path === undefined ? env[name ?? ''] : readSecret(path)
    if (value === undefined || value === '') throw referenceUnresolved({ place, reference })
    return value
  })
}

function readSecret(path: string): string | undefined {
  return tryTo(() => readFileText({ path, limitBytes: LIMIT_BYTES, links: 'follow' }))?.trimEnd()
}
