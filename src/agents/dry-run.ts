import { quoteText, quoteWord } from '../kit/shell-words.ts'
import type { AgentCommand } from './agent.ts'

/** One line that says how the agent would be called, fit to be pasted into bash. */
export function formatDryRun({ argv, stdin }: Pick<AgentCommand, 'argv' | 'stdin'>): string {
  return `Would execute: ${argv.map(quoteWord).join(' ')} <<< ${quoteText(stdin)}`
}
