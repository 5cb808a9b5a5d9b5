import { Readable } from 'node:stream'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'

/** How long a pipe may stay open after the child exited. Only a process that survived the child can hold it open. */
const LINGER_MS = 300
/** More than a pipe buffers and a program prints while it exits; a child that prints more will not stop. */
const FINAL_OUTPUT_LIMIT_BYTES = 8 * 1024 * 1024

/**
 * Passes a child's output to a reader. A slow reader makes the child wait until `hurry` is called, when the child is
 * ending: from then on the output goes to memory, so that the reader cannot delay the end and nothing is lost. Call
 * `finish` after the child exited. `onAbandoned` is called if the reader stops before the end.
 */
export function relayOutput(source: Readable, onAbandoned: () => void) {
  let finalBytes: number | undefined
  const output = new Readable({
    read: () => source.resume(),
    destroy: (error, done) => {
      if (!source.closed) onAbandoned()
      done(error)
    },
  })
  source.on('data', (chunk: Buffer) => {
    const wantsMore = output.push(chunk)
    if (finalBytes !== undefined) {
      finalBytes += chunk.length
      if (finalBytes > FINAL_OUTPUT_LIMIT_BYTES) source.destroy()
    } else if (!wantsMore) source.pause()
  })
  // A broken pipe needs no handling; 'close' follows.
  source.on('error', () => {})
  source.on('close', () => output.push(null))
  const hurry = () => {
    finalBytes = 0
    source.resume()
  }
  return { output, hurry, finish: () => closeSoon(source) }
}

/** Reads all of a child's output and keeps the last `limitBytes`; `finish` returns them after the child exited. */
export function keepTail(source: Readable, limitBytes: number) {
  const tail = new OutputTail(limitBytes)
  source.on('data', (chunk: Buffer) => tail.add(chunk))
  source.on('error', () => {})
  const finish = async () => {
    await closeSoon(source)
    return tail.text()
  }
  return { finish }
}

/** Reads the rest of the output after the child exited, but not for longer than LINGER_MS. */
async function closeSoon(source: Readable): Promise<void> {
  if (source.closed) return
  const closed = new Promise<void>((resolve) => source.once('close', resolve))
  await Promise.race([closed, lingering()])
  source.destroy()
  await closed
}

async function lingering(): Promise<void> {
  await delay(LINGER_MS, undefined, { ref: false })
  // Timers run before pipes are read: if this process stalled, unread output may still be in the pipe.
  await nextTurn()
}

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
