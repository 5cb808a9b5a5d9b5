/** Reads `--sandbox` and `--no-sandbox` of what runs in worktrees. */
import type { Invocation } from './command.ts'
import { flagsConflict } from './faults.ts'

/** Who asks for a sandbox gets nothing without one. */
export function readSandbox(flags: Invocation['flags']): 'required' | 'off' | undefined {
  if (flags.isOn('sandbox') && flags.isOn('no-sandbox')) {
    throw flagsConflict({ flags: ['--sandbox', '--no-sandbox'], instead: 'choose one' })
  }
  if (flags.isOn('sandbox')) return 'required'
  return flags.isOn('no-sandbox') ? 'off' : undefined
}
