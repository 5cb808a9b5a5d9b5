/** `npm run soak [minutes]`: mixed load on a server with warm agents, and whether its memory and descriptors stay flat. */
import { cpus, totalmem } from 'node:os'
import { problemsOf, runMixedLoad, type Sample } from '../test/faults/mixed-load.ts'

const FULL_MINUTES = 30
const ROWS = 30
const HEAD = ['minute', 'agents', 'descriptors', 'heap MiB', 'resident MiB', 'peak MiB']

const minutes = Number(process.argv[2] ?? FULL_MINUTES)
if (!(minutes > 0)) {
  console.error('usage: npm run soak [minutes]')
  process.exit(2)
}

console.log(
  `Node ${process.versions.node}, ${process.platform}-${process.arch}, ${cpus().length} cores (${cpus()[0]?.model}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB\n`,
)
printRow(HEAD)
printRow(HEAD.map(() => '---'))
const seconds = minutes * 60
const report = await runMixedLoad({ seconds, sampleEverySecs: seconds / ROWS, onSample: printSample })
const last = report.samples.at(-1)
if (last !== undefined) printSample(last)
const counts = Object.entries(report.prompts).map(([name, count]) => `${count} ${name}`)
console.log(`\nprompts: ${counts.join(', ')}`)
const problems = problemsOf(report)
console.log(problems.length === 0 ? 'flat, and nothing was left behind' : problems.join('\n'))
process.exitCode = problems.length === 0 ? 0 : 1

function printSample(sample: Sample): void {
  const { agents, descriptors, heapMiB, residentMiB, peakMiB } = sample
  const minute = (sample.seconds / 60).toFixed(1)
  printRow([minute, agents, descriptors, heapMiB.toFixed(1), residentMiB.toFixed(0), peakMiB.toFixed(0)])
}

function printRow(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}
