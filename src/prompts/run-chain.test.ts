import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPromptFixture } from '../../test/support/prompt-fixture.ts'
import type { ChainRequest } from './prompt-request.shape.ts'
import { runChain } from './run-chain.ts'

const never = new AbortController().signal
const step = (backend: string, prompt: string, name?: string) => ({
  backend,
  prompt,
  ...(name !== undefined && { name }),
})

/** The demo agents answer with what they were asked when they have no script. */
const run = async (request: ChainRequest, scripts = {}) => {
  const fixture = await createPromptFixture(scripts)
  return { ...fixture, result: await runChain(request, fixture.context, { signal: never }) }
}

describe('runChain', () => {
  it('passes answers on to later steps', async () => {
    const steps = [
      step('claude', 'start', 'plan'),
      step('codex', 'use {{previous}}'),
      step('codex', '{{steps.plan}} / {{previous}}'),
    ]
    const { context } = await createPromptFixture({ claude: { text: ['THE PLAN'] } })
    const result = await runChain({ steps }, context, { signal: never })
    expect(result).toMatchObject({ total_steps: 3, completed_steps: 3 })
    expect(result).not.toHaveProperty('failed_step')
    expect(result.results.map(({ step: at, name, backend, exit_code: code }) => [at, name, backend, code])).toEqual([
      [1, 'plan', 'claude', 0],
      [2, undefined, 'codex', 0],
      [3, undefined, 'codex', 0],
    ])
    expect(result.results[1]?.output).toContain('use THE PLAN')
    expect(result.results[2]?.output).toContain('THE PLAN / This is')
  })

  it('continues after a failure, and names the first step that failed', async () => {
    const steps = [step('claude', 'a'), step('codex', 'b'), step('clod', 'c'), step('claude', 'd {{previous}}')]
    const { result } = await run({ steps }, { codex: { fail: 500 } })
    expect(result).toMatchObject({ total_steps: 4, completed_steps: 2, failed_step: 2 })
    expect(result.results).toHaveLength(4)
    expect(result.results[2]).toMatchObject({
      step: 3,
      backend: 'clod',
      error_code: 'backend_not_found',
      session_id: '',
    })
  })

  it('with stop_on_failure leaves out the steps after one that failed', async () => {
    const steps = [step('claude', 'a'), step('codex', 'b'), step('claude', 'c')]
    const { result } = await run({ steps, stop_on_failure: true }, { codex: { fail: 500 } })
    expect(result).toMatchObject({ total_steps: 3, completed_steps: 1, failed_step: 2 })
    expect(result.results.map(({ step: at }) => at)).toEqual([1, 2])
  })

  it('fails the step whose prompt grows too large, and keeps the earlier answers', async () => {
    const steps = [step('claude', 'a'), step('claude', '{{previous}}'.repeat(300_000)), step('claude', 'b')]
    const { result } = await run({ steps }, { claude: { text: ['x'.repeat(100)] } })
    expect(result).toMatchObject({ completed_steps: 2, failed_step: 2 })
    expect(result.results.map(({ error_code: code }) => code)).toEqual([undefined, 'prompt_overfilled', undefined])
  })

  it('stores no sessions', async () => {
    const { store } = await run({ steps: [step('claude', 'a')] })
    expect(await store.count()).toBe(0)
  })

  it.each([
    [true, ['other', 'other']],
    [false, ['other', 'work']],
  ])('with pass_working_dir %s runs each step in the right directory', async (passes, expected) => {
    const { context, directory } = await createPromptFixture()
    mkdirSync(join(directory, 'other'))
    const places: string[] = []
    const steps = [{ ...step('claude', 'a'), workdir: join(directory, 'other') }, step('codex', 'b')]
    await runChain({ steps, pass_working_dir: passes }, context, {
      signal: never,
      watcher: {
        event: (_item, event) => {
          if (event.type === 'init') places.push(String(event.content.working_dir))
        },
      },
    })
    expect(places).toEqual(expected.map((name) => join(directory, name)))
  })

  it('keeps the placeholders in a dry run, which has no answers', async () => {
    const { result } = await run({ steps: [step('claude', 'a'), step('codex', '{{previous}}')], dry_run: true })
    expect(result.results[1]?.output).toMatch(/<<< '\{\{previous\}\}'$/)
  })

  it.each([
    [{ steps: [step('claude', '{{session}}')] }, '$.steps[0].prompt'],
    [{ steps: [step('claude', 'a')], pass_session_id: true }, '$.pass_session_id'],
    [{ steps: [step('claude', 'a')], persist_sessions: true }, '$.persist_sessions'],
  ])('refuses %j before anything is started', async (request, path) => {
    await expect(run(request)).rejects.toMatchObject({ code: 'chain_invalid', message: expect.stringContaining(path) })
  })

  it('accepts pass_session_id and persist_sessions if they are false', async () => {
    const request = { steps: [step('claude', 'a')], pass_session_id: false, persist_sessions: false }
    expect((await run(request)).result.completed_steps).toBe(1)
  })

  it('ends with the step that was running when it is cancelled', async () => {
    const { context } = await createPromptFixture({ codex: { hangAfter: 'init' } })
    const cancel = new AbortController()
    const steps = [step('claude', 'a'), step('codex', 'b'), step('claude', 'c')]
    const result = await runChain({ steps }, context, {
      signal: cancel.signal,
      watcher: { event: (item) => void (item === 1 && cancel.abort()) },
    })
    expect(result).toMatchObject({ total_steps: 3, completed_steps: 1 })
    expect(result.results.map(({ error_code: code }) => code)).toEqual([undefined, 'agent_cancelled'])
  })
})
