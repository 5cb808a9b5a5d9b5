/** Builds docs/benchmarks.md from the output of the benches. Pure. */
import { markdownTable } from './markdown-table.ts'

export type Figures = { printed: string; seconds: number }

export type Measured = { name: string; compares: string; command: string; figures: Figures | undefined }

export type Machine = Readonly<Record<string, string>>

export type Report = {
  /** Undefined if nothing was measured. */
  machine: Machine | undefined
  benches: readonly Measured[]
  fuzz: Measured
}

const INTRODUCTION = `# Benchmarks

Written by one command, which runs every bench in a process of its own, then the fuzz tests, and takes ten
minutes on two cores. It leaves this page alone if one of them fails. Nothing else should run on the machine meanwhile:

\`\`\`sh
npm run bench:report
\`\`\`

Read the ratios. Each is taken side by side: every round runs all contenders once, so that a slow moment of the machine
hits them all. \`median\` and \`p90\` are of all rounds, \`above\` is the difference to the first row, \`ratio\` the quotient.
Speed is measured here and asserted nowhere: no test fails because a machine is slow.`

export function benchPage({ machine, benches, fuzz }: Report): string {
  return `${[
    INTRODUCTION,
    '## The machine',
    machine === undefined ? NOTHING_YET : markdownTable(['', ''], Object.entries(machine)),
    ...benches.map(section),
    section(fuzz),
  ].join('\n\n')}\n`
}

const NOTHING_YET = 'Nothing has been measured yet.'

function section({ name, compares, command, figures }: Measured): string {
  const title = `## ${name}\n\n${compares}\n\n`
  if (figures === undefined) return `${title}\`${command}\`. ${NOTHING_YET}`
  return `${title}\`${command}\`, which took ${figures.seconds.toFixed(0)} s:\n\n\`\`\`text\n${figures.printed.trim()}\n\`\`\``
}
