import type { Flags } from '../command.ts'
import { flagValueInvalid } from '../faults.ts'

/** What is no number is no budget. Whether a number can be one is judged with the rest of the request. */
export function readBudget(flags: Flags): number | undefined {
  const given = flags.text('budget')
  if (given === undefined || /^(?:0|[1-9][0-9]{0,8})$/.test(given)) return flags.integer('budget')
  throw flagValueInvalid({ flag: '--budget', given, allowed: 'a whole number from 1 to 1000' })
}
