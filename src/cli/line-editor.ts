/** Lets a user at a terminal edit a line, with history and completion. */
import { createInterface, type Interface } from 'node:readline'
import { watchForLoss } from './lost-terminal.ts'

export type Typed =
  /** Several lines only if they were pasted. */
  | { is: 'lines'; lines: readonly [string, ...string[]]; isPasted: boolean }
  /** Ctrl-C. */
  | { is: 'interrupted'; wasEmpty: boolean }
  /** Ctrl-D on an empty line, an abort, or a terminal that is lost. */
  | { is: 'end' }

export type LineEditor = {
  /** While nothing is asked, the terminal behaves as usual: Ctrl-C is a signal. */
  ask(question: Question): Promise<Typed>
}

type Question = {
  prompt: string
  /** In front of the second and later lines of a paste. */
  continuation: string
  signal: AbortSignal
}

export type EditorOptions = {
  /** Newest first. */
  history: readonly string[]
  historySize: number
  complete: (line: string) => [candidates: string[], completed: string]
  /** The terminal marks pasted text if it is asked to. */
  canMarkPaste: boolean
}

type Streams = { input: NodeJS.ReadStream; output: NodeJS.WriteStream }

const MARK_PASTE = { on: '\u001b[?2004h', off: '\u001b[?2004l' }

export function createLineEditor(streams: Streams, options: EditorOptions): LineEditor {
  const { input, output } = streams
  const typedAhead: string[] = []
  let history = [...options.history]
  let unfinished = ''
  const mark = (state: keyof typeof MARK_PASTE) => options.canMarkPaste && output.write(MARK_PASTE[state])
  const remember = (changed: readonly string[]) => {
    history = [...changed]
  }
  return {
    async ask(question) {
      const waiting = typedAhead.shift()
      if (waiting !== undefined) {
        output.write(`${question.prompt}${waiting}\n`)
        return { is: 'lines', lines: [waiting], isPasted: false }
      }
      if (!canEdit(input)) return { is: 'end' }
      const reader = openReader(streams, { ...options, history }, question.prompt)
      mark('on')
      reader.prompt()
      reader.write(unfinished)
      const typed = await readTyped(reader, { ...question, input, remember, typedAhead })
      // What was typed ahead without Enter is part of the next line.
      unfinished = typed.is === 'lines' ? reader.line : ''
      reader.close()
      if (unfinished !== '') output.write('\n')
      mark('off')
      if (typed.is !== 'lines') output.write(typed.is === 'interrupted' ? '^C\n' : '\n')
      return typed
    },
  }
}

/** Node's reader cannot be created on a terminal that is lost. */
function canEdit(input: NodeJS.ReadStream): boolean {
  let isLost = false
  using _ = watchForLoss(input, () => {
    isLost = true
  })
  input.setRawMode(true)
  return !isLost
}

function openReader({ input, output }: Streams, options: EditorOptions, prompt: string): Interface {
  const { history, historySize, complete } = options
  return createInterface({
    input,
    output,
    prompt,
    terminal: true,
    history: [...history],
    historySize,
    removeHistoryDuplicates: true,
    completer: complete,
  })
}

type Reading = Question & {
  input: NodeJS.ReadStream
  remember: (history: readonly string[]) => void
  /** Lines that arrived together with the one that was asked for. */
  typedAhead: string[]
}

async function readTyped(reader: Interface, reading: Reading): Promise<Typed> {
  const { input, continuation, signal, remember, typedAhead } = reading
  const pasted: string[] = []
  let [isPasting, isComplete] = [false, false]
  const onKey = (_text: string | undefined, key: { name?: string }) => {
    if (key.name === 'paste-start' || key.name === 'paste-end') isPasting = key.name === 'paste-start'
  }
  input.on('keypress', onKey)
  try {
    return await new Promise<Typed>((resolve) => {
      reader.on('line', (line) => {
        if (isComplete) typedAhead.push(line)
        else if (isPasting) {
          pasted.push(line)
          reader.setPrompt(continuation)
          reader.prompt()
        } else {
          isComplete = true
          // After this turn of the event loop, the rest of the input is known.
          setImmediate(() => resolve(toTyped(pasted, line)))
        }
      })
      reader.on('history', (lines: string[]) => {
        // The lines of a paste are not worth remembering one by one.
        if (isPasting) lines.shift()
        remember(lines)
      })
      reader.on('SIGINT', () => resolve({ is: 'interrupted', wasEmpty: pasted.length === 0 && reader.line === '' }))
      reader.on('close', () => resolve({ is: 'end' }))
      watchForLoss(reader, () => resolve({ is: 'end' }))
      signal.addEventListener('abort', () => resolve({ is: 'end' }), { once: true })
    })
  } finally {
    input.off('keypress', onKey)
  }
}

/** The last line is empty if the pasted text ended with a line feed. */
function toTyped(pasted: readonly string[], last: string): Typed {
  const [first, ...others] = last === '' ? pasted : [...pasted, last]
  return { is: 'lines', lines: [first ?? last, ...others], isPasted: others.length > 0 }
}
