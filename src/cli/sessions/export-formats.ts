/** Formats sessions as JSON, JSON lines or Markdown. Pure. */
import { writeIndentedJson, writeJson } from '../../kit/json/write-json.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { toOneLine } from '../output/printable.ts'
import { sessionFacts, titleOf } from './session-text.ts'

export type ExportFormat = 'json' | 'jsonl' | 'markdown'

const TITLE_COLUMNS = 80

type Export = (sessions: readonly Session[], exportedAt: string) => string

export const EXPORTS: Readonly<Record<ExportFormat, Export>> = {
  json: (sessions, exportedAt) => `${writeIndentedJson({ exported_at: exportedAt, sessions })}\n`,
  jsonl: (sessions) => sessions.map((session) => `${writeJson(session)}\n`).join(''),
  markdown: (sessions, exportedAt) => {
    const head = `# Sessions\n\nExported ${exportedAt}.\n`
    return [head, ...sessions.map(toMarkdown)].join('\n')
  },
}

function toMarkdown(session: Session): string {
  const facts = sessionFacts(session).filter(([name]) => !['title', 'prompt'].includes(name))
  return [
    `## ${escapeMarkdown(toOneLine(titleOf(session), TITLE_COLUMNS))}`,
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
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length))
  return longest < shortest.length ? shortest : '`'.repeat(longest + 1)
}
