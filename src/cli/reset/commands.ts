import { commandsIn, flag } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const RESET_COMMANDS = commandsIn({ group: 'Other' }, [
  {
    words: ['reset'],
    summary: 'Stop what is running, remove worktrees that contain no work, and list what is left',
    description: `Use this command before you uninstall drover. It stops the server that "drover up" started, the agents that the server keeps running, and
agents that a killed drover process left behind. It removes a worktree that drover created if everything in it is on its branch and no
run is open there. Nothing that contains work is deleted. Other worktrees, branches, discarded work, files installed into hosts, journals and
drover's own directory are listed, each with the command that removes it. The command looks in the repositories of worktrees and driven
runs, and in the one you are in. On a terminal, it asks first. Elsewhere, it changes nothing without --yes.`,
    flags: [
      flag('--yes', 'Do not ask'),
      flag('--dry-run', 'Only list what would be done, and what would be left'),
      JSON_FLAG,
    ],
    examples: {
      'drover reset': 'ask, then do it',
      'drover reset --dry-run': 'see what would be done',
      'drover reset --yes --json': 'for scripts',
    },
    load: () => import('./reset.ts'),
  },
])
