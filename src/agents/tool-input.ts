/** The most telling field of a tool's input, otherwise all of it as JSON. */
export function describeToolInput(input: unknown): string {
  if (typeof input === 'object' && input !== null) {
    for (const name of ['command', 'file_path', 'path', 'pattern', 'url']) {
      const value = (input as Record<string, unknown>)[name]
      if (typeof value === 'string') return value
    }
  }
  return input === undefined ? '' : JSON.stringify(input)
}
