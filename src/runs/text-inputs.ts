/** The texts that people and hosts pass to commands: the size limit of each, and the faults for one that cannot be read. */
import { LIMITS } from '../contract/limits.ts'
import { actionTooLarge, answerTooLarge, invalidAnswer, invalidGoal, invalidOutcome } from '../engine/faults.ts'
import type { Fault } from '../kit/fault.ts'
import { decodeUtf8 } from '../kit/files/read-file.ts'
import { answerUnavailable, goalUnavailable, outcomeUnavailable } from './faults.ts'

export type TextInput = {
  readonly limitBytes: number
  /** The text cannot be read. */
  readonly unavailable: (facts: { problem: string }, cause: unknown) => Fault
  /** The text has at least `sizeBytes` bytes. */
  readonly tooLarge: (sizeBytes: number, cause: unknown) => Fault
}

export const GOAL_INPUT: TextInput = {
  limitBytes: LIMITS.goalBytes,
  unavailable: goalUnavailable,
  tooLarge: (sizeBytes, cause) => actionTooLarge({ sizeBytes, limitBytes: LIMITS.goalBytes }, cause),
}

export const ANSWER_INPUT: TextInput = {
  limitBytes: LIMITS.answerBytes,
  unavailable: answerUnavailable,
  tooLarge: (sizeBytes, cause) => answerTooLarge({ sizeBytes, limitBytes: LIMITS.answerBytes }, cause),
}

export const OUTCOME_INPUT: TextInput = {
  limitBytes: LIMITS.outcomeBytes,
  unavailable: outcomeUnavailable,
  tooLarge: (sizeBytes, cause) =>
    invalidOutcome({ problem: `it has at least ${sizeBytes} bytes; the limit is ${LIMITS.outcomeBytes}` }, cause),
}

/** Keeps the goal exactly as it was written. */
export function decodeGoal(bytes: Uint8Array): string {
  return decode(bytes, (cause) => invalidGoal({}, cause))
}

/** Keeps the answer exactly as it was written. */
export function decodeAnswer(bytes: Uint8Array): string {
  return decode(bytes, (cause) => invalidAnswer({}, cause))
}

function decode(bytes: Uint8Array, refuse: (cause: unknown) => Fault): string {
  try {
    return decodeUtf8({ bytes, source: 'it' })
  } catch (error) {
    throw refuse(error)
  }
}
