import { commandsIn, flag, type Positional } from '../command.ts'
import { JSON_FLAG, suggestKeyNames } from '../words/shared-flags.ts'

const NEW_NAME: Positional = {
  name: 'name',
  description: 'Name of the key in logs: 1 to 64 letters, digits, dots, underscores or hyphens',
}

const NAME: Positional = {
  name: 'name',
  description: 'Name of the key',
  suggests: suggestKeyNames,
}

const LARGEST_RATE = 1_000_000

export const KEY_COMMANDS = commandsIn({ group: 'Server' }, [
  {
    words: ['keys', 'create'],
    otherNames: ['add', 'new'],
    summary: 'Create an API key for clients of the server',
    description: `Prints the key once, to stdout. The config file gets only its digest, under server.keys, so the key cannot be shown again.
A running server accepts the key within seconds. If the server was started without keys, restart it. Until then, it
accepts requests without a key.`,
    positionals: [NEW_NAME],
    flags: [
      flag(
        '--role ROLE',
        'A client sees its own sessions and executions, an operator those of every key; an admin also manages keys (default: client)',
        { choices: ['client', 'operator', 'admin'] },
      ),
      flag('--rps N', 'Requests per second, if server.rate_limit_enabled is true (default: server.rate_limit_rps)', {
        integer: { min: 1, max: LARGEST_RATE },
      }),
      flag('--burst N', 'Requests allowed at once (default: server.rate_limit_burst)', {
        integer: { min: 1, max: LARGEST_RATE },
      }),
      flag(
        '--max-approval MODE',
        'Maximum that agents may do without approval: nothing (always), edit files, and for codex run commands in a sandbox (auto), or everything (none); default: server.max_approval_mode',
        { choices: ['always', 'auto', 'none'] },
      ),
      flag('--max-sandbox MODE', 'Highest sandbox mode for its requests (default: server.max_sandbox_mode)', {
        choices: ['read-only', 'workspace', 'full'],
      }),
      flag(
        '--directory DIR',
        'A directory in which its prompts and runs may work, with everything beneath it (default: all that the server allows)',
        { repeats: true },
      ),
      flag('--backend NAME', 'An agent that it may use (default: all)', { repeats: true }),
      flag('--may-merge', 'Let it merge the work of its runs into branches of the repository, and check them out'),
      flag('--require-sandbox', 'Run its agents only in a sandbox, as with sandbox.mode required'),
      flag('--budget LIMIT', 'How much it may use: 20usd/day, 5Mtokens/week, 100requests/month or 90minutes/once', {
        repeats: true,
      }),
      flag('--expires TIME', 'Refuse the key after this time, such as 30d or 12h (default: never)'),
      JSON_FLAG,
    ],
    examples: {
      'drover keys create ci': 'print a new key for the client "ci"',
      'drover keys create reviewer --rps 2 --max-sandbox read-only':
        'a key for at most 2 requests per second, whose agents may only read',
      'drover keys create web --directory /srv/project-a': 'a key whose agents may work only there',
      'drover keys create docs --backend claude': 'a key that may use only claude',
      'drover keys create ada --budget 20usd/day --expires 30d': 'a key for 20 dollars per day, for 30 days',
      'KEY=$(drover keys create ci)': 'keep the key in a script variable',
    },
    load: async () => ({ run: (await import('./keys.ts')).create }),
  },
  {
    words: ['keys', 'list'],
    isDefault: true,
    otherNames: ['ls'],
    summary: 'List the API keys in the config file',
    description:
      'The word "list" can be left out. Keys from DROVER_API_KEYS, DROVER_API_KEYS_FILE and gopass are not listed.',
    flags: [JSON_FLAG],
    examples: {
      'drover keys list': 'names, roles and limits',
    },
    load: async () => ({ run: (await import('./keys.ts')).list }),
  },
  {
    words: ['keys', 'rotate'],
    summary: 'Give an API key a new secret',
    description: `Prints the new secret once, to stdout. A running server rejects the old one within two seconds. Everything that belongs to the key
stays: its sessions, its usage, and what was used of its budgets.`,
    positionals: [NAME],
    flags: [JSON_FLAG],
    examples: {
      'drover keys rotate ci': 'print the new secret of the key "ci"',
    },
    load: async () => ({ run: (await import('./keys.ts')).rotate }),
  },
  {
    words: ['keys', 'revoke'],
    otherNames: ['delete', 'remove', 'rm'],
    summary: 'Remove an API key from the config file',
    description: `A running server rejects the key within two seconds, and closes the connections of its open requests. Work that does not
depend on a connection, such as a detached prompt or a run, is not stopped.`,
    positionals: [NAME],
    flags: [JSON_FLAG],
    examples: {
      'drover keys revoke ci': 'reject the key from now on',
    },
    load: async () => ({ run: (await import('./keys.ts')).revoke }),
  },
])
