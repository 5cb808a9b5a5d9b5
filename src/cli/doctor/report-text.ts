/** The report of doctor as text for people. Pure. */

import { padToColumns, toPrintable } from '../output/printable.ts'
import { type TextLayout, tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { FINDING_GROUPS, type Finding } from './checks/finding.ts'

const STATUS_LABELS = {
  ok: { word: 'ok', style: 'green' },
  warning: { word: 'warning', style: 'yellow' },
  error: { word: 'error', style: 'red' },
} as const

const INDENT = '  '
const LABEL_COLUMNS = 'warning'.length
const MIN_COLUMNS = 20

export function formatReport(findings: readonly Finding[], layout: TextLayout): string {
  const groups = FINDING_GROUPS.map((group) => ({ group, found: findings.filter(({ kind }) => kind.group === group) }))
  const sections = groups
    .filter(({ found }) => found.length > 0)
    .map(({ group, found }) => [
      layout.style('bold', group),
      ...mergeHosts(found).flatMap((each) => formatEntry(each, layout)),
    ])
  return `${[...sections.map((lines) => lines.join('\n')), formatSummary(findings)].join('\n\n')}\n`
}

type Entry = Omit<Finding, 'host'> & { hosts: readonly string[] }

/** Hosts with the same ok finding share one line. */
function mergeHosts(findings: readonly Finding[]): Entry[] {
  const entries = new Map<string, Entry>()
  for (const [index, { host, ...finding }] of findings.entries()) {
    const { kind, detail } = finding
    const isMergeable = host !== undefined && kind.status === 'ok'
    const key = isMergeable ? `${kind.code} ${detail}` : String(index)
    const hosts = host === undefined ? [] : [host]
    entries.set(key, { ...finding, hosts: [...(entries.get(key)?.hosts ?? []), ...hosts] })
  }
  return [...entries.values()]
}

function formatEntry({ kind, hosts, detail, todo }: Entry, layout: TextLayout): string[] {
  const { word, style } = STATUS_LABELS[kind.status]
  const subject = hosts.length === 0 ? '' : `${hosts.join(', ')}: `
  const margin = INDENT.length + LABEL_COLUMNS + 1
  const width = Math.max(MIN_COLUMNS, tableWidth(layout) - margin)
  const code = kind.status === 'ok' ? '' : ` (${kind.code})`
  const [first = '', ...rest] = wrapWords(toPrintable(`${subject}${detail}${code}`).replace(/\s+/g, ' '), width, {
    keepsPaths: true,
  })
  const todoLines = todo === undefined ? [] : wrapWords(toPrintable(`→ ${todo}`), width, { keepsPaths: true })
  const label = layout.style(style, padToColumns(word, LABEL_COLUMNS))
  return [`${INDENT}${label} ${first}`, ...[...rest, ...todoLines].map((line) => ' '.repeat(margin) + line)]
}

function formatSummary(findings: readonly Finding[]): string {
  const number = (status: 'warning' | 'error') => findings.filter(({ kind }) => kind.status === status).length
  const [errors, warnings] = [number('error'), number('warning')]
  if (errors + warnings === 0) return 'Everything is in order.'
  return `${count(errors, 'error')}, ${count(warnings, 'warning')}.`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
