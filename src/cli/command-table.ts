/** Every command of drover, in the order of the help. Nothing here loads the code that does the work. */
import { BATCH_COMMANDS } from './batches/batch-commands.ts'
import type { Command } from './command.ts'
import { CONFIG_COMMANDS } from './config-commands.ts'
import { DOCTOR_COMMANDS } from './doctor/doctor-commands.ts'
import { HOST_COMMANDS } from './hosts/host-commands.ts'
import { PROMPT_COMMANDS } from './prompts/prompt-commands.ts'
import { RUN_COMMANDS } from './runs/run-commands.ts'
import { SERVER_COMMANDS } from './server/server-commands.ts'
import { SESSION_COMMANDS } from './sessions/session-commands.ts'
import { SOURCE_COMMANDS } from './source/source-commands.ts'

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
    positionals: [{ name: 'shell', says: 'The shell to complete in', choices: ['bash', 'zsh', 'fish'] }],
    flags: [],
    examples: [
      { line: 'source <(drover completion bash)', says: 'complete in this shell; put it into ~/.bashrc to keep it' },
      { line: 'source <(drover completion zsh)', says: 'the same in zsh, from ~/.zshrc' },
      { line: 'drover completion fish > ~/.config/fish/completions/drover.fish', says: 'complete in every new fish' },
    ],
    load: () => import('./commands/completion.ts'),
  },
  {
    words: ['complete-words'],
    group: 'Other',
    summary: 'Print the words that may stand at the cursor, for completion scripts',
    positionals: [
      { name: 'word', says: 'The words typed so far, the unfinished one last', isOptional: true, repeats: true },
    ],
    flags: [],
    examples: [{ line: 'drover complete-words -- config s', says: 'set, show' }],
    isHidden: true,
    load: () => import('./commands/complete-words.ts'),
  },
  {
    words: ['help'],
    group: 'Other',
    summary: 'Show help, of drover or of one command',
    positionals: [{ name: 'word', says: 'The words of the command', isOptional: true, repeats: true }],
    flags: [],
    examples: [{ line: 'drover help config set', says: 'the same as drover config set --help' }],
    load: () => import('./commands/help.ts'),
  },
  {
    words: ['version'],
    group: 'Other',
    summary: 'Show the version of drover and of what it runs on',
    positionals: [],
    flags: [{ name: 'json', says: 'Print JSON' }],
    examples: [
      { line: 'drover version', says: 'for people, and for bug reports' },
      { line: 'drover version --json', says: 'for scripts' },
    ],
    load: () => import('./commands/version.ts'),
  },
]
