/** Reads the text of a prompt: from an argument, a file or standard input, and what is added to it. */
import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { decodeUtf8, readFileBytes } from '../../kit/files/read-file.ts'
import { fenceText } from '../../kit/foreign-text.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import type { Invocation, Runtime } from '../command.ts'
import { addedInputTooLarge, attachmentNotText, flagsConflict, promptMissing, promptTwice } from '../faults.ts'
import { toPrintable } from '../output/printable.ts'
import { readInput } from '../read-input.ts'

/** More than any agent accepts. Holds for each input and for the whole prompt. */
const PROMPT_LIMIT_BYTES = 16 * 1024 * 1024

/** After this time drover says what it is waiting for: soon to a person, later in a log. */
const HINT_AFTER_MS = { terminal: 2000, log: 30_000 }

export async function readPrompt(invocation: Invocation): Promise<string> {
  const { flags, runtime } = invocation
  const { text, isFromStdin } = await readText(invocation)
  const files = flags.texts('attach').map((file) => readAttachment(runtime, file))
  const piped = isFromStdin || flags.isOn('no-stdin') ? undefined : await readPiped(runtime)
  if (!isFromStdin) await noteUnattached(invocation, text)
  const prompt = addTexts(text, piped === undefined ? files : [...files, piped])
  if (Buffer.byteLength(prompt) > PROMPT_LIMIT_BYTES) throw addedInputTooLarge({ limitBytes: PROMPT_LIMIT_BYTES })
  return prompt
}

/** Without what is added to it. */
export async function readText({ args, flags, runtime }: Invocation): Promise<{ text: string; isFromStdin: boolean }> {
  const [argument] = args
  const file = flags.text('file')
  if (file !== undefined && argument !== undefined) throw promptTwice({})
  if (argument !== undefined && argument !== '-') return { text: argument, isFromStdin: false }
  const isFromStdin = file === undefined
  if (argument === '-' && flags.isOn('no-stdin')) throw flagsConflict({ flags: ['-', '--no-stdin'] })
  const hasNothing = argument === undefined && (flags.isOn('no-stdin') || !runtime.stdin.isPiped())
  if (isFromStdin && hasNothing) throw promptMissing({})
  const read = () => readInput({ runtime, file, limitBytes: PROMPT_LIMIT_BYTES, links: 'follow' })
  const bytes = isFromStdin
    ? await withHint(runtime, read, 'drover: waiting for the prompt on standard input\n')
    : await read()
  const source = file === undefined ? 'standard input' : resolve(runtime.cwd, file)
  return { text: decodeUtf8({ bytes, source }), isFromStdin }
}

const PIPE_HINT =
  'drover: waiting for the end of standard input, which is added to the prompt (--no-stdin leaves it out)\n'
const SILENT_PIPE =
  'drover: warning: standard input is open but sends nothing, so the prompt is sent without it; close it, or use --no-stdin\n'

/** What another program pipes in; undefined if that is nothing. */
async function readPiped(runtime: Runtime): Promise<AddedText | undefined> {
  const { stdin, terminal } = runtime
  if (!stdin.isPiped()) return undefined
  const bytes = await withHint(runtime, () => stdin.readUnlessSilent(PROMPT_LIMIT_BYTES), PIPE_HINT)
  if (bytes === 'silent') {
    await terminal.err.write(SILENT_PIPE)
    return undefined
  }
  const text = decodeUtf8({ bytes, source: 'standard input' })
  return text.trim() === '' ? undefined : { name: 'standard input', text }
}

/** Without a hint, a user would not know why nothing happens. */
async function withHint<Result>(runtime: Runtime, read: () => Promise<Result>, hint: string): Promise<Result> {
  const { terminal, stdin } = runtime
  // For a user who types the prompt, `readInput` has its own hint.
  if (stdin.isTty) return await read()
  const { err } = terminal
  const write = () => void err.write(hint).catch(() => undefined)
  const timer = setTimeout(write, err.isTty ? HINT_AFTER_MS.terminal : HINT_AFTER_MS.log)
  try {
    return await read()
  } finally {
    clearTimeout(timer)
  }
}

function readAttachment({ cwd }: Runtime, file: string): AddedText {
  const path = resolve(cwd, file)
  const bytes = readFileBytes({ path, limitBytes: PROMPT_LIMIT_BYTES, links: 'follow' })
  if (bytes.includes(0) || !isUtf8(bytes)) throw attachmentNotText({ path })
  return { name: `the file ${JSON.stringify(file)}`, text: bytes.toString('utf8') }
}

/** Some agents replace `@path` by the file, drover does not; a user who expects it is told once. */
async function noteUnattached({ flags, runtime }: Invocation, text: string): Promise<void> {
  const isFile = (path: string) => statSync(resolve(runtime.cwd, path), { throwIfNoEntry: false })?.isFile() === true
  const attached = flags.texts('attach').map((file) => resolve(runtime.cwd, file))
  const [path] = pathsAfterAt(text).filter((each) => !attached.includes(resolve(runtime.cwd, each)) && isFile(each))
  if (path === undefined) return
  const note = `drover: note: @${path} is sent as text; to send the content of the file, add --attach ${quoteWord(path)}`
  await runtime.terminal.err.write(`${toPrintable(note)}\n`)
}

type AddedText = {
  /** What the agent is told about it: `standard input`, `the file "src/a.ts"`. */
  name: string
  text: string
}

/** Each text follows the prompt in a separate fence that nothing in the text can close. */
export function addTexts(prompt: string, added: readonly AddedText[]): string {
  return [prompt, ...added.map(({ name, text }) => fenceText(name, text))].join('\n\n')
}

/** The paths that a prompt names as `@path`, as other programs attach files, in the order of the text. */
export function pathsAfterAt(prompt: string): string[] {
  const words = Array.from(prompt.matchAll(/(?<=^|[\s("'])@([^\s"')]+)/g), ([, path = '']) => path)
  return [...new Set(words.flatMap((word) => [word, word.replace(/[.,;:!?]+$/, '')]))].filter((path) => path !== '')
}
