/** Definition of `serve`. */
import type { Command } from '../command.ts'
import { DEMO } from '../words/shared-flags.ts'

const STORE = {
  name: 'store',
  value: 'URL',
  description:
    'Where sessions and executions are stored (default: store.url); a password comes from DROVER_STORE_URL, PGPASSWORD or ~/.pgpass',
} as const

export const SERVER_COMMANDS: readonly Command[] = [
  {
    words: ['serve'],
    group: 'Server',
    summary: 'Serve prompts and sessions over HTTP',
    description: `Serves the web console and three APIs on one address: the native API under /api/v1, chat completions
under /openai/v1 and messages under /anthropic/v1. API keys come from "drover keys create", DROVER_API_KEYS, DROVER_API_KEYS_FILE or gopass.
Ctrl+C stops accepting requests, waits up to 30 seconds for running ones, then stops their agents. A second Ctrl+C stops
the server immediately. SIGHUP reloads the API keys, except at a terminal, where it means the window was closed and
shuts the server down like Ctrl+C.
The exit code is 0 after a normal shutdown, 2 for a usage error and 1 for any other failure.`,
    positionals: [],
    flags: [
      { name: 'host', value: 'ADDRESS', description: 'Address to listen on (default: server.host)' },
      {
        name: 'port',
        short: 'p',
        value: 'PORT',
        description: 'Port to listen on, 0 for any free port (default: server.port)',
        integer: { min: 0, max: 65_535 },
      },
      { name: 'socket', value: 'PATH', description: 'Listen on a Unix socket that only you can open' },
      {
        name: 'local',
        description:
          'Serve only your own commands, without listening on a network address; stops when idle (drover up starts it)',
      },
      STORE,
      {
        name: 'no-work',
        description:
          'With PostgreSQL: only accept requests; prompts run where "drover work" or another server is running',
      },
      DEMO,
      { name: 'verbose', description: 'Print all settings and endpoints at startup' },
      { name: 'quiet', short: 'q', description: 'Log only problems, not requests' },
      { name: 'log-prompts', description: 'Log prompts and answers too; otherwise they are never logged' },
    ],
    examples: [
      { line: 'drover serve', description: 'listen on 127.0.0.1:8080, for programs on this machine' },
      { line: 'drover serve --demo', description: 'try it without an installed agent' },
      { line: 'drover serve --socket /run/drover/drover.sock', description: 'only for your own programs' },
      {
        line: 'DROVER_API_KEYS_FILE=/run/secrets/keys drover serve --host 0.0.0.0 -p 9000',
        description: 'listen on the network, with API keys',
      },
    ],
    load: () => import('./serve.ts'),
  },
  {
    words: ['open'],
    group: 'Server',
    summary: "Open your server's console in a browser",
    description: `The console is a web page of drover serve that shows what needs your attention, what is running, sessions and usage. Prints its address and, on a
terminal with a desktop, opens it in your browser. If the server has API keys, the link logs you in without one: it works
once, within 5 minutes, and you see what every key does.`,
    positionals: [],
    flags: [{ name: 'print', description: 'Only print the link, do not open a browser' }],
    examples: [
      { line: 'drover open', description: 'open the console' },
      { line: 'drover open --print', description: 'print a link, to open it in another browser' },
    ],
    load: () => import('./open.ts'),
  },
  {
    words: ['work'],
    group: 'Server',
    summary: 'Run prompts and driven runs on behalf of servers on other machines',
    description: `Runs prompts that servers put into a PostgreSQL store: start it on each machine that has agents and
repositories. A session is resumed where it began. The setting work.repositories limits the directories.
Runs are driven in the repositories that drive.repositories lists, and continue when the worker is started again.
Ctrl+C stops accepting prompts, waits up to 30 seconds for running ones, then stops their agents.
If the process dies, prompts that had not started run elsewhere, and those that had are marked as lost.`,
    positionals: [],
    flags: [STORE, DEMO, { name: 'quiet', short: 'q', description: 'Log only problems' }],
    examples: [
      {
        line: 'drover work --store postgres://drover@db.example.com/drover',
        description: 'the password comes from PGPASSWORD or ~/.pgpass',
      },
    ],
    load: () => import('./work.ts'),
  },
]
