/**
 * An agent that is driven by a script: it prints as claude or codex, really runs commands and writes files, and reports
 * outcomes that may be lies. It is run as `node driven-agent.ts <backend> <directory> <arguments of that agent>`; the
 * directory has `script.json` and gets one line of `calls.jsonl` per call.
 */
import { execSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { DrivenCall, DrivenScript, DrivenTurn } from '../support/driven-agents.ts'

const [backend = '', directory = '', ...argv] = process.argv.slice(2)
if (argv.includes('--version')) {
  process.stdout.write('1.0.0\n')
  process.exit(0)
}
const prompt = promptIn(await text(process.stdin))
const [, kind = '', actionId = ''] = /^drover action: (\w+) (\S+)/.exec(prompt) ?? []
const resumed = resumeIdIn()
const sessionId = resumed ?? randomUUID()
const turn = takeTurn()
let items = 0

print(
  backend === 'claude'
    ? { type: 'system', subtype: 'init', session_id: sessionId, model: 'scripted', cwd: process.cwd() }
    : { type: 'thread.started', thread_id: sessionId },
)
for (const message of turn.tells ?? []) showMessage(message)
if (turn.streams !== undefined) showPieces(turn.streams)
for (const command of turn.runs ?? []) showCommand(command, runCommand(command))
for (const [path, content] of Object.entries(turn.edits ?? {})) {
  write(path, content)
  showEdit(path)
}
for (const command of turn.runsAfter ?? []) showCommand(command, runCommand(command))
for (const path of turn.deniedEdits ?? [])
  showEdit(path, 'Claude requested permissions to write, but you have not granted it yet.')
for (const [path, content] of Object.entries(turn.writes ?? {})) write(path, content)
for (const path of turn.deletes ?? []) rmSync(path)
for (let left = turn.repeats ?? 0; left > 0; left--) {
  showCommand('cat missing', { exitCode: 1, output: 'No such file' })
  await delay(5)
}
for (const { input, output } of turn.requests ?? []) showRequest({ input_tokens: input, output_tokens: output })
if (turn.pause !== undefined) await delay(turn.pause)
if (turn.hangs === true) await delay(600_000)
if (turn.dies === true) process.kill(process.pid, 'SIGKILL')
finish(turn.says ?? answer())

function takeTurn(): DrivenTurn {
  const calls = readCalls().filter((call) => call.kind === kind)
  const call: DrivenCall = { backend, kind, actionId, prompt, argv, ...(resumed !== undefined && { resumed }) }
  appendFileSync(join(directory, 'calls.jsonl'), `${JSON.stringify(call)}\n`)
  const script = JSON.parse(readFileSync(join(directory, 'script.json'), 'utf8')) as DrivenScript
  const turns = script[kind as keyof DrivenScript] ?? []
  return turns[Math.min(calls.length, turns.length - 1)] ?? {}
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
  if (!argv.includes('--input-format')) return stdin
  const { message } = JSON.parse(stdin) as { message: { content: { text: string }[] } }
  return message.content.map(({ text }) => text).join('')
}

function resumeIdIn(): string | undefined {
  const at = argv.indexOf(backend === 'claude' ? '--resume' : 'resume')
  return at === -1 ? undefined : argv[at + 1]
}

function runCommand(command: string): { exitCode: number; output: string } {
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

function showCommand(command: string, { exitCode, output }: { exitCode: number; output: string }): void {
  if (backend === 'claude') {
    const content = exitCode === 0 ? output : `Exit code ${exitCode}\n${output}`
    showCall('Bash', { command }, { content, is_error: exitCode !== 0 })
    return
  }
  const status = exitCode === 0 ? 'completed' : 'failed'
  const item = { type: 'command_execution', command: `/bin/bash -lc '${command}'`, status }
  print({
    type: 'item.completed',
    item: { id: `item_${items++}`, ...item, exit_code: exitCode, aggregated_output: output },
  })
}

function showEdit(path: string, denied?: string): void {
  if (backend === 'claude') {
    showCall('Write', { file_path: path, content: '' }, { content: denied ?? 'ok', is_error: denied !== undefined })
    return
  }
  print({
    type: 'item.completed',
    item: { id: `item_${items++}`, type: 'file_change', changes: [{ path, kind: 'add' }], status: 'completed' },
  })
}

function showMessage(message: string): void {
  if (backend === 'claude') {
    const content = [{ type: 'text', text: message }]
    print({
      type: 'assistant',
      session_id: sessionId,
      parent_tool_use_id: null,
      message: { role: 'assistant', content },
    })
  } else print({ type: 'item.completed', item: { id: `item_${items++}`, type: 'agent_message', text: message } })
}

/** Only claude shows pieces. */
function showPieces(pieces: readonly string[]): void {
  const streamed = (event: object) => print({ type: 'stream_event', parent_tool_use_id: null, event })
  streamed({ type: 'message_start' })
  for (const text of pieces) streamed({ type: 'content_block_delta', delta: { type: 'text_delta', text } })
  showMessage(pieces.join(''))
}

function showCall(name: string, input: object, result: object): void {
  const id = `toolu_${items++}`
  const message = { role: 'assistant', model: 'scripted', content: [{ type: 'tool_use', id, name, input }] }
  print({ type: 'assistant', session_id: sessionId, parent_tool_use_id: null, message })
  const content = [{ type: 'tool_result', tool_use_id: id, ...result }]
  print({ type: 'user', session_id: sessionId, parent_tool_use_id: null, message: { role: 'user', content } })
}

/** A model request that has come to its end: claude repeats its counts with every block of the answer. */
function showRequest(usage: object): void {
  const id = `msg_${items++}`
  for (const text of ['Thinking', ' about it.']) {
    const message = { id, role: 'assistant', model: 'scripted', content: [{ type: 'text', text }], usage }
    print({ type: 'assistant', session_id: sessionId, parent_tool_use_id: null, message })
  }
}

function answer(): string {
  const outcome = { ...frame(), ...turn.outcome }
  return `Done.\n\n\`\`\`drover-outcome\n${JSON.stringify(outcome)}\n\`\`\``
}

/** An honest outcome. */
function frame(): object {
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

function finish(answer: string): void {
  const { input = 100, output = 50 } = turn.usage ?? {}
  showMessage(answer)
  if (backend === 'claude') {
    const usage = { input_tokens: input, output_tokens: output }
    const cost = turn.cost === undefined ? {} : { total_cost_usd: turn.cost }
    print({
      type: 'result',
      subtype: turn.fails ?? 'success',
      is_error: turn.fails !== undefined,
      result: answer,
      session_id: sessionId,
      num_turns: 1,
      usage,
      ...cost,
    })
    return
  }
  print({ type: 'turn.completed', usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output } })
}

function print(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}
