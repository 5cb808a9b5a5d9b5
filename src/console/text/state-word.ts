/** One vocabulary for the states of everything: prompts, runs, attempts and sessions. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'

export type StateWord =
  | 'queued'
  | 'working'
  | 'needs you'
  | 'done'
  | 'delivered'
  | 'delivered, look first'
  | 'merged'
  | 'discarded'
  | 'continued'
  | 'not delivered'
  | 'failed'
  | 'partly failed'
  | 'lost'
  | 'refused'
  | 'stopped'

const WORDS: Readonly<Record<string, StateWord>> = {
  queued: 'queued',
  running: 'working',
  active: 'working',
  waiting_for_limit: 'working',
  waiting: 'needs you',
  paused: 'needs you',
  interrupted: 'needs you',
  completed: 'done',
  answered: 'done',
  continued: 'continued',
  merged: 'merged',
  lost: 'lost',
  cancelled: 'stopped',
  stopped: 'stopped',
  discarded: 'discarded',
}

/** Of an execution, an attempt or a session. What is not known did not end well. */
export function toStateWord(state: string): StateWord {
  return Object.hasOwn(WORDS, state) ? (WORDS[state] ?? 'failed') : 'failed'
}

/** A prompt that has an error in place of a result was refused, by a budget or a full queue for example. The usage does not count it. */
export function executionStateWord({
  state,
  backend,
  error,
  usage,
}: Pick<Execution, 'state' | 'backend' | 'error' | 'usage'>): StateWord {
  const isRefused = state === 'failed' && backend !== undefined && usage === undefined && error?.kind !== undefined
  return isRefused ? 'refused' : toStateWord(state)
}

/** As in the terminal. A run that changed nothing is as done as a prompt. */
export function runStateWord({ state, verdict: { word } }: Pick<DrivenRun, 'state' | 'verdict'>): StateWord {
  if (state !== 'ended') return toStateWord(state)
  return word === 'delivered' || word === 'delivered, look first' || word === 'not delivered' ? word : 'done'
}

/** Of runs that are neither queued nor running and need no one. */
export const ENDED: readonly DrivenRun['state'][] = ['ended', 'merged', 'discarded', 'continued', 'stopped']
export const OPEN: readonly DrivenRun['state'][] = [
  ...(['queued', 'running', 'waiting_for_limit', 'waiting', 'paused', 'interrupted', 'failed'] as const),
]

export const hasEnded = ({ state }: Pick<DrivenRun, 'state'>): boolean => ENDED.includes(state)
