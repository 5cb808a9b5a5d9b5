import { randomBytes, randomUUID } from 'node:crypto'

/** Where new names come from. Decisions are given their ids; only the edges make them. */
export type Ids = {
  /** A lowercase UUID, version 4. */
  uuid(): string
  /** Lowercase hexadecimal, two characters a byte. */
  hex(bytes: number): string
}

export const randomIds: Ids = {
  uuid: () => randomUUID(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
}
