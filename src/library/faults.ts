import { defineFault } from '../kit/fault.ts'
import { nearestWord } from '../kit/match-names.ts'

export const optionUnknown = defineFault('option_unknown', 'usage', {
  when: 'A program passes an option that the library call does not have. Nothing was started.',
  message: (d: { call: string; option: string; known: readonly string[] }) => {
    const nearest = nearestWord(d.option, d.known)
    const advice = nearest === undefined ? `it has ${d.known.join(', ')}` : `did you mean ${JSON.stringify(nearest)}?`
    return `${d.call} has no option ${JSON.stringify(d.option)}; ${advice}`
  },
})

export const instanceClosed = defineFault('drover_closed', 'conflict', {
  when: 'A program uses a library instance that it has closed.',
  message: (_: object) => 'this drover is closed; create another one with createDrover()',
})

export const driveTargetUnclear = defineFault('drive_target_unclear', 'invalid', {
  when: 'A program asks the library to drive a run, but names no goal, issue or run, or more than one.',
  message: (d: { given: readonly string[] }) =>
    d.given.length === 0
      ? 'there is nothing to drive; give a goal, an issue or a run'
      : `${d.given.join(' and ')} cannot be driven together; give one of them`,
})
