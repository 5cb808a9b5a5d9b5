import { commandsIn, type Flag, flag, type Positional } from '../command.ts'
import {
  DEMO,
  JSON_FLAG,
  suggestBackends,
  suggestDefinedBackends,
  suggestKnownAgents,
  TIMEOUT,
} from '../words/shared-flags.ts'

const DEFINED: Positional = {
  name: 'name',
  description: 'Name of a backend that the config defines',
  suggests: suggestDefinedBackends,
}

const TESTED: Positional = { name: 'name', description: 'Name of a backend', suggests: suggestBackends }

const ANSWER_TIMEOUT: Flag = {
  ...TIMEOUT,
  description: 'How long the agent may take to answer each request; 120 if not given',
}

export const BACKEND_COMMANDS = commandsIn({ group: 'Prompts' }, [
  {
    words: ['backends', 'list'],
    isDefault: true,
    otherNames: ['ls'],
    summary: 'Show which agents are installed and what they support',
    description: 'The word "list" can be left out.',
    flags: [JSON_FLAG, DEMO],
    examples: {
      'drover backends': 'show versions, paths and capabilities',
      'drover backends --json': 'print JSON',
    },
    load: () => import('./backends-command.ts'),
  },
  {
    words: ['backends', 'add'],
    summary: 'Add an agent that speaks the Agent Client Protocol as a backend',
    description:
      'Starts the agent, asks what it can do, and writes the result to the config. drover knows the commands of many agents, and those of the ACP registry, so their names are enough. Nothing is written if the agent does not answer.',
    positionals: [
      { name: 'name', description: 'Name of the backend', suggests: suggestKnownAgents },
      { name: 'command', description: 'The program and its arguments, after --', isOptional: true, repeats: true },
    ],
    flags: [
      flag('--try', 'Send a short prompt as well, and check whether the session can be resumed'),
      flag('--registry FILE', 'Copy of the ACP registry to find the command in; drover has one of 2026-02-07'),
      flag('--env NAME=VALUE', 'Environment variable of the agent', { repeats: true }),
      ANSWER_TIMEOUT,
      JSON_FLAG,
    ],
    examples: {
      'drover backends add opencode --try': 'add an agent that drover knows',
      'drover backends add auggie': 'add an agent of the ACP registry',
      'drover backends add mine -- /opt/agent --acp': 'add any other agent',
    },
    load: async () => ({ run: (await import('./add.ts')).add }),
  },
  {
    words: ['backends', 'test'],
    summary: 'Find out whether an agent works, by sending it one short prompt',
    description:
      'Costs one prompt. If the agent is not logged in, the error says what to do. If the config defines the backend, the capabilities that were found are stored there.',
    positionals: [TESTED],
    flags: [ANSWER_TIMEOUT, JSON_FLAG],
    examples: {
      'drover backends test claude': 'see whether it is installed, logged in and answers',
      'drover doctor --try': 'the same for all agents',
    },
    load: async () => ({ run: (await import('./backends-command.ts')).test }),
  },
  {
    words: ['backends', 'remove'],
    otherNames: ['rm', 'delete'],
    summary: 'Remove a backend from the config',
    description: 'The agent stays installed, and its sessions stay stored.',
    positionals: [DEFINED],
    examples: {
      'drover backends remove opencode': 'remove it',
    },
    load: async () => ({ run: (await import('./backends-command.ts')).remove }),
  },
])
