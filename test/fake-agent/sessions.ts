/** The sessions of the fake agent. It stores none unless it is given a directory. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentName, DemoUsage } from '../../src/demo/demo-answer.ts'
import { NO_USAGE } from './usage.ts'

export type Sessions = {
  /** The tokens that a session has used so far, or undefined if there is no such session. */
  find(id: string): DemoUsage | undefined
  save(id: string, usage: DemoUsage): void
  remove(id: string): void
}

/** Without a directory every session can be continued, and none is stored. */
export function openSessions(directory: string | undefined, agent: AgentName): Sessions {
  if (directory === undefined) return { find: () => NO_USAGE, save: () => {}, remove: () => {} }
  const pathOf = (id: string) => join(directory, `${agent}-${id}.json`)
  return {
    find: (id) => (isId(id) ? readSession(pathOf(id)) : undefined),
    save: (id, usage) => {
      if (!isId(id)) return
      mkdirSync(directory, { recursive: true })
      writeFileSync(pathOf(id), JSON.stringify(usage))
    },
    remove: (id) => {
      if (isId(id)) rmSync(pathOf(id), { force: true })
    },
  }
}

function readSession(path: string): DemoUsage | undefined {
  try {
    return { ...NO_USAGE, ...JSON.parse(readFileSync(path, 'utf8')) }
  } catch {
    return undefined
  }
}

/** An id is part of a file name. */
function isId(id: string): boolean {
  return /^[0-9a-f-]{36}$/i.test(id)
}
