/** What a card of a tool call shows, from its input and result. Pure. */
import type { ShownToolResult } from '../live/transcript.ts'

/** The names that agents use for the text before, the text after, and a whole patch. */
const BEFORE = ['old_string', 'old_str', 'oldText']
const AFTER = ['new_string', 'new_str', 'newText']
const PATCH = ['diff', 'patch', 'unified_diff']

/** The change to a file, as lines with + and -, if the input tells it. */
export function toToolDiff(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const fields = input as Record<string, unknown>
  const textOf = (names: readonly string[]) =>
    names.map((name) => fields[name]).find((value) => typeof value === 'string') as string | undefined
  const patch = textOf(PATCH)
  if (patch !== undefined) return patch
  const [before, after] = [textOf(BEFORE), textOf(AFTER)]
  if (before === undefined || after === undefined) return undefined
  return [...prefixed('-', before), ...prefixed('+', after)].join('\n')
}

function prefixed(mark: string, text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => mark + line)
}

/** The most telling field of the input, in one line. */
export function summarizeInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return typeof input === 'string' ? input : ''
  const fields = input as Record<string, unknown>
  const names = ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'url', 'description']
  const value = names.map((name) => fields[name]).find((each) => typeof each === 'string' || Array.isArray(each))
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'string' ? value : JSON.stringify(input)
}

/** Codex and agents with a terminal of drover report it as the reason; Claude writes it in front of the output. Success shows none. */
export function findExitCode({ isError, problem, output }: ShownToolResult): number | undefined {
  if (!isError) return undefined
  const [, code] = /^(?:Error: )?exit code (-?\d+)/i.exec(problem ?? output) ?? []
  return code === undefined ? undefined : Number(code)
}

/** The output, after the reason of a failure where that says more than the exit code. */
export function toShownOutput({ output, problem }: ShownToolResult): string {
  const reason = problem === undefined || /^exit code -?\d+$/.test(problem) ? '' : problem
  return [reason, output].filter((text) => text !== '').join('\n') || problem || '(no output)'
}

/** How many lines an edit adds and removes, if its input tells it. */
export function countLines(input: unknown): { added: number; removed: number } | undefined {
  const diff = toToolDiff(input)
  const begins = (mark: string) => (line: string) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))
  if (diff !== undefined) {
    const lines = diff.split('\n')
    return { added: lines.filter(begins('+')).length, removed: lines.filter(begins('-')).length }
  }
  const content = typeof input === 'object' && input !== null && 'content' in input ? input.content : undefined
  return typeof content === 'string' && content !== ''
    ? { added: content.replace(/\n$/, '').split('\n').length, removed: 0 }
    : undefined
}

export function readCommand(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined
  return typeof input.command === 'string' ? input.command : undefined
}
