import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, type Member, type ProcessTree, sendSignal } from './process-tree.ts'

/** SIGKILL takes effect at once; this is for a machine under load, and bounds our wait for what cannot be killed. */
const KILL_WAIT_MS = 1000

/** Ends everybody in the tree, politely for `graceMs`. True if SIGKILL was needed. */
export async function endTree(
  tree: ProcessTree,
  manner: { firstSignal: 'SIGINT' | 'SIGTERM'; graceMs: number },
): Promise<{ forced: boolean }> {
  const deadline = performance.now() + manner.graceMs
  if (manner.firstSignal === 'SIGINT') await interruptRoot(tree, performance.now() + manner.graceMs / 2)
  if (await signalUntilGone(tree, { signal: 'SIGTERM', deadline })) return { forced: false }
  await signalUntilGone(tree, { signal: 'SIGKILL', deadline: performance.now() + KILL_WAIT_MS })
  return { forced: true }
}

/** The root alone, and time to end its tools itself: a SIGTERM right behind would make it drop them. */
async function interruptRoot(tree: ProcessTree, deadline: number): Promise<void> {
  if (!isAlive(tree.root)) return
  // Looks before the root goes: afterwards nothing may lead to a tool that it leaves behind.
  await tree.members()
  sendSignal(tree.root, 'SIGINT')
  await untilGone([tree.root], deadline)
}

/** Signals each member once, and whoever appears meanwhile, until nobody is left (true) or time is up. */
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
