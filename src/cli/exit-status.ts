/** What the exit code of every command means. docs/cli.md and the manual page have the same table. */
import { VERDICT_EXIT } from '../drive/decide/verdict-words.ts'
import type { FaultKind } from '../kit/fault.ts'
import type { Group } from './command.ts'

export const EXIT = {
  success: 0,
  failure: 1,
  wrongUse: 2,
  /** For changes and hosts, where 1 means that the error could not be written. */
  changeFailure: 3,
  /** `drover drive` waits for a person or has reached a limit. */
  waits: VERDICT_EXIT['waits for you'],
  /** `drover drive` has delivered, and a person should look first. */
  looksFirst: VERDICT_EXIT['delivered, look first'],
  /** A pipe was closed by its reader; as in a shell. */
  pipeClosed: 141,
} as const

export function isChangeGroup(group: Group | undefined): boolean {
  return group === 'Changes' || group === 'Hosts'
}

/** Wrong use is the same code everywhere. */
export function toExitCode(kind: FaultKind, group: Group | undefined): number {
  if (kind === 'usage') return EXIT.wrongUse
  return isChangeGroup(group) ? EXIT.changeFailure : EXIT.failure
}
