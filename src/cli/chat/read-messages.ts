/** Reads the messages of a conversation from a terminal or a pipe: typed lines become a message, and a message may be a command. */
import { dirname } from 'node:path'
import { Fault, isFault } from '../../kit/fault.ts'
import { fileMissing } from '../../kit/faults.ts'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { readFileText } from '../../kit/files/read-file.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import type { Runtime } from '../command.ts'
import { chatInputUnfinished } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import type { LineEditor, Typed } from '../line-editor.ts'
import type { TypedLines } from '../standard-input.ts'
import type { Channel } from '../terminal.ts'
import { completeCommand } from './slash-commands.ts'

type NextMessage = { is: 'message'; text: string } | { is: 'end'; by?: NodeJS.Signals | undefined }

export type MessageSource = {
  /** `prompt` is shown on a terminal. */
  next(prompt: string): Promise<NextMessage>
  close(): void
}

const CONTINUATION = '... '
const EXIT_HINT = 'Press Ctrl-C again or Ctrl-D to exit.\n'

/** One line is a message, or a part of one, as on a terminal. */
export function readFromPipe(lines: TypedLines): MessageSource {
  return {
    close: () => lines.close(),
    async next() {
      let draft: Draft | undefined
      for (;;) {
        const line = await lines.next()
        if (line === undefined && draft !== undefined) throw chatInputUnfinished({ isBlock: draft.isBlock })
        if (line === undefined) return { is: 'end' }
        const collected = collectLine(draft, line)
        if (collected.is === 'complete') return { is: 'message', text: collected.text }
        draft = collected.draft
      }
    },
  }
}

export async function readFromTerminal(
  { stdin, terminal }: Pick<Runtime, 'stdin' | 'terminal'>,
  { historyPath, backends }: { historyPath: string; backends: readonly string[] },
): Promise<MessageSource> {
  const { err } = terminal
  const history = new StoredHistory(historyPath, err)
  const editor = await stdin.editLines({
    history: (await history.read()).toReversed(),
    historySize: MAX_LINES,
    complete: (line) => completeCommand(line, backends),
    canMarkPaste: err.canRedraw,
  })
  return { next: (prompt) => readMessage({ editor, history, err }, prompt), close: () => undefined }
}

type Sources = { editor: LineEditor; history: StoredHistory; err: Channel }

async function readMessage({ editor, history, err }: Sources, prompt: string): Promise<NextMessage> {
  let state: TypingState = NOTHING_TYPED
  for (;;) {
    using interruption = listenForInterruption()
    const shown = state.draft === undefined ? prompt : CONTINUATION
    const typed = await editor.ask({ prompt: shown, continuation: CONTINUATION, signal: interruption.signal })
    if (typed.is === 'lines' && !typed.isPasted) await history.add(typed.lines[0])
    const step = followTyping(state, typed)
    if (step.is === 'end') return { is: 'end', by: interruption.by() }
    if (step.is === 'message') return step
    if (step.state.isExitHinted) await err.write(EXIT_HINT)
    state = step.state
  }
}

/** A conversation works without its history, so problems with the file are only reported, once. */
class StoredHistory {
  readonly #path: string
  readonly #err: Channel
  #isUsable = true

  constructor(path: string, err: Channel) {
    this.#path = path
    this.#err = err
  }

  async read(): Promise<string[]> {
    return (await this.#attempt(() => readHistory(this.#path))) ?? []
  }

  async add(line: string): Promise<void> {
    if (this.#isUsable) await this.#attempt(() => addToHistory(this.#path, line))
  }

  async #attempt<T>(work: () => T): Promise<T | undefined> {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#isUsable = false
      await this.#err.write(`drover: warning: the history is not stored: ${error.message}\n`)
      return undefined
    }
  }
}

type TypingState = {
  /** The beginning of a message of several lines. */
  draft: Draft | undefined
  /** The last key was Ctrl-C on an empty line; another one ends the conversation. */
  isExitHinted: boolean
}

export const NOTHING_TYPED: TypingState = { draft: undefined, isExitHinted: false }

type TypingStep = { is: 'message'; text: string } | { is: 'end' } | { is: 'ask'; state: TypingState }

