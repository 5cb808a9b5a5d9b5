/** Generates docs/doctor.md: fills the tables into the text in doctor-docs.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FindingKind } from '../src/cli/doctor/checks/finding.ts'
import { gatherFindings } from './doctor-findings.ts'
import { markdownTable } from './markdown-table.ts'

export async function doctorDocs(): Promise<string> {
  const text = readFileSync(join(import.meta.dirname, 'doctor-docs.md'), 'utf8')
  const groups = await gatherFindings()
  const sections = groups.map(({ group, kinds }) => `### ${group}\n\n${findingTable(kinds)}`)
  return text.replace('{{findings}}', () => sections.join('\n\n'))
}

function findingTable(kinds: readonly FindingKind[]): string {
  return markdownTable(
    ['Code', 'Status', 'Means', 'What to do'],
    kinds.map(({ code, status, means, todo }) => [
      `\`${code}\``,
      status,
      means,
      todo === undefined ? '' : asSentence(todo),
    ]),
  )
}

function asSentence(todo: string): string {
  return `${todo[0]?.toUpperCase()}${todo.slice(1)}.`
}
