/** Recordings of long-lived agents: frames in both directions, in the order in which they were sent. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessEnd } from '../../../src/agents/adapter/agent.ts'
import { type AgentOutput, createOutputReader } from '../../../src/agents/adapter/output-reader.ts'
import type { FollowedTurn, RequestId } from './followed-turn.ts'

const RECORDINGS = join(import.meta.dirname, '..', '..', 'recordings')
const ENDING = '.frames.jsonl'

export type Frame = { dir: '->' | '<-'; frame: { id?: RequestId; method?: string } }

export function frameRecordingNames(backend: string): string[] {
  const files = readdirSync(join(RECORDINGS, backend)).filter((file) => file.endsWith(ENDING))
  return files.map((file) => file.slice(0, -ENDING.length)).sort()
}

export function readFrames(backend: string, name: string): Frame[] {
  const lines = readFileSync(join(RECORDINGS, backend, name + ENDING), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** The ids of the requests that carried a prompt, in order. */
export function promptsIn(frames: readonly Frame[], method: string) {
  return frames.filter(({ frame }) => frame.method === method).map(({ frame }) => frame.id)
}

/** The lines that the agent printed from the first request of a turn on, to the end of the recording. */
export function linesSince(frames: readonly Frame[], { openings, prompt }: FollowedTurn): string[] {
  const start = frames.findIndex(
    ({ dir, frame }) => dir === '->' && 'method' in frame && frame.id === (openings[0] ?? prompt),
  )
  return frames.slice(start).flatMap(({ dir, frame }) => (dir === '<-' ? [JSON.stringify(frame)] : []))
}

const STILL_RUNNING: ProcessEnd = { code: null, signal: null, stderrTail: '' }

/** Reads lines as a turn of a long-lived agent is read; the agent lives on if nothing else is said. */
export function replayTurn(output: AgentOutput, lines: readonly string[], end = STILL_RUNNING) {
  const reader = createOutputReader(output)
  const read = lines.flatMap((line) => reader.readLine(line))
  const hasEnded = reader.hasEnded()
  const { events, result } = reader.finish(end)
  return { events: [...read, ...events], hasEnded, result }
}
