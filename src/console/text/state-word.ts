/** One vocabulary for the states of everything: prompts, runs, attempts and sessions. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'

export type StateWord = 'queued' | 'working' | 'needs you' | 'done' | 'continued' | 'failed' | 'stopped'

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
  ended: 'done',
  merged: 'done',
  cancelled: 'stopped',
  stopped: 'stopped',
  discarded: 'stopped',
}

/** Of an execution, an attempt or a session. What is not known did not end well. */
export function toStateWord(state: string): StateWord {
  return Object.hasOwn(WORDS, state) ? (WORDS[state] ?? 'failed') : 'failed'
}

/** A run that has ended without what it was started for has failed. */
export function runStateWord({ state, verdict }: Pick<DrivenRun, 'state' | 'verdict'>): StateWord {
  return state === 'ended' && verdict.word === 'not delivered' ? 'failed' : toStateWord(state)
}

/** Of runs that are neither queued nor running and need no one. */
export const ENDED: readonly DrivenRun['state'][] = ['ended', 'merged', 'discarded', 'continued', 'stopped']
export const OPEN: readonly DrivenRun['state'][] = [
  ...(['queued', 'running', 'waiting_for_limit', 'waiting', 'paused', 'interrupted', 'failed'] as const),
]

export const hasEnded = ({ state }: Pick<DrivenRun, 'state'>): boolean => ENDED.includes(state)
