import { defineFault } from '../kit/fault.ts'

export const instanceClosed = defineFault({
  code: 'drover_closed',
  kind: 'conflict',
  when: 'A program calls an instance of the library that it has closed.',
  message: (_: object) => 'this drover is closed; create another one with createDrover()',
})

export const driveTargetUnclear = defineFault({
  code: 'drive_target_unclear',
  kind: 'invalid',
  when: 'A program asks the library to drive nothing, or more than one thing.',
  message: (d: { given: readonly string[] }) =>
    d.given.length === 0
      ? 'there is nothing to drive; give a goal, an issue or a run'
      : `${d.given.join(' and ')} cannot be driven together; give one of them`,
})
