/** Compares command lines: the one that an agent reports, and those that it was seen to run. Pure. */

/** Codex runs every command in a shell: `/bin/bash -lc 'npm test'`. */
const IN_SHELL = /^\S*sh -l?c (?:'([\s\S]*)'|"([\s\S]*)")$/

/** The command that a shell was given, without its quotes. */
export function unwrapShell(command: string): string {
  const [, single, double] = IN_SHELL.exec(command) ?? []
  if (single !== undefined) return single.replaceAll("'\\''", "'")
  return double === undefined ? command : double.replace(/\\(["\\$`])/g, '$1')
}

/** The exit code that a run of `seen` shows for `reported`; `unknown` if it ran but its own exit code does not show. */
export type Shown = { readonly exitCode: number | 'unknown' } | undefined

/** Undefined if `reported` is not a part of `seen`. */
export function exitCodeShown(reported: string, seen: { command: string; exit_code?: number | undefined }): Shown {
  const wanted = tidy(reported)
  const command = tidy(unwrapShell(seen.command))
  const { exit_code: exitCode = 'unknown' } = seen
  if (command === wanted) return { exitCode }
  const parts = splitCommand(command)
  const at = parts.findLastIndex(({ text }) => tidy(text) === wanted)
  if (at === -1) return undefined
  return { exitCode: isDecisive(parts, { at, exitCode }) ? exitCode : 'unknown' }
}

type Part = { readonly text: string; readonly joinedBy: string }

/** Whether the exit code of the whole line is that of one part. */
function isDecisive(parts: readonly Part[], { at, exitCode }: { at: number; exitCode: number | 'unknown' }): boolean {
  const isOnlyAnd = parts.slice(1).every(({ joinedBy }) => joinedBy === '&&')
  if (isOnlyAnd) return exitCode === 0 || isTrivial(parts.slice(0, at))
  const isLast = at === parts.length - 1
  return isLast && (parts[at]?.joinedBy === ';' || parts[at]?.joinedBy === '\n')
}

/** `cd somewhere` hardly ever fails, so a failure is that of the part after it. */
function isTrivial(before: readonly Part[]): boolean {
  return before.every(({ text }) => /^(?:cd|export|set)\b/.test(text.trim()))
}

/** White space, output redirection and variables in front do not make it another command. */
function tidy(command: string): string {
  return command
    .trim()
    .replace(/\s+2>&1$/, '')
    .replace(/^(?:[A-Za-z_]\w*=[^\s'"]*\s+)+/, '')
    .replace(/[ \t]+/g, ' ')
}

const JOINERS = ['&&', '||', ';', '|', '\n']

/** Splits a command line at what joins its commands, outside of quotes. */
function splitCommand(command: string): Part[] {
  const parts: { text: string; joinedBy: string }[] = [{ text: '', joinedBy: '' }]
  let quote = ''
  for (let at = 0; at < command.length; at++) {
    const unit = command[at] ?? ''
    const joiner = quote === '' ? JOINERS.find((each) => command.startsWith(each, at)) : undefined
    if (joiner !== undefined) {
      parts.push({ text: '', joinedBy: joiner })
      at += joiner.length - 1
      continue
    }
    if (unit === quote) quote = ''
    else if (quote === '' && (unit === "'" || unit === '"')) quote = unit
    const last = parts.at(-1)
    if (last !== undefined) last.text += unit
  }
  return parts.filter(({ text }) => text.trim() !== '')
}
