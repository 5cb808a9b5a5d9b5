import { randomBytes, randomUUID } from 'node:crypto'

/** Where new names come from. Decisions are given their ids; only the edges make them. */
export type Ids = {
  /** A lowercase UUID, version 4. */
  uuid(): string
  /** Lowercase hexadecimal, two characters a byte. */
  hex(bytes: number): string
}

/** One call to the generator costs as much for many ids as for one. */
const STOCK_BYTES = 4096
let stock = Buffer.alloc(0)

export const randomIds: Ids = {
  uuid: () => randomUUID(),
  hex(bytes) {
    if (stock.length < bytes) stock = randomBytes(Math.max(bytes, STOCK_BYTES))
    const taken = stock.toString('hex', 0, bytes)
    stock = stock.subarray(bytes)
    return taken
  },
}
