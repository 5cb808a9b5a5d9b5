/** The change that a tool call makes to a file, as lines with + and -, if its input tells it. Pure. */

/** The names that agents use for the text before, the text after, and a whole patch. */
const BEFORE = ['old_string', 'old_str', 'oldText']
const AFTER = ['new_string', 'new_str', 'newText']
const PATCH = ['diff', 'patch', 'unified_diff']

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
