import type { AgentName } from '../../src/demo/demo-answer.ts'

/** What the agent prints: text for stdout, or text for each stream. Lines carry their own line ends. */
export type Output = string | { stdout?: string | Uint8Array; stderr?: string }

/** The last output, and how the process ends: with an exit code, or by the signal it got. */
export type Ending = { output: Output; exitCode: number | NodeJS.Signals }

export function refuse(text: string, exitCode: number): Ending {
  return { output: { stderr: `${text}\n` }, exitCode }
}

export function showVersion(agent: AgentName): Ending {
  return { output: `0.0.0-fake (fake agent, standing in for ${agent})\n`, exitCode: 0 }
}
