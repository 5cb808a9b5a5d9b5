import { Readable } from 'node:stream'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { OutputTail } from './output-tail.ts'

/** How long a pipe may stay open after the child has gone; only a process that survived the child can hold it open. */
const LINGER_MS = 300
/** More than any pipe holds and any program says in parting: beyond this there is no end to come. */
const LAST_WORDS_LIMIT_BYTES = 8 * 1024 * 1024

/**
 * A child's output for a reader with a pace of its own. A slow reader makes the child wait until `hurry`, which is for a
 * child that ends: from then on everything goes to memory, so that no reader can hold up the end, and nothing is lost.
 * `finish` is for a child that has gone. `onAbandoned` is called if the reader stops before the end.
 */
export function relayOutput(source: Readable, onAbandoned: () => void) {
  let lastWordsBytes: number | undefined
  const output = new Readable({
    read: () => source.resume(),
    destroy: (error, done) => {
      if (!source.closed) onAbandoned()
      done(error)
    },
  })
  source.on('data', (chunk: Buffer) => {
    const wantsMore = output.push(chunk)
    if (lastWordsBytes !== undefined) {
      lastWordsBytes += chunk.length
      if (lastWordsBytes > LAST_WORDS_LIMIT_BYTES) source.destroy()
    } else if (!wantsMore) source.pause()
  })
  // A broken pipe is an end like any other; 'close' follows.
  source.on('error', () => {})
  source.on('close', () => output.push(null))
  const hurry = () => {
    lastWordsBytes = 0
    source.resume()
  }
  return { output, hurry, finish: () => closeSoon(source) }
}

/** Reads all of a child's output and keeps the last `limitBytes`; `finish` gives them once the child has gone. */
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

/** Reads on to the end of an output whose child has gone, or until it is clear that a survivor holds it open. */
async function closeSoon(source: Readable): Promise<void> {
  if (source.closed) return
  const closed = new Promise<void>((resolve) => source.once('close', resolve))
  await Promise.race([closed, lingering()])
  source.destroy()
  await closed
}

async function lingering(): Promise<void> {
  await delay(LINGER_MS, undefined, { ref: false })
  // Timers run before pipes are read: after a stall of this process the rest may be waiting there unread.
  await nextTurn()
}
