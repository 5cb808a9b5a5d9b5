/** Definitions of `completion`, `complete-words`, `help` and `version`. */
import type { Command } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const SHELL_COMMANDS: readonly Command[] = [
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
    load: () => import('./completion.ts'),
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
    load: () => import('./complete-words.ts'),
  },
  {
    words: ['help'],
    group: 'Other',
    summary: 'Show help, of drover or of one command',
    positionals: [{ name: 'word', description: 'The words of the command', isOptional: true, repeats: true }],
    flags: [],
    examples: [{ line: 'drover help config set', description: 'the same as drover config set --help' }],
    load: () => import('./help.ts'),
  },
  {
    words: ['version'],
    group: 'Other',
    summary: 'Show the version of drover and of what it runs on',
    positionals: [],
    flags: [JSON_FLAG],
    examples: [
      { line: 'drover version', description: 'for people, and for bug reports' },
      { line: 'drover version --json', description: 'for scripts' },
    ],
    load: () => import('./version.ts'),
  },
]
