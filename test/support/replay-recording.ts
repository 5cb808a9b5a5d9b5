import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent, LineAgent, OutputResult, ProcessEnd, Usage } from '../../src/agents/adapter/agent.ts'

const RECORDINGS = join(import.meta.dirname, '..', 'recordings')

/** What a real agent printed once, and how it ended. */
export type Recording = { lines: string[]; end: ProcessEnd }

export function recordingNames(backend: string): string[] {
  const files = readdirSync(join(RECORDINGS, backend)).filter((file) => file.endsWith('.stdout'))
  return files.map((file) => file.slice(0, -'.stdout'.length)).sort()
}

export function readRecording(backend: string, name: string): Recording {
  const [stdout, stderrTail, exit] = ['stdout', 'stderr', 'exit'].map((part) =>
    readFileSync(join(RECORDINGS, backend, `${name}.${part}`), 'utf8'),
  ) as [string, string, string]
  const [, signal] = /^signal (\w+)/.exec(exit) ?? []
  const end = { code: signal === undefined ? Number(exit) : null, signal: signal ?? null, stderrTail }
  const lines = stdout.split('\n')
  return { lines: lines.at(-1) === '' ? lines.slice(0, -1) : lines, end }
}

/** Reads lines as a run of the agent does, to the end. */
export function replay(
  agent: LineAgent,
  { lines, end }: Recording,
  { now = new Date(), ...options }: { priorUsage?: Usage; now?: Date } = {},
) {
  const reader = agent.createReader(options)
  const read = lines.flatMap((line) => reader.readLine(line))
  const hasEnded = reader.hasEnded()
  const { events, result } = reader.finish(end, now)
  return { events: [...read, ...events], hasEnded, result }
}

/** `init, 4 message, token_usage` */
function listTypes(events: readonly AgentEvent[]): string {
  const runs: { type: string; count: number }[] = []
  for (const { type } of events) {
    const last = runs.at(-1)
    if (last?.type === type) last.count += 1
    else runs.push({ type, count: 1 })
  }
  return runs.map(({ type, count }) => (count === 1 ? type : `${count} ${type}`)).join(', ')
}

export function outlineRecording(agent: LineAgent, name: string) {
  return outline(replay(agent, readRecording(agent.backend, name)))
}

/** What events and a result amount to, short enough for a row of a table. */
export function outline({ events, result }: { events: AgentEvent[]; result: OutputResult }) {
  const { text, usage, sessionId, turnCount, model, error } = result
  return {
    events: listTypes(events),
    text,
    /** Input, output, cached, reasoning. */
    usage: Object.values(usage).join(' '),
    session: sessionId,
    turns: turnCount,
    model,
    error: error && [error.code, error.message],
  }
}
