/** Whole runs from start to end, through the program alone. Every message is checked against the schema. */

import { describe, expect, it } from 'vitest'
import type { ActionMaterial, PinnedMaterial } from '../../src/contract/material.shape.ts'
import type { ProtocolState } from '../../src/contract/protocol-state.shape.ts'
import type { StatusList } from '../../src/contract/run-status.shape.ts'
import { amendedBundle } from '../support/amended-bundle.ts'
import { decision, destruction, destructiveRequest } from '../support/contract-examples.ts'
import type { Report } from '../support/drive-run.ts'
import { outcomeFor } from '../support/drive-run.ts'
import { installFakeGh, toFakeGitHub } from '../support/fake-gh.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { variantOf, wordsOf } from '../support/next-variant.ts'
import { createRunFixture, offered, readMessage, stateOf } from '../support/run-fixture.ts'
import { ISSUE_URL, makeBundle } from '../support/source-bundle.ts'

/** Drives a run with nothing but the commands that the last answer offers. */
function open() {
  const fixture = createRunFixture()
  let state: ProtocolState | undefined
  const current = () => {
    if (state === undefined) throw new Error('there is no run yet')
    return state
  }
  const call = async (args: readonly string[], input?: string) => {
    state = await stateOf(await fixture.program(args, input === undefined ? {} : { input }))
    return state
  }
  const take = (variant: string, values?: Record<string, string>, input?: string) =>
    call(wordsOf(variantOf(current(), variant), values), input)
  const report = (outcome: Report = {}) =>
    take('submit-outcome-stdin', {}, JSON.stringify(outcomeFor(current().action, outcome)))
  return { fixture, current, call, take, report }
}

describe('a run without an issue', () => {
  it.runIf(IS_FULL)('runs from its goal to its end', async () => {
    const { fixture, current, call, take, report } = open()
    fixture.write('wind.ts', 'export const wind = 1\n')
    fixture.commit()

    const started = await call(['run', '--json', '--budget', '9', 'Show the wind in knots'])
    expect(started).toMatchObject({ state: 'active', action: { kind: 'orient', remaining_budget: 8 } })
    expect(offered(started)).toBe('action submit-outcome-file submit-outcome-stdin skip-action')

    const asked = await report({ status: 'needs_input', pause: decision })
    expect(asked).toMatchObject({ state: 'paused', pause_reason: 'decision_required' })
    const answered = await take('answer-decision', { text_file: fixture.file('answer.md', 'Knots.\n') })
    expect(answered).toMatchObject({
      state: 'active',
      action: { kind: 'orient', context: expect.stringContaining('Knots.') },
    })

    const stopped = await call(['stop', '--json'])
    expect(stopped).toMatchObject({ state: 'stopped' })
    expect(stopped).not.toHaveProperty('action')
    const resumed = await take('resume-ad-hoc', { budget: '9' })
    expect(resumed).toMatchObject({ state: 'active', resume_operation: 'ad_hoc_resumed', budget_applied: true })

    await report({ suggested_actions: [{ kind: 'implement', brief: 'Remove the cache.' }] })
    expect(current().action).toMatchObject({ kind: 'implement', brief: 'Remove the cache.' })
    const risky = await report({ status: 'needs_input', pause: destruction })
    expect(risky).toMatchObject({ state: 'paused', pause_reason: 'destructive_confirmation_required' })
    const allowed = await take('confirm-destructive')
    expect(allowed.action).toMatchObject({
      kind: 'implement',
      destructive_authorization: { scope_sha256: destructiveRequest.scope_sha256 },
    })

    fixture.write('wind.ts', 'export const knots = 1.94\n')
    expect((await report()).action).toMatchObject({ kind: 'review' })
    expect((await report()).action).toMatchObject({ kind: 'summarize' })
    const ended = await report()
    expect(ended).toMatchObject({
      state: 'ended',
      summary: expect.stringContaining('wind.ts'),
      next: { operation: 'none' },
    })

    const { stdout } = await fixture.program(['status', '--json'])
    const { runs, unavailable_runs } = await readMessage<StatusList>('statusList', stdout)
    expect({ states: runs.map(({ state }) => state), unavailable_runs }).toEqual({
      states: ['ended'],
      unavailable_runs: [],
    })
  })
})

describe('a run whose review was skipped', () => {
  it.runIf(IS_FULL)('gets a review after it was stopped and resumed', async () => {
    const { fixture, current, call, take, report } = open()
    await call(['run', '--json', 'Show the wind in knots'])
    fixture.write('wind.ts', 'export const knots = 1.94\n')
    expect((await report()).action).toMatchObject({ kind: 'review' })
    expect((await take('skip-action')).action).toMatchObject({ kind: 'summarize' })
    await call(['stop', '--json'])
    await take('resume-ad-hoc')
    expect((await report()).action).toMatchObject({ kind: 'review' })
    expect((await report()).action).toMatchObject({ kind: 'summarize' })
    await report()
    expect(current().state).toBe('ended')
  })
})

