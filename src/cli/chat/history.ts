/** The lines that a user has typed in conversations, in a file that only the user can read. */
import { dirname } from 'node:path'
import { Fault } from '../../kit/fault.ts'
import { fileMissing } from '../../kit/faults.ts'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { readFileText } from '../../kit/files/read-file.ts'
import { replaceFile } from '../../kit/files/write-file.ts'

export const MAX_LINES = 1000
/** A longer line is not stored. */
const MAX_LINE_CHARACTERS = 10_000
/** Four bytes for each character. */
const LIMIT_BYTES = MAX_LINES * (MAX_LINE_CHARACTERS + 1) * 4

/** Oldest first. */
export function readHistory(path: string): string[] {
  try {
    return splitLines(readFileText({ path, limitBytes: LIMIT_BYTES }))
  } catch (error) {
    if (error instanceof Fault && error.code === fileMissing.code) return []
    throw error
  }
}

/** Reads the file again, because other conversations add to it too. */
export function addToHistory(path: string, line: string): void {
  ensurePrivateDirectory({ path: dirname(path), links: 'follow' })
  const lines = addLine(readHistory(path), line)
  replaceFile({ path, bytes: Buffer.from(lines.map((each) => `${each}\n`).join('')), mode: 0o600 })
}

/** The line becomes the newest; an earlier copy of it and the oldest lines are dropped. Pure. */
export function addLine(lines: readonly string[], line: string): readonly string[] {
  if (line.trim() === '' || line.length > MAX_LINE_CHARACTERS) return lines
  return [...lines.filter((each) => each !== line), line].slice(-MAX_LINES)
}

function splitLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && line.length <= MAX_LINE_CHARACTERS)
    .slice(-MAX_LINES)
}
