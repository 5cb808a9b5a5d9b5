/** Clients of servers with one PostgreSQL store: they send tasks, follow them to their ends, and look at what is stored. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Execution, ExecutionEvent } from '../../src/executions/store/execution.shape.ts'
import { isFinal } from '../../src/executions/store/execution-states.ts'
import { runSql } from '../support/postgres.ts'
import type { Machine, Machines } from './machines.ts'
import type { Figures } from './scenario.ts'

/** What a client has seen of one task. A task whose execution was never stored is sent again under another name. */
export type Task = { id: string; prompt: string; events: ExecutionEvent[] }

/** Sends a task and reads its events to the end, from whichever server answers. */
export async function followTask(name: string, doors: readonly Machine[]): Promise<Task> {
  for (let attempt = 0; ; attempt++) {
    const prompt = `${name} attempt ${attempt}`
    const id = await sendTask(prompt, doors)
    if (id !== undefined) return { id, prompt, events: await readToEnd(id, doors) }
  }
}

/** Undefined if the key was taken and nothing was stored, because the server died in between. */
export async function sendTask(prompt: string, doors: readonly Machine[]): Promise<string | undefined> {
  for (;;) {
    const answer = await request(doors, {
      method: 'POST',
      path: '/api/v1/prompt',
      body: { backend: 'claude', prompt, detach: true },
      headers: { 'idempotency-key': prompt },
    })
    if (answer?.status === 202) return (answer.body as { execution_id: string }).execution_id
    if (answer?.status === 409) return undefined
    await delay(100)
  }
}

export async function readToEnd(id: string, doors: readonly Machine[]): Promise<ExecutionEvent[]> {
  const events: ExecutionEvent[] = []
  for (;;) {
    const after = events.at(-1)?.seq ?? 0
    const answer = await request(doors, { path: `/api/v1/executions/${id}/events?after=${after}` })
    const lines = (answer?.status === 200 ? answer.text : '').split('\n')
    // A line that was cut off has no end.
    for (const line of lines.slice(0, -1).filter(Boolean)) {
      const event = JSON.parse(line) as ExecutionEvent
      if (event.type !== 'heartbeat') events.push(event)
    }
    const last = events.at(-1)
    if (last?.type === 'state' && isFinal(last.content['state'] as Execution['state'])) return events
    await delay(100)
  }
}

type Sent = { path: string; method?: string; body?: object; headers?: Record<string, string> }
type Answer = { status: number; text: string; body: unknown }

/** Undefined if the server did not answer. What came before the connection broke is returned. */
export async function request(doors: readonly Machine[], sent: Sent): Promise<Answer | undefined> {
  const { port } = doors[Math.floor(Math.random() * doors.length)] ?? { port: 0 }
  const { path, body, ...options } = sent
  try {
    const headers = { 'content-type': 'application/json', ...options.headers }
    const init = { ...options, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const text = await readPart(response)
    return { status: response.status, text, body: parse(text) }
  } catch {
    return undefined
  }
}

async function readPart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true })
  } catch {
    // The connection broke.
  }
  return text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function findProblems(tasks: readonly Task[], machines: Machines): Promise<string[]> {
  const started = machines.started()
  const doubled = [...new Set(started)].filter((prompt) => started.indexOf(prompt) !== started.lastIndexOf(prompt))
  const stuck = await runSql(machines.url, 'SELECT id, state FROM executions WHERE ended_at IS NULL')
  const rows = await runSql(
    machines.url,
    'SELECT e.id, e.state, v.seq, v.content FROM executions e JOIN execution_events v ON v.execution = e.number ORDER BY e.id, v.seq',
  )
  return [
    ...machines.crashes,
    ...doubled.map((prompt) => `"${prompt}" was started twice`),
    ...stuck.map(({ id, state }) => `${id} is still ${state}`),
    ...tasks.flatMap(({ id, events, prompt }) => {
      const stored = rows.filter((row) => row['id'] === id)
      const seen = events.map(({ seq, content }) => `${seq} ${JSON.stringify(content)}`)
      const kept = stored.map(({ seq, content }) => `${seq} ${content}`)
      const isWhole = events.every(({ seq }, at) => seq === at + 1)
      return [
        ...(isWhole ? [] : [`the events of ${id} have a gap or a double: ${events.map(({ seq }) => seq)}`]),
        ...(seen.join('\n') === kept.join('\n')
          ? []
          : [`a client of ${id} has seen ${seen.length} events, not ${kept.length}`]),
        ...(stored[0]?.['state'] === 'completed' && !started.includes(prompt)
          ? [`${id} completed without an agent`]
          : []),
      ]
    }),
  ]
}

export async function sessionsIn(machines: Machines): Promise<Figures['sessions']> {
  const rows = await runSql(machines.url, 'SELECT state, count(*)::int AS count FROM executions GROUP BY state')
  return Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)])) as Figures['sessions']
}
