/**
 * Which processes work on sessions, and the proof that one of them is dead.
 *
 * A process that works on sessions holds an exclusive lock on a file of its own for as long as it lives. The kernel drops
 * that lock when the process ends, however it ends: so who gets the lock of another has proof of its death. Neither age
 * nor process id would prove anything.
 *
 * A lock file is removed only by who holds its lock. A process that made its file and has not locked it yet then finds
 * it gone and makes it again (kit/lock.ts).
 */
import { readdirSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Fault } from '../kit/fault.ts'
import { lockUnavailable } from '../kit/faults.ts'
import { type Lock, takeLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import type { Ids } from '../kit/ids.ts'

const NAME_BYTES = 16
const ATTEMPTS = 5
export const LOCK_FILE = /^([0-9a-f]{32})\.lock$/

type Own = { name: string; lock: Lock }

/** Where the lock files are of those who work on the sessions of a file. */
export function ownersDirectoryOf(store: string): string {
  return join(dirname(store), 'owners')
}

export class Owners {
  readonly #directory: string
  readonly #ids: Ids
  #own: Promise<Own> | undefined

  constructor({ directory, ids }: { directory: string; ids: Ids }) {
    this.#directory = directory
    this.#ids = ids
  }

  /** The name of this process; it is taken, with its lock, when it is first asked for. */
  async name(): Promise<string> {
    this.#own ??= this.#takeName()
    try {
      return (await this.#own).name
    } catch (error) {
      this.#own = undefined
      throw error
    }
  }

  /** The name of this process if it has one. */
  async takenName(): Promise<string | undefined> {
    return (await this.#own?.catch(() => undefined))?.name
  }

  /** All that have left a lock file, dead or alive. */
  found(): string[] {
    ensurePrivateDirectory({ path: this.#directory })
    return readdirSync(this.#directory).flatMap((file) => LOCK_FILE.exec(file)?.[1] ?? [])
  }

  /**
   * Does the work if a process is dead, and clears its lock file away. Gives whether that is so. Others may be at the
   * same just now: whoever waits a moment for them does not take their lock for that of a living process.
   */
  async ifDead({ name, waitMs }: { name: string; waitMs: number }, work: () => Promise<void>): Promise<boolean> {
    if (name === (await this.takenName())) return false
    const lock = await this.#tryLock({ name, waitMs })
    if (lock === undefined) return false
    try {
      await work()
      this.#remove(name)
    } finally {
      lock.release()
    }
    return true
  }

  /** This process works on sessions no longer. */
  async close(): Promise<void> {
    const own = await this.#own?.catch(() => undefined)
    this.#own = undefined
    if (own === undefined) return
    this.#remove(own.name)
    own.lock.release()
  }

  async #takeName(): Promise<Own> {
    ensurePrivateDirectory({ path: this.#directory })
    const name = this.#ids.hex(NAME_BYTES)
    return { name, lock: await this.#lock({ name }) }
  }

  /** Undefined if the lock is held, and also if it cannot be told: that proves no death. */
  async #tryLock({ name, waitMs }: { name: string; waitMs: number }): Promise<Lock | undefined> {
    try {
      ensurePrivateDirectory({ path: this.#directory })
      return await this.#lock({ name, waitMs })
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }

  /** SQLite refuses to lock a file that is removed while it waits for it. The next attempt makes a new one. */
  async #lock(wanted: { name: string; waitMs?: number }, attempts = ATTEMPTS): Promise<Lock> {
    const { name, ...wait } = wanted
    try {
      return await takeLock({ path: this.#pathOf(name), mode: 'exclusive', ...wait })
    } catch (error) {
      const isRefused = error instanceof Fault && error.code === lockUnavailable.code
      if (!isRefused || attempts === 1) throw error
      return this.#lock(wanted, attempts - 1)
    }
  }

  /** Windows does not remove a file that is open; there it stays until it is cleared away by hand. */
  #remove(name: string): void {
    try {
      unlinkSync(this.#pathOf(name))
    } catch {
      // A file that stays costs the next look at it a moment, nothing else.
    }
  }

  #pathOf(name: string): string {
    return join(this.#directory, `${name}.lock`)
  }
}
