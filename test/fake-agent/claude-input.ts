/** Joins the texts of the messages on stdin (`--input-format stream-json`). Lines that are not messages have no text. */
export function textOfMessages(stdin: string): string {
  return stdin.split('\n').flatMap(textsInLine).join('')
}

function textsInLine(line: string): string[] {
  try {
    const content: unknown = JSON.parse(line).message.content
    return typeof content === 'string' ? [content] : textsInBlocks(content)
  } catch {
    return []
  }
}

function textsInBlocks(blocks: unknown): string[] {
  return Array.isArray(blocks) ? blocks.map((block) => (typeof block?.text === 'string' ? block.text : '')) : []
}
