/** Mixed prompts for a server with warm agents, and what they cost it: `npm run soak`, and a short run in the tests. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { ask, openStream } from './client.ts'
import { processesOf, sessionsIn } from './observation.ts'
import { type ObservedServer, type ResourceUse, ServerHome } from './server-home.ts'

/** Small limits, so that every reason to end a process comes up often. */
const WARM = {
  enabled: true,
  spare_after: 1,
  idle_secs: 2,
  max_processes: 4,
  max_turns: 10,
  max_age_secs: 30,
  max_rss_mb: 300,
}
const CONFIG = { warm: WARM, server: { max_concurrent_runs: 4 } }
const WORKERS = 4
const BACKENDS = ['claude', 'codex'] as const

export type Sample = ResourceUse & { seconds: number; agents: number }

export type LoadReport = {
  samples: Sample[]
  /** How many prompts of each kind were sent. */
  prompts: Record<string, number>
  /** Wrong answers. Not more than the first few. */
  wrong: string[]
  agentsLeft: number
  activeLeft: number
}

type Load = { seconds: number; sampleEverySecs: number; onSample?: (sample: Sample) => void }

export async function runMixedLoad({ seconds, sampleEverySecs, onSample }: Load): Promise<LoadReport> {
  await using home = new ServerHome(CONFIG)
  const server = await home.start()
  const since = performance.now()
  const elapsed = () => (performance.now() - since) / 1000
  const report: LoadReport = { samples: [], prompts: {}, wrong: [], agentsLeft: 0, activeLeft: 0 }
  const work = async () => {
    while (elapsed() < seconds) await sendOne(server, report)
  }
  const observe = async () => {
    for (let at = 1; at * sampleEverySecs <= seconds; at += 1) {
      await delay(Math.max(0, at * sampleEverySecs - elapsed()) * 1000)
      const sample = { seconds: elapsed(), agents: processesOf(home.path).length, ...(await server.resourceUse()) }
      report.samples.push(sample)
      onSample?.(sample)
    }
  }
  await Promise.all([observe(), ...Array.from({ length: WORKERS }, work)])
  // After the idle time a server without work has no agents.
  await until(() => processesOf(home.path).length === 0).catch(() => undefined)
  report.agentsLeft = processesOf(home.path).length
  report.activeLeft = sessionsIn(home.path).active ?? 0
  report.samples.push({ seconds: elapsed(), agents: report.agentsLeft, ...(await server.resourceUse()) })
  return report
}

type Facts = { server: ObservedServer; backend: (typeof BACKENDS)[number] }
type Kind = (facts: Facts) => Promise<void>

const KINDS: Readonly<Record<string, Kind>> = {
  answer: async (facts) => void (await askFor(facts)),
  resume: async (facts) => {
    const { session_id: id } = await askFor(facts)
    await askFor(facts, { path: `/api/v1/sessions/${id}/resume` })
  },
  ephemeral: async (facts) => void (await askFor(facts, { fields: { ephemeral: true } })),
  grow: async (facts) => void (await askFor(facts, { order: { grow: 80 } })),
  flood: async (facts) => void (await askFor(facts, { order: { flood: 2000 } })),
  tool: async (facts) => void (await askFor(facts, { order: { spawn: 'sleep 30' } })),
  cancel: async ({ server, backend }) => {
    const stream = await openStream(server, { ...promptOf(backend, { hang: true }), output_format: 'stream-json' })
    await stream.next()
    stream.hangUp()
  },
  crash: async ({ server, backend }) => {
    await ask(server, { body: promptOf(backend, { crash: 'word', fail: 'no' }) })
  },
}

async function sendOne(server: ObservedServer, { prompts, wrong }: LoadReport): Promise<void> {
  const names = Object.keys(KINDS)
  const name = pick(names) ?? 'answer'
  prompts[name] = (prompts[name] ?? 0) + 1
  try {
    await KINDS[name]?.({ server, backend: pick(BACKENDS) ?? 'claude' })
  } catch (error) {
    if (wrong.length < 10) wrong.push(`${name}: ${error instanceof Error ? error.message : error}`)
  }
}

type Asked = { path?: string; order?: object; fields?: object }

/** Throws unless the answer is the prompt's own. */
async function askFor({ server, backend }: Facts, { path, order = {}, fields = {} }: Asked = {}) {
  const say = randomUUID()
  const { backend: name, prompt } = promptOf(backend, { ...order, say })
  const body = path === undefined ? { backend: name, prompt, ...fields } : { prompt }
  const { status, text, body: result } = await ask(server, { ...(path !== undefined && { path }), body })
  if (status !== 200 || result.exit_code !== 0 || result.output !== say) throw new Error(`${status} ${text}`)
  return result as { session_id: string }
}

function promptOf(backend: string, order: object) {
  return { backend, prompt: JSON.stringify(order) }
}

function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)]
}

const HEAP_GROWTH_MIB = 4
/** Free memory that Node keeps for the next peak. */
const RESIDENT_GROWTH_MIB = 60
/** Four clients have that many connections, and their agents that many pipes, more or less at any moment. */
const DESCRIPTORS_MORE = 24

/**
 * What is wrong after a load: growth from its second third to its last, wrong answers, and what is left. The first third
 * does not count, because a server grows until it has done everything once.
 */
export function problemsOf({ samples, wrong, agentsLeft, activeLeft }: LoadReport): string[] {
  const loaded = samples.slice(0, -1)
  const third = Math.ceil(loaded.length / 3)
  const [from, to] = [loaded.slice(third, -third), loaded.slice(-third)]
  const growth = (field: 'heapMiB' | 'residentMiB' | 'descriptors') => median(to, field) - median(from, field)
  return [
    ...wrong,
    ...(growth('heapMiB') > HEAP_GROWTH_MIB ? [`the heap grew by ${growth('heapMiB').toFixed(1)} MiB`] : []),
    ...(growth('residentMiB') > RESIDENT_GROWTH_MIB
      ? [`the resident memory grew by ${growth('residentMiB').toFixed(0)} MiB`]
      : []),
    ...(growth('descriptors') > DESCRIPTORS_MORE ? [`${growth('descriptors')} more descriptors are open`] : []),
    ...(agentsLeft > 0 ? [`${agentsLeft} agents are left after the idle time`] : []),
    ...(activeLeft > 0 ? [`${activeLeft} sessions are still active`] : []),
  ]
}

function median(samples: readonly Sample[], field: keyof Sample): number {
  const values = samples.map((sample) => sample[field]).sort((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? 0
}
