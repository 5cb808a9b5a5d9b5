import { commandsIn, flag, type Positional } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

const KEY: Positional = {
  name: 'key',
  description: 'Key, such as server.port; "drover config show" lists all keys',
  suggests: async () => (await import('../../config/setting-keys.ts')).CONFIG_KEYS.map((key) => key.path),
}

export const CONFIG_COMMANDS = commandsIn({ group: 'Other' }, [
  {
    words: ['config', 'show'],
    summary: 'Show every setting, its value and its origin',
    description:
      'A flag overrides an environment variable, which overrides the file, which overrides the default. Secrets are masked.',
    flags: [JSON_FLAG, flag('--changed', 'Show only settings that differ from their default')],
    examples: {
      'drover config show --changed': 'show what is set, and where it is set',
      'DROVER_SERVER_PORT=9000 drover config show --json': 'shows the variable as the origin of server.port',
    },
    load: async () => ({ run: (await import('./config-command.ts')).show }),
  },
  {
    words: ['config', 'get'],
    summary: 'Print the value of one setting',
    positionals: [KEY],
    flags: [JSON_FLAG],
    examples: {
      'drover config get server.port': 'prints 8080',
    },
    load: async () => ({ run: (await import('./config-command.ts')).get }),
  },
  {
    words: ['config', 'set'],
    summary: 'Set a value in the config file',
    description:
      'The value is parsed according to the type of the key, and the whole file is checked before it is written.',
    positionals: [KEY, { name: 'value', description: 'New value; several values for a list', repeats: true }],
    examples: {
      'drover config set server.port 9000': 'set a number',
      'drover config set session.default_tags work review': 'set a list',
      'drover config set backends.codex.model_aliases.fast gpt-5.5': 'set one entry of a map',
      'drover config set backends.claude.extra_flags -- --effort=high': 'set a value that starts with a dash',
    },
    load: async () => ({ run: (await import('./config-command.ts')).set }),
  },
  {
    words: ['config', 'unset'],
    summary: 'Remove a value from the config file',
    positionals: [KEY],
    examples: {
      'drover config unset server.port': 'back to the default',
    },
    load: async () => ({ run: (await import('./config-command.ts')).unset }),
  },
  {
    words: ['config', 'validate'],
    summary: 'Check the config file and the DROVER_ variables',
    flags: [JSON_FLAG],
    examples: {
      'drover config validate': 'exit 0 if valid, else list every problem with its line',
      'drover config validate --config ./team.yaml': 'check a file before you use it',
    },
    load: async () => ({ run: (await import('./config-command.ts')).validate }),
  },
  {
    words: ['config', 'path'],
    summary: 'Print the path of the config file',
    examples: {
      '$EDITOR "$(drover config path)"': 'edit the file by hand',
    },
    load: async () => ({ run: (await import('./config-command.ts')).path }),
  },
])
