import type { Disk } from '../kit/files/disk.ts'
import { RECORD_LIMIT_BYTES } from './hash-chain.ts'

const LF = 0x0a
const CHUNK_BYTES = 64 * 1024

/** A line of a journal, without its line feed. `bytes` is empty if the line is too long for a record. */
export type JournalLine = {
  /** Its offset in the file. */
  readonly start: number
  readonly bytes: Buffer
  readonly isTerminated: boolean
  readonly isOversize: boolean
}

/** The lines of an open file from its start, read in chunks. At most one record is held in memory. */
export function* journalLines(descriptor: number, disk: Disk): Generator<JournalLine> {
  const line = new LineBuffer()
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (;;) {
    const count = disk.readSync(descriptor, chunk, 0, chunk.length, null)
    if (count === 0) break
    let from = 0
    for (let at = chunk.indexOf(LF); at !== -1 && at < count; at = chunk.indexOf(LF, from)) {
      line.add(chunk.subarray(from, at))
      yield line.end({ isTerminated: true })
      from = at + 1
    }
    line.add(chunk.subarray(from, count))
  }
  if (line.length > 0) yield line.end({ isTerminated: false })
}

/** Collects the chunks of one line. */
class LineBuffer {
  length = 0
  #start = 0
  #pieces: Buffer[] = []

  add(piece: Buffer): void {
    this.length += piece.length
    if (this.#isOversize()) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(Buffer.from(piece)) // a copy, because the chunk is reused
  }

  end({ isTerminated }: { isTerminated: boolean }): JournalLine {
    const line = {
      start: this.#start,
      bytes: Buffer.concat(this.#pieces),
      isTerminated,
      isOversize: this.#isOversize(),
    }
    this.#start += this.length + (isTerminated ? 1 : 0)
    this.length = 0
    this.#pieces = []
    return line
  }

  /** The line feed counts, even if it is missing. */
  #isOversize(): boolean {
    return this.length + 1 > RECORD_LIMIT_BYTES
  }
}
