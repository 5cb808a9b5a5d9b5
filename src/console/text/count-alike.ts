/** Tokens that mean the same for each agent, as `src/prompts/tokens.ts` counts them. Its test compares both. Pure. */
import type { Usage } from '../../agents/adapter/agent.shape.ts'

/** Agents that count the tokens of the cache, or those of thinking, apart from the others. */
const APART: Readonly<Record<string, 'cache' | 'reasoning'>> = { claude: 'cache', gemini: 'reasoning' }

/** Everything that the model has read, also from a cache, and everything that it has written. */
export function countAlike(usage: Usage, backend: string | undefined): { read: number; written: number } {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens: cacheWrite = 0 } = usage
  const apart = Object.hasOwn(APART, backend ?? '') ? APART[backend ?? ''] : undefined
  return {
    read: input_tokens + (apart === 'cache' ? cached_tokens + cacheWrite : 0),
    written: output_tokens + (apart === 'reasoning' ? reasoning_tokens : 0),
  }
}
