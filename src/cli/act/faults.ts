import { defineFault } from '../../kit/fault.ts'

export const discardNotConfirmed = defineFault('discard_not_confirmed', 'usage', {
  when: 'The command `drover discard` has no terminal to ask on, and was not given `--yes`. Nothing was changed.',
  message: (d: { run_id: string }) =>
    `the work of ${d.run_id} would be discarded, and no one can be asked; look at it with "drover report ${d.run_id}", then run "drover discard ${d.run_id} --yes"`,
})
