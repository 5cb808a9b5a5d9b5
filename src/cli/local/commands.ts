/** Definitions of `up` and `down`. */
import type { Command } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const LOCAL_COMMANDS: readonly Command[] = [
  {
    words: ['up'],
    group: 'Server',
    summary: 'Start a server in the background that keeps agents running',
    description: `Starts a server for your own commands. It has no network address: only you can open its socket. Prompts then go to
agents that are already running, and are answered sooner. It stops after warm.background_idle_secs without a prompt.
drover serve offers the same socket. --direct runs a prompt without it. --status exits with 1 if no server is running.`,
    positionals: [],
    flags: [
      { name: 'status', description: 'Only show whether a server is running, and what it keeps running' },
      JSON_FLAG,
    ],
    examples: [
      { line: 'drover up', description: 'start it' },
      { line: 'drover up --status', description: 'see what it keeps running' },
      { line: 'drover up --status --json', description: 'the same for a script: {"server":null} if none is running' },
    ],
    load: () => import('./up.ts'),
  },
  {
    words: ['down'],
    group: 'Server',
    summary: 'Stop the server that drover up started',
    description: 'Running prompts may finish first, for up to 30 seconds.',
    positionals: [],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover down', description: 'stop it, with the agents that it keeps running' }],
    load: () => import('./down.ts'),
  },
]
