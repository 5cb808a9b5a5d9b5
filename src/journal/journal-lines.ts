import type { Disk } from '../kit/files/disk.ts'
import { RECORD_LIMIT_BYTES } from './record.ts'

const LF = 0x0a
const CHUNK_BYTES = 64 * 1024

/** A line of a journal, without its line feed. One that is too long for a record is not kept. */
export type JournalLine = {
  /** Where in the file it begins. */
  readonly start: number
  readonly bytes: Buffer
  readonly isEnded: boolean
  readonly isOversize: boolean
}

/** The lines of an open file from its beginning, read in pieces: never more than one record is held. */
export function* journalLines(descriptor: number, disk: Disk): Generator<JournalLine> {
  const begun = new BegunLine()
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (;;) {
    const count = disk.readSync(descriptor, chunk, 0, chunk.length, null)
    if (count === 0) break
    let from = 0
    for (let at = chunk.indexOf(LF); at !== -1 && at < count; at = chunk.indexOf(LF, from)) {
      begun.add(chunk.subarray(from, at))
      yield begun.end({ isEnded: true })
      from = at + 1
    }
    begun.add(chunk.subarray(from, count))
  }
  if (begun.length > 0) yield begun.end({ isEnded: false })
}

/** A line that is not complete yet. */
class BegunLine {
  length = 0
  #start = 0
  #pieces: Buffer[] = []

  add(piece: Buffer): void {
    this.length += piece.length
    if (this.#isOversize()) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(Buffer.from(piece)) // a copy: the chunk is read into again
  }

  end({ isEnded }: { isEnded: boolean }): JournalLine {
    const line = { start: this.#start, bytes: Buffer.concat(this.#pieces), isEnded, isOversize: this.#isOversize() }
    this.#start += this.length + (isEnded ? 1 : 0)
    this.length = 0
    this.#pieces = []
    return line
  }

  /** The line feed counts, also where it is missing. */
  #isOversize(): boolean {
    return this.length + 1 > RECORD_LIMIT_BYTES
  }
}
