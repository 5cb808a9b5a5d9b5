import { commandsIn, flag } from '../command.ts'
import { JSON_FLAG, PREPARATION, ROOT } from '../words/shared-flags.ts'

const YES = { name: 'yes', description: 'Save the settings without asking' } as const

export const PROJECT_COMMANDS = commandsIn({ group: 'Changes' }, [
  {
    words: ['init'],
    summary: 'Configure how new worktrees of this repository are prepared and checked',
    description: `Looks for lock files and manifests (npm, pnpm, yarn, bun, uv, poetry, pip, Go, Cargo, Bundler, Composer, Maven, Gradle), proposes
commands for the setup and for checks, and files such as .env.test to copy, and saves them in drover's own directory, for this repository only. "drover drive" and
"drover compare --worktrees" use them. Flags replace what was found. If you want neither setup nor checks, use --none.`,
    flags: [
      ...PREPARATION,
      flag('--check COMMAND', 'Command that must pass after the work', { repeats: true }),
      flag('--none', 'Prepare and check nothing in this repository'),
      YES,
      ROOT,
      JSON_FLAG,
    ],
    examples: {
      'drover init': 'propose commands, and ask',
      'drover init --setup "npm ci" --copy .env.test --check "npm test"': 'choose the settings yourself',
      'drover init --yes --json': 'for scripts',
    },
    load: async () => ({ run: (await import('./project-command.ts')).init }),
  },
  {
    words: ['trust'],
    summary: "Use this repository's .drover.yml",
    description: `A repository may include a .drover.yml with setup, copy, share and checks. Its commands run with your permissions, so drover uses
the file only after you have trusted its content. If the file changes, drover does not use it until you trust it again.`,
    flags: [{ ...YES, description: 'Trust the file without asking' }, ROOT, JSON_FLAG],
    examples: {
      'drover trust': 'show the file, and ask',
      'drover trust --yes': 'trust the file after you have read it',
    },
    load: async () => ({ run: (await import('./project-command.ts')).trust }),
  },
])
