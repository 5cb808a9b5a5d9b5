/** Turns of real agents that speak ACP, recorded against a local fake model server. Long texts and lists are cut. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AcpOutput, OPENED } from '../../src/agents/acp/output.ts'
import type { AcpProfile } from '../../src/agents/adapter/acp-profile.ts'
import { createOutputReader } from '../../src/agents/adapter/output-reader.ts'

const DIRECTORY = join(import.meta.dirname, '..', 'recordings', 'acp')

export type RecordedTurn = {
  turn: string
  frames: { update?: object; permission?: Record<string, unknown> }[]
  response: object
}

export function recordedTurns(agent: string): RecordedTurn[] {
  const lines = readFileSync(join(DIRECTORY, `${agent}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line))
}

export function recordedTurn(agent: string, name: string): RecordedTurn {
  const found = recordedTurns(agent).find(({ turn }) => turn === name)
  if (found === undefined) throw new Error(`no turn "${name}" of ${agent} was recorded`)
  return found
}

/** Reads a turn as drover does. */
export function replayTurn(agent: string, { frames, response }: RecordedTurn, profile: AcpProfile, now = new Date()) {
  const output = new AcpOutput({ backend: agent, profile, priorUsage: undefined })
  const reader = createOutputReader(output)
  const opened = { method: OPENED, params: { sessionId: 's', isResumable: true } }
  const read = [
    opened,
    ...frames.map(({ update, permission }) =>
      update === undefined
        ? { method: 'session/request_permission', params: { ...permission, sessionId: 's' } }
        : { method: 'session/update', params: { sessionId: 's', update } },
    ),
    { ...response },
  ].flatMap((frame) => reader.readFrame(frame, ''))
  const { events, result } = reader.finish({ code: 0, signal: null, stderrTail: '' }, now)
  return { events: [...read, ...events], result }
}
