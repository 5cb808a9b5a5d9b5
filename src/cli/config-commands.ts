/** The `config` commands. */
import type { Command, Positional } from './command.ts'
import { JSON_FLAG } from './words/shared-flags.ts'

const KEY: Positional = {
  name: 'key',
  says: 'A key as drover config show lists them, such as server.port',
  suggests: async () => (await import('../config/keys.ts')).CONFIG_KEYS.map((key) => key.path),
}

export const CONFIG_COMMANDS: readonly Command[] = [
  {
    words: ['config', 'show'],
    group: 'Other',
    summary: 'Show every setting, its value and where it came from',
    description:
      'A flag beats an environment variable, a variable beats the file, the file beats the default. Secrets are masked.',
    positionals: [],
    flags: [JSON_FLAG, { name: 'changed', says: 'Only the settings that differ from their default' }],
    examples: [
      { line: 'drover config show --changed', says: 'what is set here, and by what' },
      { line: 'DROVER_SERVER_PORT=9000 drover config show --json', says: 'the origin of server.port is the variable' },
    ],
    load: () => import('./commands/config-show.ts'),
  },
  {
    words: ['config', 'get'],
    group: 'Other',
    summary: 'Print the value of one setting',
    positionals: [KEY],
    flags: [JSON_FLAG],
    examples: [{ line: 'drover config get server.port', says: '8080' }],
    load: () => import('./commands/config-get.ts'),
  },
  {
    words: ['config', 'set'],
    group: 'Other',
    summary: 'Write one setting to the config file',
    description: 'The value is read as the type of the key and the whole file is checked before anything is written.',
    positionals: [KEY, { name: 'value', says: 'The new value; several for a list', repeats: true }],
    flags: [],
    examples: [
      { line: 'drover config set server.port 9000', says: 'a number' },
      { line: 'drover config set session.default_tags work review', says: 'a list' },
      { line: 'drover config set backends.codex.model_aliases.fast gpt-5.5', says: 'one entry of a map' },
      {
        line: 'drover config set backends.claude.extra_flags -- --effort=high',
        says: 'a value that starts with a dash',
      },
    ],
    load: () => import('./commands/config-set.ts'),
  },
  {
    words: ['config', 'unset'],
    group: 'Other',
    summary: 'Take one setting out of the config file',
    positionals: [KEY],
    flags: [],
    examples: [{ line: 'drover config unset server.port', says: 'back to the default' }],
    load: () => import('./commands/config-unset.ts'),
  },
  {
    words: ['config', 'validate'],
    group: 'Other',
    summary: 'Check the config file and the DROVER_ variables',
    positionals: [],
    flags: [JSON_FLAG],
    examples: [
      { line: 'drover config validate', says: 'exit 0 when all is well, else every problem with its line' },
      { line: 'drover config validate --config ./team.yaml', says: 'check a file before it is used' },
    ],
    load: () => import('./commands/config-validate.ts'),
  },
  {
    words: ['config', 'path'],
    group: 'Other',
    summary: 'Print where the config file is looked for',
    positionals: [],
    flags: [],
    examples: [{ line: '$EDITOR "$(drover config path)"', says: 'edit it by hand' }],
    load: () => import('./commands/config-path.ts'),
  },
]
