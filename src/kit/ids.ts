import { randomBytes, randomUUID } from 'node:crypto'

/** The source of new ids. Pure code gets ids as arguments; only the callers around it create them. */
export type Ids = {
  /** A lowercase UUID, version 4. */
  uuid(): string
  /** Lowercase hexadecimal, two characters per byte. */
  hex(bytes: number): string
}

/** Random bytes are fetched in blocks, because one call costs the same for many ids as for one. */
const BLOCK_BYTES = 4096
let block = Buffer.alloc(0)

export const randomIds: Ids = {
  uuid: () => randomUUID(),
  hex(bytes) {
    if (block.length < bytes) block = randomBytes(Math.max(bytes, BLOCK_BYTES))
    const taken = block.toString('hex', 0, bytes)
    block = block.subarray(bytes)
    return taken
  },
}
