/** Definition of `backends`. */
import type { Command } from '../command.ts'
import { DEMO, JSON_FLAG } from '../words/shared-flags.ts'

export const BACKEND_COMMANDS: readonly Command[] = [
  {
    words: ['backends'],
    group: 'Prompts',
    summary: 'Show which agents are installed and what each can do',
    positionals: [],
    flags: [JSON_FLAG, DEMO],
    examples: [
      { line: 'drover backends', description: 'installed agents, their versions and abilities' },
      { line: 'drover backends --json', description: 'for scripts' },
    ],
    load: () => import('./backends.ts'),
  },
]
