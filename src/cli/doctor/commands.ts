import { commandsIn, flag } from '../command.ts'
import { JSON_FLAG, ROOT, suggestBackends } from '../words/shared-flags.ts'

export const DOCTOR_COMMANDS = commandsIn({ group: 'Other', failsAs: 'Hosts' }, [
  {
    words: ['doctor'],
    summary: 'Check everything that drover needs, and show how to fix problems',
    description: `Checks the repository, hosts, runs, GitHub, programs, configuration, directories, sessions, locks and agents.
Without --clear-interrupted, nothing is changed, except that a small file is written, synced and removed, to find out whether the
file system can protect runs from a power failure.
Outside a repository, hosts and runs are skipped. The exit code is 0 even if there are errors. With --strict, it is 3 if there are
errors.`,
    positionals: [
      {
        name: 'agent',
        description: 'With --try: the agents to try; all that are installed if none is named',
        isOptional: true,
        repeats: true,
        suggests: suggestBackends,
      },
    ],
    flags: [
      ROOT,
      flag('--strict', 'Exit with 3 if a check finds an error'),
      flag('--try', 'Also send one short prompt to each agent, which your provider may charge for'),
      flag('--offline', 'Do not use the network, except for --try'),
      flag('--clear-interrupted', 'First clean up after interrupted installs'),
      { ...JSON_FLAG, description: 'Print JSON (a doctorReport; see docs/machine-protocol.md)' },
    ],
    examples: {
      'drover doctor': 'for people',
      'drover doctor --try': 'see whether the agents answer',
      'drover doctor --json --strict --offline': 'for scripts',
      'drover doctor --clear-interrupted': 'after a killed install',
    },
    load: () => import('./doctor.ts'),
  },
])
