import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, type Member, ProcessTree, READS_ENVIRONMENTS, sendSignal } from './process-tree.ts'

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
