/** Reads the events of a running agent, and ends an agent that is silent, writes too much or does not exit. */
import type { RunningProcess } from '../kit/process/process.ts'
import { readLines } from '../kit/read-lines.ts'
import type { AgentEvent, OutputReader, Usage } from './adapter/agent.ts'
import type { StopReason } from './agent-result.ts'
import { type Notices, withNotices } from './notices.ts'

/** No agent prints longer events: a longer line is skipped with a warning. */
const LINE_LIMIT_BYTES = 10 * 1024 * 1024

export type Reading = {
  reader: OutputReader
  /** Gets every line that the agent prints, unchanged. */
  onLine: ((line: string) => Promise<void>) | undefined
  /** Learns what the turn has used so far. */
  onUsage: ((usage: Usage) => void) | undefined
  /** What the agent prints on stderr while it runs. */
  notices: Notices
  /** How long the agent may take to begin its answer; null: no limit. */
  firstEventTimeoutMs: number | null
  /** How long the agent may take to exit after its terminal event. */
  exitGraceMs: number
  /** Ends the agent. */
  stop: AbortController
  warnings: string[]
  stopReason: StopReason | undefined
}

/** Ends when the process has ended. */
export async function* readEvents(running: RunningProcess, reading: Reading): AsyncGenerator<AgentEvent[]> {
  const { onLine, reader, warnings, notices, exitGraceMs } = reading
  const stopAgent = (reason: StopReason) => {
    reading.stopReason ??= reason
    reading.stop.abort()
  }
  const onOversize = (bytes: number) =>
    warnings.push(`a line of ${bytes} bytes was skipped: it is too long for an event`)
  const silence = startTimer(reading.firstEventTimeoutMs, () => stopAgent('silent'))
  let exitDeadline: NodeJS.Timeout | undefined
  try {
    const batches = readLines(running.stdout, { limitBytes: LINE_LIMIT_BYTES, onOversize })
    for await (const { lines, noted } of withNotices(batches, notices)) {
      if (onLine !== undefined) for (const line of lines) await onLine(line)
      const events = [...noted, ...lines.flatMap((line) => reader.readLine(line))]
      reportUsage(reader, reading.onUsage)
      yield events
      if (reader.hasBegun() || reader.hasEnded()) clearTimeout(silence)
      if (reader.hasEnded()) exitDeadline ??= setTimeout(() => stopAgent('lingered'), exitGraceMs)
      if (reader.isTooLong()) return stopAgent('answer_too_long')
    }
    await running.exit
  } finally {
    clearTimeout(silence)
    clearTimeout(exitDeadline)
  }
}

/** Tells what the turn has used so far, if the agent says so before its end. */
export function reportUsage(reader: OutputReader, onUsage: Reading['onUsage']): void {
  const usage = onUsage && reader.usageSoFar()
  if (usage !== undefined) onUsage?.(usage)
}

function startTimer(ms: number | null, onTimeout: () => void): NodeJS.Timeout | undefined {
  return ms === null ? undefined : setTimeout(onTimeout, ms)
}
