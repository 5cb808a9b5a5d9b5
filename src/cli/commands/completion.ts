import type { Run } from '../command.ts'

const BASH = `_drover() {
  local IFS=$'\\n'
  COMPREPLY=()
  local line
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(drover complete-words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _drover drover
`

const ZSH = `#compdef drover
_drover() {
  local -a candidates
  local line
  while IFS= read -r line; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(drover complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then
    _describe 'drover' candidates
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_drover" ]; then
  _drover "$@"
else
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

export const run: Run = async ({ args, world }) => {
  await world.terminal.out.write(SCRIPTS[args[0] ?? ''] ?? '')
  return 0
}
