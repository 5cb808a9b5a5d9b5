/** The frames of a long-lived agent: JSON objects, one per line, in both directions. */
import type { Readable } from 'node:stream'
import { readLines } from '../../kit/read-lines.ts'
import { type JsonRecord, parseObject } from '../adapter/json-fields.ts'

/** No agent prints longer frames: a longer one is skipped with a warning. */
const FRAME_LIMIT_BYTES = 10 * 1024 * 1024
const SHOWN_CHARACTERS = 80

/** Why a warning was given: the size of a line, its content, or a frame that does not fit the protocol. */
export type WarningCause = 'size' | 'content' | 'protocol'
export type OnWarning = (text: string, cause: WarningCause) => void

/** A frame, and the line that it was read from. */
export type Frame = { value: JsonRecord; line: string }

/**
 * Reads the frames in batches, one per chunk of output. What is not a JSON object is skipped with a warning. Stopping
 * early ends the agent.
 */
export async function* readFrames(
  stdout: Readable,
  { onWarning, limitBytes = FRAME_LIMIT_BYTES }: { onWarning: OnWarning; limitBytes?: number },
): AsyncGenerator<Frame[], void> {
  const onOversize = (bytes: number) =>
    onWarning(`a line of ${bytes} bytes was skipped: it is too long for an event`, 'size')
  for await (const lines of readLines(stdout, { limitBytes, onOversize })) {
    const frames: Frame[] = []
    for (const line of lines) {
      const value = parseObject(line)
      if (value !== undefined) frames.push({ value, line })
      else if (line.trim() !== '')
        onWarning(`a line that is not a JSON object was skipped: ${shorten(line)}`, 'content')
    }
    if (frames.length > 0) yield frames
  }
}

function shorten(line: string): string {
  return JSON.stringify(line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line)
}
