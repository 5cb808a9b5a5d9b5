/** What was piped or redirected into the program, or what somebody types. */
import { fstatSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { inputTooLarge } from './faults.ts'

const STDIN = 0

export type StandardInput = {
  /** Somebody feeds it: a pipe or a file. A terminal and /dev/null are nobody. */
  isFed(): boolean
  read(limitBytes: number): Promise<Buffer>
  /** A person is there to be asked. */
  isTty: boolean
  /** Lines as they are typed. */
  lines(): TypedLines
}

type TypedLines = {
  /** Undefined when there will be no more. */
  next(): Promise<string | undefined>
  /** Without it the program would wait for more before it ends. */
  close(): void
}

export function createStandardInput(stream: NodeJS.ReadStream): StandardInput {
  return {
    isFed: () => isFed(STDIN),
    read: (limitBytes) => readAll(stream, limitBytes),
    isTty: stream.isTTY === true,
    lines: () => readLines(stream),
  }
}

function readLines(stream: NodeJS.ReadStream): TypedLines {
  const reader = createInterface({ input: stream, terminal: false })
  const lines = reader[Symbol.asyncIterator]()
  return { next: async () => (await lines.next()).value, close: () => reader.close() }
}

function isFed(descriptor: number): boolean {
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
