/**
 * An agent that speaks ACP and does what its script says. It is a separate program: tests start it as drover starts a real
 * agent. The script is in FAKE_ACP_SCRIPT. Every frame that it receives is appended to the file FAKE_ACP_LOG.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AcpScript, AcpStep } from './acp-script.ts'

type Frame = {
  id?: string | number | null
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: unknown
}

const script: AcpScript = JSON.parse(process.env['FAKE_ACP_SCRIPT'] ?? '{}')
const log = process.env['FAKE_ACP_LOG']
const state = process.env['FAKE_ACP_STATE']
const waiting = new Map<string | number | null, (frame: Frame) => void>()
let nextId = 0
let cancelPrompt: (() => void) | undefined
let prompts = 0

if (script.stderr !== undefined) process.stderr.write(script.stderr)
if (script.prints !== undefined) process.stdout.write(script.prints)
if (script.exitAtStart !== undefined) process.exit(script.exitAtStart)
if (script.ignoresSignals) for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined)

const send = (frame: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)

function ask(method: string, params: object, given?: string | number | null): Promise<Frame> {
  nextId += 1
  const id = given === undefined ? `agent-${nextId}` : given
  send({ id, method, params })
  return new Promise((resolve) => waiting.set(id, resolve))
}

async function receive(line: string): Promise<void> {
  const frame: Frame = JSON.parse(line)
  if (log !== undefined) appendFileSync(log, `${line}\n`)
  if (frame.method === undefined) return waiting.get(frame.id ?? null)?.(frame)
  if (frame.method === 'session/cancel') return script.ignoresCancel ? undefined : cancelPrompt?.()
  const { id } = frame
  const delayMs = script.delays?.[frame.method]
  if (delayMs !== undefined) await sleep(delayMs)
  const answer = await handle(frame.method, frame.params ?? {})
  if (answer !== undefined) send({ id: script.answersWithId ?? id, ...answer })
  for (const text of frame.method === 'session/prompt' ? (script.late ?? []) : []) {
    send(
      updateOf(String(frame.params?.['sessionId']), {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text },
      }),
    )
  }
}

async function handle(method: string, params: Record<string, unknown>): Promise<object | undefined> {
  const failure = script.errors?.[method]
  if (script.silent?.includes(method)) return undefined
  if (failure !== undefined) return { error: failure }
  switch (method) {
    case 'initialize':
      return script.initialize === null ? undefined : { result: { ...INITIALIZED, ...script.initialize } }
    case 'session/new':
      return { result: { ...script.session, sessionId: createSession() } }
    case 'session/load':
    case 'session/resume':
      return openSession(String(params['sessionId']), method)
    case 'session/prompt':
      return await prompt(params)
    case '_session/steering':
      return { result: { outcome: steer(params) } }
    case 'session/set_mode':
    case 'session/set_model':
    case 'session/set_config_option':
    case 'session/delete':
    case 'session/close':
      return { result: {} }
    default:
      return { error: { code: -32601, message: 'Method not found' } }
  }
}

const INITIALIZED = {
  protocolVersion: 1,
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true },
    sessionCapabilities: { resume: {}, delete: {}, close: {} },
  },
  agentInfo: { name: 'fake', version: '1.2.3' },
  authMethods: [],
}

function createSession(): string {
  const id = script.sessionId ?? `session-${process.pid}-${Date.now()}`
  if (state !== undefined && id !== '') {
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, id), '')
  }
  return id
}

function openSession(id: string, method: string): object {
  const file = join(state ?? '', id)
  if (state === undefined || !existsSync(file)) return { error: { code: -32002, message: 'Resource not found' } }
  for (const text of method === 'session/load' ? readFileSync(file, 'utf8').split('\0').filter(Boolean) : []) {
    send(updateOf(id, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } }))
    send(
      updateOf(id, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `said before: ${text}` } }),
    )
  }
  return { result: { ...script.session } }
}

const turnsOf = (id: string) => readFileSync(join(state ?? '', id), 'utf8').split('\0').length - 1

const updateOf = (sessionId: string, update: object) => ({ method: 'session/update', params: { sessionId, update } })

async function prompt(params: Record<string, unknown>): Promise<object | undefined> {
  const sessionId = String(params['sessionId'])
  const [{ text }] = params['prompt'] as [{ text: string }]
  prompts += 1
  if (state !== undefined && existsSync(join(state, sessionId))) appendFileSync(join(state, sessionId), `${text}\0`)
  const cancelled = new Promise<object>((resolve) => {
    cancelPrompt = () => resolve({ result: { stopReason: 'cancelled' } })
  })
  const played = play(script.turns?.[prompts - 1] ?? script.steps ?? [{ say: answerTo(text) }], sessionId)
  return await Promise.race([played, cancelled])
}

function answerTo(text: string): string {
  const [, variable] = /^env (\w+)$/.exec(text) ?? []
  if (variable !== undefined) return process.env[variable] ?? 'not set'
  return text === 'pid' ? String(process.pid) : `You said: ${text}`
}

let heard: PromiseWithResolvers<string> | undefined

function steer(params: Record<string, unknown>): string {
  if (heard === undefined) return 'promptRequired'
  heard.resolve((params['prompt'] as [{ text: string }])[0].text)
  return 'injected'
}

async function play(steps: readonly AcpStep[], sessionId: string): Promise<object | undefined> {
  for (const step of steps) {
    const done = await playStep(step, sessionId)
    if (done !== 'next') return done
  }
  const times = script.countsSession ? turnsOf(sessionId) : 1
  const usage = Object.fromEntries(Object.entries(USAGE).map(([name, count]) => [name, count * times]))
  return { result: { stopReason: 'end_turn', usage, ...script.result } }
}

const USAGE = { inputTokens: 100, outputTokens: 10, totalTokens: 110, cachedReadTokens: 60 }

async function playStep(step: AcpStep, sessionId: string): Promise<object | undefined | 'next'> {
  for (const update of updatesOf(step)) send(updateOf(step.session ?? sessionId, update))
  if (step.raw !== undefined) process.stdout.write(`${step.raw}\n`)
  await askClient(step, sessionId)
  if (step.spawn !== undefined) startTool(step.spawn)
  if (step.exit !== undefined) process.exit(step.exit)
  if (step.flood)
    await flood(step.flood === 'text' ? 'y\n'.repeat(1000) : `${JSON.stringify(updateOf(sessionId, CHUNK))}\n`)
  if (step.listen) {
    heard = Promise.withResolvers()
    for (const update of updatesOf({ say: await heard.promise })) send(updateOf(sessionId, update))
  }
  if (step.pause !== undefined) await sleep(step.pause)
  if (step.hang) return await new Promise(() => undefined)
  if (step.fails !== undefined) return { error: step.fails }
  return step.noAnswer ? undefined : 'next'
}

function updatesOf({ say, sayBytes, think, update }: AcpStep): object[] {
  const chunk = (sessionUpdate: string, text: string) => ({ sessionUpdate, content: { type: 'text', text } })
  return [
    ...(say === undefined ? [] : [chunk('agent_message_chunk', say)]),
    ...(sayBytes === undefined ? [] : [chunk('agent_message_chunk', 'x'.repeat(sayBytes))]),
    ...(think === undefined ? [] : [chunk('agent_thought_chunk', think)]),
    ...(update === undefined ? [] : [update]),
  ]
}

async function askClient(step: AcpStep, sessionId: string): Promise<void> {
  const asked = step.ask === undefined ? step.request : { method: 'session/request_permission', params: step.ask }
  if (asked !== undefined) {
    const answered = ask(asked.method, { sessionId, ...asked.params })
    if (step.takesBackAt !== undefined) {
      while (!existsSync(step.takesBackAt)) await sleep(10)
      send({ method: '$/cancel_request', params: { requestId: `agent-${nextId}` } })
    }
    await answered
  }
  const together = step.together ?? []
  await Promise.all(together.map(({ id, method, params }) => ask(method, { sessionId, ...params }, id)))
  if (step.terminal !== undefined) await runInTerminal(step.terminal, sessionId)
}

async function flood(text: string): Promise<never> {
  for (;;) if (!process.stdout.write(text)) await drained()
}

const CHUNK = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'and so on '.repeat(1000) } }
const drained = () => new Promise((resolve) => process.stdout.once('drain', resolve))

function startTool({ command, pidFile }: { command: string; pidFile: string }): void {
  const tool = spawn('/bin/sh', ['-c', command], { stdio: 'ignore', detached: true })
  writeFileSync(pidFile, String(tool.pid))
}

/** As real agents do it: start, wait, read, release. */
async function runInTerminal(params: object, sessionId: string): Promise<void> {
  const created = await ask('terminal/create', { sessionId, ...params })
  const terminalId = (created.result as { terminalId?: string } | undefined)?.terminalId
  if (terminalId === undefined) return
  for (const method of ['terminal/wait_for_exit', 'terminal/output', 'terminal/release']) {
    await ask(method, { sessionId, terminalId })
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => void receive(line))
  .on('close', () => script.ignoresEof || process.exit(0))
if (script.ignoresEof) setInterval(() => undefined, 60_000)
