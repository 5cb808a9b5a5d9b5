/** The text in messages as claude takes them on stdin (`--input-format stream-json`). Whatever is no message has none. */
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
