/** Faults of the record of a driven run. */
import { defineFault } from '../../kit/fault.ts'

export const driveBusy = defineFault('drive_busy', 'conflict', {
  when: 'Another process is driving the run. Nothing was changed.',
  message: (d: { run_id: string }) =>
    `another process is driving the run ${d.run_id}; follow it with "drover status ${d.run_id} --watch", or wait until it has ended`,
})
