/** Checks whether an agent accepts a text. Pure. */
import type { AgentRequest, Backend } from './adapter/agent.ts'
import { promptEmpty, promptNotText, promptTooLarge } from './faults.ts'

type Limit = { limit: number; unit: 'characters' | 'bytes' }

/** Limits on standard input. Codex refuses more; gemini silently cuts it off. */
const LIMITS: Partial<Record<Backend, Limit>> = {
  codex: { limit: 1_048_576, unit: 'characters' },
  gemini: { limit: 8 * 1024 * 1024, unit: 'bytes' },
}

/** Throws a Fault for a prompt that is empty, not text, or too large. */
export function checkPrompt(prompt: string, backend: Backend): void {
  if (prompt.trim() === '') throw promptEmpty({ backend })
  checkText('prompt', prompt)
  checkSize(prompt, backend)
}

/** Throws a Fault for a text that the agent would refuse or cut off. */
export function checkSize(text: string, backend: Backend): void {
  const rule = LIMITS[backend]
  if (rule === undefined) return
  const size = rule.unit === 'bytes' ? Buffer.byteLength(text) : countCharacters(text)
  if (size > rule.limit) throw promptTooLarge({ backend, size, ...rule })
}

export function checkTexts({ backend, prompt, systemPrompt }: AgentRequest): void {
  checkPrompt(prompt, backend)
  if (systemPrompt !== undefined) checkText('system prompt', systemPrompt)
}

function checkText(part: 'prompt' | 'system prompt', text: string): void {
  if (text.includes('\0')) throw promptNotText({ part, problem: 'contains a NUL character' })
  if (!text.isWellFormed()) throw promptNotText({ part, problem: 'contains half a surrogate pair' })
}

/** Code points, which is what codex counts. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
