/** Formats sessions as JSON, JSON lines or Markdown: a session without its turns, then one turn at a time. Pure. */
import type { SessionTurn } from '../../executions/session-turn.shape.ts'
import { writeIndentedJson, writeJson } from '../../kit/json/write-json.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { toOneLine } from '../output/printable.ts'
import { sessionFacts, sessionTitle } from './session-text.ts'
import { toolLines, turnFacts } from './turn-text.ts'

export type ExportFormat = 'json' | 'jsonl' | 'markdown'

const TITLE_COLUMNS = 80
/** The beginning of a prompt that is longer than any title. */
const TITLE_LENGTH = 4_000

type Export = {
  head(exportedAt: string): string
  /** `number` counts from 0. */
  session(session: Session, number: number): string
  /** Its turns follow `session`; if there are none, only `sessionEnd` does. */
  turn(turn: SessionTurn, number: number): string
  sessionEnd(turns: number): string
  foot(count: number): string
}

export const EXPORTS: Readonly<Record<ExportFormat, Export>> = {
  json: {
    head: (exportedAt) => `{\n  "exported_at": ${JSON.stringify(exportedAt)},\n  "sessions": [`,
    session: (session, number) => `${number === 0 ? '' : ','}\n    ${withoutBrace(indented(session, 4))}`,
    turn: (turn, number) => `${number === 0 ? ',\n      "turns": [' : ','}\n        ${indented(turn, 8)}`,
    sessionEnd: (turns) => `${turns === 0 ? '' : '\n      ]'}\n    }`,
    foot: (count) => `${count === 0 ? '' : '\n  '}]\n}\n`,
  },
  jsonl: {
    head: () => '',
    session: (session) => withoutBrace(writeJson(session)),
    turn: (turn, number) => `${number === 0 ? ',"turns":[' : ','}${writeJson(turn)}`,
    sessionEnd: (turns) => `${turns === 0 ? '' : ']'}}\n`,
    foot: () => '',
  },
  markdown: {
    head: (exportedAt) => `# Sessions\n\nExported ${exportedAt}.\n`,
    session: (session) => `\n${toMarkdown(session)}`,
    turn: (turn, number) => `\n${turnToMarkdown(turn, number + 1)}`,
    sessionEnd: () => '',
    foot: () => '',
  },
}

function indented(value: Session | SessionTurn, columns: number): string {
  return writeIndentedJson(value).replaceAll('\n', `\n${' '.repeat(columns)}`)
}

/** The text of a JSON object without its end, so that a field can follow. */
function withoutBrace(text: string): string {
  return text.slice(0, text.lastIndexOf('}')).trimEnd()
}

function turnToMarkdown(turn: SessionTurn, number: number): string {
  const tools = toolLines(turn, TITLE_COLUMNS).map((line) => `- ${inCode(line)}`)
  return [
    `### Turn ${number}`,
    '',
    inCode(turnFacts(turn)),
    '',
    ...fenced(turn.prompt),
    '',
    ...(tools.length === 0 ? [] : [...tools, '']),
    ...(turn.answer === undefined ? [] : ['Answer:', '', ...fenced(turn.answer), '']),
    ...(turn.error === undefined ? [] : [`Error: ${inCode(turn.error)}`, '']),
  ].join('\n')
}

function toMarkdown(session: Session): string {
  const facts = sessionFacts(session).filter(([name]) => !['title', 'prompt'].includes(name))
  return [
    `## ${escapeMarkdown(toOneLine(sessionTitle(session).slice(0, TITLE_LENGTH), TITLE_COLUMNS))}`,
    '',
    ...facts.map(([name, value]) => `- ${name}: ${inCode(value)}`),
    '',
    ...fenced(session.initial_prompt),
    '',
  ].join('\n')
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~&]/g, '\\$&')
}

/** Inline code with more backticks around it than any run of them inside. */
function inCode(text: string): string {
  const line = escapeControls(text.replace(/\s+/g, ' '))
  const ticks = fenceFor(line, '`')
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${space}${line}${space}${ticks}`
}

function fenced(text: string): string[] {
  const fence = fenceFor(text, '```')
  return [`${fence}text`, escapeControls(text.replace(/\n$/, '')), fence]
}

/** Control characters must not reach a terminal, but stay visible. */
function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0')
    return character === '\n' || character === '\t' ? character : `\\x${code}`
  })
}

function fenceFor(text: string, shortest: string): string {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest < shortest.length ? shortest : '`'.repeat(longest + 1)
}
