/** The text of an answer as it comes, in pieces that may be put one behind the other. */
import type { PromptEvent } from '../../prompts/prompt-event.ts'

const GAP = '\n\n'

/** Messages before and after a tool's work are paragraphs of one answer, so a gap goes between them. */
export function createAnswerText(): (event: PromptEvent) => string {
  let hasText = false
  let isApart = false
  return (event) => {
    if (event.type === 'tool_use' || event.type === 'tool_result') isApart = true
    if (event.type !== 'message' || event.content.text === '') return ''
    const { text, is_partial: isPartial } = event.content
    const piece = hasText && isApart ? GAP + text : text
    hasText = true
    isApart = isPartial !== true
    return piece
  }
}
