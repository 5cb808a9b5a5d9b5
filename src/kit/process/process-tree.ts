/*
 * Who belongs to a child we started, wherever they have moved to.
 *
 * Coding agents give their tools a session of their own, and a tool can start a daemon that outlives its parents, so
 * neither the process group nor descent finds everyone. What all of them keep is their environment: each child gets a
 * random id in DROVER_TREE and hands it on. On Linux a process is a member if its environment holds the id, if it is in
 * the child's group, if its parent is a member, or if it was found to be a member before.
 *
 * Elsewhere environments cannot be read: other POSIX systems go by group and descent (from `ps`), Windows by `taskkill`.
 * A process that lost its parents, its group and its environment before anybody looked cannot be found.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from '../fault.ts'
import { TREE_VARIABLE } from './environment-variables.ts'

/** A process number is used again after its owner has gone; with the start time (0: not known) it means one process. */
export type Member = { pid: number; startTime: number }
export type ProcessRow = Member & { parent: number; group: number; marked: boolean }
/** `isBlank`: it has no environment, like the few that were given none, and like all just between two programs. */
type ProcRow = ProcessRow & { isBlank: boolean }

const LOOKS = 20
/** Whether members can be found by their environment. */
export const READS_ENVIRONMENTS = existsSync('/proc/self/environ')

/** A new tree's id, and the environment that marks its processes beside those of any tree around it. */
export function markEnvironment(env: Readonly<Record<string, string>>) {
  const treeId = randomBytes(8).toString('hex')
  const outer = env[TREE_VARIABLE]
  return { treeId, env: { ...env, [TREE_VARIABLE]: outer ? `${outer}:${treeId}` : treeId } }
}

export class ProcessTree {
  readonly root: Member
  readonly #treeId: string
  readonly #seen = new Map<number, number>()

  /** To be made while the child is not yet reaped, so that the start time read is its own. */
  constructor(child: { pid: number; treeId: string }) {
    this.#treeId = child.treeId
    this.root = { pid: child.pid, startTime: readStat(child.pid)?.startTime ?? 0 }
    this.#seen.set(this.root.pid, this.root.startTime)
  }

  /**
   * The living members; whoever is found once stays a member. Before it says that there are none it looks until nobody
   * is new, because a parent may start a child and be gone before we come to read about either.
   */
  async members(): Promise<Member[]> {
    if (process.platform === 'win32') return isAlive(this.root) ? [this.root] : []
    if (!READS_ENVIRONMENTS) return this.#pick(readPs())
    const rows = new Map<number, ProcRow | undefined>()
    for (let look = 0; look < LOOKS; look += 1) {
      const unread = listPids().filter((pid) => !rows.has(pid) || rows.get(pid)?.isBlank)
      if (unread.length === 0) break
      for (const pid of unread) rows.set(pid, this.#readRow(pid))
      const running = [...rows.values()].filter((row) => row !== undefined)
      const members = this.#pick(running)
      if (members.length > 0) return members
      if (running.some((row) => row.isBlank)) await delay(1)
    }
    return []
  }

  #pick(rows: readonly ProcessRow[]): Member[] {
    const members = pickMembers(rows, { root: this.root, seen: this.#seen })
    for (const member of members) this.#seen.set(member.pid, member.startTime)
    return members
  }

  #readRow(pid: number): ProcRow | undefined {
    const stat = readStat(pid)
    if (!stat?.isRunning) return undefined
    // No member is older than the root, and kernel threads have no group: their environments need no reading.
    const matters = stat.startTime >= this.root.startTime && stat.group !== 0
    const environment = matters ? readEnvironment(pid) : undefined
    return { ...stat, marked: environment?.includes(this.#treeId) ?? false, isBlank: environment?.length === 0 }
  }
}

/** Who of all `rows` belongs to the tree of `root`; `seen` maps the members found before to their start times. */
export function pickMembers(
  rows: readonly ProcessRow[],
  tree: { root: Member; seen: ReadonlyMap<number, number> },
): ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent)
  // A stranger that got the root's number after the root had gone may lead a group of that number.
  const groupIsOurs = rows.every((row) => row.pid !== tree.root.pid || row.startTime === tree.root.startTime)
  const members = new Set<ProcessRow>()
  const add = (row: ProcessRow) => {
    if (members.has(row)) return
    members.add(row)
    children.get(row.pid)?.forEach(add)
  }
  for (const row of rows) {
    const inGroup = groupIsOurs && row.group === tree.root.pid
    if (row.marked || inGroup || tree.seen.get(row.pid) === row.startTime) add(row)
  }
  return [...members]
}

/** Whether this very process still runs; a zombie does not, whoever forgets to reap it. */
export function isAlive(member: Member): boolean {
  if (READS_ENVIRONMENTS) {
    const stat = readStat(member.pid)
    return stat?.isRunning === true && stat.startTime === member.startTime
  }
  try {
    return process.kill(member.pid, 0)
  } catch {
    return false
  }
}

/** False if we may not signal it (a setuid program): then nothing here can end it. One that has gone is no trouble. */
export function sendSignal(member: Member, signal: NodeJS.Signals): boolean {
  if (!isAlive(member)) return true
  if (process.platform === 'win32') {
    return spawnSync('taskkill', ['/pid', String(member.pid), '/T', '/F'], { windowsHide: true }).status === 0
  }
  try {
    return process.kill(member.pid, signal)
  } catch (error) {
    return errorCode(error) !== 'EPERM'
  }
}

function listPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** Reads /proc/<pid>/stat (proc_pid_stat(5)): the name in brackets may itself hold brackets and spaces. */
function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent, group] = fields
    const isRunning = state !== 'Z' && state !== 'X'
    return { pid, parent: Number(parent), group: Number(group), startTime: Number(fields[19]), isRunning }
  } catch {
    return undefined
  }
}

function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return undefined
  }
}

function readPs(): ProcessRow[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' })
  const rows = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/))
  const living = rows.filter(([, , , state]) => state !== undefined && !state.startsWith('Z'))
  return living.map(([pid, parent, group]) => {
    return { pid: Number(pid), parent: Number(parent), group: Number(group), startTime: 0, marked: false }
  })
}
