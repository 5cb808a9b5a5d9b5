/** `npm run faults [part of a name…]`: causes every fault hundreds of times, and prints what is left behind. */
import { cpus, totalmem } from 'node:os'
import { AGENT_FAULTS } from '../test/faults/agent-faults.ts'
import { BUDGET_FAULTS } from '../test/faults/budget-faults.ts'
import { CLIENT_FAULTS } from '../test/faults/client-faults.ts'
import { DATABASE_FAULTS } from '../test/faults/database-faults.ts'
import { DISK_FAULTS } from '../test/faults/disk-faults.ts'
import { DRIVE_FAULTS } from '../test/faults/drive-faults.ts'
import { EXECUTION_FAULTS } from '../test/faults/execution-faults.ts'
import { FOLLOW_FAULTS } from '../test/faults/follow-faults.ts'
import { LIE_FAULTS } from '../test/faults/lie-faults.ts'
import { MACHINE_FAULTS } from '../test/faults/machine-faults.ts'
import { MERGE_FAULTS } from '../test/faults/merge-faults.ts'
import { NOTIFY_FAULTS } from '../test/faults/notify-faults.ts'
import { PREPARE_FAULTS } from '../test/faults/prepare-faults.ts'
import { QUEUE_FAULTS } from '../test/faults/queue-faults.ts'
import { REAL_DRIVE_FAULTS } from '../test/faults/real-drive-faults.ts'
import { type Figures, formatSessions, type Scenario } from '../test/faults/scenario.ts'
import { SERVER_FAULTS } from '../test/faults/server-faults.ts'
import { WARM_FAULTS } from '../test/faults/warm-faults.ts'
import { WATCH_FAULTS } from '../test/faults/watch-faults.ts'
import { bundleAll } from '../test/support/bundle-drover.ts'

/** A server's heap grows until it has done everything once; only growth after that counts as a leak. */
const WARM_UP_SHARE = 0.2
/** The growth that is allowed: code that was compiled since, and statistics. */
const GROWTH_LIMIT_MIB = 4

const HEAD = [
  'fault',
  'times',
  'seconds',
  'processes left',
  'sessions left',
  'descriptors',
  'heap MiB',
  'resident MiB',
  'peak MiB',
]
const filters = process.argv.slice(2)
const scenarios = [
  ...AGENT_FAULTS,
  ...WARM_FAULTS,
  ...CLIENT_FAULTS,
  ...SERVER_FAULTS,
  ...EXECUTION_FAULTS,
  ...BUDGET_FAULTS,
  ...DISK_FAULTS,
  ...DRIVE_FAULTS,
  ...FOLLOW_FAULTS,
  ...MERGE_FAULTS,
  ...QUEUE_FAULTS,
  ...WATCH_FAULTS,
  ...NOTIFY_FAULTS,
  ...PREPARE_FAULTS,
  ...LIE_FAULTS,
  ...MACHINE_FAULTS,
  ...DATABASE_FAULTS,
  ...REAL_DRIVE_FAULTS,
].filter(({ name }) => filters.length === 0 || filters.some((part) => name.toLowerCase().includes(part.toLowerCase())))

console.log(
  `Node ${process.versions.node}, ${process.platform}-${process.arch}, ${cpus().length} cores (${cpus()[0]?.model}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB\n`,
)
printRow(HEAD)
printRow(HEAD.map(() => '---'))
const removeBundles = await bundleAll()
const problems: string[] = []
for (const scenario of scenarios) {
  const found = await runScenario(scenario)
  // At once, because the whole takes long; on stderr, because stdout has the table.
  for (const problem of found) console.error(problem)
  problems.push(...found)
}
removeBundles()
console.log(problems.length === 0 ? '\nnothing was left behind' : `\n${problems.length} problems`)
// Clients of tasks that never ended still wait.
process.exit(problems.length === 0 ? 0 : 1)

async function runScenario({ name, times, obstacle, run }: Scenario): Promise<string[]> {
  if (obstacle !== undefined) {
    printRow([name, obstacle])
    return []
  }
  try {
    const figures = await run(times.full, Math.ceil(times.full * WARM_UP_SHARE))
    printRow([name, ...cellsOf(figures)])
    return [...figures.problems, ...growthOf(figures)].map((problem) => `${name}: ${problem}`)
  } catch (error) {
    printRow([name, 'failed'])
    return [`${name}: ${error instanceof Error ? error.message : error}`]
  }
}

function cellsOf({ times, seconds, processes, sessions, resources }: Figures): string[] {
  const counts = [String(times), seconds.toFixed(0), String(processes), formatSessions(sessions)]
  if (resources === undefined) return counts
  const { before, after } = resources
  const change = (from: number, to: number) => `${from.toFixed(0)} → ${to.toFixed(0)}`
  return [
    ...counts,
    change(before.descriptors, after.descriptors),
    `${before.heapMiB.toFixed(1)} → ${after.heapMiB.toFixed(1)}`,
    change(before.residentMiB, after.residentMiB),
    after.peakMiB.toFixed(0),
  ]
}

function growthOf({ resources }: Figures): string[] {
  const growthMiB = resources === undefined ? 0 : resources.after.heapMiB - resources.before.heapMiB
  return growthMiB > GROWTH_LIMIT_MIB ? [`the heap grew by ${growthMiB.toFixed(1)} MiB`] : []
}

function printRow(cells: readonly string[]): void {
  console.log(`| ${HEAD.map((_, at) => cells[at] ?? '–').join(' | ')} |`)
}
