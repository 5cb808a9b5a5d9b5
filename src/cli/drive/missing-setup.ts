/** Says what a new worktree lacks in a project with dependencies, and the flags that bring it. */
import type { Options } from '../../drive/record/drive-event.shape.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import type { Proposal } from '../../workspace/prepare/ecosystems.ts'

/** Undefined if nothing was found, or if the user has said how worktrees are prepared and checked. Pure. */
export function describeMissingSetup(
  { setup = [], share = [], checks }: Options,
  proposal: Proposal | undefined,
): string | undefined {
  if (proposal === undefined) return undefined
  const isPrepared = setup.length + share.length > 0
  const flags = [
    ...(isPrepared ? [] : proposal.setup.map((command) => `--setup ${quoteWord(command)}`)),
    ...(checks.length > 0 ? [] : proposal.checks.map((command) => `--check ${quoteWord(command)}`)),
  ]
  if (flags.length === 0) return undefined
  const found = proposal.found.map(({ manager, file }) => `${manager} (${file})`).join(', ')
  const lack = isPrepared ? 'no check is given' : 'a new worktree has nothing installed'
  return `this project uses ${found}, and ${lack}; add ${flags.join(' ')}, or set drive.setup and drive.checks`
}
