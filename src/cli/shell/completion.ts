import type { RunCommand } from '../command.ts'

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
