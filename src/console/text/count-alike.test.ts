import { expect, it } from 'vitest'
import { NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import { splitTokens } from '../../prompts/tokens.ts'
import { countAlike } from './count-alike.ts'

const USAGE = {
  input_tokens: 1,
  output_tokens: 20,
  cached_tokens: 300,
  reasoning_tokens: 4000,
  cache_write_tokens: 50_000,
}

it.each([...NATIVE_BACKENDS, 'house', 'toString'])('counts the tokens of %s as the command line does', (backend) => {
  const { input, output } = splitTokens(USAGE, backend)
  expect(countAlike(USAGE, backend)).toEqual({ read: input, written: output })
})

it('counts equal calls of claude and codex alike', () => {
  const none = { output_tokens: 100, reasoning_tokens: 0 }
  const claude = { ...none, input_tokens: 800, cached_tokens: 900, cache_write_tokens: 300 }
  expect(countAlike(claude, 'claude')).toEqual({ read: 2000, written: 100 })
  expect(countAlike({ ...none, input_tokens: 2000, cached_tokens: 900 }, 'codex')).toEqual({ read: 2000, written: 100 })
})
