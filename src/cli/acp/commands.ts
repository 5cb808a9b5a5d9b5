/** Definition of `acp`. */
import type { Command } from '../command.ts'
import { BACKEND, DEMO } from '../words/shared-flags.ts'

export const ACP_COMMANDS: readonly Command[] = [
  {
    words: ['acp'],
    group: 'Server',
    summary: 'Be an agent for editors that speak the Agent Client Protocol',
    description: `An editor starts it and talks to it over standard input and output. Its conversations are sessions of drover. The user
chooses the coding agent and its permissions in the editor, and decides there about what the agent asks for. It ends when
the editor closes standard input.`,
    positionals: [],
    flags: [BACKEND, DEMO],
    examples: [
      { line: 'drover acp', description: 'the command for the settings of the editor' },
      { line: 'drover acp -b codex', description: 'begin conversations with another agent' },
    ],
    load: () => import('./acp.ts'),
  },
]
