/**
 * A scripted claude that stays up (`claude -p --input-format stream-json`). The prompt is JSON that says what to do in the
 * turn; a prompt that is not JSON is answered with "hello".
 *
 * before: frames to print first · say: the answer · pid: answer with the process id · spawn: a command to start and leave
 * running · tool: the same, but ended on an interruption · use: a file to read · result: more fields of the result · ask: a tool to ask about · input: more fields of its input; with questions, the answer is said · listen: `now`: answer with the next message; `late`: read it after the first result, as another turn · hang: never end the turn · slow: end it after these milliseconds · deaf: ignore
 * interruptions · crash: `start`, `word`, or `warm`: at the start, unless the process is for one
 * prompt · after: frames to print after the result · flood: how many lines to print after
 * it · grow: MiB of memory to take · noise: lines that are not frames of the protocol; `true`: one · closes: close the input · big: the size of a frame · noEcho: do not repeat the message · idle: frames to
 * print 20 ms after the result
 *
 * With CLAUDE_CONFIG_DIR, it keeps what a session has cost in the file of the session, and adds to that when it is resumed.
 * WARM_FAILS=start or initialize: it does not start (`start`: it counts its starts in a file) · WARM_STAYS=1: it ignores the end of its input ·
 * WARM_LINGERS=1: it takes half a second to end
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

if (process.argv[2] === '--version') {
  process.stdout.write('1.0.0 (scripted)\n')
  process.exit(0)
}

const at = process.argv.indexOf('--resume')
const session_id = at === -1 ? randomUUID() : process.argv[at + 1]
const isWarm = process.argv.includes('--replay-user-messages')
if (isWarm && process.env.WARM_FAILS === 'start') {
  appendFileSync('starts', '.')
  process.exit(3)
}
const held = []
const sessions = process.env.CLAUDE_CONFIG_DIR && `${process.env.CLAUDE_CONFIG_DIR}/projects/p`
let cost = storedCost()
let stays = process.env.WARM_STAYS !== undefined
let active

if (process.env.WARM_LINGERS)
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => setTimeout(() => process.exit(0), 500))
const answers = new Map()

const print = (frame) => process.stdout.write(`${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`)
function storedCost() {
  const file = `${sessions}/${session_id}.jsonl`
  if (!sessions || !existsSync(file)) return 0
  return JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)).totalCostUSD
}

process.on('exit', storeCost)

function storeCost() {
  if (!sessions) return
  mkdirSync(sessions, { recursive: true })
  const state = { type: 'cost-state', sessionId: session_id, totalCostUSD: cost, modelUsage: {} }
  appendFileSync(`${sessions}/${session_id}.jsonl`, `{"type":"user"}\n${JSON.stringify(state)}\n`)
}

const result = (fields) => {
  cost += 0.25
  const usage = { input_tokens: 3, output_tokens: 2 }
  print({
    type: 'result',
    subtype: 'success',
    is_error: false,
    session_id,
    num_turns: 1,
    usage,
    total_cost_usd: cost,
    ...fields,
  })
}

async function takeTurn({ uuid, message }) {
  const order = toOrder(textOf({ message }))
  const turn = { order, tool: undefined, heard: Promise.withResolvers() }
  active = turn
  for (const frame of order.before ?? []) print(frame)
  if (crashesAtStart(order)) process.kill(process.pid, 'SIGKILL')
  print({ type: 'system', subtype: 'init', session_id, model: 'scripted', cwd: process.cwd() })
  disturb(order)
  if (!order.noEcho) print({ type: 'user', uuid, message, isReplay: true, session_id })
  if (order.grow) held.push(Buffer.alloc(order.grow * 1024 * 1024, 1))
  if (order.spawn) spawn('sh', ['-c', order.spawn], { detached: true, stdio: 'ignore' }).unref()
  if (order.tool) turn.tool = spawn('sh', ['-c', order.tool], { detached: true, stdio: 'ignore' })
  if (order.use) use(order.use)
  const answer = order.ask && (await ask(order.ask, order.input))
  if (order.input?.questions) order.say = JSON.stringify(answer)
  const heard = order.listen && (await turn.heard.promise)
  const said = wordsOf(order, heard)
  print({
    type: 'assistant',
    message: { model: 'scripted', content: [{ type: 'text', text: said }] },
    parent_tool_use_id: null,
    session_id,
  })
  await finish(turn, said)
  if (order.listen === 'late') await takeTurn(heard)
}

function wordsOf({ pid, listen, say = 'hello' }, heard) {
  if (listen !== 'now') return pid ? String(process.pid) : say
  print({ ...heard, isReplay: true, session_id })
  return textOf(heard)
}

const textOf = ({ message }) => message.content.map((block) => block.text).join('')

async function finish(turn, said) {
  const { crash, hang, tool, slow = 0 } = turn.order
  if (crash === 'word') process.kill(process.pid, 'SIGKILL')
  if (hang || tool) return
  if (slow > 0) await delay(slow)
  end(turn, { result: said, ...turn.order.result })
}

function use(file_path) {
  const call = { type: 'tool_use', id: 't1', name: 'Read', input: { file_path } }
  print({ type: 'assistant', message: { model: 'scripted', content: [call] }, parent_tool_use_id: null, session_id })
  const content = [{ type: 'tool_result', tool_use_id: 't1', content: 'its text' }]
  print({ type: 'user', message: { role: 'user', content }, session_id })
}

function disturb({ noise = [], big = 0, closes }) {
  for (const line of noise === true ? ['not JSON'] : noise) print(line)
  if (big > 0) print({ type: 'system', subtype: 'status', pad: 'x'.repeat(big) })
  if (!closes) return
  stays = true
  process.stdin.destroy()
}

const crashesAtStart = ({ crash }) => crash === 'start' || (crash === 'warm' && isWarm)

function end(turn, fields) {
  if (active !== turn) return
  active = undefined
  result(fields)
  for (const frame of turn.order.after ?? []) print(frame)
  for (let left = turn.order.flood ?? 0; left > 0; left -= 1)
    print({ type: 'system', subtype: 'status', left, pad: 'x'.repeat(200) })
  if (turn.order.idle) setTimeout(() => turn.order.idle.forEach(print), 20)
}

function toOrder(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

async function ask(tool_name, more) {
  const request_id = randomUUID()
  const answered = Promise.withResolvers()
  answers.set(request_id, answered)
  const input = { command: 'echo asked', ...more }
  print({
    type: 'control_request',
    request_id,
    request: { subtype: 'can_use_tool', tool_name, input, tool_use_id: 't1' },
  })
  const answer = await answered.promise
  const content = [
    { type: 'tool_result', tool_use_id: 't1', content: JSON.stringify(answer), is_error: answer.behavior !== 'allow' },
  ]
  print({ type: 'user', message: { role: 'user', content }, session_id })
  return answer
}

function interrupt() {
  const turn = active
  if (turn === undefined || turn.order.deaf) return
  if (turn.tool?.pid) process.kill(-turn.tool.pid, 'SIGKILL')
  end(turn, { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' })
}

if (!isWarm) {
  // A process for one prompt.
  const input = await text(process.stdin)
  const message = process.argv.includes('--input-format') ? JSON.parse(input).message : { content: [{ text: input }] }
  await takeTurn({ message })
  if (active === undefined)
    if (process.env.WARM_STAYS)
      // The end of its input.
      setInterval(() => undefined, 1000)
    else process.exit(0)
  await new Promise((resolve) => setTimeout(resolve, 300_000))
}

for await (const line of createInterface({ input: process.stdin })) {
  const frame = JSON.parse(line)
  if (frame.type === 'user') void (active?.order.listen ? active.heard.resolve(frame) : takeTurn(frame))
  if (frame.type === 'control_response') answers.get(frame.response.request_id)?.resolve(frame.response.response)
  if (frame.type !== 'control_request') continue
  if (process.env.WARM_FAILS === 'initialize') continue
  if (frame.request.subtype === 'interrupt') interrupt()
  if (active?.order.deaf) continue
  print({ type: 'control_response', response: { subtype: 'success', request_id: frame.request_id, response: {} } })
}
// The end of its input.
if (stays || process.env.WARM_LINGERS) setInterval(() => undefined, 1000)
else process.exit(0)
