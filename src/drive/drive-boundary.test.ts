import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PromptContext } from '../prompts/prompt-context.ts'
import type { MachineSandbox } from '../sandbox/machine/machine-sandbox.ts'
import { openBoundaryFor } from './drive-boundary.ts'
import type { DrivenRecord } from './record/driven-record.shape.ts'
import { findDriven, saveDriven } from './record/driven-records.ts'

const sandboxWith = (problem?: string) => ({ problem: async () => problem }) as unknown as MachineSandbox
const HOLDS = sandboxWith()
const OPTIONS = { sandbox: 'on', approval_mode: 'default' } as const

function promptsWith({ mode = 'off' }: { mode?: string } = {}) {
  const locate = (name: string) => ({ agent: name === 'acme' ? {} : { boundaryNeeds: () => ({}) } })
  return { locate, settings: { sandbox: { mode } } } as unknown as PromptContext
}

describe('the boundary of a driver', () => {
  it.each([
    ['agents that drover knows', {}, ['claude'], ['claude']],
    ['not an agent that no one has tried', {}, ['claude', 'acme'], ['claude']],
    ['every agent if sandbox.mode is on', { mode: 'on' }, ['acme'], ['acme']],
  ])('is around %s', async (_, facts, agents, inside) => {
    const boundary = await openBoundaryFor(HOLDS, { options: OPTIONS, agents, prompts: promptsWith(facts) })
    expect(boundary).toMatchObject({ is: 'inside', agents: inside })
  })

  it.each([
    ['does not hold', sandboxWith('it leaks'), 'it leaks'],
    ['is missing in this process', undefined, 'this process has none'],
  ])('that %s is refused if it is required, and told otherwise', async (_, sandbox, why) => {
    expect(await openBoundaryFor(sandbox, { options: OPTIONS })).toEqual({ is: 'outside', why })
    const required = openBoundaryFor(sandbox, { options: { ...OPTIONS, sandbox: 'required' } })
    await expect(required).rejects.toMatchObject({ code: 'drive_sandbox_missing' })
    const later = openBoundaryFor(sandbox, { options: OPTIONS, wasInside: true })
    await expect(later).rejects.toMatchObject({ code: 'drive_sandbox_missing' })
  })
})

it('the record of a run says that its key requires a sandbox', () => {
  const directory = mkdtempSync(join(tmpdir(), 'drover-driven-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const ceilings = { boundary: { setting: 'requires_sandbox of the key ci' } }
  const record: DrivenRecord = {
    ...{ version: 1, run_id: '6f1c2c6e-0000-4000-8000-000000000001', repository: '/r', git_common_dir: '/r/.git' },
    ...{ asked_by: 'client', is_server_driven: true, ceilings, created_at: '2026-01-01T00:00:00.000Z' },
  }
  saveDriven(directory, record)
  expect(findDriven(directory, record.run_id)?.ceilings).toEqual(ceilings)
})
