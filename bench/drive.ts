/**
 * What `drover drive` adds to its agents: from the answer of one turn until the agent has the prompt of the next. In between
 * drover reads the outcome, looks at the worktree, submits, and records each step on disk.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleAll } from '../test/support/bundle-drover.ts'
import { droverPath } from '../test/support/bundled-program.ts'
import { createDrivenHome, type DrivenHome, type DrivenScript } from '../test/support/driven-home.ts'

const ROUNDS = 6
/** Of the same kind in one run. */
const ACTIONS = 8
const GOAL_MS = 150

const clarify = { outcome: { suggested_actions: [{ kind: 'clarify', brief: 'Look again.' }] } }

const WORK: readonly { name: string; script: DrivenScript; args: readonly string[]; kind: string }[] = [
  {
    name: 'An action that only reads',
    kind: 'clarify',
    script: { orient: [clarify], clarify: [clarify] },
    args: ['--actions', String(ACTIONS + 1)],
  },
  {
    name: 'An implementation whose check fails, and goes back with its output',
    kind: 'implement',
    script: { implement: [{ edits: { 'wind.txt': 'wind: 12\n' } }] },
    args: ['--check', 'false', '--rounds', '0'],
  },
]

export async function benchDrive(): Promise<string> {
  const removeBundles = await bundleAll()
  try {
    const tables: string[] = []
    for (const work of WORK) tables.push(await benchWork(work))
    return tables.join('\n\n')
  } finally {
    removeBundles()
  }
}

type Way = 'cold' | 'warm'

async function benchWork({ name, kind, script, args }: (typeof WORK)[number]): Promise<string> {
  const taken = { start: [] as number[], cold: [] as number[], warm: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ['cold', 'warm'] as const) taken[way].push(...(await driveOnce({ kind, script, args, way })))
    taken.start.push(await startByHand())
  }
  return formatRows(name, taken)
}

type Drive = { kind: string; script: DrivenScript; args: readonly string[]; way: Way }

/** The time between the turns of this kind, after the first two: the second may start the agent that stays up. */
async function driveOnce({ kind, script, args, way }: Drive): Promise<number[]> {
  return await withHome(
    script,
    `drive:\n  attempts: ${ACTIONS}\nwarm:\n  enabled: ${way === 'warm'}\n`,
    async (home) => {
      const { status, stderr } = spawnSync(
        process.execPath,
        [droverPath(), 'drive', 'Show the wind in knots', '--no-review', ...args],
        { cwd: home.repository.root, env: home.env, encoding: 'utf8' },
      )
      const [calls, ends] = [home.calls(), home.ends()]
      const gaps = calls.flatMap(({ at, kind: each }, index) => {
        const before = ends[index - 1]?.at
        if (each !== kind || calls[index - 1]?.kind !== kind || before === undefined) return []
        return [Date.parse(at) - Date.parse(before)]
      })
      if (gaps.length < ACTIONS - 2) throw new Error(`the run has ended with ${status}: ${stderr}`)
      return gaps.slice(1)
    },
  )
}

/** From its start until it has its prompt. */
async function startByHand(): Promise<number> {
  return await withHome({}, '', async (home) => {
    const since = Date.now()
    const child = spawn(join(home.scratch, 'bin', 'claude'), ['-p'], { env: home.env, cwd: home.repository.root })
    child.stdin.end('drover action: orient 1')
    await new Promise((resolve) => child.on('close', resolve))
    return Date.parse(home.calls()[0]?.at ?? '') - since
  })
}

async function withHome<T>(script: DrivenScript, config: string, work: (home: DrivenHome) => Promise<T>): Promise<T> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-bench-')))
  try {
    return await work(createDrivenHome(scratch, script, { config }))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function formatRows(name: string, { start, cold, warm }: Record<Way | 'start', readonly number[]>): string {
  const own = quantile(start, 0.5)
  const rows = [
    { row: 'the agent by hand, until it has its prompt', times: start, above: undefined },
    { row: 'drover drive, the agent is started', times: cold, above: quantile(cold, 0.5) - own },
    { row: 'drover drive, the agent is up', times: warm, above: quantile(warm, 0.5) },
  ]
  const width = Math.max(...rows.map(({ row }) => row.length))
  const cells = (values: readonly string[]) => values.map((value) => value.padStart(12)).join('')
  const lines = rows.map(({ row, times, above }) => {
    const shown = [quantile(times, 0.5), quantile(times, 0.95), above]
    return `  ${row.padEnd(width)}${cells(shown.map((value) => (value === undefined ? '–' : `${value.toFixed(0)} ms`)))}`
  })
  const verdict = quantile(warm, 0.5) <= GOAL_MS ? 'met' : 'NOT met'
  return [
    `${name} (${warm.length} times)`,
    `  ${' '.repeat(width)}${cells(['median', 'p95', 'overhead'])}`,
    ...lines,
    `  goal: at most ${GOAL_MS} ms above the agent's own time where the agent is up: ${verdict}`,
  ].join('\n')
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
