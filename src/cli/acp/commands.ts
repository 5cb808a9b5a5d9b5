import { commandsIn } from '../command.ts'
import { BACKEND, DEMO } from '../words/shared-flags.ts'

export const ACP_COMMANDS = commandsIn({ group: 'Server' }, [
  {
    words: ['acp'],
    summary: 'Act as an ACP agent for your editor',
    description: `An editor that speaks the Agent Client Protocol (ACP) starts this command and talks to it over standard input and output. Its
conversations are drover sessions. In the editor, the user chooses the coding agent and its permissions, and approves or denies
what the agent asks for. The command exits when the editor closes standard input.`,
    flags: [BACKEND, DEMO],
    examples: {
      'drover acp': "the command to enter in the editor's settings",
      'drover acp -b codex': 'begin conversations with another agent',
    },
    load: () => import('./acp.ts'),
  },
])
