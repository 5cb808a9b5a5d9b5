import type * as fs from 'node:fs'
import { type BigIntStats, constants, type PathLike, readdirSync } from 'node:fs'
import { type Digest, digest, digestSections } from '../kit/digest.ts'
import { tryTo, tryToRead } from '../kit/fault.ts'
import { isSameFile } from '../kit/files/disk.ts'
import { readFileBytes } from '../kit/files/read-file.ts'

/** The calls that observe a path. A test passes a disk that fails or interferes. */
export type PathDisk = Pick<
  typeof fs,
  'closeSync' | 'fstatSync' | 'lstatSync' | 'openSync' | 'readlinkSync' | 'readSync'
>

const WHOLE_LIMIT_BYTES = 16 * 1024 * 1024
const SAMPLE_BYTES = 64 * 1024
/** The deadline is checked between chunks. */
const CHUNK_BYTES = 1024 * 1024

/** Which bytes of a file to read, and how to digest them. */
type Plan = {
  observation: 'regular' | 'oversize_sampled'
  kind: 'full_sha256' | 'oversize_samples_v1'
  offsets: readonly number[]
  partBytes: number
}

/** A large file is identified by its size and samples of its start, middle and end. */
export function planRead(size: number): Plan & { bytes: number } {
  if (size <= WHOLE_LIMIT_BYTES) {
    return { observation: 'regular', kind: 'full_sha256', offsets: [0], partBytes: size, bytes: size }
  }
  const offsets = [0, Math.floor(size / 2) - SAMPLE_BYTES / 2, size - SAMPLE_BYTES]
  const bytes = offsets.length * SAMPLE_BYTES
  return { observation: 'oversize_sampled', kind: 'oversize_samples_v1', offsets, partBytes: SAMPLE_BYTES, bytes }
}

type ReadOptions = {
  place: PathLike
  /** The stats of the regular file. Only this very file is read. */
  found: BigIntStats
  plan: Plan
  look: () => BigIntStats | undefined
  isOverdue: () => boolean
}

/** The digest of the planned bytes, if the file does not change meanwhile. Throws system errors. */
export function readContent(reading: ReadOptions, disk: PathDisk): Digest | 'changed' | 'overdue' {
  const { place, found, plan } = reading
  // O_NONBLOCK, because opening a named pipe would block forever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const descriptor = disk.openSync(place, flags)
  try {
    if (!isUntouched(found, disk.fstatSync(descriptor, { bigint: true }))) return 'changed'
    const parts: Buffer[] = []
    for (const offset of plan.offsets) {
      const part = readPart({ ...reading, descriptor, offset }, disk)
      if (typeof part === 'string') return part
      parts.push(part)
    }
    return isUntouched(found, reading.look()) ? digestParts(plan, { parts, size: found.size }) : 'changed'
  } finally {
    disk.closeSync(descriptor)
  }
}

function readPart(
  { plan, descriptor, offset, isOverdue }: ReadOptions & { descriptor: number; offset: number },
  disk: PathDisk,
): Buffer | 'changed' | 'overdue' {
  const part = Buffer.allocUnsafe(plan.partBytes)
  let length = 0
  while (length < part.length) {
    if (isOverdue()) return 'overdue'
    const wanted = Math.min(CHUNK_BYTES, part.length - length)
    const count = disk.readSync(descriptor, part, length, wanted, offset + length)
    if (count === 0) return 'changed'
    length += count
  }
  return part
}

function digestParts({ kind, offsets }: Plan, { parts, size }: { parts: readonly Buffer[]; size: bigint }): Digest {
  if (kind === 'full_sha256') return digest(Buffer.concat(parts))
  const samples = parts.flatMap((part, at) => [['offset', `${offsets[at]}`] as const, ['sample', part] as const])
  return digestSections([['mode', kind], ['size', `${size}`], ...samples])
}

/** Ignores ctime, which also changes when a file gets a hard link. */
function isUntouched(before: BigIntStats, now: BigIntStats | undefined): boolean {
  return isSameFile(before, now) && before.size === now?.size && before.mtimeNs === now.mtimeNs
}

/**
 * Reads what may be missing in a git directory: git writes there at any time, and so may an agent. Empty if there is no such
 * directory, or none that can be read.
 */
export function namesIn(directory: string): string[] {
  return tryToRead(() => readdirSync(directory)) ?? []
}

/** Undefined if there is no such file, or none that can be read, or if it is larger. */
export function readBytes(path: string, limitBytes: number): Buffer | undefined {
  return tryTo(() => readFileBytes({ path, limitBytes, links: 'follow' }))
}

/** The limits for reading files in one observation, for all files together. */
export type ContentLimits = { bytes: number; ms: number }

export const CONTENT_LIMITS: ContentLimits = { bytes: 64 * 1024 * 1024, ms: 5000 }

/** What an observation may still read. The time starts with the constructor. */
export class ContentBudget {
  readonly limitBytes: number
  readonly #now: () => number
  readonly #deadline: number
  #leftBytes: number
  #hashedBytes = 0
  #wasTooSmall = false
  #wasTooShort = false

  /** `now` returns milliseconds from any starting point. */
  constructor(limits: ContentLimits = CONTENT_LIMITS, now: () => number = () => performance.now()) {
    this.limitBytes = limits.bytes
    this.#leftBytes = limits.bytes
    this.#now = now
    this.#deadline = now() + limits.ms
  }

  /** Returns false if the file must not be read. A smaller file may still fit afterwards. */
  reserve(bytes: number): boolean {
    if (this.isOverdue()) return false
    if (bytes > this.#leftBytes) {
      this.#wasTooSmall = true
      return false
    }
    this.#leftBytes -= bytes
    return true
  }

  isOverdue(): boolean {
    this.#wasTooShort ||= this.#now() > this.#deadline
    return this.#wasTooShort
  }

  /** Not called for a file that could not be read to its end. */
  countHashed(bytes: number): void {
    this.#hashedBytes += bytes
  }

  get hashedBytes(): number {
    return this.#hashedBytes
  }

  get wasTooSmall(): boolean {
    return this.#wasTooSmall
  }

  get wasTooShort(): boolean {
    return this.#wasTooShort
  }
}
