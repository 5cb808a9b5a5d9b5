import { fenceText } from '../kit/fenced-text.ts'
import type { Attachment } from '../prompts/prompt-request.shape.ts'
import type { ContentBlock } from './acp-requests.shape.ts'
import { acpContentUnsupported } from './faults.ts'

/**
 * The content of a prompt as one text: links by their address, files between fences that nothing in them can close, images and
 * documents by their number. Pure.
 */
export function readPrompt(blocks: readonly ContentBlock[]): { text: string; attachments: Attachment[] } {
  const attachments: Attachment[] = []
  const texts = blocks.map((block) => {
    const file = readFile(block)
    if (file === undefined) return toText(block)
    attachments.push(file)
    return `[attachment ${attachments.length}: ${file.media_type ?? 'file'}]`
  })
  return { text: texts.join('\n\n'), attachments }
}

function readFile({ type, data, mimeType, resource }: ContentBlock): Attachment | undefined {
  const content = type === 'image' ? data : type === 'resource' ? resource?.blob : undefined
  const said = (type === 'image' ? mimeType : resource?.mimeType) ?? undefined
  if (content === undefined) return undefined
  return { data: content, ...(said !== undefined && { media_type: said }) }
}

function toText({ type, text, uri, name, resource }: ContentBlock): string {
  if (type === 'text' && text !== undefined) return text
  if (type === 'resource_link' && uri !== undefined) return `${name ?? 'See'}: ${toPath(uri)}`
  if (type === 'resource' && resource?.text !== undefined) return fenceText(toPath(resource.uri), resource.text)
  throw acpContentUnsupported({ type: type === 'resource' ? 'resource without text' : type })
}

/** Agents read files by their path. */
function toPath(uri: string): string {
  const path = /^file:\/\/(\/[^?#]*)/.exec(uri)?.[1]
  try {
    return path === undefined ? uri : decodeURIComponent(path)
  } catch {
    return uri
  }
}