/** What follows from what a user typed: a message, the end, or another question. */
export function followTyping({ draft, isExitHinted }: TypingState, typed: Typed): TypingStep {
  if (typed.is === 'end') return { is: 'end' }
  if (typed.is === 'lines') {
    const collected = collectTyped(draft, typed)
    if (collected.is === 'complete') return { is: 'message', text: collected.text }
    return { is: 'ask', state: { draft: collected.draft, isExitHinted: false } }
  }
  const isIdle = typed.wasEmpty && draft === undefined
  if (isIdle && isExitHinted) return { is: 'end' }
  return { is: 'ask', state: { draft: undefined, isExitHinted: isIdle } }
}

/** Pasted lines are one message, and none of them is a mark. */
function collectTyped(draft: Draft | undefined, { lines, isPasted }: Typed & { is: 'lines' }): Collected {
  if (!isPasted) return collectLine(draft, lines[0])
  const all = [...(draft?.lines ?? []), ...lines]
  return draft?.isBlock === true
    ? { is: 'incomplete', draft: { lines: all, isBlock: true } }
    : { is: 'complete', text: all.join('\n') }
}

export const MAX_LINES = 1000
/** A longer line is not stored. */
const MAX_LINE_CHARACTERS = 10_000
/** Four bytes for each character. */
const LIMIT_BYTES = MAX_LINES * (MAX_LINE_CHARACTERS + 1) * 4

/** Oldest first. */
export function readHistory(path: string): string[] {
  try {
    return splitLines(readFileText({ path, limitBytes: LIMIT_BYTES }))
  } catch (error) {
    if (isFault(error, fileMissing)) return []
    throw error
  }
}

/** Reads the file again, because other conversations add to it too. */
export function addToHistory(path: string, line: string): void {
  ensurePrivateDirectory({ path: dirname(path), links: 'follow' })
  const lines = addLine(readHistory(path), line)
  replaceFile({ path, bytes: Buffer.from(lines.map((each) => `${each}\n`).join('')), mode: 0o600 })
}

/** The line becomes the newest; an earlier copy of it and the oldest lines are dropped. Pure. */
export function addLine(lines: readonly string[], line: string): readonly string[] {
  if (line.trim() === '' || line.length > MAX_LINE_CHARACTERS) return lines
  return [...lines.filter((each) => each !== line), line].slice(-MAX_LINES)
}

function splitLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && line.length <= MAX_LINE_CHARACTERS)
    .slice(-MAX_LINES)
}

/** A message that is not complete yet. In a block, every line is taken as it is. */
export type Draft = { lines: readonly string[]; isBlock: boolean }

type Collected = { is: 'incomplete'; draft: Draft } | { is: 'complete'; text: string }

const FENCE = '"""'

/** A line that ends with a backslash is continued by the next one. Three quotes start and end a block. */
export function collectLine(draft: Draft | undefined, line: string): Collected {
  if (draft?.isBlock === true) return continueBlock(draft.lines, line)
  if (draft === undefined && line.trimStart().startsWith(FENCE)) {
    return continueBlock([], line.trimStart().slice(FENCE.length))
  }
  const lines = draft?.lines ?? []
  const backslashes = /\\*$/.exec(line)?.[0].length ?? 0
  return backslashes % 2 === 1
    ? { is: 'incomplete', draft: { lines: [...lines, line.slice(0, -1)], isBlock: false } }
    : { is: 'complete', text: [...lines, line].join('\n') }
}

function continueBlock(lines: readonly string[], line: string): Collected {
  const isEnd = line.trimEnd().endsWith(FENCE)
  const text = isEnd ? line.trimEnd().slice(0, -FENCE.length) : line
  // The quotes usually stand on separate lines, which are not part of the text.
  const isEmptyEdge = text === '' && (isEnd || lines.length === 0)
  const added = isEmptyEdge ? lines : [...lines, text]
  return isEnd
    ? { is: 'complete', text: added.join('\n') }
    : { is: 'incomplete', draft: { lines: added, isBlock: true } }
}

type ChatInput = { is: 'prompt'; text: string } | { is: 'command'; name: string; argument: string } | { is: 'empty' }

/** Two slashes send a text that begins with one. A first word such as /etc/hosts is a path, not a command. */
export function parseMessage(text: string): ChatInput {
  const trimmed = text.trim()
  if (trimmed === '') return { is: 'empty' }
  if (trimmed.includes('\n') || !trimmed.startsWith('/')) return { is: 'prompt', text }
  if (trimmed.startsWith('//')) return { is: 'prompt', text: trimmed.slice(1) }
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(trimmed) ?? []
  return name.includes('/') ? { is: 'prompt', text } : { is: 'command', name, argument }
}
