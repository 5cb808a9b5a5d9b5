/** Recorded frames of agents that stay up. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonRecord } from '../../src/agents/adapter/json-fields.ts'

const RECORDINGS = join(import.meta.dirname, '..', 'recordings')

export type RecordedFrame = { isSent: boolean; frame: JsonRecord; line: string }

export function readFrameRecording(backend: string, name: string): RecordedFrame[] {
  const text = readFileSync(join(RECORDINGS, backend, `${name}.frames.jsonl`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row))
    .map(({ dir, frame }) => ({ isSent: dir === '->', frame, line: JSON.stringify(frame) }))
}
