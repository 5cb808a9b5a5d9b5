/**
 * An agent that is driven by a script: it prints as claude or codex, really runs commands and writes files, and reports
 * outcomes that may be lies. It is run as `node driven-agent.ts <backend> <directory> <arguments of that agent>`; the
 * directory has `script.json` and gets one line of `calls.jsonl` per prompt that the agent receives, and one of
 * `ends.jsonl` when it answers. With the arguments
 * for it, it stays up and takes one prompt after the other.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { ActionKind, DrivenCall, DrivenScript, DrivenTurn } from '../support/driven-home.ts'
import {
  appServerOutput,
  type CommandRun,
  claudeOutput,
  codexOutput,
  print,
  type TurnOutput,
} from '../support/driven-output.ts'

const DENIED = 'Claude requested permissions to write, but you have not granted it yet.'

/** What waits for a decision, by the id of the question. */
const decisions = new Map<string, () => void>()

const [backend = '', directory = '', ...argv] = process.argv.slice(2)

if (argv.includes('--version')) process.stdout.write('1.0.0\n')
else if (argv.includes('--replay-user-messages')) await stayUpAsClaude()
else if (argv[0] === 'app-server') await stayUpAsCodex()
else await answerOnce()

async function answerOnce(): Promise<void> {
  const prompt = promptIn(await text(process.stdin))
  // Its driver was killed before it could send the prompt.
  if (prompt === '') process.exit(1)
  const resumed = valueAfter(backend === 'claude' ? '--resume' : 'resume')
  if (resumed !== undefined) refuseUnsaved(resumed)
  const sessionId = resumed ?? newId()
  const usedPath = join(directory, `used-${sessionId}.json`)
  const used = existsSync(usedPath) ? JSON.parse(readFileSync(usedPath, 'utf8')) : { input: 0, output: 0 }
  const output = backend === 'claude' ? claudeOutput(sessionId) : codexOutput(sessionId, used)
  await takeTurn({ prompt, resumed, output })
  writeFileSync(usedPath, JSON.stringify(used))
}

/** Waits for any decision. */
async function askAbout(command: string): Promise<void> {
  const id = newId()
  const { promise, resolve } = Promise.withResolvers<void>()
  decisions.set(id, resolve)
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command }, tool_use_id: 'asked' }
  print({ type: 'control_request', request_id: id, request })
  await promise
}

/** One process is one session. An interruption ends the turn, and the process too, so that drover starts another. */
async function stayUpAsClaude(): Promise<void> {
  let resumed = valueAfter('--resume')
  if (resumed !== undefined) refuseUnsaved(resumed)
  const sessionId = resumed ?? newId()
  for await (const line of createInterface({ input: process.stdin })) {
    const frame = JSON.parse(line)
    if (frame.type === 'control_request') {
      if (frame.request.subtype === 'interrupt') process.exit(1)
      print({ type: 'control_response', response: { subtype: 'success', request_id: frame.request_id, response: {} } })
    }
    if (frame.type === 'control_response') decisions.get(frame.response.request_id)?.()
    if (frame.type !== 'user') continue
    void takeTurn({ prompt: textOf(frame.message), resumed, output: claudeOutput(sessionId, frame) })
    resumed = sessionId
  }
  process.exit(0)
}

type Thread = { answer: object; used: { input: number; output: number } }

const SANDBOXES: Readonly<Record<string, string>> = {
  'read-only': 'readOnly',
  'workspace-write': 'workspaceWrite',
  'danger-full-access': 'dangerFullAccess',
}

/** It has any number of sessions. */
async function stayUpAsCodex(): Promise<void> {
  const threads = new Map<string, Thread>()
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize') print({ id, result: {} })
    if (method === 'thread/start' || method === 'thread/resume') print({ id, result: openThread(threads, params) })
    if (method === 'turn/start') startTurn(id, params, threads.get(params.threadId)?.used)
    if (method === 'turn/interrupt') process.exit(1)
  }
  process.exit(0)
}

type ThreadParams = { threadId?: string; cwd: string; approvalPolicy: string; sandbox: string }

