/** Reads the messages of a conversation from a terminal or a pipe. */
import { Fault } from '../../kit/fault.ts'
import type { Runtime } from '../command.ts'
import { chatInputUnfinished } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import type { LineEditor } from '../line-editor.ts'
import type { TypedLines } from '../standard-input.ts'
import type { Channel } from '../terminal.ts'
import { followTyping, NOTHING_TYPED, type TypingState } from './follow-typing.ts'
import { addToHistory, MAX_LINES, readHistory } from './history.ts'
import { collectLine, type Draft } from './parse-message.ts'
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
