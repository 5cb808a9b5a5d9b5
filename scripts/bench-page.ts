/** Builds docs/benchmarks.md from the output of the benches. Pure. */
import { markdownTable } from './markdown-table.ts'

export type Figures = { printed: string; seconds: number }

export type Measured = {
  name: string
  compares: string
  command: string
  figures: Figures | undefined
  /** The section as it is on the page, if it stays. */
  kept?: string | undefined
}

export type Machine = Readonly<Record<string, string>>

export type Report = {
  /** Undefined if nothing was measured. */
  machine: Machine | undefined
  benches: readonly Measured[]
  fuzz: Measured
}

const INTRODUCTION = `# Benchmarks

One command writes this page: it runs every bench in its own process, then the fuzz tests, and takes a quarter of an
hour on two cores. If one of them fails, it does not change the page. Nothing else should run on the machine meanwhile:

\`\`\`sh
npm run bench:report
\`\`\`

With names, such as \`npm run bench:report warm\`, it measures only these and keeps the other figures.

Read the ratios. They are measured side by side: every round runs all alternatives once, so that a slow moment of the
machine affects them all. \`median\` and \`p90\` are of all rounds, \`above\` is the difference to the first row, \`ratio\` the quotient.
No test asserts speed: no test fails because a machine is slow.`

export function benchPage({ machine, benches, fuzz }: Report): string {
  return `${[
    INTRODUCTION,
    '## The machine',
    machine === undefined ? NOTHING_YET : machineTable(machine),
    ...benches.map(section),
    section(fuzz),
  ].join('\n\n')}\n`
}

const NOTHING_YET = 'Nothing has been measured yet.'

/** The sections of a page, by name. */
export function readSections(page: string): ReadonlyMap<string, string> {
  const parts = page.split(/^(?=## )/m).map((part) => part.trim())
  return new Map(parts.map((part) => [/^## (.*)$/m.exec(part)?.[1] ?? '', part]))
}

export function machineTable(machine: Machine): string {
  return markdownTable(['', ''], Object.entries(machine))
}

function section({ name, compares, command, figures, kept }: Measured): string {
  if (kept !== undefined) return kept
  const title = `## ${name}\n\n${compares}\n\n`
  if (figures === undefined) return `${title}\`${command}\`. ${NOTHING_YET}`
  return `${title}\`${command}\`, which took ${figures.seconds.toFixed(0)} s:\n\n\`\`\`text\n${figures.printed.trim()}\n\`\`\``
}
