/** A zip archive of files that are not compressed, as Python and Go read their packages. */
import { crc32 } from 'node:zlib'

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50]
const VERSION = 20
/** 1980-01-01, the first day that a zip archive knows. */
const DATE = 0x21

export function storeZip(files: Readonly<Record<string, string>>): Buffer {
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)]
    const facts = [VERSION, 0, 0, 0, DATE].map((value) => pack(value, 2))
    const sizes = [crc32(content), content.length, content.length].map((value) => pack(value, 4))
    const common = [...facts, ...sizes, pack(name.length, 2), pack(0, 2)]
    const local = Buffer.concat([pack(LOCAL, 4), ...common, name, content])
    const rest = [pack(0, 2), pack(0, 2), pack(0, 2), pack(0, 4), pack(offset, 4)]
    centrals.push(Buffer.concat([pack(CENTRAL, 4), pack(VERSION, 2), ...common, ...rest, name]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  const counts = [0, 0, locals.length, locals.length].map((value) => pack(value, 2))
  const end = [pack(END, 4), ...counts, pack(directory.length, 4), pack(offset, 4), pack(0, 2)]
  return Buffer.concat([...locals, directory, ...end])
}

function pack(value: number, bytes: 2 | 4): Buffer {
  const packed = Buffer.alloc(bytes)
  packed.writeUIntLE(value, 0, bytes)
  return packed
}