/** A thread that is loaded keeps its policy, as with codex. */
function openThread(threads: Map<string, Thread>, params: ThreadParams): object {
  const { threadId = newId(), cwd, approvalPolicy, sandbox } = params
  const answer = { cwd, approvalPolicy, sandbox: { type: SANDBOXES[sandbox] }, model: 'scripted' }
  const opened = threads.get(threadId) ?? { answer, used: { input: 0, output: 0 } }
  threads.set(threadId, opened)
  return { thread: { id: threadId }, ...opened.answer }
}

type TurnParams = { threadId: string; input: [{ text: string }] }

function startTurn(id: number, { threadId, input }: TurnParams, used = { input: 0, output: 0 }): void {
  const turnId = newId()
  print({ id, result: { turn: { id: turnId } } })
  const resumed = used.input > 0 ? threadId : undefined
  void takeTurn({ prompt: input[0].text, resumed, output: appServerOutput({ threadId, turnId }, used) })
}

type Prompt = { prompt: string; resumed: string | undefined; output: TurnOutput }

async function takeTurn({ prompt, resumed, output }: Prompt): Promise<void> {
  const [, kind = '', actionId = ''] = /^drover action: (\w+) (\S+)/.exec(prompt) ?? []
  const turn = nextTurn({ kind, actionId, prompt, ...(resumed !== undefined && { resumed }) })
  if (turn.savesLate === true) writeFileSync(unsavedPath(output.sessionId), '')
  await takeSteps(turn, output)
  rmSync(unsavedPath(output.sessionId), { force: true })
  appendFileSync(join(directory, 'ends.jsonl'), `${JSON.stringify({ at: new Date().toISOString() })}\n`)
  const { input = 100, output: written = 50 } = turn.usage ?? {}
  const { cost, fails } = turn
  const limit = turn.limit?.[backend]
  output.end(turn.says ?? answer(turn, { kind, actionId }), { input, output: written, cost, fails, limit })
}

async function takeSteps(turn: DrivenTurn, output: TurnOutput): Promise<void> {
  output.begin()
  for (let count = 1; count <= (turn.retries ?? 0); count++) output.retry(count)
  for (const message of turn.tells ?? []) output.message(message)
  if (turn.streams !== undefined) output.pieces(turn.streams)
  if (turn.asks !== undefined) await askAbout(turn.asks)
  if (turn.looks !== undefined) output.message(await lookUp(turn.looks))
  work(turn, output)
  for (let left = turn.repeats ?? 0; left > 0; left--) {
    output.command('cat missing', () => ({ exitCode: 1, output: 'No such file' }))
    await delay(5)
  }
  for (const tokens of turn.requests ?? []) output.request(tokens)
  if (turn.pause !== undefined) await delay(turn.pause)
  if (turn.hangs === true) await delay(600_000)
  if (turn.dies === true) process.kill(process.pid, 'SIGKILL')
}

async function lookUp(x: string): Promise<string> {
  const { findToolServer, ToolClient } = await import('../fake-agent/client-tools.ts')
  const server = findToolServer(backend as 'claude' | 'codex', { argv, env: process.env })
  if (server === undefined) return 'I have no MCP server.'
  const client = new ToolClient(server)
  await client.initialize()
  const found = await client.call({ name: 'look', input: { x } })
  client.close()
  return `I ${found}.`
}

/** As claude says it. It sends the prompt to no model. */
function refuseUnsaved(sessionId: string): void {
  if (!existsSync(unsavedPath(sessionId))) return
  const error = `No conversation found with session ID: ${sessionId}`
  print({ type: 'result', subtype: 'error_during_execution', is_error: true, session_id: sessionId, errors: [error] })
  process.stderr.write(`${error}\n`)
  process.exit(1)
}

function unsavedPath(sessionId: string): string {
  return join(directory, `unsaved-${sessionId}`)
}