describe('a file that a flag of the index hides from git', () => {
  type Flagged = readonly [what: string, before: readonly string[], during: readonly string[], next: string]
  const isChanged = ['wind.ts']

  /** The flag is set before the run or during it, or not at all; then the file is changed or not. */
  it.each<Flagged>(
    firstOf(
      [
        ['assumed to be unchanged, and changed', ['--assume-unchanged'], isChanged, 'review'],
        ['skipped, and changed', ['--skip-worktree'], isChanged, 'review'],
        ['assumed to be unchanged, and is', ['--assume-unchanged'], [], 'summarize'],
        ['assumed to be unchanged since the run started', [], ['--assume-unchanged'], 'review'],
        ['no longer assumed to be unchanged', ['--assume-unchanged'], ['--no-assume-unchanged'], 'review'],
      ],
      2,
    ),
  )('is observed if it is %s', async (_what, before, during, next) => {
    const { fixture, call, report } = open()
    fixture.write('wind.ts', 'export const wind = 1\n')
    fixture.commit()
    const flag = (flags: readonly string[]) => {
      for (const each of flags) {
        if (each.startsWith('--')) fixture.git('update-index', each, 'wind.ts')
        else fixture.write(each, 'export const knots = 1.94\n')
      }
    }
    flag(before)
    const { run_id } = await call(['run', '--json', 'Show the wind in knots'])
    flag(during)
    expect(fixture.git('status', '--porcelain')).toBe('')
    expect((await report()).action).toMatchObject({ kind: next })
    const { current_git } = await fixture.status(run_id)
    const isHidden = !during.includes('--no-assume-unchanged')
    const hidden = { path: 'wind.ts', category: 'hidden', state: before.includes('--skip-worktree') ? 'S' : 'h' }
    expect(current_git?.path_observations).toMatchObject(isHidden ? [hidden] : [])
  })
})

describe('a run with an issue', () => {
  it.runIf(IS_FULL)('runs through refresh, candidate, choice and review to its end', async () => {
    const { fixture, current, call, take, report } = open()
    const bundle = makeBundle()
    const { bin } = installFakeGh(fixture.scratch, toFakeGitHub(bundle))
    fixture.env.PATH = `${bin}:${fixture.env.PATH}`
    fixture.write('wind.ts', 'export const wind = 1\n')
    fixture.commit()

    const started = await call(['run', '--json', '--issue', ISSUE_URL])
    expect(started).toMatchObject({ state: 'active', pinned_source: { canonical_url: ISSUE_URL, title: bundle.title } })
    const { requirements } = started.action ?? {}
    for (const key of requirements?.required_for_action ?? []) {
      const { stdout } = await fixture.program([...(requirements?.reader.base_argv.slice(1) ?? []), '--section', key])
      const material = await readMessage<ActionMaterial>('actionMaterial', stdout)
      expect(material.section.markdown).toBe(`What there is to say about ${key}.\n`)
    }

    await call(['stop', '--json', started.run_id])
    const same = await take('refresh-source', { source_file: fixture.file('same.json', bundle) })
    expect(same).toMatchObject({ state: 'active', resume_operation: 'source_refreshed' })

    await call(['stop', '--json'])
    const amended = amendedBundle(same.pinned_source?.requirements_revision)
    const found = await take('refresh-source', { source_file: fixture.file('amended.json', amended) })
    expect(found).toMatchObject({
      state: 'paused',
      pause_reason: 'decision_required',
      resume_operation: 'source_candidate_created',
      budget_applied: false,
      source_candidate: { valid: true },
    })
    expect(offered(found)).toBe('resume keep-pinned adopt')
    const adopted = await take('adopt', { budget: '7' })
    expect(adopted).toMatchObject({ state: 'active', resume_operation: 'source_amended', budget_applied: true })

    const shown = await fixture.program(['status', adopted.run_id, '--section', 'requirements', '--json'])
    const { section } = await readMessage<PinnedMaterial>('pinnedMaterial', shown.stdout)
    expect(section.markdown).toBe('Knots, and nothing but knots.\n')

    await report({ suggested_actions: [{ kind: 'implement', brief: 'Show knots.' }] })
    const risky = await report({ status: 'needs_input', pause: destruction })
    expect(offered(risky)).toBe('answer confirm-destructive decline-or-feedback skip-action')
    const declined = await take('decline-or-feedback', { text_file: fixture.file('no.md', 'yes') })
    expect(declined.action).toMatchObject({ kind: 'orient' })

    fixture.write('wind.ts', 'export const knots = 1.94\n')
    expect((await take('skip-action')).action).toMatchObject({ kind: 'review' })
    expect((await report()).action).toMatchObject({ kind: 'summarize' })
    const ended = await report()
    expect(ended).toMatchObject({ state: 'ended', summary: expect.stringMatching(/skipped/i) })
    expect(current().next.operation).toBe('none')
  })
})
