/** Servers that drive runs with scripted agents: in this process, or as `drover serve`, which can be killed. */
import { realpathSync } from 'node:fs'
import type { DrivenRun, DrivenState } from '../../src/drive/service/driven-run.shape.ts'
import type { DrivenRunEvent } from '../../src/drive/service/driven-run-event.shape.ts'
import { createDriving } from './driven-agents.ts'
import type { DrivenScript } from './driven-home.ts'
import { portOf, type Serving, serveDrover } from './serve-drover.ts'
import { type Answer, ask, type ServerOptions, startServer } from './start-server.ts'
import { until } from './until.ts'

export const RUNS = '/api/v1/runs'
export const GOAL = 'Show the wind in knots'

type Send = (
  path: string,
  options?: { method?: string; body?: unknown; headers?: Record<string, string> },
) => Promise<Answer>

/** What a client of `/api/v1/runs` does. */
export function runClient(send: Send, headers: Record<string, string> = {}) {
  const post = (path: string, body?: object) => send(path, { method: 'POST', headers, ...(body && { body }) })
  const show = async (id: string) => (await send(`${RUNS}/${id}`, { headers })).body as DrivenRun
  return {
    post,
    show,
    start: async (body: object = {}): Promise<DrivenRun> => {
      const { status, body: run, text } = await post(RUNS, { goal: GOAL, review: false, ...body })
      if (status !== 201) throw new Error(text)
      return run as DrivenRun
    },
    change: (id: string, word: string, body?: object) => post(`${RUNS}/${id}/${word}`, body),
    list: async (query = '') =>
      (await send(`${RUNS}${query}`, { headers })).body as { runs: DrivenRun[]; next?: string },
    events: async (id: string, query = ''): Promise<DrivenRunEvent[]> => {
      const { text } = await send(`${RUNS}/${id}/events${query}`, { headers })
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
    /** Waits until the run is in this state. */
    reaches: (id: string, state: DrivenState) =>
      until(async () => {
        const run = await show(id)
        return run.state === state && run
      }),
  }
}

/** A server in this process, and a repository in which its clients may drive. */
export async function serveRuns(script: DrivenScript = {}, options: ServerOptions & { drive?: object } = {}) {
  const driving = createDriving(script)
  const repository = realpathSync(driving.repository.root)
  const { drive, ...rest } = options
  const server = await startServer({
    ...rest,
    config: { drive: { repositories: [repository], checks: ['sh check.sh'], ...drive }, ...options.config },
    env: { PATH: driving.env.PATH, ...options.env },
  })
  return { driving, repository, server, ...runClient((path, request) => server.request(path, request)) }
}

/** `drover serve` as a process, which continues its runs when it is started again. */
export function createServedDriving(script: DrivenScript = {}) {
  const driving = createDriving(script)
  const repository = realpathSync(driving.repository.root)
  const settings = { drive: { repositories: [repository], checks: ['sh check.sh'] }, warm: { enabled: false } }
  driving.configure(JSON.stringify(settings))
  const start = async (): Promise<Serving & { port: number } & ReturnType<typeof runClient>> => {
    const serving = serveDrover(['--port', '0'], driving.env)
    const port = await portOf(serving)
    return { ...serving, port, ...runClient((path, request) => ask({ host: '127.0.0.1', port, path, ...request })) }
  }
  return { driving, repository, start }
}
