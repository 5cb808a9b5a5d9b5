/**
 * Which connections a server keeps. At the limit the one that was idle the longest is closed for a new one. A request without a
 * valid key leaves its connection idle. If all are in use, the new one gets a place in a reserve, from which only `/health` is
 * answered.
 */
import type { Socket } from 'node:net'
import type { Config } from '../../config/config.shape.ts'
import type { Fault } from '../../kit/fault.ts'
import { tooManyConnections, tooManyConnectionsOfAddress } from '../errors/faults.ts'

/** For the server as a whole, and for one client address. */
export type ConnectionLimits = { total: number; perAddress: number }

type OverLimit = keyof ConnectionLimits

/** More than that are of use to no server, and each takes memory. */
const MAX_DERIVED = 10_000
/** Enough that a health check gets in between the connections of a flood. */
const RESERVE = 32
/** Agents, the store and the log need files too. */
const KEPT_FILES = 128
const FEWEST = 16

/** How many connections are possible, with `files` as the number of files that the process may open. Pure. */
export function connectionLimits(
  {
    max_connections: configured,
    max_connections_per_address: perAddress,
  }: Pick<Config['server'], 'max_connections' | 'max_connections_per_address'>,
  files: number,
): ConnectionLimits {
  const possible = Math.max(FEWEST, files - RESERVE - KEPT_FILES)
  const derived = Math.min(MAX_DERIVED, Math.floor(files / 2))
  const total = Math.min(configured === 0 ? derived : configured, possible)
  return { total, perAddress: perAddress === 0 ? Math.ceil(total / 2) : perAddress }
}

/** Connections that share a limit. Those in `idle` are in order, the longest idle first. */
class Group {
  count = 0
  readonly idle = new Set<Socket>()
}

type Slot = { groups: readonly Group[]; address: string | undefined; over: OverLimit | undefined }

export class ConnectionSlots {
  readonly #limits: ConnectionLimits
  readonly #onFull: (over: OverLimit) => void
  readonly #slots = new Map<Socket, Slot>()
  readonly #all = new Group()
  readonly #reserve = new Group()
  readonly #byAddress = new Map<string | undefined, Group>()

  /** `onFull` is called for every connection that is opened at a limit. */
  constructor(limits: ConnectionLimits, onFull: (over: OverLimit) => void) {
    this.#limits = limits
    this.#onFull = onFull
  }

  /** Without an address only the limit of the server applies. Closes the connection if even the reserve is in use. */
  open(socket: Socket, address: string | undefined): void {
    const own = this.#byAddress.get(address) ?? new Group()
    const over = this.#findPlace(own)
    if (over !== undefined && !this.#hasPlace(this.#reserve, RESERVE)) {
      socket.destroy()
      return
    }
    const groups = over === undefined ? [this.#all, own] : [this.#reserve]
    for (const group of groups) group.count += 1
    if (address !== undefined) this.#byAddress.set(address, own)
    this.#slots.set(socket, { groups, address, over })
    this.setIdle(socket, true)
    socket.once('close', () => this.#remove(socket))
  }

  /** Why the connection may only ask for the health of the server; undefined if it has a place. */
  refusal(socket: Socket): Fault | undefined {
    const over = this.#slots.get(socket)?.over
    if (over === undefined) return undefined
    const limit = this.#limits[over]
    return over === 'total' ? tooManyConnections({ limit }) : tooManyConnectionsOfAddress({ limit })
  }

  setIdle(socket: Socket, isIdle: boolean): void {
    for (const { idle } of this.#slots.get(socket)?.groups ?? []) {
      if (isIdle) idle.add(socket)
      else idle.delete(socket)
    }
  }

  #findPlace(own: Group): OverLimit | undefined {
    const { total, perAddress } = this.#limits
    if (!this.#hasPlace(own, perAddress, 'perAddress')) return 'perAddress'
    return this.#hasPlace(this.#all, total, 'total') ? undefined : 'total'
  }

  /** At the limit, an idle connection makes room. */
  #hasPlace(group: Group, limit: number, over?: OverLimit): boolean {
    if (group.count < limit) return true
    if (over !== undefined) this.#onFull(over)
    const [oldest] = group.idle
    if (oldest === undefined) return false
    this.#remove(oldest)
    oldest.destroy()
    return true
  }

  #remove(socket: Socket): void {
    const slot = this.#slots.get(socket)
    if (slot === undefined) return
    this.setIdle(socket, false)
    this.#slots.delete(socket)
    for (const group of slot.groups) group.count -= 1
    const { address } = slot
    if (this.#byAddress.get(address)?.count === 0) this.#byAddress.delete(address)
  }
}
