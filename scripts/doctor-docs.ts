/** Fills the tables of docs/doctor.md, whose text stands in doctor-docs.md beside this file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckKind } from '../src/cli/doctor/check.ts'
import { gatherChecks } from './doctor-checks.ts'
import { markdownTable } from './markdown-table.ts'

export function doctorDocs(): string {
  const text = readFileSync(join(import.meta.dirname, 'doctor-docs.md'), 'utf8')
  const groups = gatherChecks()
  const sections = groups.map(({ group, kinds }) => `### ${group}\n\n${checkTable(kinds)}`)
  return text.replace('{{checks}}', () => sections.join('\n\n'))
}

function checkTable(kinds: readonly CheckKind[]): string {
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
