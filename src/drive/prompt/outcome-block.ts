/** Finds the outcome in the answer of an agent: its last code block named `drover-outcome`. Pure. */

export const BLOCK_NAME = 'drover-outcome'

export type FoundBlock = { readonly text: string } | { readonly problem: string }

const OPENING = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*?)[ \t]*$/

type Block = { readonly name: string; readonly text: string }

/** A block that is quoted in another block is not an outcome. */
export function findOutcomeBlock(answer: string): FoundBlock {
  const found = findBlocks(answer).findLast(({ name }) => name === BLOCK_NAME)
  if (found !== undefined) return { text: found.text }
  const isNested = answer.split('\n').some((line) => OPENING.exec(line.trimEnd())?.[2] === BLOCK_NAME)
  return {
    problem: isNested
      ? `the ${BLOCK_NAME} block is inside another code block; close that block before it`
      : `the answer has no code block named ${BLOCK_NAME}`,
  }
}

/** As in CommonMark, a block ends with a fence of the same character that is at least as long, or with the text. */
function findBlocks(answer: string): Block[] {
  const blocks: Block[] = []
  let open: { fence: string; name: string; lines: string[] } | undefined
  for (const line of answer.split(/\r?\n/)) {
    if (open === undefined) {
      const [, fence, name = ''] = OPENING.exec(line) ?? []
      if (fence !== undefined) open = { fence, name, lines: [] }
    } else if (closes(line, open.fence)) {
      blocks.push({ name: open.name, text: open.lines.join('\n') })
      open = undefined
    } else open.lines.push(line)
  }
  return open === undefined ? blocks : [...blocks, { name: open.name, text: open.lines.join('\n') }]
}

function closes(line: string, fence: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
  return found !== undefined && found[0] === fence[0] && found.length >= fence.length
}
