import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'

/** The source of new ids. Pure code gets ids as arguments; only the callers around it create them. */
export type Ids = {
  /** A lowercase UUID, version 4. */
  uuid(): string
  /** Lowercase hexadecimal, two characters per byte. */
  hex(bytes: number): string
}

/** Random bytes are fetched in blocks, because one call costs the same for many ids as for one. */
const BLOCK_BYTES = 4096
let block: Buffer = Buffer.alloc(0)

export const randomIds: Ids = {
  uuid: () => toUuid(take(16)),
  hex: (bytes) => take(bytes).toString('hex'),
}

function take(bytes: number): Buffer {
  if (block.length < bytes) block = readRandom(Math.max(bytes, BLOCK_BYTES))
  const taken = block.subarray(0, bytes)
  block = block.subarray(bytes)
  return taken
}

/** RFC 9562: the version is 4, and the variant takes two bits. */
function toUuid(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const text = bytes.toString('hex')
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-')
}

/** From the system, which also seeds node:crypto: to load that takes longer than most of what a command does before its agent starts. */
function readRandom(bytes: number): Buffer {
  const read = Buffer.alloc(bytes)
  let descriptor: number | undefined
  try {
    descriptor = openSync('/dev/urandom', 'r')
    if (readSync(descriptor, read, 0, bytes, null) === bytes) return read
  } catch {
    // A root directory without devices.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
  return randomBytes(bytes)
}
