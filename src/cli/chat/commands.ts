import { commandsIn, type Flag, flag } from '../command.ts'
import { BACKEND, MODEL, SINGLE_RUN, WORKDIR } from '../words/shared-flags.ts'

/** The flags of `prompt` that mean something in a conversation. */
const KEPT = [
  'no-markdown',
  'approval',
  'access',
  'sandbox',
  'no-sandbox',
  'max-turns',
  'system',
  'extra',
  'timeout',
  'verbose',
  'usage',
  'demo',
]
const TURN_FLAGS: readonly Flag[] = SINGLE_RUN.filter(({ name }) => KEPT.includes(name))

export const CHAT_COMMANDS = commandsIn({ group: 'Prompts' }, [
  {
    words: ['chat'],
    summary: 'Have a conversation with an agent',
    description: `Every line is a prompt in the same session, and the answers are printed as "drover prompt" prints them. A line that ends
with a backslash continues on the next line. Lines between """ and """ form one prompt, and so do pasted lines.
Lines that begin with a slash are commands: /backend, /model, /compare, /new, /help, /exit. //text sends /text.
Up and Down recall earlier lines. Ctrl-C cancels the answer. Ctrl-D, or Ctrl-C twice on an empty line, exits.
Each agent has its own session. /backend NAME starts a session with that agent, or returns to the one it already has.
If standard input is a pipe, each of its lines is a prompt, and the first failure stops the conversation.`,
    flags: [
      BACKEND,
      MODEL,
      WORKDIR,
      flag('-c, --continue', 'Continue the latest session in this directory, or in the one given with -w'),
      flag('--session ID', 'Continue the session with this id (at least its first 4 characters)'),
      ...TURN_FLAGS,
    ],
    examples: {
      'drover chat': 'talk to the default agent',
      'drover chat -b codex --access workspace': 'another agent, which may write in this directory',
      'drover chat -c': 'continue the latest session in this directory',
      'drover chat --demo': 'try it without an installed agent',
      'drover chat < questions.txt': 'one prompt per line, in one session',
    },
    load: () => import('./chat.ts'),
  },
])
