/** Whether a pack holds an object, by its index (gitformat-pack(5), version 2). */
import { closeSync, openSync, readSync } from 'node:fs'

const MAGIC = 'ff744f6300000002'
const FANOUT = 8
const NAMES = FANOUT + 256 * 4

export function packHolds(indexFile: string, id: string): boolean {
  const descriptor = openSync(indexFile, 'r')
  try {
    const read = (position: number, length: number) => {
      const bytes = Buffer.alloc(length)
      readSync(descriptor, bytes, 0, length, position)
      return bytes
    }
    // Version 1 has not been written since 2008. Git can read it, so what it holds is not missing.
    if (read(0, 8).toString('hex') !== MAGIC) return true
    const wanted = Buffer.from(id, 'hex')
    const first = wanted[0] ?? 0
    const countUpTo = (byte: number) => (byte < 0 ? 0 : read(FANOUT + byte * 4, 4).readUInt32BE())
    let [low, high] = [countUpTo(first - 1), countUpTo(first)]
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = wanted.compare(read(NAMES + middle * wanted.length, wanted.length))
      if (order === 0) return true
      if (order < 0) high = middle
      else low = middle + 1
    }
    return false
  } finally {
    closeSync(descriptor)
  }
}
