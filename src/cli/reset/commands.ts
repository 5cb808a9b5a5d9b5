/** Definition of `reset`. */
import type { Command } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const RESET_COMMANDS: readonly Command[] = [
  {
    words: ['reset'],
    group: 'Other',
    summary: 'Stop what is running, remove worktrees that contain no work, and list what is left',
    description: `Use it before you uninstall drover. Stops the server that drover up started, with the agents that it keeps running, and agents that a killed
drover left behind. Removes the worktrees that drover created if their branches hold everything in them and no run is open there.
Nothing that holds work is deleted: other worktrees, branches, journals of runs, installed capabilities and drover's own directory are
listed, each with the command that removes it. Repositories are those of worktrees and driven runs, and the one you are in.
On a terminal it asks first. Elsewhere it changes nothing without --yes.`,
    positionals: [],
    flags: [
      { name: 'yes', description: 'Do not ask' },
      { name: 'dry-run', description: 'Only list what would be done, and what would be left' },
      JSON_FLAG,
    ],
    examples: [
      { line: 'drover reset', description: 'ask, then do it' },
      { line: 'drover reset --dry-run', description: 'see what would be done' },
      { line: 'drover reset --yes --json', description: 'for scripts' },
    ],
    load: () => import('./reset.ts'),
  },
]
