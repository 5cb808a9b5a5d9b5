import { resolve } from 'node:path'
import type { SessionTurn } from '../../executions/session-turn.shape.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { isFault } from '../../kit/fault.ts'
import { fileExists } from '../../kit/faults.ts'
import { writeFileInPieces } from '../../kit/files/write-file.ts'
import { writeIndentedJson, writeJson } from '../../kit/json/write-json.ts'
import { USER } from '../../prompts/caller.ts'
import type { SessionService } from '../../service/drover-service.ts'
import { sessionNotFound } from '../../sessions/faults.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { argumentUnexpected, exportExists } from '../faults.ts'
import { toOneLine, toShown } from '../output/printable.ts'
import { withSessions } from './open-sessions.ts'
import { sessionFacts, sessionTitle, toolLines, turnFacts } from './session-text.ts'
import { readFilter } from './sessions-command.ts'

const PAGE = 500

/** Reads and writes one session at a time, because all prompts together may not fit into memory. */
export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  return await withSessions(invocation, async ({ store, sessions }) => {
    const ids = await selectIds(invocation, store)
    const format = (flags.text('format') ?? 'json') as ExportFormat
    const counter = { count: 0 }
    const pieces = exportPieces(readSessions(store, ids), {
      format,
      exportedAt: toTimestamp(runtime.clock.now()),
      counter,
      turnsOf: ({ id }) => readTurns(sessions, id),
    })
    const file = flags.text('output')
    if (file === undefined || file === '-') await print(invocation, pieces)
    else await save(invocation, { path: resolve(runtime.cwd, file), pieces, counter })
    return 0
  })
}

/** Named sessions are found before anything is written, so that a mistyped id writes nothing. */
async function selectIds(invocation: Invocation, store: SessionStore): Promise<AsyncIterable<string>> {
  const filter = readFilter(invocation)
  const [id] = invocation.args
  if (id === undefined) return listIds(store, filter)
  if (Object.keys(filter).length > 0) {
    throw argumentUnexpected({ command: 'sessions export with a filter', given: id, takes: 'none' })
  }
  const ids = new Set<string>()
  for (const name of invocation.args) ids.add((await store.find(name)).id)
  return toAsync(ids)
}

async function* toAsync<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values
}

async function* listIds(store: SessionStore, filter: ReturnType<typeof readFilter>): AsyncGenerator<string> {
  const listed = new Set<string>()
  // A session that is used meanwhile moves to the front, so another one may be listed twice.
  for (let offset = 0; ; offset += PAGE) {
    const { sessions } = await store.list(filter, { limit: PAGE, offset })
    for (const { id } of sessions) {
      if (!listed.has(id)) yield id
      listed.add(id)
    }
    if (sessions.length < PAGE) return
  }
}

/** Skips sessions that were deleted meanwhile. */
async function* readSessions(store: SessionStore, ids: AsyncIterable<string>): AsyncGenerator<Session> {
  for await (const id of ids) {
    try {
      yield await store.find(id)
    } catch (error) {
      if (!wasDeleted(error)) throw error
    }
  }
}

/** None of a session that was deleted meanwhile. */
async function* readTurns(sessions: SessionService, id: string): AsyncGenerator<SessionTurn> {
  try {
    yield* sessions.turns(USER, id)
  } catch (error) {
    if (!wasDeleted(error)) throw error
  }
}

function wasDeleted(error: unknown): boolean {
  return isFault(error, sessionNotFound)
}

type ExportOptions = {
  format: ExportFormat
  exportedAt: string
  counter: { count: number }
  turnsOf: (session: Session) => AsyncIterable<SessionTurn>
}

async function* exportPieces(sessions: AsyncIterable<Session>, exportOptions: ExportOptions): AsyncGenerator<string> {
  const { format, exportedAt, counter, turnsOf } = exportOptions
  const { head, session: toText, turn: toTurnText, sessionEnd, foot } = EXPORTS[format]
  yield head(exportedAt)
  for await (const session of sessions) {
    yield toText(session, counter.count)
    let turns = 0
    for await (const turn of turnsOf(session)) {
      yield toTurnText(turn, turns, session)
      turns += 1
    }
    yield sessionEnd(turns)
    counter.count += 1
  }
  yield foot(counter.count)
}

async function print({ runtime }: Invocation, pieces: AsyncIterable<string>): Promise<void> {
  const { out } = runtime.terminal
  for await (const piece of pieces) {
    // The reader has closed the pipe.
    if (piece !== '' && (await out.write(toShown(piece, out))) === 'closed') return
  }
}

async function save(
  { flags, runtime }: Invocation,
  { path, pieces, counter }: { path: string; pieces: AsyncIterable<string>; counter: { count: number } },
): Promise<void> {
  try {
    await writeFileInPieces({ path, mode: 0o600, mayExist: flags.isOn('force') }, toBytes(pieces))
  } catch (error) {
    if (!isFault(error, fileExists)) throw error
    throw exportExists({ path }, error)
  }
  const { count } = counter
  await runtime.terminal.err.write(`Wrote ${count} session${count === 1 ? '' : 's'} to ${path}.\n`)
}

async function* toBytes(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

export type ExportFormat = 'json' | 'jsonl' | 'markdown'

const TITLE_COLUMNS = 80
/** The beginning of a prompt that is longer than any title. */
const TITLE_LENGTH = 4_000

type Export = {
  head(exportedAt: string): string
  /** `number` counts from 0. */
  session(session: Session, number: number): string
  /** Its turns follow `session`; if there are none, only `sessionEnd` does. */
  turn(turn: SessionTurn, number: number, session: Session): string
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
    turn: (turn, number, { backend }) => `\n${turnToMarkdown(turn, { number: number + 1, backend })}`,
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

function turnToMarkdown(turn: SessionTurn, { number, backend }: { number: number; backend: string }): string {
  const tools = toolLines(turn, TITLE_COLUMNS).map((line) => `- ${inCode(line)}`)
  return [
    `### Turn ${number}`,
    '',
    inCode(turnFacts(turn, backend)),
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
