/** The only reader of standard input: a pipe, a file, or a user at a terminal. */

import { once } from 'node:events'
import { fstatSync, type Stats } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { orUndefined } from '../kit/fault.ts'
import { inputTooLarge } from './faults.ts'
import type { KeyReader } from './key-reader.ts'
import type { EditorOptions, LineEditor } from './line-editor.ts'
import { isLoss } from './lost-terminal.ts'

const STDIN = 0

/** The same time as Claude Code waits. */
const SILENCE_LIMIT_MS = 3000

export type StandardInput = {
  /** It is a pipe, a file or a socket, not a terminal or /dev/null. */
  isPiped(): boolean
  /** Reads everything. Throws if `signal` is aborted. */
  read(limitBytes: number, signal?: AbortSignal): Promise<Buffer>
  /**
   * Reads everything, unless it is a socket that sends nothing: `silent`. A shell connects programs by a pipe, and waiting
   * for a slow one is right. A socket comes from a program that started drover, and many never close it.
   */
  readUnlessSilent(limitBytes: number): Promise<Buffer | 'silent'>
  /** The stream itself, for a protocol that is read by others. */
  stream(): NodeJS.ReadStream
  /** A user can be asked. */
  readonly isTty: boolean
  /** Reads lines as the user types them. */
  lines(): Promise<TypedLines>
  /** Reads single keys from the terminal. */
  keys(): Promise<KeyReader>
  /** Lets the user edit lines on the terminal, which shows them through stderr. */
  editLines(options: EditorOptions): Promise<LineEditor>
}

export type TypedLines = {
  /** Undefined at the end of input. */
  next(): Promise<string | undefined>
  /** Without this, the open stream would keep the process alive. */
  close(): void
}

/** Opens the stream on first use, because Node needs longer for that than some commands run. */
export function createStandardInput(streams: {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
}): StandardInput {
  return {
    isPiped: () => isPiped(STDIN),
    readUnlessSilent: async (limitBytes) => {
      const { stdin } = streams
      if (isSocket(STDIN) && !(await sendsSomething(stdin))) return 'silent'
      return await readAll(stdin, limitBytes)
    },
    read: (limitBytes, signal) => {
      const { stdin } = streams
      return readAll(signal === undefined ? stdin : addAbortSignal(signal, stdin), limitBytes)
    },
    stream: () => streams.stdin,
    get isTty() {
      return streams.stdin.isTTY === true
    },
    lines: () => readLines(streams.stdin),
    keys: async () => (await import('./key-reader.ts')).createKeyReader(streams.stdin),
    editLines: async (options) => {
      const { createLineEditor } = await import('./line-editor.ts')
      return createLineEditor({ input: streams.stdin, output: streams.stderr }, options)
    },
  }
}

async function readLines(stream: NodeJS.ReadStream): Promise<TypedLines> {
  const { createInterface } = await import('node:readline')
  const reader = createInterface({ input: stream, terminal: false })
  const lines = reader[Symbol.asyncIterator]()
  return {
    next: async () => {
      try {
        return (await lines.next()).value
      } catch (error) {
        if (isLoss(error)) return undefined
        throw error
      }
    },
    close: () => reader.close(),
  }
}

function isPiped(descriptor: number): boolean {
  const found = statDescriptor(descriptor)
  return found !== undefined && (found.isFIFO() || found.isFile() || found.isSocket())
}

function isSocket(descriptor: number): boolean {
  return statDescriptor(descriptor)?.isSocket() === true
}

/** Undefined if the descriptor is closed. */
function statDescriptor(descriptor: number): Stats | undefined {
  return orUndefined(() => fstatSync(descriptor))
}

/** Whether data or the end arrives in time. A silent stream is closed, because it would keep the process alive. */
async function sendsSomething(stream: NodeJS.ReadStream): Promise<boolean> {
  try {
    await once(stream, 'readable', { signal: AbortSignal.timeout(SILENCE_LIMIT_MS) })
    return true
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error
    stream.destroy()
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
