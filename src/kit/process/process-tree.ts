import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode, orUndefined } from '../fault.ts'
import { randomIds } from '../ids.ts'
import { TREE_VARIABLE } from './environment-variables.ts'

/*
 * Finds all processes that descend from a child that drover started.
 *
 * Coding agents start their tools in their own sessions, and a tool can start a daemon that outlives its parents, so
 * neither the process group nor parent ids find every process. But all inherit their environment: each child gets a
 * random id in DROVER_TREE and passes it on. On Linux a process is a member of the tree if its environment contains the
 * id, if it is in the child's group, if its parent is a member, or if it was a member before.
 *
 * macOS does not let us read environments: there, group and parents decide (from `ps`). A process that changed parents, group
 * and environment before we looked cannot be found.
 */

/** Process ids are reused; together with the start time (0: unknown) they identify one process. */
export type Member = { pid: number; startTime: number }
export type ProcessRow = Member & { parent: number; group: number; marked: boolean }
/** `isBlank`: the environment is empty, as it is for every process for a moment during exec. */
type ProcRow = ProcessRow & { isBlank: boolean }

const MAX_SCANS = 20
/** Whether this system lets us read the environment of other processes. */
export const READS_ENVIRONMENTS = existsSync('/proc/self/environ')

/** Creates the id of a new tree and adds it to the environment. */
export function markEnvironment(env: Readonly<Record<string, string>>) {
  const treeId = randomIds.hex(8)
  return { treeId, env: inTree(env, treeId) }
}

/** Adds the id of a tree to an environment, after the ids of the trees around it. */
export function inTree<Value extends string | undefined>(env: Readonly<Record<string, Value>>, treeId: string) {
  const outer = env[TREE_VARIABLE]
  return { ...env, [TREE_VARIABLE]: outer ? `${outer}:${treeId}` : treeId }
}

export class ProcessTree {
  readonly root: Member
  readonly #treeId: string
  readonly #seen = new Map<number, number>()
  readonly #atStart

  /** Create it before the child is reaped, so that the start time read is the child's. */
  constructor(child: { pid: number; treeId: string }) {
    this.#treeId = child.treeId
    this.root = identifyProcess(child.pid)
    this.#atStart = this.root.startTime === 0 ? undefined : readIdFacts()
    this.#seen.set(this.root.pid, this.root.startTime)
  }

  /**
   * The living members. A process found once stays a member. Returns an empty list only after a scan without new
   * processes, because a parent may start a child and exit before the scan reads either of them.
   */
  async members(): Promise<Member[]> {
    if (!READS_ENVIRONMENTS) return this.#pick(readPs())
    const rows = new Map<number, ProcRow | undefined>()
    const isLater = laterIds(this.root.pid, this.#atStart)
    for (let scan = 0; scan < MAX_SCANS; scan += 1) {
      const unread = listPids().filter((pid) => isLater(pid) && (!rows.has(pid) || rows.get(pid)?.isBlank))
      if (unread.length === 0) break
      for (const pid of unread) rows.set(pid, this.#readRow(pid))
      const running = [...rows.values()].filter((row) => row !== undefined)
      const members = this.#pick(running)
      if (members.length > 0) return members
      if (running.some((row) => row.isBlank)) await delay(1)
    }
    return []
  }

  /** Signals the members that one look finds, for a process that has no time to wait. */
  signalNow(signal: NodeJS.Signals): void {
    const rows = READS_ENVIRONMENTS ? listPids().flatMap((pid) => this.#readRow(pid) ?? []) : readPs()
    for (const member of this.#pick(rows)) sendSignal(member, signal)
  }

  #pick(rows: readonly ProcessRow[]): Member[] {
    const members = pickMembers(rows, { root: this.root, seen: this.#seen })
    for (const member of members) this.#seen.set(member.pid, member.startTime)
    return members
  }

  #readRow(pid: number): ProcRow | undefined {
    const stat = readStat(pid)
    if (!stat?.isRunning) return undefined
    // Members stay members. Processes older than the root, and kernel threads (which have no group), cannot be members.
    const isMember = this.#seen.get(pid) === stat.startTime
    const mayBeMember = !isMember && stat.startTime >= this.root.startTime && stat.group !== 0
    const environment = mayBeMember ? readEnvironment(pid) : undefined
    return { ...stat, marked: environment?.includes(this.#treeId) ?? false, isBlank: environment?.length === 0 }
  }
}

/** The `rows` that belong to the tree of `root`; `seen` maps earlier members to their start times. */
export function pickMembers(
  rows: readonly ProcessRow[],
  tree: { root: Member; seen: ReadonlyMap<number, number> },
): ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent)
  // After the root exited, an unrelated process may get its pid and lead a group of that number.
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

export function identifyProcess(pid: number): Member {
  const [row] = READS_ENVIRONMENTS ? [readStat(pid)] : readPs(pid)
  return { pid, startTime: row?.startTime ?? 0 }
}

/** Whether this process still runs. A zombie does not count. */
export function isAlive(member: Member): boolean {
  if (READS_ENVIRONMENTS) {
    const stat = readStat(member.pid)
    return stat?.isRunning === true && stat.startTime === member.startTime
  }
  return readPs(member.pid).some(({ startTime }) => startTime === member.startTime)
}

/** Returns false if we may not signal the process (a setuid program). True if it is already gone. */
export function sendSignal(member: Member, signal: NodeJS.Signals): boolean {
  if (!isAlive(member)) return true
  try {
    return process.kill(member.pid, signal)
  } catch (error) {
    return errorCode(error) !== 'EPERM'
  }
}

function listPids(): number[] {
  return orUndefined(() => readdirSync('/proc').map(Number).filter(Number.isInteger)) ?? []
}

/**
 * Reads /proc/<pid>/stat (proc_pid_stat(5)). The name in parentheses may itself contain parentheses and spaces. As UTF-8,
 * because for everything else Node allocates 64 KiB a file: the scans of a few prompts would then cause a full collection.
 */
export function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent, group] = fields
    const isRunning = state !== 'Z' && state !== 'X'
    return { pid, parent: Number(parent), group: Number(group), startTime: Number(fields[19]), isRunning }
  } catch {
    return undefined
  }
}

export function readEnvironment(pid: number): string | undefined {
  return orUndefined(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))
}

/** What macOS tells by ps(1), without zombies: all processes, or one. The time of the start has seconds only. */
export function readPs(pid?: number): ProcessRow[] {
  const which = pid === undefined ? ['-A'] : ['-p', String(pid)]
  const columns = ['-o', 'pid=,ppid=,pgid=,stat=,lstart=']
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
  const { stdout } = spawnSync('ps', [...which, ...columns], { encoding: 'utf8', env })
  const rows = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/))
  const living = rows.filter(([, , , state]) => state !== undefined && !state.startsWith('Z'))
  return living.map(([id, parent, group, , ...start]) => {
    const startTime = Date.parse(start.join(' ')) / 1000 || 0
    return { pid: Number(id), parent: Number(parent), group: Number(group), startTime, marked: false }
  })
}

