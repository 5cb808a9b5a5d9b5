import { commandsIn, flag } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const LOCAL_COMMANDS = commandsIn({ group: 'Server' }, [
  {
    words: ['up'],
    summary: 'Start a server in the background that keeps agents running',
    description: `Starts a server for your own commands. It has no network address, only a socket that nobody else can open. Your prompts
then go to agents that are already running, and are answered sooner. The server stops after warm.background_idle_secs
without a prompt. "drover serve" opens the same socket. "drover prompt --direct" runs a prompt without the server.
With --status, the exit code is 1 if no server is running.`,
    flags: [flag('--status', 'Only show whether a server is running, and which agents it keeps running'), JSON_FLAG],
    examples: {
      'drover up': 'start the server',
      'drover up --status': 'see which agents it keeps running',
      'drover up --status --json': 'the same for a script: {"server":null} if none is running',
    },
    load: () => import('./up.ts'),
  },
  {
    words: ['down'],
    summary: 'Stop the server that drover up started',
    description: 'Waits up to 30 seconds for running prompts to finish.',
    flags: [JSON_FLAG],
    examples: {
      'drover down': 'stop the server and the agents that it keeps running',
    },
    load: async () => ({ run: (await import('./up.ts')).down }),
  },
])
