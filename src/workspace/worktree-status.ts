/*
 * Parses the output of `git status --porcelain=v2 -z`: records that end with NUL, with fields separated by one space.
 * The last field is a path and may contain any byte except NUL.
 *
 *   1 XY sub mH mI mW hH hI path                    changed
 *   2 XY sub mH mI mW hH hI score path NUL origin   renamed (score R…) or copied (C…) from origin
 *   u XY sub m1 m2 m3 mW h1 h2 h3 path              conflicting
 *   ? path                                          untracked
 *   ! path                                          ignored by git, skipped here
 *   # …                                             a header, skipped
 */

import { isUtf8 } from 'node:buffer'
import { compareBytes } from '../kit/utf8.ts'
import { gitFailed } from './faults.ts'
import { askGitForOutput, type Git, NOT_INTO_SUBMODULES } from './git.ts'

export type ChangedPath = {
  /** The text of the path in messages. */
  path: string
  /** Its bytes as a latin1 string. */
  bytes: string
  category: string
  state: string
}

type Entry = Omit<ChangedPath, 'path'>

/** The changed paths, each once, sorted by the bytes of their texts. */
export function parseStatus(output: Buffer): ChangedPath[] {
  const records = output.toString('latin1').split('\0')
  if (records.pop() !== '') throw unreadable('its last record has no end')
  const entries = readEntries(records)
  return [...Map.groupBy(entries, ({ bytes }) => bytes)]
    .map(([bytes, about]) => ({
      path: toPathText(Buffer.from(bytes, 'latin1')),
      bytes,
      category: joined(about.map(({ category }) => category)),
      state: joined(about.map(({ state }) => state)),
    }))
    .sort((a, b) => compareBytes(a.path, b.path))
}

function readEntries(records: readonly string[]): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? ''
    switch (record.slice(0, 2)) {
      case '1 ':
        entries.push(toEntry(record, { fields: 9, category: 'ordinary' }))
        break
      case '2 ':
        at += 1
        entries.push(...toMovedEntries(record, records[at]))
        break
      case 'u ':
        entries.push(toEntry(record, { fields: 11, category: 'unmerged' }))
        break
      case '? ':
        entries.push({ bytes: checkedPath(record.slice(2)), category: 'untracked', state: '??' })
        break
      case '! ':
      case '# ':
        break
      default:
        throw unreadable(`it holds a record of an unknown kind: ${JSON.stringify(record.slice(0, 40))}`)
    }
  }
  return entries
}

function toEntry(record: string, { fields, category }: { fields: number; category: string }): Entry {
  const parts = split(record, fields)
  return { bytes: checkedPath(parts.at(-1) ?? ''), category, state: checkedState(parts[1] ?? '') }
}

function toMovedEntries(record: string, origin: string | undefined): [Entry, Entry] {
  const parts = split(record, 10)
  const score = parts[8] ?? ''
  if (!/^[RC][0-9]+$/.test(score)) throw unreadable(`${JSON.stringify(score)} is not the score of a rename or copy`)
  if (origin === undefined) throw unreadable('a renamed path lacks its origin')
  const category = score.startsWith('R') ? 'rename' : 'copy'
  const state = `${checkedState(parts[1] ?? '')} ${score}`
  return [
    { bytes: checkedPath(parts[9] ?? ''), category, state },
    { bytes: checkedPath(origin), category: `${category}_origin`, state },
  ]
}

/** The last part is the rest of the record, including spaces. */
function split(record: string, count: number): string[] {
  const parts: string[] = []
  let start = 0
  while (parts.length < count - 1) {
    const end = record.indexOf(' ', start)
    if (end === -1) throw unreadable(`a record has ${parts.length + 1} fields instead of ${count}`)
    parts.push(record.slice(start, end))
    start = end + 1
  }
  return [...parts, record.slice(start)]
}

function checkedState(state: string): string {
  if (!/^[.A-Z]{2}$/.test(state)) throw unreadable(`${JSON.stringify(state)} is not a state`)
  return state
}

/** Paths are read below the root of the worktree, so none may lead out of it. */
function checkedPath(bytes: string): string {
  if (bytes === '' || /^\/|(?:^|\/)\.\.(?:\/|$)/.test(bytes)) {
    throw unreadable(`${JSON.stringify(bytes)} is not a path inside the worktree`)
  }
  return bytes
}

/** A path can occur twice, for example as the origin of a rename and as a new file. */
function joined(values: readonly string[]): string {
  return [...new Set(values)].sort(compareBytes).join(',')
}

function unreadable(problem: string) {
  return gitFailed({ command: 'git status', problem: `its output cannot be read, because ${problem}` })
}

export type WorktreeStatus = {
  /** A commit, or `unborn`. */
  head: string
  /** What git printed about paths. */
  output: Buffer
  changed: readonly ChangedPath[]
}

const FORMAT = ['--porcelain=v2', '-z', '--branch', '--no-ahead-behind'] as const
const STATUS = ['status', ...FORMAT, '--untracked-files=all', NOT_INTO_SUBMODULES] as const

/** Asks git for the checked-out commit and the changed paths in one call. */
export async function askStatus(git: Git, around: { directory: string; signal: AbortSignal }): Promise<WorktreeStatus> {
  const all = await askGitForOutput(git, { ...around, args: STATUS })
  const { head, end } = readHeaders(all)
  const output = all.subarray(end)
  return { head, output, changed: parseStatus(output) }
}

/** The headers come first. One of them names the commit. */
function readHeaders(output: Buffer): { head: string; end: number } {
  let [head, end] = ['', 0]
  while (output[end] === 0x23) {
    const next = output.indexOf(0, end)
    if (next === -1) break
    const [, name, value] = output.toString('latin1', end, next).split(' ')
    if (name === 'branch.oid') head = value === '(initial)' ? 'unborn' : (value ?? '')
    end = next + 1
  }
  if (/^(?:unborn|[0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) return { head, end }
  throw gitFailed({ command: 'git status', problem: `${JSON.stringify(head)} is not a commit` })
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

/** Everything except printable ASCII, and the quote and backslash, which have a meaning inside quotes. */
const NOT_PRINTABLE = /[^ !#-[\]-~]/g

/**
 * The text of a path in messages. A path may be any bytes, but a message is UTF-8: a path that is not UTF-8 is written in
 * double quotes with escapes, as git does. So is a path that starts with a double quote, so that no two paths have the same
 * text.
 */
export function toPathText(bytes: Buffer): string {
  if (isUtf8(bytes) && bytes[0] !== 0x22) return bytes.toString('utf8')
  return `"${bytes.toString('latin1').replace(NOT_PRINTABLE, escapeByte)}"`
}

function escapeByte(byte: string): string {
  return ESCAPES[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
}
