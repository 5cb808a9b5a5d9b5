import { fenceText } from '../kit/fenced-text.ts'
import type { ContentBlock } from './acp-requests.shape.ts'
import { acpContentUnsupported } from './faults.ts'

/** The content of a prompt as one text: links by their address, files between fences that nothing in them can close. Pure. */
export function readPrompt(blocks: readonly ContentBlock[]): string {
  return blocks.map(toText).join('\n\n')
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
