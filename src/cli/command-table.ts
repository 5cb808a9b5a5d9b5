/** Every command of drover, in the order of the help. Nothing here loads the code that does the work. */
import { BATCH_COMMANDS } from './batch/commands.ts'
import type { Command } from './command.ts'
import { CONFIG_COMMANDS } from './config/commands.ts'
import { DOCTOR_COMMANDS } from './doctor/commands.ts'
import { HOST_COMMANDS } from './hosts/commands.ts'
import { PROMPT_COMMANDS } from './prompt/commands.ts'
import { RUN_COMMANDS } from './run/commands.ts'
import { SERVER_COMMANDS } from './serve/commands.ts'
import { SESSION_COMMANDS } from './sessions/commands.ts'
import { SOURCE_COMMANDS } from './source/commands.ts'

export const COMMANDS: readonly Command[] = [
  ...PROMPT_COMMANDS,
  ...SESSION_COMMANDS,
  ...BATCH_COMMANDS,
  ...SERVER_COMMANDS,
  ...RUN_COMMANDS,
  ...SOURCE_COMMANDS,
  ...HOST_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...CONFIG_COMMANDS,
  {
    words: ['completion'],
    group: 'Other',
    summary: 'Print the completion script of a shell',
    description: 'The script asks drover itself for the words, so it never goes stale.',
    positionals: [{ name: 'shell', description: 'The shell to complete in', choices: ['bash', 'zsh', 'fish'] }],
    flags: [],
    examples: [
      {
        line: 'source <(drover completion bash)',
        description: 'complete in this shell; put it into ~/.bashrc to keep it',
      },
      { line: 'source <(drover completion zsh)', description: 'the same in zsh, from ~/.zshrc' },
      {
        line: 'drover completion fish > ~/.config/fish/completions/drover.fish',
        description: 'complete in every new fish',
      },
    ],
    load: () => import('./shell/completion.ts'),
  },
  {
    words: ['complete-words'],
    group: 'Other',
    summary: 'Print the words that may stand at the cursor, for completion scripts',
    positionals: [
      { name: 'word', description: 'The words typed so far, the unfinished one last', isOptional: true, repeats: true },
    ],
    flags: [],
    examples: [{ line: 'drover complete-words -- config s', description: 'set, show' }],
    isHidden: true,
    load: () => import('./shell/complete-words.ts'),
  },
  {
    words: ['help'],
    group: 'Other',
    summary: 'Show help, of drover or of one command',
    positionals: [{ name: 'word', description: 'The words of the command', isOptional: true, repeats: true }],
    flags: [],
    examples: [{ line: 'drover help config set', description: 'the same as drover config set --help' }],
    load: () => import('./shell/help.ts'),
  },
  {
    words: ['version'],
    group: 'Other',
    summary: 'Show the version of drover and of what it runs on',
    positionals: [],
    flags: [{ name: 'json', description: 'Print JSON' }],
    examples: [
      { line: 'drover version', description: 'for people, and for bug reports' },
      { line: 'drover version --json', description: 'for scripts' },
    ],
    load: () => import('./shell/version.ts'),
  },
]
