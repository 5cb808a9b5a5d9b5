/** What was piped or redirected into the program. */
import { fstatSync } from 'node:fs'
import { inputTooLarge } from './faults.ts'

const STDIN = 0

export type StandardInput = {
  /** Somebody feeds it: a pipe or a file. A terminal and /dev/null are nobody. */
  isFed(): boolean
  read(limitBytes: number): Promise<Buffer>
}

export function createStandardInput(stream: NodeJS.ReadStream): StandardInput {
  return {
    isFed: () => isFed(STDIN),
    read: (limitBytes) => readAll(stream, limitBytes),
  }
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
