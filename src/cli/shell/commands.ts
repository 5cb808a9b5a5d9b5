import { commandsIn } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const SHELL_COMMANDS = commandsIn({ group: 'Other' }, [
  {
    words: ['completion'],
    summary: 'Print a completion script for your shell',
    description: 'The script asks drover for completions, so you never need to update it.',
    positionals: [{ name: 'shell', description: 'Shell', choices: ['bash', 'zsh', 'fish'] }],
    examples: {
      'source <(drover completion bash)': 'enable it in this shell; add the line to ~/.bashrc to keep it',
      'source <(drover completion zsh)': 'the same for zsh; add the line to ~/.zshrc to keep it',
      'drover completion fish > ~/.config/fish/completions/drover.fish': 'enable it in every new fish shell',
    },
    load: () => import('./completion.ts'),
  },
  {
    words: ['complete-words'],
    summary: 'Print the words that can follow, for completion scripts',
    positionals: [
      { name: 'word', description: 'Words typed so far, the unfinished one last', isOptional: true, repeats: true },
    ],
    examples: {
      'drover complete-words -- config s': 'prints set and show',
    },
    isHidden: true,
    load: async () => ({ run: (await import('./completion.ts')).complete }),
  },
  {
    words: ['help'],
    summary: 'Show help for drover or for a command',
    positionals: [
      {
        name: 'word',
        description: 'Words of the command; "all" lists every command',
        isOptional: true,
        repeats: true,
        suggests: ['all'],
      },
    ],
    examples: {
      'drover help all': 'every command in one line, and what the terms mean',
      'drover help config set': 'same as drover config set --help',
    },
    load: () => import('./help.ts'),
  },
  {
    words: ['version'],
    summary: 'Show the versions of drover and Node, and the platform',
    flags: [JSON_FLAG],
    examples: {
      'drover version': 'one line, for bug reports',
      'drover version --json': 'print JSON',
    },
    load: () => import('./version-command.ts'),
  },
])
