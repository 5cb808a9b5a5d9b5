const CONTINUATION = { mask: 0b1100_0000, bits: 0b1000_0000, most: 3 }

/** Keeps the last bytes of an output of any length in bounded memory. */
export class OutputTail {
  readonly #limitBytes: number
  #chunks: Buffer[] = []
  #bytes = 0
  #cut = false

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    // Trimming only at twice the limit copies each byte about once, however small the chunks are.
    if (this.#bytes > this.#limitBytes * 2) this.#trim()
  }

  /** Starts with a whole character. Invalid UTF-8 becomes U+FFFD. */
  text(): string {
    const tail = this.#trim()
    let start = 0
    while (this.#cut && start < CONTINUATION.most && isContinuation(tail[start])) start += 1
    return tail.toString('utf8', start)
  }

  #trim(): Buffer {
    const all = Buffer.concat(this.#chunks, this.#bytes)
    const tail = all.subarray(Math.max(0, all.length - this.#limitBytes))
    this.#cut ||= tail.length < all.length
    // A copy, because a view would keep all the bytes that were cut off.
    this.#chunks = [Buffer.from(tail)]
    this.#bytes = tail.length
    return tail
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & CONTINUATION.mask) === CONTINUATION.bits
}
