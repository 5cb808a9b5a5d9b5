/**
 * Notices that a command writes more than it may. Linux has no quota for a directory, so drover looks at the free space of the disk,
 * which costs nothing, and measures what was written only if enough is gone.
 */
import { statfsSync, statSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fault } from '../kit/fault.ts'
import { sandboxDiskLimit } from './faults.ts'
import { isWithin } from './sandbox-policy.ts'

export type LimitEvent = { is: 'exceeded'; fault: Fault<{ exceeded: string }> }

type Options = {
  /** All that the command can write. */
  paths: readonly string[]
  limitBytes: number | undefined
  onEvent: (event: LimitEvent) => void
}

const LOOK_MS = 500
const MEGABYTE = 2 ** 20
/** So much stays free for everything else on the disk, and for drover's own records. */
const RESERVE_BYTES = 1024 * MEGABYTE
/** The clock of a file system lags behind. */
const CLOCK_MS = 20

/** What must stay free: less on a disk that was almost full before. Pure. */
function reserveOf(freeBytes: number): number {
  return Math.min(RESERVE_BYTES, freeBytes / 2)
}

export class DiskWatch {
  readonly #options: Options
  readonly #disks: readonly string[]
  #since = 0
  #freeAtStart = new Map<string, number>()
  /** How much of the free space must be gone before it is worth to measure. Others write, and free space, too. */
  #measureAt = 0
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor({ paths, ...options }: Options) {
    const outer = paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, [other])))
    this.#options = { ...options, paths: [...new Set(outer)] }
    this.#disks = [...new Map(outer.map((path) => [statSync(path, { throwIfNoEntry: false })?.dev, path])).values()]
    this.restart()
    this.#lookLater()
  }

  /** What is written from now on counts. */
  restart(): void {
    this.#since = Date.now() - CLOCK_MS
    this.#freeAtStart = new Map(this.#disks.map((disk) => [disk, freeBytesOf(disk) ?? 0]))
    this.#measureAt = (this.#options.limitBytes ?? 0) / 2
  }

  /** Looks now, after any look that is under way. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  close(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #lookLater(): void {
    this.#timer = setTimeout(async () => {
      await this.look()
      if (!this.#isOver) this.#lookLater()
    }, LOOK_MS).unref()
  }

  async #look(): Promise<void> {
    if (this.#isOver) return
    let gone = 0
    for (const [disk, before] of this.#freeAtStart) {
      // The end of each turn waits for it, so no other thread is asked.
      const free = freeBytesOf(disk) ?? before
      gone += Math.max(0, before - free)
      if (free < reserveOf(before)) return this.#end(`less than ${toMegabytes(reserveOf(before))} MB were left free`)
    }
    const { limitBytes, paths } = this.#options
    if (limitBytes === undefined || gone <= this.#measureAt) return
    const written = await measureWritten(paths, { since: this.#since, enough: limitBytes })
    if (written > limitBytes)
      return this.#end(`more than ${toMegabytes(limitBytes)} MB were written (sandbox.max_disk_mb)`)
    this.#measureAt = gone + (limitBytes - written) / 2
  }

  #end(exceeded: string): void {
    this.close()
    this.#options.onEvent({ is: 'exceeded', fault: sandboxDiskLimit({ exceeded }) })
  }
}

/** Undefined if the path is gone. */
function freeBytesOf(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return undefined
  }
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE)
}

/** On the disk, of what has changed since then. No more is counted when it is enough. */
async function measureWritten(paths: readonly string[], count: { since: number; enough: number }): Promise<number> {
  const open = [...paths]
  /** A file can have several names. */
  const seen = new Set<number>()
  let bytes = 0
  for (let folder = open.pop(); folder !== undefined && bytes <= count.enough; folder = open.pop()) {
    // What is removed meanwhile does not count.
    for (const { name } of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, name)
      const { ino = 0, blocks = 0, ctimeMs = 0, isFolder } = await describe(path)
      if (isFolder) open.push(path)
      if (ctimeMs < count.since || seen.has(ino)) continue
      seen.add(ino)
      bytes += blocks * 512
    }
  }
  return bytes
}

async function describe(path: string) {
  const found = await lstat(path).catch(() => undefined)
  return { ...found, isFolder: found?.isDirectory() === true }
}
