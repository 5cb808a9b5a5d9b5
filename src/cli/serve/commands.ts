import { commandsIn, flag, type Positional } from '../command.ts'
import { DEMO, JSON_FLAG } from '../words/shared-flags.ts'

const STORE = {
  name: 'store',
  value: 'URL',
  description:
    'Where sessions and executions are stored (default: store.url); pass a password in DROVER_STORE_URL, PGPASSWORD or ~/.pgpass',
} as const

const MACHINE: Positional = { name: 'name', description: 'Name of the machine, as "drover machines" shows it' }

export const SERVER_COMMANDS = commandsIn({ group: 'Server' }, [
  {
    words: ['serve'],
    summary: 'Serve prompts and sessions over HTTP',
    description: `Serves the web console and three APIs on one address: the native API under /api/v1, the OpenAI API (responses and chat
completions) under /openai/v1, and the Anthropic API (messages) under /anthropic/v1. API keys come from "drover keys create",
DROVER_API_KEYS, DROVER_API_KEYS_FILE or gopass.
After Ctrl-C, the server accepts no more requests, waits up to 30 seconds for running ones, then stops their agents. A second
Ctrl-C stops the server immediately. SIGHUP reloads the API keys. At a terminal, however, SIGHUP means that the window was
closed, and shuts the server down like Ctrl-C.
The exit code is 0 after a normal shutdown, 2 for a usage error and 1 for any other failure.`,
    flags: [
      flag('--host ADDRESS', 'Address to listen on (default: server.host)'),
      flag('-p, --port PORT', 'Port to listen on, 0 for any free port (default: server.port)', {
        integer: { min: 0, max: 65_535 },
      }),
      flag('--socket PATH', 'Listen on a Unix socket that only you can open'),
      flag(
        '--local',
        'Serve only your own commands, without listening on a network address; stops when idle ("drover up" starts such a server)',
      ),
      STORE,
      flag('--no-work', 'With PostgreSQL: accept requests, but leave the prompts to "drover work" or to other servers'),
      DEMO,
      flag('--verbose', 'Print all settings and endpoints at startup'),
      flag('-q, --quiet', 'Log only problems, not requests'),
      flag('--log-prompts', 'Also log prompts and answers, which are not logged otherwise'),
    ],
    examples: {
      'drover serve': 'listen on 127.0.0.1:8080, for programs on this machine',
      'drover serve --demo': 'try it without an installed agent',
      'drover serve --socket /run/drover/drover.sock': 'only for your own programs',
      'DROVER_API_KEYS_FILE=/run/secrets/keys drover serve --host 0.0.0.0 -p 9000':
        'listen on the network, with API keys',
    },
    load: () => import('./serve.ts'),
  },
  {
    words: ['open'],
    summary: "Open your server's console in a browser",
    description: `The console is the web page of "drover serve". It shows what needs your attention, what is running, sessions and usage.
Prints the console's address and, on a terminal with a desktop, opens it in your browser. If the server has API keys, the
printed link logs you in without a key. It works once, within 5 minutes. You then see the work of every key.`,
    flags: [flag('--print', 'Only print the link, do not open a browser')],
    examples: {
      'drover open': 'open the console',
      'drover open --print': 'print a link that you can open in another browser',
    },
    load: () => import('./open.ts'),
  },
  {
    words: ['work'],
    summary: 'Run prompts and driven runs on behalf of servers on other machines',
    description: `Runs prompts that servers put into a PostgreSQL store. Start a worker on each machine that has agents and
repositories. A session is resumed on the machine where it began. The setting work.repositories limits the directories in
which prompts may run.
Runs are driven in the repositories that drive.repositories lists, and continue when the worker is started again.
After Ctrl-C or SIGTERM, the worker accepts no more prompts, waits up to work.drain_secs (30) for running ones, then stops their agents.
With --drain, the command starts no worker: it lets those of this machine finish their prompts, however long that takes, and returns
when they have ended.
If the process dies, prompts that had not started run on another machine, and prompts that had started are marked as lost.`,
    flags: [
      STORE,
      DEMO,
      flag('--label LABEL', 'What this machine is or has, such as gpu (default: work.labels)', { repeats: true }),
      flag('--drain', 'Let the workers of this machine finish their prompts and end, and wait for that'),
      flag('-q, --quiet', 'Log only problems'),
    ],
    examples: {
      'drover work --label gpu': 'also run prompts that require the label gpu',
      'drover work --drain': 'before you switch this machine off',
      'drover work --store postgres://drover@db.example.com/drover': 'the password comes from PGPASSWORD or ~/.pgpass',
    },
    load: () => import('./work.ts'),
  },
  {
    words: ['machines', 'list'],
    isDefault: true,
    otherNames: ['ls'],
    summary: 'List the machines whose workers share a PostgreSQL store',
    description: `The word "list" can be left out. A machine is listed once a worker has run there, until it is forgotten. Also shows prompts that wait for
a label that no worker has.`,
    flags: [JSON_FLAG],
    examples: { 'drover machines': 'what each machine runs, and which are gone' },
    load: async () => ({ run: (await import('./machines-command.ts')).list }),
  },
  {
    words: ['machines', 'drain'],
    summary: 'Let the workers of a machine finish what they run, and end',
    description: `From now on the machine gets no prompts and no runs. When its prompts have ended, its workers end; a server there keeps serving. Driven runs
are interrupted then, and continue when a worker is started on the machine again, which also ends the draining.`,
    positionals: [MACHINE],
    flags: [flag('--wait', 'Return when its workers have ended'), JSON_FLAG],
    examples: { 'drover machines drain gpu-1 --wait': 'before you switch the machine off' },
    load: async () => ({ run: (await import('./machines-command.ts')).drain }),
  },
  {
    words: ['machines', 'forget'],
    summary: 'Remove a machine that does not come back',
    description: `The machine is no longer listed. Turns that wait for it fail, and lists no longer show the copies of its driven runs. The runs are still in the
repositories of the machine. A machine with a running worker is refused.`,
    positionals: [MACHINE],
    flags: [JSON_FLAG],
    examples: { 'drover machines forget gpu-1': 'after the machine was removed' },
    load: async () => ({ run: (await import('./machines-command.ts')).forget }),
  },
])
