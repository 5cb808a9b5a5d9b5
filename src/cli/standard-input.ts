/** The only reader of standard input: a pipe, a file, or a user at a terminal. */
import { fstatSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { inputTooLarge } from './faults.ts'

const STDIN = 0

export type StandardInput = {
  /** It is a pipe, a file or a socket, not a terminal or /dev/null. */
  isPiped(): boolean
  /** Reads everything. Throws if `signal` is aborted. */
  read(limitBytes: number, signal?: AbortSignal): Promise<Buffer>
  /** A user can be asked. */
  readonly isTty: boolean
  /** Reads lines as the user types them. */
  lines(): Promise<TypedLines>
}

type TypedLines = {
  /** Undefined at the end of input. */
  next(): Promise<string | undefined>
  /** Without this, the open stream would keep the process alive. */
  close(): void
}

/** Opens the stream on first use, because Node needs longer for that than some commands run. */
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
