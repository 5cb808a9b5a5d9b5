/**
 * A scripted `codex app-server`. The prompt is JSON that says what to do in the turn; one that is not JSON is answered with
 * "hello".
 *
 * say: the answer · pid: answer with the process id · tool: a command to start; an interruption leaves it running, as with
 * codex · noise: lines that are not frames of the protocol · big: the size of a frame · closes: close the input · hang: never
 * end the turn · slow: end it after these milliseconds · ask: a command to ask about · questions: what to ask the user instead · listen: answer with the next message · foreign: first end a turn with another
 * id · fail: a message
 *
 * WARM_STAYS=1: it ignores the end of its input · WARM_LINGERS=1: it takes half a second to end
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

if (process.argv[2] === '--version') {
  process.stdout.write('1.0.0 (scripted)\n')
  process.exit(0)
}

const threads = new Map()
const POLICIES = {
  'read-only': 'readOnly',
  'workspace-write': 'workspaceWrite',
  'danger-full-access': 'dangerFullAccess',
}
const print = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`)
const notify = (method, params) => print({ method, params })
let active
let answered
let asked = 0
let stays = process.env.WARM_STAYS !== undefined

if (process.env.WARM_LINGERS)
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => setTimeout(() => process.exit(0), 500))

const PROFILES = { 'drover-read-only': 'read-only', 'drover-workspace': 'workspace-write' }

function openThread({ threadId, cwd, approvalPolicy, sandbox, config, model = 'scripted' }) {
  const id = threadId ?? randomUUID()
  const profile = config?.default_permissions
  const policy = { sandbox: { type: POLICIES[sandbox ?? PROFILES[profile]] } }
  // A thread that is loaded keeps its policy, as with codex.
  const thread = threads.get(id) ?? {
    cwd,
    approvalPolicy,
    ...policy,
    activePermissionProfile: { id: profile },
    model,
    tokens: 0,
  }
  threads.set(id, thread)
  return { thread: { id }, ...thread }
}

async function takeTurn({ threadId, input }) {
  const turn = { id: randomUUID(), threadId, order: toOrder(input[0].text) }
  active = turn
  const ids = { threadId, turnId: turn.id }
  return {
    answer: { turn: { id: turn.id } },
    run: async () => {
      const { order } = turn
      notify('turn/started', { threadId, turn: { id: turn.id } })
      if (order.foreign) notify('turn/completed', { threadId, turn: { id: 'another', status: 'completed' } })
      disturb(order)
      if (order.tool) spawn('sh', ['-c', order.tool], { detached: true, stdio: 'ignore' }).unref()
      if (order.ask) {
        answered = Promise.withResolvers()
        print({
          id: asked++,
          ...(order.questions
            ? { method: 'item/tool/requestUserInput', params: { ...ids, itemId: 'i', questions: order.questions } }
            : {
                method: 'item/commandExecution/requestApproval',
                params: { ...ids, itemId: 'i', command: order.ask },
              }),
        })
        order.say = JSON.stringify(await answered.promise)
      }
      if (order.listen) {
        turn.heard = Promise.withResolvers()
        order.say = await turn.heard.promise
      }
      const text = order.pid ? String(process.pid) : (order.say ?? 'hello')
      notify('item/agentMessage/delta', { ...ids, itemId: 'm', delta: text })
      notify('item/completed', { ...ids, item: { type: 'agentMessage', id: 'm', text } })
      const thread = threads.get(threadId)
      thread.tokens += 10
      notify('thread/tokenUsage/updated', {
        ...ids,
        tokenUsage: { total: { inputTokens: thread.tokens, outputTokens: 1 } },
      })
      await finish(turn)
    },
  }
}

function disturb({ noise = [], big = 0, closes }) {
  for (const line of noise) process.stdout.write(`${line}\n`)
  if (big > 0) notify('thread/status/changed', { pad: 'x'.repeat(big) })
  if (!closes) return
  stays = true
  process.stdin.destroy()
}

async function finish(turn) {
  const { hang, tool, slow = 0, fail } = turn.order
  if (hang || tool) return
  if (slow > 0) await delay(slow)
  end(turn, fail ? 'failed' : 'completed', fail && { message: fail })
}

function end(turn, status, error = null) {
  if (active !== turn) return
  active = undefined
  notify('turn/completed', { threadId: turn.threadId, turn: { id: turn.id, status, error } })
}

function toOrder(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

if (process.argv[2] === 'exec') {
  // A process for one prompt.
  const order = toOrder(await text(process.stdin))
  const at = process.argv.indexOf('resume')
  print({ type: 'thread.started', thread_id: at === -1 ? randomUUID() : process.argv[at + 1] })
  print({ type: 'turn.started' })
  const said = order.pid ? String(process.pid) : (order.say ?? 'hello')
  print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: said } })
  print({ type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 1 } })
  process.exit(0)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line)
  if (method === undefined) answered?.resolve(result)
  if (method === 'initialize') print({ id, result: {} })
  if (method === 'thread/start' || method === 'thread/resume') print({ id, result: openThread(params) })
  if (method === 'turn/start') {
    const { answer, run } = await takeTurn(params)
    print({ id, result: answer })
    void run()
  }
  if (method === 'turn/steer') {
    const isTaken = active?.id === params.expectedTurnId && active.heard !== undefined
    if (isTaken) active.heard.resolve(params.input[0].text)
    print(
      isTaken ? { id, result: { turnId: active.id } } : { id, error: { code: -32600, message: 'no turn to steer' } },
    )
  }
  if (method === 'turn/interrupt') {
    print({ id, result: {} })
    end(active, 'interrupted')
  }
}
// The end of its input.
if (stays || process.env.WARM_LINGERS) setInterval(() => undefined, 1000)
else process.exit(0)
