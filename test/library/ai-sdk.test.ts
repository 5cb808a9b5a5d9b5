/** The provider for the AI SDK, called by the AI SDK itself. */
import { join } from 'node:path'
import { APICallError, generateText, Output, streamText } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createDroverProvider } from '../../src/library/ai-sdk.ts'
import { createDrover } from '../../src/library/drover.ts'
import { installFakeAgents } from '../support/fake-agent.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { installWarmAgents } from '../support/warm-agents.ts'

function open(agents = (home: string) => installWarmAgents(join(home, 'bin')), variables = {}) {
  const home = temporaryDirectory()
  const env = { PATH: `${agents(home)}:/usr/bin:/bin`, HOME: home, DEMO_AGENT_WORD_MS: '0', ...variables }
  const drover = createDrover({ home, cwd: home, env, demo: true })
  onTestFinished(() => drover.close())
  return { drover, provider: createDroverProvider({ drover }) }
}

describe('the provider for the AI SDK', () => {
  it('generates text, with usage, a finish reason and warnings for what agents do not have', async () => {
    const { provider } = open()
    const result = await generateText({
      model: provider('gemini'),
      instructions: 'Be brief.',
      prompt: 'say hello',
      temperature: 0.5,
      maxRetries: 0,
    })
    expect(result).toMatchObject({ text: expect.stringContaining('say hello'), finishReason: 'stop' })
    expect(result.usage.outputTokens).toBeGreaterThan(0)
    expect(result.warnings).toMatchObject([{ type: 'unsupported', feature: 'temperature' }])
  })

  it('streams text, and stores and continues a session if that is wanted', async () => {
    const { provider, drover } = open()
    const streamed = streamText({
      model: provider('claude', { store: true }),
      prompt: '{"say":"one two"}',
      maxRetries: 0,
    })
    let text = ''
    for await (const piece of streamed.textStream) text += piece
    expect([text, await streamed.finishReason]).toEqual(['one two', 'stop'])
    const session = String((await streamed.providerMetadata)?.['drover']?.['session_id'])
    const messages = [
      { role: 'user' as const, content: 'before' },
      { role: 'assistant' as const, content: 'one two' },
      { role: 'user' as const, content: '{"say":"three"}' },
    ]
    const { text: next } = await generateText({ model: provider('claude', { session }), messages, maxRetries: 0 })
    expect(next).toBe('three')
    expect(await drover.sessions.get(session)).toMatchObject({ turn_count: 2 })
  })

  it.runIf(IS_FULL)('has what the agent thought as reasoning, and an object that matches a schema', async () => {
    const script = JSON.stringify({ text: ['{"verdict":', '"pass"}'] })
    const { provider } = open(installFakeAgents, { FAKE_AGENT_SCRIPT: script })
    const output = Output.object({ schema: z.object({ verdict: z.enum(['pass', 'fail']) }) })
    const asked = { model: provider('claude'), prompt: 'think about it', output, maxRetries: 0 }
    const generated = await generateText(asked)
    expect(generated.output).toEqual({ verdict: 'pass' })
    expect(generated.reasoningText).toMatch(/a model would think/)
    expect(generated.warnings ?? []).toEqual([])
    const streamed = streamText(asked)
    const types: string[] = []
    for await (const { type } of streamed.fullStream) if (types.at(-1) !== type) types.push(type)
    const parts = ['reasoning-start', 'reasoning-delta', 'reasoning-end', 'text-start', 'text-delta', 'text-end']
    expect(types).toEqual(['start', 'start-step', ...parts, 'finish-step', 'finish'])
    expect(await streamed.output).toEqual({ verdict: 'pass' })
    expect(await streamed.reasoningText).toBe(generated.reasoningText)
    const other = Output.object({ schema: z.object({ count: z.number() }) })
    await expect(generateText({ ...asked, output: other })).rejects.toThrow(/schema/)
  })

  it('fails with errors that the AI SDK knows, and is aborted by its signal', async () => {
    const { provider } = open()
    const failed = generateText({ model: provider('nope'), prompt: 'x', maxRetries: 0 })
    const error = await failed.catch((reason) => reason)
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ code: 'backend_not_found', isRetryable: false, data: { code: 'backend_not_found' } })
    const bare = open(undefined, { PATH: temporaryDirectory() }).provider('claude', { approval_mode: 'sandboxed' })
    await expect(generateText({ model: bare, prompt: 'x', maxRetries: 0 })).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    })
    const abort = new AbortController()
    const model = provider('claude')
    const hanging = generateText({ model, prompt: '{"say":"x","hang":true}', abortSignal: abort.signal, maxRetries: 0 })
    abort.abort()
    await expect(hanging).rejects.toThrow(/abort/i)
    const image = { type: 'file' as const, data: new Uint8Array([1]), mediaType: 'image/png' }
    const sent = generateText({ model, messages: [{ role: 'user', content: [image] }], maxRetries: 0 })
    await expect(sent).rejects.toThrow(/number 1 is neither a PNG/)
  })
})
