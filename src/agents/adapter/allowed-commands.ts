/**
 * The commands that an agent may run although its permission does not include commands: those that the caller names, exactly,
 * and commands of git that only read. Pure.
 */
import type { AgentRequest } from './agent.ts'

type Allowed = Pick<AgentRequest, 'allowedCommands'>

/** For agents that compare whole commands. */
const READING_GIT = [
  ...['git status', 'git status --short', 'git status --porcelain', 'git diff', 'git diff --stat', 'git diff --cached'],
  ...['git diff HEAD', 'git diff --name-only', 'git log', 'git log --oneline', 'git log --stat', 'git log -1'],
  ...['git show', 'git show --stat', 'git show HEAD'],
]

/** Other options may write a file or run a program, such as `--output` and `--ext-diff`. */
const READING_OPTION =
  /^(?:--(?:stat|shortstat|numstat|summary|short|branch|porcelain|oneline|graph|all|decorate|cached|staged|name-only|name-status|no-color|no-ext-diff|no-textconv|no-renames|no-patch)|-[spbn]|-\d{1,4}|-U\d{1,4}|--)$/
/** A name of a commit or a path in the working directory. */
const NAME = /^(?![-/~])[\w./@^~:-]+$/

/** A shell reads it as one command and its words, and so does every agent in its list of rules. */
const PLAIN = /^[\w./@%+:=-]+(?: [\w./@%+:=-]+)*$/

/** What an agent with a list of exact rules is given. A command that such a list could misread is left out. */
export function toExactCommands({ allowedCommands }: Allowed): string[] {
  return allowedCommands === undefined
    ? []
    : [...allowedCommands.filter((command) => PLAIN.test(command)), ...READING_GIT]
}

export function isAllowedCommand(command: string, { allowedCommands }: Allowed): boolean {
  return allowedCommands !== undefined && (allowedCommands.includes(command) || isReadingGit(command))
}

function isReadingGit(command: string): boolean {
  const [program, name = '', ...words] = command.split(' ')
  if (program !== 'git' || !/^(?:status|diff|log|show)$/.test(name)) return false
  return words.every((word) => READING_OPTION.test(word) || (NAME.test(word) && !/(?:^|\/)\.\.(?:\/|$)/.test(word)))
}
