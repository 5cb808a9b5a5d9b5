/** The command that says whether everything is in order. */
import type { Command } from '../command.ts'
import { JSON_FLAG, ROOT } from '../words/shared-flags.ts'

export const DOCTOR_COMMANDS: readonly Command[] = [
  {
    words: ['doctor'],
    group: 'Other',
    failsAs: 'Hosts',
    summary: 'Check everything that drover needs, and say what to do about problems',
    description: `Repository, hosts, runs, GitHub, programs, configuration, sessions, locks and agents. Nothing is changed, but for a file
that is written and removed again to see whether runs are safe from a power failure. Outside of a repository, hosts and
runs are passed over. The exit code is 0 whatever is found; with --strict it is 3 when something is an error.`,
    positionals: [],
    flags: [
      ROOT,
      { name: 'strict', description: 'Exit with 3 when a check is an error' },
      { name: 'offline', description: 'Ask nothing that goes over the network' },
      { name: 'clear-interrupted', description: 'First undo, or clear up after, installs that were cut off' },
      { ...JSON_FLAG, description: 'Print a doctorReport' },
    ],
    examples: [
      { line: 'drover doctor', description: 'for people' },
      { line: 'drover doctor --json --strict --offline', description: 'for scripts' },
      { line: 'drover doctor --clear-interrupted', description: 'after an install that was killed' },
    ],
    load: () => import('./doctor.ts'),
  },
]
