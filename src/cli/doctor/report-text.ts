/** The report for people: by group, with what to do about each problem. Pure. */
import type { TextLayout } from '../output/noted-table.ts'
import { padToColumns, toPrintable } from '../output/printable.ts'
import { tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { CHECK_GROUPS, type Finding } from './check.ts'

const SIGNS = {
  ok: { word: 'ok', style: 'green' },
  warning: { word: 'warning', style: 'yellow' },
  error: { word: 'error', style: 'red' },
} as const

const INDENT = '  '
const SIGN_COLUMNS = 'warning'.length
const NARROWEST = 20

export function sayReport(findings: readonly Finding[], paper: TextLayout): string {
  const groups = CHECK_GROUPS.map((group) => ({ group, found: findings.filter(({ kind }) => kind.group === group) }))
  const sections = groups
    .filter(({ found }) => found.length > 0)
    .map(({ group, found }) => [
      paper.style('bold', group),
      ...mergeAlike(found).flatMap((each) => sayEntry(each, paper)),
    ])
  return `${[...sections.map((lines) => lines.join('\n')), saySum(findings)].join('\n\n')}\n`
}

type Entry = Omit<Finding, 'host'> & { hosts: readonly string[] }

/** Ten hosts of which nine are well in the same way are one line, not nine. */
function mergeAlike(findings: readonly Finding[]): Entry[] {
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

function sayEntry({ kind, hosts, detail, todo }: Entry, paper: TextLayout): string[] {
  const { word, style } = SIGNS[kind.status]
  const about = hosts.length === 0 ? '' : `${hosts.join(', ')}: `
  const margin = INDENT.length + SIGN_COLUMNS + 1
  const width = Math.max(NARROWEST, tableWidth(paper) - margin)
  const code = kind.status === 'ok' ? '' : ` (${kind.code})`
  const [first = '', ...rest] = wrapWords(toPrintable(`${about}${detail}${code}`).replace(/\s+/g, ' '), width)
  const advice = todo === undefined ? [] : wrapWords(toPrintable(`→ ${todo}`), width)
  const sign = paper.style(style, padToColumns(word, SIGN_COLUMNS))
  return [`${INDENT}${sign} ${first}`, ...[...rest, ...advice].map((line) => ' '.repeat(margin) + line)]
}

function saySum(findings: readonly Finding[]): string {
  const number = (status: 'warning' | 'error') => findings.filter(({ kind }) => kind.status === status).length
  const [errors, warnings] = [number('error'), number('warning')]
  if (errors + warnings === 0) return 'Everything is in order.'
  return `${count(errors, 'error')}, ${count(warnings, 'warning')}.`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
