/** Definition of `backends`. */
import type { Command } from '../command.ts'
import { DEMO, JSON_FLAG } from '../words/shared-flags.ts'

export const BACKEND_COMMANDS: readonly Command[] = [
  {
    words: ['backends'],
    group: 'Prompts',
    summary: 'Show which agents are installed and what they support',
    positionals: [],
    flags: [JSON_FLAG, DEMO],
    examples: [
      { line: 'drover backends', description: 'show versions, paths and capabilities' },
      { line: 'drover backends --json', description: 'print JSON' },
    ],
    load: () => import('./backends.ts'),
  },
]
