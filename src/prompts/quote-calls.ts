/** Calls of functions and their results, as text for an agent that did not make the calls. Pure. */
import type { ToolReply } from '../agents/adapter/client-tool.ts'

export function quoteCall(name: string, input: string): string {
  return `[calls the tool ${name}, with these arguments]\n${input}`
}

export function quoteReply(name: string, { content, isError }: ToolReply): string {
  const texts = content.map((part) => (part.type === 'text' ? part.text : `[an image, ${part.mimeType}]`))
  return [`[${isError ? 'error' : 'result'} of the tool ${name}]`, ...texts].join('\n')
}
