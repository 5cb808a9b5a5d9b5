import type { Choices, Command, Flag, RunCommand, Runtime } from '../command.ts'
import { GLOBAL_FLAGS, ROOT_FLAGS } from '../words/parse-words.ts'

/** Bash splits --flag=value into three words and expects only the part after the last break. */
const BASH = `_drover() {
  local -a words=()
  local at line unfinished=
  for (( at = 1; at <= COMP_CWORD; at++ )); do
    unfinished=\${COMP_WORDS[at]}
    if (( at > 1 )) && [[ $unfinished == = || \${COMP_WORDS[at - 1]} == = ]]; then
      words[\${#words[@]}-1]+=$unfinished
    else
      words+=("$unfinished")
    fi
  done
  local joined="\${words[\${#words[@]}-1]}"
  local before="\${joined%"\${unfinished#=}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    COMPREPLY+=("\${line#"$before"}")
  done < <(drover complete-words -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _drover drover
`

const ZSH = `#compdef drover
_drover() {
  local -a candidates
  local word description
  while IFS=$'\\t' read -r word description; do
    candidates+=("\${word//:/\\\\:}\${description:+:$description}")
  done < <(drover complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then
    _describe 'drover' candidates
  else
    [[ $words[CURRENT] == --*=* ]] && compset -P 1 '*='
    _files
  fi
}
if [ "$funcstack[1]" = "_drover" ]; then
  _drover "$@"
else
  # A .zshrc that sets up nothing has no compdef.
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i -D }
  compdef _drover drover
fi
`

const FISH = `function __drover_words
  set -l words (commandline -opc) (commandline -ct)
  drover complete-words -- $words[2..-1] 2>/dev/null
end
complete -c drover -f -a '(__drover_words)'
complete -c drover -F -n 'test (count (__drover_words)) -eq 0'
`

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }

export const run: RunCommand = async ({ args, runtime }) => {
  await runtime.terminal.out.write(SCRIPTS[args[0] ?? ''] ?? '')
  return 0
}

type Candidate = { word: string; description: string }

/** One candidate a line, with a tab before its description. */
export const complete: RunCommand = async ({ args, runtime, commands }) => {
  const candidates = await completeWords(commands, args, runtime)
  const lines = candidates.map(({ word, description }) =>
    description === '' ? `${word}\n` : `${word}\t${description}\n`,
  )
  await runtime.terminal.out.write(lines.join(''))
  return 0
}

/** The last word of `typed` is unfinished and may be empty. */
async function completeWords(
  table: readonly Command[],
  typed: readonly string[],
  runtime: Runtime,
): Promise<Candidate[]> {
  const finished = typed.slice(0, -1)
  const unfinished = typed.at(-1) ?? ''
  const candidates = await candidatesAfter(table, { finished, unfinished }, runtime)
  return candidates.filter((candidate) => candidate.word.startsWith(unfinished))
}

async function candidatesAfter(
  table: readonly Command[],
  { finished, unfinished }: { finished: readonly string[]; unfinished: string },
  runtime: Runtime,
): Promise<Candidate[]> {
  const visible = table.filter((command) => command.isHidden !== true)
  const known = [...ROOT_FLAGS, ...table.flatMap((command) => command.flags)]
  const { words, pending: asked } = readFinished(finished, known)
  const command = table.find((each) => each.words.every((word, at) => words[at] === word))
  const flags = command === undefined ? known : [...command.flags, ...GLOBAL_FLAGS]
  const joined = flags.find((flag) => flag.value !== undefined && unfinished.startsWith(`--${flag.name}=`))
  if (joined !== undefined) return plain(await listValues(joined, runtime), `--${joined.name}=`)
  const pending = flags.find((flag) => flag.value !== undefined && isFlagWord(flag, asked))
  if (pending !== undefined) return plain(await listValues(pending, runtime))
  if (unfinished.startsWith('-')) return flagCandidates(command === undefined ? promptFlags(visible) : flags)
  if (command === undefined) return nextWords(visible, words)
  const positional = command.positionals[words.length - command.words.length] ?? repeating(command)
  return plain(positional === undefined ? [] : await listValues(positional, runtime))
}

/** The words without flags and their values, and the last flag if its value is missing. */
function readFinished(finished: readonly string[], known: readonly Flag[]) {
  const words: string[] = []
  let pending: string | undefined
  for (const word of finished) {
    const isValue = pending !== undefined
    const takesValue = !isValue && known.some((flag) => flag.value !== undefined && isFlagWord(flag, word))
    if (!isValue && !word.startsWith('-')) words.push(word)
    pending = takesValue ? word : undefined
  }
  return { words, pending }
}

/** Before a command, flags of `prompt` are offered, because that word may be left out. */
function promptFlags(table: readonly Command[]): Flag[] {
  const prompt = table.find((command) => command.words[0] === 'prompt')
  return [...(prompt?.flags ?? []), ...ROOT_FLAGS]
}

function nextWords(table: readonly Command[], words: readonly string[]): Candidate[] {
  const inside = table.filter((command) => words.every((word, at) => command.words[at] === word))
  const next = new Map<string, string>()
  for (const command of inside) {
    const word = command.words[words.length]
    const isLast = command.words.length === words.length + 1
    if (word !== undefined && !next.has(word)) next.set(word, isLast ? command.summary : `${word} commands`)
  }
  return [...next].map(([word, description]) => ({ word, description }))
}

function repeating(command: Command) {
  const last = command.positionals.at(-1)
  return last?.repeats === true ? last : undefined
}

function isFlagWord(flag: Flag, word: string | undefined): boolean {
  return word === `--${flag.name}` || (flag.short !== undefined && word === `-${flag.short}`)
}

function flagCandidates(flags: readonly Flag[]): Candidate[] {
  return flags.map((flag) => ({ word: `--${flag.name}`, description: flag.description }))
}

function plain(words: readonly string[], before = ''): Candidate[] {
  return words.map((word) => ({ word: before + word, description: '' }))
}

type Offering = { choices?: readonly string[]; suggests?: Choices }

async function listValues({ choices, suggests = [] }: Offering, runtime: Runtime): Promise<readonly string[]> {
  if (choices !== undefined) return choices
  return typeof suggests === 'function' ? await suggests(runtime) : suggests
}
