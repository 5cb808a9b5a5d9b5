/** Judges what callers want to hand to an agent themselves. */
import type { Agent } from './adapter/agent.ts'
import { extraFlagRefused } from './faults.ts'

type Rules = {
  agent: Pick<Agent, 'backend' | 'extraFlags'>
  /** The operator wants no judging. */
  isUnsafeAllowed: boolean
}

/**
 * Throws a Fault for the first argument that is not `--switch`, `--flag=value` or `--flag value` of a flag on the
 * agent's list. Anything else could let the agent do more, or be read by it as something else than it looks like.
 */
export function judgeExtra(extra: readonly string[], { agent, isUnsafeAllowed }: Rules): void {
  if (isUnsafeAllowed) return
  for (let at = 0; at < extra.length; ) {
    const argument = extra[at] ?? ''
    const { words, problem } = judgeFlag(argument, extra[at + 1], agent.extraFlags)
    if (problem !== undefined) {
      throw extraFlagRefused({ backend: agent.backend, argument, problem, allowed: listFlags(agent.extraFlags) })
    }
    at += words
  }
}

type Judgement = { words: 1 | 2; problem?: string }

function judgeFlag(argument: string, next: string | undefined, flags: Agent['extraFlags']): Judgement {
  const [name = '', ...value] = argument.split('=')
  const kind = flags[name]
  const hasValue = value.length > 0
  if (!argument.startsWith('-')) return { words: 1, problem: 'belongs to no flag' }
  if (kind === undefined) return { words: 1, problem: 'is not an argument that callers may give' }
  if (kind === 'switch') return hasValue ? { words: 1, problem: 'takes no value' } : { words: 1 }
  if (hasValue) return { words: 1 }
  // What looks like a flag is one to some agents, even where a value is due.
  if (next === undefined || next.startsWith('-')) return { words: 1, problem: 'lacks its value' }
  return { words: 2 }
}

function listFlags(flags: Agent['extraFlags']): string[] {
  return Object.entries(flags).map(([name, kind]) => (kind === 'value' ? `${name} VALUE` : name))
}
