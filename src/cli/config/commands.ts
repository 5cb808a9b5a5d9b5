/** The `config` commands. */
import type { Command, Positional } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

const KEY: Positional = {
  name: 'key',
  description: 'A key as drover config show lists them, such as server.port',
  suggests: async () => (await import('../../config/keys.ts')).CONFIG_KEYS.map((key) => key.path),
}

export const CONFIG_COMMANDS: readonly Command[] = [
  {
    words: ['config', 'show'],
    group: 'Other',
    summary: 'Show every setting, its value and where it came from',
    description:
      'A flag beats an environment variable, a variable beats the file, the file beats the default. Secrets are masked.',
    positionals: [],
    flags: [JSON_FLAG, { name: 'changed', description: 'Only the settings that differ from their default' }],
    examples: [
      { line: 'drover config show --changed', description: 'what is set here, and by what' },
      {
        line: 'DROVER_SERVER_PORT=9000 drover config show --json',
        description: 'the origin of server.port is the variable',
      },
    ],
    load: async () => ({ run: (await import('./show.ts')).show }),
  },
  {
    words: ['config', 'get'],
    group: 'Other',
    summary: 'Print the value of one setting',
    positionals: [KEY],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover config get server.port', description: '8080' }],
    load: async () => ({ run: (await import('./show.ts')).get }),
  },
  {
    words: ['config', 'set'],
    group: 'Other',
    summary: 'Write one setting to the config file',
    description: 'The value is read as the type of the key and the whole file is checked before anything is written.',
    positionals: [KEY, { name: 'value', description: 'The new value; several for a list', repeats: true }],
    flags: [],
    examples: [
      { line: 'drover config set server.port 9000', description: 'a number' },
      { line: 'drover config set session.default_tags work review', description: 'a list' },
      { line: 'drover config set backends.codex.model_aliases.fast gpt-5.5', description: 'one entry of a map' },
      {
        line: 'drover config set backends.claude.extra_flags -- --effort=high',
        description: 'a value that starts with a dash',
      },
    ],
    load: async () => ({ run: (await import('./edit.ts')).set }),
  },
  {
    words: ['config', 'unset'],
    group: 'Other',
    summary: 'Take one setting out of the config file',
    positionals: [KEY],
    flags: [],
    examples: [{ line: 'drover config unset server.port', description: 'back to the default' }],
    load: async () => ({ run: (await import('./edit.ts')).unset }),
  },
  {
    words: ['config', 'validate'],
    group: 'Other',
    summary: 'Check the config file and the DROVER_ variables',
    positionals: [],
    flags: [JSON_FLAG],
    examples: [
      { line: 'drover config validate', description: 'exit 0 when all is well, else every problem with its line' },
      { line: 'drover config validate --config ./team.yaml', description: 'check a file before it is used' },
    ],
    load: () => import('./validate.ts'),
  },
  {
    words: ['config', 'path'],
    group: 'Other',
    summary: 'Print where the config file is looked for',
    positionals: [],
    flags: [],
    examples: [{ line: '$EDITOR "$(drover config path)"', description: 'edit it by hand' }],
    load: async () => ({ run: (await import('./show.ts')).path }),
  },
]
