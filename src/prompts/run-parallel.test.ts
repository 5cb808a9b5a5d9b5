import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { createPromptFixture } from '../../test/support/prompt-fixture.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { until } from '../../test/support/until.ts'
import { createSlots } from './concurrency-slots.ts'
import type { ParallelRequest } from './prompt-request.shape.ts'
import type { BatchWatcher } from './run-batch.ts'
import { runParallel } from './run-parallel.ts'

const never = new AbortController().signal
const task = (backend: string, prompt = 'say hello') => ({ backend, prompt })

describe('runParallel', () => {
  it('returns the results in the order of the tasks', async () => {
    const permits = join(temporaryDirectory(), 'permits')
    const { context } = await createPromptFixture({ claude: { text: ['late'], permits }, codex: { text: ['early'] } })
    const ended: number[] = []
    const request = { tasks: [task('claude'), task('codex')] }
    const watcher = {
      ended: (item: number) => {
        ended.push(item)
        writeFileSync(permits, '.')
      },
    }
    const result = await runParallel(request, context, { signal: never, watcher })
    expect(result).toMatchObject({ total_tasks: 2, completed: 2, failed: 0, canceled: 0 })
    expect(result.results.map(({ output }) => output)).toEqual(['late', 'early'])
    expect(ended).toEqual([1, 0])
  })

  it('is stateless: no session is stored, here or with the agents, whatever a task asks for', async () => {
    const { context, store, directory } = await createPromptFixture()
    const tasks = ['claude', 'codex'].map((backend) => ({ ...task(backend), ephemeral: false, metadata: { a: 1 } }))
    const { results } = await runParallel({ tasks }, context, { signal: never })
    expect(results.map(({ session_id: id }) => id)).toEqual(['', ''])
    expect(await store.count()).toBe(0)
    expect(() => rmSync(join(directory, 'agent-sessions'), { recursive: true })).toThrow('ENOENT')
  })

  it.each<[string, ParallelRequest['tasks'][number], string]>([
    ['an unknown backend', task('clod'), 'backend_not_found'],
    ['a directory that is not there', { ...task('claude'), workdir: `${NOWHERE}/place` }, 'workdir_not_allowed'],
    ['a flag that is not allowed', { ...task('claude'), extra: ['--mcp-config'] }, 'extra_flag_refused'],
    ['an agent that fails', task('gemini'), 'agent_auth_failed'],
  ])('reports %s only in its own task', async (_name, broken, code) => {
    const { context } = await createPromptFixture({ gemini: { fail: 401 } })
    const result = await runParallel({ tasks: [broken, task('claude')] }, context, { signal: never })
    expect(result).toMatchObject({ total_tasks: 2, completed: 1, failed: 1, canceled: 0 })
    expect(result.results[0]).toMatchObject({ backend: broken.backend, error_code: code, session_id: '' })
    expect(result.results[0]?.exit_code).not.toBe(0)
    expect(result.results[1]).toMatchObject({ exit_code: 0 })
  })

  it('with fail_fast ends running tasks, cancels waiting ones, and counts both as canceled', async () => {
    const { context } = await createPromptFixture({ claude: { hangAfter: 'init' }, codex: { fail: 500 } })
    const tasks = [task('claude'), task('codex'), task('gemini')]
    const started: number[] = []
    const watcher: BatchWatcher = { started: (item) => started.push(item) }
    const request = { tasks, max_parallel: 2, fail_fast: true }
    const result = await runParallel(request, context, { signal: never, watcher })
    expect(result).toMatchObject({ total_tasks: 3, completed: 0, failed: 1, canceled: 2 })
    expect(result.results.map(({ exit_code: code, error_code: error }) => [code, error])).toEqual([
      [130, 'agent_cancelled'],
      [1, 'agent_service_failed'],
      [-1, 'canceled'],
    ])
    expect(started).toEqual([0, 1])
  })

  it('without fail_fast runs all tasks', async () => {
    const { context } = await createPromptFixture({ codex: { fail: 500 } })
    const tasks = [task('codex'), task('claude'), task('gemini')]
    expect(await runParallel({ tasks, max_parallel: 1 }, context, { signal: never })).toMatchObject({
      completed: 2,
      failed: 1,
      canceled: 0,
    })
  })

  it('runs no more at once than the request and the process allow', async () => {
    for (const [maxParallel, limit, expected] of [
      [2, 8, 2],
      [8, 3, 3],
    ] as const) {
      const slots = createSlots({ limit, queueLimit: 100 })
      const { context } = await createPromptFixture({}, { slots })
      let most = 0
      const watcher: BatchWatcher = {
        event: () => {
          most = Math.max(most, slots.load().running)
        },
      }
      const tasks = Array.from({ length: 6 }, () => task('claude'))
      await runParallel({ tasks, max_parallel: maxParallel }, context, { signal: never, watcher })
      expect(most).toBeLessThanOrEqual(expected)
      expect(slots.load()).toEqual({ running: 0, queued: 0 })
    }
  })

  it('takes no more places in the queue than can run at once', async () => {
    const slots = createSlots({ limit: 1, queueLimit: 2 })
    const { context } = await createPromptFixture({}, { slots })
    const tasks = Array.from({ length: 6 }, () => task('claude'))
    expect(await runParallel({ tasks, max_parallel: 6 }, context, { signal: never })).toMatchObject({ completed: 6 })
  })

  it('ends the other agents when one task throws', async () => {
    const { context } = await createPromptFixture({ claude: { hangAfter: 'init' } })
    const watcher: BatchWatcher = {
      event: (item) => {
        if (item === 1) throw new Error('a bug')
      },
    }
    const request = { tasks: [task('claude'), task('codex')] }
    await expect(runParallel(request, context, { signal: never, watcher })).rejects.toThrow('a bug')
    expect(context.slots.load()).toEqual({ running: 0, queued: 0 })
  })

  it('keeps finished results when it is cancelled', async () => {
    const { context } = await createPromptFixture({ claude: { hangAfter: 'word' } })
    const cancel = new AbortController()
    let isFirstDone = false
    let isSecondThere = false
    const watcher: BatchWatcher = {
      ended: (item) => {
        isFirstDone ||= item === 0
      },
      event: (item) => {
        isSecondThere ||= item === 1
      },
    }
    const tasks = [task('codex'), task('claude'), task('gemini')]
    const running = runParallel({ tasks, max_parallel: 1 }, context, { signal: cancel.signal, watcher })
    await until(() => isFirstDone && isSecondThere)
    cancel.abort()
    const result = await running
    expect(result).toMatchObject({ completed: 1, failed: 0, canceled: 2 })
    expect(result.results[0]).toMatchObject({ exit_code: 0 })
  })

  it('supports dry runs of one task or of all', async () => {
    const { context } = await createPromptFixture({ claude: { text: ['real'] } })
    const one = await runParallel({ tasks: [task('claude'), { ...task('claude'), dry_run: true }] }, context, {
      signal: never,
    })
    expect(one.results.map(({ output }) => output.split(':')[0])).toEqual(['real', 'Would execute'])
    const all = await runParallel({ tasks: [task('claude'), task('codex')], dry_run: true }, context, { signal: never })
    expect(all.results.map(({ output }) => output.split(':')[0])).toEqual(['Would execute', 'Would execute'])
  })
})
