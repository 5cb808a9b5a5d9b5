/** The command that serves. */
import type { Command } from '../command.ts'

export const SERVER_COMMANDS: readonly Command[] = [
  {
    words: ['serve'],
    group: 'Server',
    summary: 'Serve prompts and sessions over HTTP',
    description: `Three styles of API on one address: the native one under /api/v1, chat completions under /openai/v1 and
messages under /anthropic/v1. API keys come from DROVER_API_KEYS, DROVER_API_KEYS_FILE, gopass or the config.
Ctrl+C stops taking requests, lets those under way finish for up to 30 seconds, then ends their agents; a second Ctrl+C
ends at once. SIGHUP reads the API keys again.
The exit code is 0 after an orderly end, 1 after anything else.`,
    positionals: [],
    flags: [
      { name: 'host', value: 'ADDRESS', description: 'Address to listen on; server.host by default' },
      {
        name: 'port',
        short: 'p',
        value: 'PORT',
        description: 'Port to listen on, 0 for any free one; server.port by default',
        integer: { min: 0, max: 65_535 },
      },
      { name: 'socket', value: 'PATH', description: 'Listen on a Unix socket instead, which only you can open' },
      { name: 'demo', description: 'Let the built-in demo agent stand in for agents that are not installed' },
      { name: 'quiet', short: 'q', description: 'Log no requests, only what goes wrong' },
      { name: 'log-prompts', description: 'Log prompts and answers too, which otherwise never leave the request' },
    ],
    examples: [
      { line: 'drover serve', description: 'on 127.0.0.1:8080, for programs on this machine' },
      { line: 'drover serve --demo', description: 'try it without any agent installed' },
      { line: 'drover serve --socket /run/drover/drover.sock', description: 'for programs of this user alone' },
      {
        line: 'DROVER_API_KEYS_FILE=/run/secrets/keys drover serve --host 0.0.0.0 -p 9000',
        description: 'for the network, with keys',
      },
    ],
    load: () => import('./serve.ts'),
  },
]
