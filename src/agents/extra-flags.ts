/** Checks the arguments that callers pass to an agent in `extra`. */
import type { Agent } from './adapter/agent.ts'
import { extraAboveCeiling, extraFlagRefused } from './faults.ts'

type Options = {
  agent: Pick<Agent, 'backend' | 'extraFlags'>
  /** The operator has turned the check off. */
  isUnsafeAllowed: boolean
  /** The setting that limits the modes of the caller: it turns the check on again. */
  ceiling?: string | undefined
  /** Where the arguments are in the request. */
  place?: string
}

/**
 * Throws a Fault for the first argument that is not `--switch`, `--flag=value` or `--flag value` of a flag on the
 * agent's list. Other arguments could give the agent more permissions, or be misread by it.
 */
export function checkExtraFlags(extra: readonly string[], options: Options): void {
  const { agent, isUnsafeAllowed, ceiling, place = '$' } = options
  if (isUnsafeAllowed && ceiling === undefined) return
  for (let at = 0; at < extra.length; ) {
    const argument = extra[at] ?? ''
    const { words, problem } = checkFlag(argument, extra[at + 1], agent.extraFlags)
    if (problem !== undefined) {
      const { backend } = agent
      const allowed = listFlags(agent.extraFlags)
      if (!isUnsafeAllowed || ceiling === undefined) throw extraFlagRefused({ backend, argument, problem, allowed })
      throw extraAboveCeiling({ field: `${place}.extra`, backend, argument, setting: ceiling, allowed })
    }
    at += words
  }
}

/** Leaves out the operator's own arguments that would override the modes of a request. */
export function withoutModeFlags(
  extra: readonly string[],
  { modeFlags }: Pick<Agent, 'modeFlags'>,
): { kept: string[]; dropped: string[] } {
  const [kept, dropped]: [string[], string[]] = [[], []]
  for (let at = 0; at < extra.length; ) {
    const { name, value } = splitFlag(extra[at] ?? '')
    const kind = modeFlags[name]
    const words = countWords(kind, value, extra.slice(at + 1))
    const setsMode = kind instanceof RegExp ? kind.test(value ?? extra[at + 1] ?? '') : kind !== undefined
    ;(setsMode ? dropped : kept).push(...extra.slice(at, at + words))
    at += words
  }
  return { kept, dropped }
}

/** `--name=value`, `-nvalue`, or only the name. */
function splitFlag(argument: string): { name: string; value: string | undefined } {
  const [, name = argument, value] = /^(-[^-])=?(.+)$/s.exec(argument) ?? /^(--[^=]*)=(.*)$/s.exec(argument) ?? []
  return { name, value }
}

function countWords(
  kind: Agent['modeFlags'][string] | undefined,
  value: string | undefined,
  next: readonly string[],
): number {
  if (kind === undefined || kind === 'switch') return 1
  if (kind !== 'values') return value === undefined ? 2 : 1
  const others = next.findIndex((word) => word.startsWith('-'))
  return 1 + (others === -1 ? next.length : others)
}

type FlagCheck = { words: 1 | 2; problem?: string }

function checkFlag(argument: string, next: string | undefined, flags: Agent['extraFlags']): FlagCheck {
  const [name = '', ...value] = argument.split('=')
  const kind = flags[name]
  const hasValue = value.length > 0
  if (!argument.startsWith('-')) return { words: 1, problem: 'is not the value of a flag' }
  if (kind === undefined) return { words: 1, problem: 'is not an allowed argument' }
  if (kind === 'switch') return hasValue ? { words: 1, problem: 'takes no value' } : { words: 1 }
  if (hasValue) return { words: 1 }
  // Some agents read a value that looks like a flag as a flag.
  if (next === undefined || next.startsWith('-')) return { words: 1, problem: 'needs a value' }
  return { words: 2 }
}

function listFlags(flags: Agent['extraFlags']): string[] {
  return Object.entries(flags).map(([name, kind]) => (kind === 'value' ? `${name} VALUE` : name))
}
