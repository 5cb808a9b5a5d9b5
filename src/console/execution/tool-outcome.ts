/** How a tool call ended, as far as its agent shows it. Pure. */
import type { ShownToolResult } from '../live/transcript.ts'

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
