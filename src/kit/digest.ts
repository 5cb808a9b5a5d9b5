import { createHash, hash } from 'node:crypto'
import { encodeUtf8 } from './utf8.ts'

/** `sha256:` and 64 lowercase hexadecimal digits. */
export type Digest = `sha256:${string}`

/** Text is hashed as UTF-8. Text with a lone surrogate throws a TypeError. */
export type Hashable = string | Uint8Array

export function isDigest(text: string): text is Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text)
}

/** The digest of exactly these bytes. */
export function digest(content: Hashable): Digest {
  return digestParts([content])
}

/**
 * The digest of a list of fields. Each field is preceded by its length as 8 big-endian bytes, so that no two lists give
 * the same bytes. The first field names the kind of list and its version: `drover-section/v2`.
 */
export function digestFields(fields: readonly Hashable[]): Digest {
  return digestParts(
    fields.flatMap((field) => {
      const bytes = toBytes(field)
      const length = Buffer.alloc(8)
      length.writeBigUInt64BE(BigInt(bytes.length))
      return [length, bytes]
    }),
  )
}

/** The digest of named sections: each is NUL, name, NUL, length in bytes as decimal digits, NUL, content. */
export function digestSections(sections: readonly (readonly [name: string, content: Hashable])[]): Digest {
  return digestParts(
    sections.flatMap(([name, content]) => {
      const bytes = toBytes(content)
      return [`\0${name}\0${bytes.length}\0`, bytes]
    }),
  )
}

/** The digest of a section's text, under which the text is stored. Sections with the same text share it. */
export function digestMaterial(text: Hashable): Digest {
  return digestFields(['drover-material/v1', text])
}

/** The identity of a workspace whose git directories cannot be found. `root` is an absolute, normalized path. */
export function digestUnavailableWorkspace(root: string): Digest {
  return digest(`unavailable-workspace-root-v1\0${root}`)
}

/** Below this size, hashing one concatenated buffer is faster: each update call costs as much as hashing hundreds of bytes. */
const ONE_PIECE_BYTES = 64 * 1024

function digestParts(parts: readonly Hashable[]): Digest {
  const pieces = parts.map(toBytes)
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  if (size <= ONE_PIECE_BYTES) return `sha256:${hash('sha256', Buffer.concat(pieces, size))}`
  const state = createHash('sha256')
  for (const piece of pieces) state.update(piece)
  return `sha256:${state.digest('hex')}`
}

function toBytes(content: Hashable): Uint8Array {
  return typeof content === 'string' ? encodeUtf8(content) : content
}
