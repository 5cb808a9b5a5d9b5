const LF = 0x0a
const NOTHING = Buffer.alloc(0)

type LineRules = { limitBytes: number; onOversize: (bytes: number) => void }

/**
 * The lines of a UTF-8 output, in batches: one for each chunk that ends a line, so that waiting costs per chunk and not
 * per line. A line ends with LF or CRLF; the last one may do without. A line of more than `limitBytes` (a CR counts) is
 * left out, never held as a whole, and reported with its length.
 */
export async function* readLines(source: AsyncIterable<Buffer>, rules: LineRules): AsyncGenerator<string[], void> {
  const splitter = new LineSplitter(rules)
  for await (const chunk of source) {
    const lines = splitter.take(chunk)
    if (lines.length > 0) yield lines
  }
  const lines = splitter.end()
  if (lines.length > 0) yield lines
}

/** Cuts at the bytes of line ends, before decoding: no character is ever torn. */
class LineSplitter {
  readonly #rules: LineRules
  /** The line that has not ended yet: its length, and its bytes (with room to grow) unless it is oversize already. */
  #begunBytes = 0
  #begun = NOTHING

  constructor(rules: LineRules) {
    this.#rules = rules
  }

  take(chunk: Buffer): string[] {
    const lastEnd = chunk.lastIndexOf(LF) + 1
    const lines = lastEnd === 0 ? [] : toLines(this.#endBegun(chunk.subarray(0, lastEnd)))
    this.#begin(chunk.subarray(lastEnd))
    return lines
  }

  end(): string[] {
    const { limitBytes, onOversize } = this.#rules
    if (this.#begunBytes > limitBytes) onOversize(this.#begunBytes)
    else if (this.#begunBytes > 0) return [this.#begun.toString('utf8', 0, this.#begunBytes)]
    return []
  }

  #begin(piece: Buffer): void {
    const start = this.#begunBytes
    this.#begunBytes += piece.length
    if (this.#begunBytes > this.#rules.limitBytes) {
      this.#begun = NOTHING
      return
    }
    if (this.#begunBytes > this.#begun.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#begunBytes, this.#begun.length * 2))
      this.#begun.copy(larger, 0, 0, start)
      this.#begun = larger
    }
    piece.copy(this.#begun, start)
  }

  /** The begun line and the whole lines after it, without those that are too long. */
  #endBegun(piece: Buffer): Buffer {
    const { limitBytes, onOversize } = this.#rules
    const bytes = this.#begunBytes
    const begun = this.#begun.subarray(0, bytes)
    this.#begunBytes = 0
    this.#begun = NOTHING
    if (bytes <= limitBytes) return withoutOversize(Buffer.concat([begun, piece]), this.#rules)
    const firstEnd = piece.indexOf(LF)
    onOversize(bytes + firstEnd)
    return withoutOversize(piece.subarray(firstEnd + 1), this.#rules)
  }
}

function withoutOversize(block: Buffer, { limitBytes, onOversize }: LineRules): Buffer {
  if (block.length <= limitBytes) return block
  const kept: Buffer[] = []
  for (let start = 0; start < block.length; ) {
    const end = block.indexOf(LF, start)
    if (end - start > limitBytes) onOversize(end - start)
    else kept.push(block.subarray(start, end + 1))
    start = end + 1
  }
  return Buffer.concat(kept)
}

/** `block` is empty or ends with LF, so the last part of the split is never a line. */
function toLines(block: Buffer): string[] {
  const text = block.toString('utf8')
  return text.split(text.includes('\r') ? /\r?\n/ : '\n').slice(0, -1)
}
