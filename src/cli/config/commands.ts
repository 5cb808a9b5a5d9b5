/** Definitions of the `config` commands. */
import type { Command, Positional } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

const KEY: Positional = {
  name: 'key',
  description: 'Key, such as server.port; "drover config show" lists all keys',
  suggests: async () => (await import('../../config/setting-keys.ts')).CONFIG_KEYS.map((key) => key.path),
}

export const CONFIG_COMMANDS: readonly Command[] = [
  {
    words: ['config', 'show'],
    group: 'Other',
    summary: 'Show every setting, its value and its origin',
    description:
      'A flag overrides an environment variable, which overrides the file, which overrides the default. Secrets are masked.',
    positionals: [],
    flags: [JSON_FLAG, { name: 'changed', description: 'Show only settings that differ from their default' }],
    examples: [
      { line: 'drover config show --changed', description: 'show what is set, and where it is set' },
      {
        line: 'DROVER_SERVER_PORT=9000 drover config show --json',
        description: 'shows the variable as the origin of server.port',
      },
    ],
    load: async () => ({ run: (await import('./show-command.ts')).show }),
  },
  {
    words: ['config', 'get'],
    group: 'Other',
    summary: 'Print the value of one setting',
    positionals: [KEY],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover config get server.port', description: 'prints 8080' }],
    load: async () => ({ run: (await import('./show-command.ts')).get }),
  },
  {
    words: ['config', 'set'],
    group: 'Other',
    summary: 'Set a value in the config file',
    description:
      'The value is parsed according to the type of the key, and the whole file is checked before it is written.',
    positionals: [KEY, { name: 'value', description: 'New value; several values for a list', repeats: true }],
    flags: [],
    examples: [
      { line: 'drover config set server.port 9000', description: 'set a number' },
      { line: 'drover config set session.default_tags work review', description: 'set a list' },
      { line: 'drover config set backends.codex.model_aliases.fast gpt-5.5', description: 'set one entry of a map' },
      {
        line: 'drover config set backends.claude.extra_flags -- --effort=high',
        description: 'set a value that starts with a dash',
      },
    ],
    load: async () => ({ run: (await import('./edit-command.ts')).set }),
  },
  {
    words: ['config', 'unset'],
    group: 'Other',
    summary: 'Remove a value from the config file',
    positionals: [KEY],
    flags: [],
    examples: [{ line: 'drover config unset server.port', description: 'back to the default' }],
    load: async () => ({ run: (await import('./edit-command.ts')).unset }),
  },
  {
    words: ['config', 'validate'],
    group: 'Other',
    summary: 'Check the config file and the DROVER_ variables',
    positionals: [],
    flags: [JSON_FLAG],
    examples: [
      { line: 'drover config validate', description: 'exit 0 if valid, else list every problem with its line' },
      { line: 'drover config validate --config ./team.yaml', description: 'check a file before you use it' },
    ],
    load: () => import('./validate-command.ts'),
  },
  {
    words: ['config', 'path'],
    group: 'Other',
    summary: 'Print the path of the config file',
    positionals: [],
    flags: [],
    examples: [{ line: '$EDITOR "$(drover config path)"', description: 'edit the file by hand' }],
    load: async () => ({ run: (await import('./show-command.ts')).path }),
  },
]
