const LF = 0x0a
const EMPTY = Buffer.alloc(0)

type LineRules = { limitBytes: number; onOversize: (bytes: number) => void }

/**
 * Reads the lines of UTF-8 output in batches, one per chunk that ends a line, so that the caller awaits once per chunk
 * instead of once per line. A line ends with LF or CRLF; the last one may lack it. A line of more than `limitBytes`
 * (counting CR) is skipped, never held in memory as a whole, and reported with its length.
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

/** Splits the bytes at line ends before decoding, so that no character is split. */
class LineSplitter {
  readonly #rules: LineRules
  /** The unfinished line: its length, and its bytes (in a larger buffer) unless it is oversize already. */
  #partialBytes = 0
  #partial = EMPTY

  constructor(rules: LineRules) {
    this.#rules = rules
  }

  take(chunk: Buffer): string[] {
    const lastEnd = chunk.lastIndexOf(LF) + 1
    const lines = lastEnd === 0 ? [] : toLines(this.#endPartial(chunk.subarray(0, lastEnd)))
    this.#startPartial(chunk.subarray(lastEnd))
    return lines
  }

  end(): string[] {
    const { limitBytes, onOversize } = this.#rules
    if (this.#partialBytes > limitBytes) onOversize(this.#partialBytes)
    else if (this.#partialBytes > 0) return [this.#partial.toString('utf8', 0, this.#partialBytes)]
    return []
  }

  #startPartial(piece: Buffer): void {
    const start = this.#partialBytes
    this.#partialBytes += piece.length
    if (this.#partialBytes > this.#rules.limitBytes) {
      this.#partial = EMPTY
      return
    }
    if (this.#partialBytes > this.#partial.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#partialBytes, this.#partial.length * 2))
      this.#partial.copy(larger, 0, 0, start)
      this.#partial = larger
    }
    piece.copy(this.#partial, start)
  }

  /** The unfinished line and the whole lines after it, without those that are too long. */
  #endPartial(piece: Buffer): Buffer {
    const { limitBytes, onOversize } = this.#rules
    const bytes = this.#partialBytes
    const partial = this.#partial.subarray(0, bytes)
    this.#partialBytes = 0
    this.#partial = EMPTY
    if (bytes <= limitBytes) return withoutOversize(Buffer.concat([partial, piece]), this.#rules)
    const firstEnd = piece.indexOf(LF)
    onOversize(bytes + firstEnd)
    return withoutOversize(piece.subarray(firstEnd + 1), this.#rules)
  }
}

function withoutOversize(block: Buffer, { limitBytes, onOversize }: LineRules): Buffer {
  if (block.length <= limitBytes) return block
  const lines: Buffer[] = []
  for (let start = 0; start < block.length; ) {
    const end = block.indexOf(LF, start)
    if (end - start > limitBytes) onOversize(end - start)
    else lines.push(block.subarray(start, end + 1))
    start = end + 1
  }
  return Buffer.concat(lines)
}

/** `block` is empty or ends with LF, so the last part of the split is never a line. */
function toLines(block: Buffer): string[] {
  const text = block.toString('utf8')
  return text.split(text.includes('\r') ? /\r?\n/ : '\n').slice(0, -1)
}