/** Ids that are reserved, and processes that start while the numbers are read. */
const MARGIN = 1000

type IdFacts = {
  /** How many processes and threads have ever been started. */
  started: number
  /** How many there are now. */
  running: number
  /** The number of ids. */
  limit: number
}

/**
 * Which ids processes can have that started after another one. Linux gives ids in ascending order and begins again at the
 * limit, so a search for the children of a process need not look at most of the others.
 * The facts are from the start of process `first`, and from now. Without them, every process may have started later.
 */
export function laterIds(first: number, before: IdFacts | undefined, now = readIdFacts()): (pid: number) => boolean {
  if (before === undefined || now === undefined) return () => true
  // Ids in use are skipped.
  const given = now.started - before.started + now.running + MARGIN
  return (pid) => (pid - first + now.limit) % now.limit <= given
}

/** Undefined where the system does not tell. */
export function readIdFacts(): IdFacts | undefined {
  try {
    const started = Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1])
    const running = Number(readFileSync('/proc/loadavg', 'utf8').split(/[ /]/)[4])
    const limit = Number(readFileSync('/proc/sys/kernel/pid_max', 'utf8'))
    // Some systems that are not Linux print made-up numbers.
    return running > 0 && started >= running && limit > running ? { started, running, limit } : undefined
  } catch {
    return undefined
  }
}

/** SIGKILL works at once on an idle machine. The limit is for a loaded one, and for processes that cannot be killed. */
const KILL_WAIT_MS = 1000
/** No process and no group has this id. */
const NO_PID = -1
const MARKED_GRACE_MS = 2000

type Manner = {
  firstSignal: 'SIGINT' | 'SIGTERM'
  graceMs: number
  /** How the root is asked to stop, if a signal to it would do more than that. */
  askToStop?: ((signal: 'SIGINT' | 'SIGTERM') => void) | undefined
}

/** Ends all processes of a tree; those that still run after `graceMs` get SIGKILL. */
export async function endTree(tree: ProcessTree, manner: Manner): Promise<{ forced: boolean }> {
  const deadline = performance.now() + manner.graceMs
  const { askToStop = (signal) => void sendSignal(tree.root, signal) } = manner
  const ask = (signal: 'SIGINT' | 'SIGTERM', until: number) => askRoot(tree, () => askToStop(signal), until)
  if (manner.firstSignal === 'SIGINT') await ask('SIGINT', performance.now() + manner.graceMs / 2)
  if (manner.askToStop !== undefined) await ask('SIGTERM', deadline)
  if (await signalUntilGone(tree, { signal: 'SIGTERM', deadline })) return { forced: false }
  await signalUntilGone(tree, { signal: 'SIGKILL', deadline: performance.now() + KILL_WAIT_MS })
  return { forced: true }
}

/**
 * Ends the processes that a dead process left running: all whose environment holds the mark. Only Linux lets us read
 * environments; elsewhere this does nothing.
 */
export async function endMarkedProcesses(mark: string): Promise<void> {
  if (!READS_ENVIRONMENTS) return
  await endTree(new ProcessTree({ pid: NO_PID, treeId: mark }), { firstSignal: 'SIGTERM', graceMs: MARKED_GRACE_MS })
}

/** Asks only the root, so that it can end its tools itself. A SIGTERM right after would make it abandon them. */
async function askRoot(tree: ProcessTree, ask: () => void, deadline: number): Promise<void> {
  if (!isAlive(tree.root)) return
  // Record the members while the root lives: without it, a tool it leaves behind may be impossible to find.
  await tree.members()
  ask()
  await untilGone([tree.root], deadline)
}

/** Signals every member, and those that appear meanwhile, until none is left (true) or the deadline passes (false). */
async function signalUntilGone(
  tree: ProcessTree,
  manner: { signal: 'SIGTERM' | 'SIGKILL'; deadline: number },
): Promise<boolean> {
  for (;;) {
    const members = await tree.members()
    const signalled = members.filter((member) => sendSignal(member, manner.signal))
    if (signalled.length === 0) return true
    await untilGone(signalled, manner.deadline)
    if (performance.now() >= manner.deadline) return false
  }
}

async function untilGone(members: readonly Member[], deadline: number): Promise<void> {
  for (let pauseMs = 2; members.some(isAlive) && performance.now() < deadline; pauseMs = Math.min(pauseMs * 2, 50)) {
    await delay(pauseMs)
  }
}
