/** What was piped or redirected into the program, or what somebody types. */
import { fstatSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { inputTooLarge } from './faults.ts'

const STDIN = 0

export type StandardInput = {
  /** Somebody feeds it: a pipe or a file. A terminal and /dev/null are nobody. */
  isPiped(): boolean
  /** All of it. The reading ends with an error once `signal` has fired. */
  read(limitBytes: number, signal?: AbortSignal): Promise<Buffer>
  /** A person is there to be asked. */
  readonly isTty: boolean
  /** Lines as they are typed. */
  lines(): Promise<TypedLines>
}

type TypedLines = {
  /** Undefined when there will be no more. */
  next(): Promise<string | undefined>
  /** Without it the program would wait for more before it ends. */
  close(): void
}

/** Asks for the stream when it is first needed: to make it takes Node longer than some commands do. */
export function createStandardInput(streams: { readonly stdin: NodeJS.ReadStream }): StandardInput {
  return {
    isPiped: () => isPiped(STDIN),
    read: (limitBytes, signal) => {
      const { stdin } = streams
      return readAll(signal === undefined ? stdin : addAbortSignal(signal, stdin), limitBytes)
    },
    get isTty() {
      return streams.stdin.isTTY === true
    },
    lines: () => readLines(streams.stdin),
  }
}

async function readLines(stream: NodeJS.ReadStream): Promise<TypedLines> {
  const { createInterface } = await import('node:readline')
  const reader = createInterface({ input: stream, terminal: false })
  const lines = reader[Symbol.asyncIterator]()
  return { next: async () => (await lines.next()).value, close: () => reader.close() }
}

function isPiped(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor)
    return found.isFIFO() || found.isFile() || found.isSocket()
  } catch {
    return false
  }
}

async function readAll(stream: NodeJS.ReadStream, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > limitBytes) throw inputTooLarge({ limitBytes })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}
