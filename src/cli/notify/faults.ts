import { defineFault } from '../../kit/fault.ts'

export const targetNotFound = defineFault('target_not_found', 'usage', {
  when: 'The setting `notify.targets` has no target of this name.',
  message: (d: { target: string; targets: readonly string[] }) =>
    `there is no target ${d.target}: ${d.targets.length === 0 ? 'notify.targets is empty' : `use ${d.targets.join(', ')}`}`,
})

export const targetNotAccepting = defineFault('target_not_accepting', 'unavailable', {
  when: 'A target of notifications did not accept one.',
  message: (d: { target: string; problem: string }) =>
    `${d.target} did not accept a notification: ${d.problem}; check its settings in notify.targets`,
})
