/**
 * Reads the JSON of a request body. A large body is read in a separate thread: parsing ten megabytes takes longer than
 * other requests should wait.
 */
import { Worker } from 'node:worker_threads'
import { jsonInvalid } from '../../kit/faults.ts'
import { type ReadJsonOptions, readJson } from '../../kit/json/read-json.ts'
import type { JsonValue } from '../../kit/json-value.ts'

export const BODY_RULES: ReadJsonOptions = {
  input: 'the request body',
  limitBytes: Number.POSITIVE_INFINITY,
  numbers: 'any',
}

/** Smaller bodies take some milliseconds at most. */
const LARGE_BYTES = 256 * 1024
/** Then the thread ends, which frees its memory. */
const IDLE_MS = 60_000

/** The bytes of a body in the order in which they arrived. */
export class BodyParts {
  size = 0
  readonly #parts: Uint8Array[] = []

  /** The parts of a large body are copied one by one: copying all at the end would take long. */
  add(part: Buffer): void {
    this.size += part.length
    this.#parts.push(this.size < LARGE_BYTES ? part : new Uint8Array(part))
  }

  join(): Buffer {
    return Buffer.concat(this.#parts)
  }

  /** Parts with their own buffers, which can be transferred to a thread without another copy. */
  detach(): Uint8Array<ArrayBuffer>[] {
    return this.#parts.map((part) =>
      part.length === part.buffer.byteLength ? (part as Uint8Array<ArrayBuffer>) : new Uint8Array(part),
    )
  }
}

export type ThreadRequest = { number: number; parts: Uint8Array[] }
export type ThreadAnswer = { number: number } & ({ value: JsonValue } | { problem: unknown })

export type ReadBody = (body: BodyParts) => JsonValue | Promise<JsonValue>

/** `program` is the file of the thread. Without it, all bodies are read at once. */
export function createBodyReader(program: string | undefined): ReadBody {
  const thread = program === undefined ? undefined : createThread(program)
  return (body) =>
    thread === undefined || body.size < LARGE_BYTES ? readJson(body.join(), BODY_RULES) : thread.read(body)
}

function createThread(program: string): { read(body: BodyParts): Promise<JsonValue> } {
  const waiting = new Map<number, { resolve(value: JsonValue): void; reject(error: unknown): void }>()
  let count = 0
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined

  const takeAnswer = (answer: ThreadAnswer) => {
    const asked = waiting.get(answer.number)
    waiting.delete(answer.number)
    if ('value' in answer) asked?.resolve(answer.value)
    else asked?.reject(jsonInvalid(answer.problem as Parameters<typeof jsonInvalid>[0]))
    if (waiting.size === 0) idle = setTimeout(stop, IDLE_MS).unref()
  }
  const stop = () => {
    void worker?.terminate()
    worker = undefined
  }
  /** Out of memory, for example. The next body starts a new thread. */
  const fail = (error: unknown) => {
    worker = undefined
    for (const asked of waiting.values()) asked.reject(error)
    waiting.clear()
  }
  const start = () => {
    const started = new Worker(program)
    started.on('message', takeAnswer)
    started.on('error', fail)
    // The server must be able to exit.
    started.unref()
    return started
  }
  return {
    read: (body) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        worker ??= start()
        count += 1
        waiting.set(count, { resolve, reject })
        const parts = body.detach()
        const buffers = parts.map(({ buffer }) => buffer)
        worker.postMessage({ number: count, parts } satisfies ThreadRequest, buffers)
      }),
  }
}
