/**
 * What the runs of a user know about limits of agents: one file for each agent, `agent-limits/<agent>.json`. After the reset one
 * run tries first, and the others follow when it gets an answer.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import { lockBusy } from '../kit/faults.ts'
import { type Lock, takeLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { replaceFile } from '../kit/files/write-file.ts'
import { readJson } from '../kit/json/read-json.ts'
import { checker } from '../kit/schema.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import type { AgentLimit } from './record/agent-limit.shape.ts'
import { validateAgentLimit } from './record/checks.generated.js'

const FILE_LIMIT_BYTES = 16 * 1024
/** How often a run looks whether the one that tries first has an answer. */
const LOOK_MS = 2000

const checkLimit = checker<AgentLimit>('agentLimit', validateAgentLimit)

export function saveAgentLimit(directory: string, limit: Omit<AgentLimit, 'version'>): void {
  ensurePrivateDirectory({ path: directory })
  const bytes = encodeUtf8(`${JSON.stringify({ version: 1, ...limit }, null, 2)}\n`)
  replaceFile({ path: pathOf(directory, limit.backend), bytes, mode: 0o600 })
}

/** Undefined if there is none, or if the file is not valid: then the agent itself will tell. */
function findAgentLimit(directory: string, backend: string): AgentLimit | undefined {
  const path = pathOf(directory, backend)
  try {
    const bytes = readFileBytes({ path, limitBytes: FILE_LIMIT_BYTES })
    const found = checkLimit(readJson(bytes, { input: path, limitBytes: FILE_LIMIT_BYTES }))
    return found.backend === backend ? found : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function pathOf(directory: string, backend: string): string {
  return join(directory, `${backend}.json`)
}

/** Call `hasAnswered` when the agent does: its limit is over for all runs. */
export type OpenEntry = Disposable & { readonly is: 'open'; hasAnswered(): void }
type AgentEntry = OpenEntry | { readonly is: 'limited'; readonly limit: AgentLimit }

export const OPEN: OpenEntry = { is: 'open', hasAnswered: () => {}, [Symbol.dispose]: () => {} }

type Waiting = { readonly directory: string; readonly clock: Clock; readonly signal: AbortSignal }

/** Whether an agent may get a request now. After a reset, it returns to one run after the other. Throws if `signal` is aborted. */
export async function enterAgent({ directory, clock, signal }: Waiting, backend: string): Promise<AgentEntry> {
  for (;;) {
    const limit = findAgentLimit(directory, backend)
    if (limit === undefined) return OPEN
    if (Date.parse(limit.until) > clock.now().getTime()) return { is: 'limited', limit }
    const lock = await tryLock(join(directory, `${backend}.lock`), signal)
    // Another run may have tried in between.
    if (lock !== undefined && findAgentLimit(directory, backend)?.until === limit.until)
      return toFirstEntry(lock, pathOf(directory, backend))
    lock?.release()
    if (lock === undefined) await sleep(LOOK_MS, undefined, { signal })
  }
}

function toFirstEntry(lock: Lock, path: string): OpenEntry {
  let isHeld = true
  const release = () => {
    isHeld = false
    lock.release()
  }
  return {
    is: 'open',
    hasAnswered() {
      if (isHeld) rmSync(path, { force: true })
      release()
    },
    [Symbol.dispose]: release,
  }
}

async function tryLock(path: string, signal: AbortSignal): Promise<Lock | undefined> {
  try {
    return await takeLock({ path, mode: 'exclusive', waitMs: 0, signal })
  } catch (error) {
    if (error instanceof Fault && error.code === lockBusy.code) return undefined
    throw error
  }
}