function work(turn: DrivenTurn, output: TurnOutput): void {
  const { runs = [], edits = {}, runsAfter = [], deniedEdits = [], writes = {}, deletes = [] } = turn
  for (const command of runs) output.command(command, () => runCommand(command))
  for (const [path, edit] of Object.entries(edits)) {
    if (typeof edit === 'string') write(path, edit)
    else
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(edit[0], () => edit[1]),
      )
    output.edit(path, undefined, typeof edit === 'string' ? undefined : edit)
  }
  for (const command of runsAfter) output.command(command, () => runCommand(command))
  for (const path of deniedEdits) output.edit(path, DENIED)
  for (const [path, content] of Object.entries(writes)) write(path, content)
  for (const path of deletes) rmSync(path)
}

/** Notes the call, durably, and finds what to do in it. */
function nextTurn(given: Pick<DrivenCall, 'kind' | 'actionId' | 'prompt' | 'resumed'>): DrivenTurn {
  const earlier = readCalls()
  const call: DrivenCall = { backend, ...given, argv, pid: process.pid, at: new Date().toISOString() }
  const file = openSync(join(directory, 'calls.jsonl'), 'a')
  writeSync(file, `${JSON.stringify(call)}\n`)
  fsyncSync(file)
  closeSync(file)
  const whole = JSON.parse(readFileSync(join(directory, 'script.json'), 'utf8')) as DrivenScript
  // A second prompt for an action may not repeat the goal.
  const firstOf = ({ actionId, prompt }: typeof given) =>
    earlier.find((call) => actionId !== '' && call.actionId === actionId)?.prompt ?? prompt
  const [goal = '', script = whole] =
    Object.entries(whole.goals ?? {}).find(([text]) => firstOf(given).includes(text)) ?? []
  const before = earlier.filter((each) => each.kind === given.kind && firstOf(each).includes(goal))
  const turns = script[(given.kind || 'prompt') as ActionKind] ?? []
  const others = new Set(before.map(({ actionId }) => actionId).filter((id) => id !== given.actionId))
  return turns[Math.min(script.isByAction === true ? others.size : before.length, turns.length - 1)] ?? {}
}

function readCalls(): DrivenCall[] {
  try {
    const lines = readFileSync(join(directory, 'calls.jsonl'), 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

/** Claude gets some prompts as a JSON message. */
function promptIn(stdin: string): string {
  return argv.includes('--input-format') && stdin !== '' ? textOf(JSON.parse(stdin).message) : stdin
}

function textOf(message: { content: { text: string }[] }): string {
  return message.content.map((block) => block.text).join('')
}

function valueAfter(flag: string): string | undefined {
  const at = argv.indexOf(flag)
  return at === -1 ? undefined : argv[at + 1]
}

function runCommand(command: string): CommandRun {
  // Most turns run none, and it takes long to load.
  const { execSync } = process.getBuiltinModule('node:child_process')
  try {
    return { exitCode: 0, output: execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }) }
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string }
    return { exitCode: status, output: stdout }
  }
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

type About = { kind: string; actionId: string }

function answer(turn: DrivenTurn, about: About): string {
  const outcome = { ...honestOutcome(turn, about), ...turn.outcome }
  return `Done.\n\n\`\`\`drover-outcome\n${JSON.stringify(outcome)}\n\`\`\``
}

function honestOutcome(turn: DrivenTurn, { kind, actionId }: About): object {
  const own: Record<string, object> = {
    orient: { suggested_actions: [{ kind: 'implement', brief: 'Do it.' }] },
    implement: {
      implementation: {
        result: 'applied',
        files_changed: [...Object.keys(turn.edits ?? {}), ...Object.keys(turn.writes ?? {})],
        activities: [],
        uncertainties: [],
        attempts: 1,
      },
    },
    review: { review: { result: 'no_findings_reported', findings: [], uncertainties: [] } },
  }
  return {
    contract_version: 2,
    action_id: actionId,
    action_kind: kind,
    status: 'completed',
    summary: `The ${kind} is done.`,
    observations: [],
    known_issues: [],
    suggested_actions: [],
    pause: null,
    implementation: null,
    review: null,
    ...own[kind],
  }
}

/** A random UUID. To load `node:crypto` for it takes a sixth of the time of this program. */
function newId(): string {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => Math.floor(Math.random() * 16).toString(16))
}
