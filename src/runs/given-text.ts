/** What people and hosts hand over as text: how much of each is taken, and what is said when it cannot be. */
import { LIMITS } from '../contract/limits.ts'
import { actionTooLarge, answerTooLarge, invalidAnswer, invalidGoal, invalidOutcome } from '../engine/faults.ts'
import type { Fault } from '../kit/fault.ts'
import { decodeUtf8 } from '../kit/files/read-file.ts'
import { answerUnavailable, goalUnavailable, outcomeUnavailable } from './faults.ts'

export type Given = {
  readonly limitBytes: number
  /** There is no reading it. */
  readonly unavailable: (facts: { problem: string }, cause: unknown) => Fault
  /** It has at least so many bytes. */
  readonly tooLarge: (sizeBytes: number, cause: unknown) => Fault
}

export const GOAL: Given = {
  limitBytes: LIMITS.goalBytes,
  unavailable: goalUnavailable,
  tooLarge: (sizeBytes, cause) => actionTooLarge({ sizeBytes, limitBytes: LIMITS.goalBytes }, cause),
}

export const ANSWER: Given = {
  limitBytes: LIMITS.answerBytes,
  unavailable: answerUnavailable,
  tooLarge: (sizeBytes, cause) => answerTooLarge({ sizeBytes, limitBytes: LIMITS.answerBytes }, cause),
}

export const OUTCOME: Given = {
  limitBytes: LIMITS.outcomeBytes,
  unavailable: outcomeUnavailable,
  tooLarge: (sizeBytes, cause) =>
    invalidOutcome({ problem: `it has ${sizeBytes} bytes or more and may have ${LIMITS.outcomeBytes}` }, cause),
}

/** The goal, exactly as it was written. */
export function decodeGoal(bytes: Uint8Array): string {
  return decode(bytes, (cause) => invalidGoal({}, cause))
}

/** The answer, exactly as it was written. */
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
