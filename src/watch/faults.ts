/** Faults of watchers. */
import { defineFault } from '../kit/fault.ts'

export const watchBusy = defineFault('watch_busy', 'conflict', {
  when: 'Another process of this user watches the same repository, or has the same schedule with the same goal.',
  message: (d: { what: string; pid: number | undefined }) =>
    `${d.what} is already watched${d.pid === undefined ? '' : ` by process ${d.pid}`}; one process is enough`,
})
