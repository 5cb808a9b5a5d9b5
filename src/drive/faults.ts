/** Faults of driving a run. */
import { defineFault } from '../kit/fault.ts'

export const driveCapUnsupported = defineFault({
  code: 'drive_cap_unsupported',
  kind: 'usage',
  when: 'A limit was given that an agent of the run cannot keep, because it does not report what it uses.',
  message: (d: { flag: string; backend: string }) =>
    `${d.flag} cannot be kept: ${d.backend} does not report it; use another backend or another limit`,
})

export const driveDeliveryFailed = defineFault({
  code: 'drive_delivery_failed',
  kind: 'unavailable',
  when: 'The run has ended, but its branch could not be pushed or the pull request could not be opened.',
  message: (d: { problem: string }) =>
    `the work is committed but not delivered: ${d.problem}; fix that and drive the run again`,
})
