import type { AgentName } from './agent-name.ts'

/** Words for the two output streams, in order; lines carry their own line ends. */
export type Said = readonly { to: 'stdout' | 'stderr'; text: string | Uint8Array }[]

/** The last words, and how the process goes: with an exit code, or by the signal it got. */
export type Ending = { said: Said; exit: number | NodeJS.Signals }

export const NOTHING: Said = []

export function onStdout(text: string | Uint8Array): Said {
  return [{ to: 'stdout', text }]
}

export function onStderr(text: string): Said {
  return [{ to: 'stderr', text }]
}

export function refuse(text: string, exit: number): Ending {
  return { said: onStderr(`${text}\n`), exit }
}

export function sayVersion(agent: AgentName): Ending {
  return { said: onStdout(`0.0.0-demo (drover demo agent, standing in for ${agent})\n`), exit: 0 }
}

/** One line of JSON per event, on stdout. */
export function asLines(events: readonly object[]): Said {
  return events.map((event) => ({ to: 'stdout', text: `${JSON.stringify(event)}\n` }))
}
