import { commandsIn, flag } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const SANDBOX_COMMANDS = commandsIn({ group: 'Other' }, [
  {
    words: ['sandbox', 'check'],
    isDefault: true,
    summary: 'Try what a sandbox on this machine enforces',
    description: `Starts a sandbox and tries to leave it: reads a file in a home directory, writes outside, connects to hosts and
sockets, looks at other processes, leaves a process behind. Exit code 0: everything was refused. The word "check" can be left out.`,
    flags: [JSON_FLAG],
    examples: {
      'drover sandbox check': 'show a table',
      'drover sandbox check --json': 'print JSON',
    },
    load: () => import('./check-sandbox.ts'),
  },
  {
    words: ['sandbox', 'run'],
    summary: 'Run a command in a sandbox',
    description: `The command can write to the worktree of the current directory, and to a home and a /tmp that are empty and
discarded. It reads the system and the repository, and reaches only listed hosts (sandbox.hosts, --host). Needs Linux and
bubblewrap, or macOS. The exit code is that of the command. What was reached and refused is printed at the end.`,
    positionals: [{ name: 'command', description: 'The program and its arguments, after --', repeats: true }],
    flags: [
      flag('--host HOST', 'Allow this host or preset too, as in sandbox.hosts', { repeats: true }),
      flag('--read PATH', 'Allow the command to read this path', { repeats: true }),
      flag('--write PATH', 'Allow the command to write this path', { repeats: true }),
      flag('--env NAME', 'Pass this variable to the command', { repeats: true }),
      flag('--stdin', 'Pass standard input to the command; otherwise it is empty'),
    ],
    examples: {
      'drover sandbox run -- npm test': 'run the tests without a network',
      'drover sandbox run --host npm -- npm ci': 'allow the registry of npm',
    },
    load: () => import('./run-sandboxed.ts'),
  },
])
