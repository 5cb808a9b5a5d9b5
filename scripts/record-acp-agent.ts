/**
 * `node scripts/record-acp-agent.ts NAME` records turns of a real agent that speaks ACP into `test/recordings/acp/NAME.jsonl`, and
 * prints what the agent says about itself. The model is the fake one; `test/real/acp-agents.ts` points the agent at it.
 * `node scripts/record-acp-agent.ts NAME TURN …` records these turns only, and keeps the others.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { answerPermission, type Verdict } from '../src/agents/acp/permissions.ts'
import { initializeParams, modeRequest, readSession } from '../src/agents/acp/protocol.ts'
import { isObject, type JsonRecord, objectAt, textAt } from '../src/agents/adapter/json-fields.ts'
import { createJsonRpcPeer, type JsonRpcPeer } from '../src/agents/warm/json-rpc.ts'
import { Fault } from '../src/kit/fault.ts'
import { toChildEnvironment } from '../src/kit/process/child-environment.ts'
import { startProcess } from '../src/kit/process/process.ts'
import { commandOf, createAcpSetup, startableAcp } from '../test/real/acp-agents.ts'

const ROOT = join(import.meta.dirname, '..')
/** The turns, the scenarios of the fake model that they play, and how a request for permission is answered. */
const TURNS: readonly (readonly [turn: string, scenario: string, verdict: Verdict])[] = [
  ['plain', 'plain', 'allow'],
  ['thinking', 'thinking', 'allow'],
  ['exit 3', 'toolfail', 'allow'],
  ['new file', 'newfile', 'allow'],
  ['denied file', 'newfile', 'deny'],
  ['e401', 'e401', 'allow'],
  ['e500', 'e500', 'allow'],
  ['e429', 'e429', 'allow'],
  ['usage', 'usage', 'allow'],
  ['credit', 'credit', 'allow'],
  ['rate', 'rate', 'allow'],
  ['overload', 'overload', 'allow'],
  ['cut', 'cut', 'allow'],
  ['empty', 'empty', 'allow'],
]
/** Many agents ask a failing model again and again. Then the turn is cancelled. */
const TURN_LIMIT_MS = 25_000
const LATE_UPDATES_MS = 500
/** Long, and says nothing about the turn. */
const LEFT_OUT = 'available_commands_update'

type Agent = (typeof startableAcp)[number]
type Recording = { frames: JsonRecord[]; verdict: Verdict }

const [, , name = '', ...wanted] = process.argv
const agent = startableAcp.find((each) => each.name === name)
if (agent === undefined) {
  console.error(`"${name}" is not on PATH, or test/real/acp-agents.ts does not say how it is configured`)
  process.exitCode = 1
} else await record(agent)

async function record(agent: Agent): Promise<void> {
  const upstream = spawn(process.execPath, [join(ROOT, 'test', 'fake-upstream', 'server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [first] = await once(upstream.stdout, 'data')
  const setup = createAcpSetup(agent, JSON.parse(String(first)).listening)
  const stop = new AbortController()
  const running = await startProcess({
    argv: [agent.path, ...commandOf(agent).slice(1)],
    cwd: setup.work,
    env: toChildEnvironment({ ...setup.env('plain'), ...agent.profile.env }),
    keepsStdinOpen: true,
    timeoutMs: null,
    signal: stop.signal,
    sweep: 'always',
  })
  const recording: Recording = { frames: [], verdict: 'allow' }
  const peer = createJsonRpcPeer(running, handlersFor(recording), { hasVersion: true })
  try {
    const lines = await recordTurns(peer, { agent, recording, work: setup.work })
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const place = join(ROOT, 'test', 'recordings', 'acp', `${agent.name}.jsonl`)
    const kept = wanted.length === 0 ? '' : keptTurns(readFileSync(place, 'utf8'))
    const recorded = text.replaceAll(setup.work, '/workspace').replaceAll(setup.work.slice(1), 'workspace')
    writeFileSync(place, kept + recorded)
  } finally {
    stop.abort()
    await running.exit
    upstream.kill()
    setup.remove()
  }
}

function keptTurns(recordings: string): string {
  const isKept = (line: string) => line !== '' && !wanted.includes(JSON.parse(line).turn)
  return recordings
    .split('\n')
    .filter(isKept)
    .map((line) => `${line}\n`)
    .join('')
}

function handlersFor(recording: Recording): Parameters<typeof createJsonRpcPeer>[1] {
  return {
    onRequest: (method, params) => {
      if (method !== 'session/request_permission') return undefined
      recording.frames.push({ permission: params })
      return Promise.resolve(answerPermission(params, recording.verdict))
    },
    onNotification: (_method, params) => {
      const update = objectAt(params, 'update')
      if (update !== undefined && textAt(update, 'sessionUpdate') !== LEFT_OUT) recording.frames.push({ update })
    },
    onWarning: (text) => console.error(text),
  }
}

async function recordTurns(
  peer: JsonRpcPeer,
  { agent, recording, work }: { agent: Agent; recording: Recording; work: string },
): Promise<object[]> {
  console.log(JSON.stringify(await peer.request('initialize', initializeParams({})), undefined, 2))
  const lines: object[] = []
  for (const [turn, scenario, verdict] of TURNS.filter(([each]) => wanted.length === 0 || wanted.includes(each))) {
    const sessionId = await openSession(peer, { agent, work, isShown: lines.length === 0 })
    Object.assign(recording, { frames: [], verdict })
    const text = `#scenario=${scenario} #path=${join(work, `${verdict}.txt`)}`
    const limit = setTimeout(() => void peer.notify('session/cancel', { sessionId }), TURN_LIMIT_MS)
    const start = performance.now()
    const prompt = peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
    const response = await prompt.then((result) => ({ result }), errorOf).finally(() => clearTimeout(limit))
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    await delay(LATE_UPDATES_MS)
    lines.push({ turn, frames: recording.frames, response })
    console.log(`${turn}: ${recording.frames.length} frames, ${seconds} s, ${JSON.stringify(response)}`)
  }
  return lines
}

/** In the mode in which the agent asks for permission. */
async function openSession(
  peer: JsonRpcPeer,
  { agent, work, isShown }: { agent: Agent; work: string; isShown: boolean },
): Promise<string> {
  const result = await peer.request('session/new', { cwd: work, mcpServers: [] })
  if (!isObject(result)) throw new Error('the agent has opened no session')
  const session = readSession(textAt(result, 'sessionId') ?? '', result)
  if (isShown) console.log(JSON.stringify(result, undefined, 2))
  const mode = agent.profile.modes.ask
  if (mode !== undefined && session.modes.includes(mode)) await peer.request(...modeRequest(session, mode))
  return session.sessionId
}

function errorOf(error: unknown): { error: object } {
  if (!(error instanceof Fault)) throw error
  const { method: _, ...rest } = error.details
  return { error: rest }
}
