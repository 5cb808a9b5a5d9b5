/**
 * Tracks which processes run turns, and proves that one of them is dead.
 *
 * A process that runs turns holds an exclusive lock on its own file while it lives. The kernel drops the lock when
 * the process ends, however it ends, so a process that gets another's lock knows that the other is dead. Neither age nor
 * process id would prove that.
 *
 * Only the holder of a lock removes its file. A process that created its file but has not locked it yet then finds it
 * gone and creates it again (kit/files/lock.ts).
 */
import { readdirSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Fault, isFault } from '../kit/fault.ts'
import { lockUnavailable } from '../kit/faults.ts'
import { type Lock, takeLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import type { Ids } from '../kit/ids.ts'
import { answer, type Steps } from './sql.ts'

const NAME_BYTES = 16
const ATTEMPTS = 5
export const LOCK_FILE = /^([0-9a-f]{32})\.lock$/

/** How long `endIfDead` waits: far longer than another process needs to end the turns of a dead one. */
const PROOF_WAIT_MS = 100

type Own = { name: string; lock: Lock }

/** Which processes use a store. */
export type Owners = {
  /** The name of this process. The first call creates it. */
  name(): Promise<string>
  /** The name of this process, if it has one. */
  takenName(): Promise<string | undefined>
  /** Whether this process has this name still. If so, it has it until the end of the transaction. */
  hold(name: string): Steps<boolean>
  /** Ends the work of a process if it is dead. Returns false if it is alive. */
  endIfDead(name: string): Promise<boolean>
  /** Ends the work of all dead processes: `ended` turns. */
  endDead(): Promise<{ ended: number; deadOwners: string[] }>
  /** Ends what this process was doing. */
  endOwnWork(): Promise<void>
  /** Gives the name of this process back. */
  release(): Promise<void>
}

export type FileOwnersOptions = {
  /** The directory of the lock files. */
  directory: string
  ids: Ids
  /** The processes that own a running turn. */
  findOwners(): Promise<string[]>
  /** Ends the agents that a dead process left running, before its sessions can be used again. */
  endAgentsOf(name: string): Promise<void>
  /** Ends what a process was doing that is gone. Returns the number of its turns. */
  endWorkOf(name: string): Promise<number>
}

/** The directory of the lock files for a session file. */
export function toOwnersDirectory(store: string): string {
  return join(dirname(store), 'owners')
}

export class FileOwners implements Owners {
  readonly #directory: string
  readonly #options: FileOwnersOptions
  #own: Promise<Own> | undefined

  constructor(options: FileOwnersOptions) {
    this.#directory = options.directory
    this.#options = options
  }

  /** The first call takes the lock of the name. */
  async name(): Promise<string> {
    this.#own ??= this.#takeName()
    try {
      return (await this.#own).name
    } catch (error) {
      this.#own = undefined
      throw error
    }
  }

  async takenName(): Promise<string | undefined> {
    return (await this.#own?.catch(() => undefined))?.name
  }

  /** Others take the name of a process only when it is dead. */
  hold(): Steps<boolean> {
    return answer(true)
  }

  async endIfDead(name: string): Promise<boolean> {
    return await this.ifDead({ name, waitMs: PROOF_WAIT_MS }, async () => void (await this.#endWorkOf(name)))
  }

  async endDead(): Promise<{ ended: number; deadOwners: string[] }> {
    const deadOwners: string[] = []
    let ended = 0
    for (const name of new Set([...(await this.#options.findOwners()), ...this.list()])) {
      const isDead = await this.ifDead({ name, waitMs: 0 }, async () => {
        ended += await this.#endWorkOf(name)
      })
      if (isDead) deadOwners.push(name)
    }
    return { ended, deadOwners }
  }

  async endOwnWork(): Promise<void> {
    const name = await this.takenName()
    if (name !== undefined) await this.#options.endWorkOf(name)
  }

  /** The names of all processes with a lock file, dead or alive. */
  list(): string[] {
    ensurePrivateDirectory({ path: this.#directory })
    return readdirSync(this.#directory).flatMap((file) => LOCK_FILE.exec(file)?.[1] ?? [])
  }

  /**
   * Runs `work` if a process is dead, removes its lock file, and returns whether it was dead. Another process may be
   * doing the same right now; `waitMs` keeps its lock from looking like that of a living owner.
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

  async release(): Promise<void> {
    const own = await this.#own?.catch(() => undefined)
    this.#own = undefined
    if (own === undefined) return
    this.#remove(own.name)
    own.lock.release()
  }

  async #endWorkOf(name: string): Promise<number> {
    await this.#options.endAgentsOf(name)
    return await this.#options.endWorkOf(name)
  }

  async #takeName(): Promise<Own> {
    ensurePrivateDirectory({ path: this.#directory })
    const name = this.#options.ids.hex(NAME_BYTES)
    return { name, lock: await this.#lock({ name }) }
  }

  /** Undefined if the lock is held or its status is unknown: neither proves that the process is dead. */
  async #tryLock({ name, waitMs }: { name: string; waitMs: number }): Promise<Lock | undefined> {
    try {
      ensurePrivateDirectory({ path: this.#directory })
      return await this.#lock({ name, waitMs })
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }

  /** SQLite fails to lock a file that is removed while it waits. The next attempt creates a new file. */
  async #lock(request: { name: string; waitMs?: number }, attempts = ATTEMPTS): Promise<Lock> {
    const { name, ...wait } = request
    try {
      return await takeLock({ path: this.#pathOf(name), mode: 'exclusive', ...wait })
    } catch (error) {
      const isRefused = isFault(error, lockUnavailable)
      if (!isRefused || attempts === 1) throw error
      return this.#lock(request, attempts - 1)
    }
  }

  #remove(name: string): void {
    try {
      unlinkSync(this.#pathOf(name))
    } catch {
      // A leftover file only costs the next check a moment.
    }
  }

  #pathOf(name: string): string {
    return join(this.#directory, `${name}.lock`)
  }
}
