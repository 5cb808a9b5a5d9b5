/** Agents that lie, cheat or never end. Each is caught with the right word. */
import { describe, expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { type DrivenTurn, dataOf, HONEST, runIdIn } from '../support/driven-home.ts'

const GOAL = 'Show the wind in knots'

const working = (changes: object): object => ({
  implementation: {
    result: 'applied',
    files_changed: ['wind.txt'],
    activities: [],
    uncertainties: [],
    attempts: 1,
    ...changes,
  },
})
const tested = (exit_code: number) => ({
  activities: [{ kind: 'test', command: 'sh check.sh', exit_code, summary: 'Fine.' }],
})

async function driveWith(turns: readonly DrivenTurn[], ...args: string[]) {
  const driving = createDriving({ implement: turns })
  const ran = await driving.drive(GOAL, '--no-review', ...args)
  const records = driving.records(runIdIn(ran.stdout))
  const evidence = dataOf(records, 'evidence')
  return {
    ...ran,
    driving,
    records,
    evidence,
    claims: evidence.at(-1)?.claims ?? [],
    flags: evidence.at(-1)?.flags.map(({ flag }) => flag) ?? [],
  }
}

describe('an agent that', () => {
  it('claims a test that it never ran: claimed', async () => {
    const { code, claims } = await driveWith([{ ...HONEST, outcome: working(tested(0)) }])
    expect(code).toBe(0)
    expect(claims).toContainEqual(
      expect.objectContaining({ subject: 'sh check.sh', verdict: 'claimed', note: 'no tool call shows it' }),
    )
  })

  it('reports a wrong exit code: contradicted, told once, then a person decides', async () => {
    const activities = [{ kind: 'test', command: 'false', exit_code: 0, summary: 'Fine.' }]
    const lie = { ...HONEST, runs: ['false'], outcome: working({ activities }) }
    const { code, claims, records, stdout } = await driveWith([lie])
    expect(claims).toContainEqual(
      expect.objectContaining({ verdict: 'contradicted', note: 'a tool call shows exit code 1' }),
    )
    expect(dataOf(records, 'attempt_started').filter(({ purpose }) => purpose === 'contradiction')).toHaveLength(1)
    expect(code).toBe(4)
    expect(stdout).toContain('`false` is reported with exit code 0: a tool call shows exit code 1')
    expect(dataOf(records, 'outcome_submitted').at(-1)).toMatchObject({ by: 'drover', status: 'needs_input' })
  })

  it('corrects itself when it is told: goes on', async () => {
    const lie = { ...HONEST, runs: ['sh check.sh'], outcome: working(tested(0)) }
    const { code, claims } = await driveWith([lie, { runs: ['sh check.sh'], outcome: working(tested(0)) }])
    expect(code).toBe(0)
    expect(claims.map(({ verdict }) => verdict)).toEqual(['observed', 'observed'])
  })

  it('reports a file that it never touched: contradicted', async () => {
    const { code, claims } = await driveWith([
      { ...HONEST, outcome: working({ files_changed: ['wind.txt', 'check.sh'] }) },
    ])
    expect(code).toBe(4)
    expect(claims).toContainEqual(expect.objectContaining({ subject: 'check.sh', verdict: 'contradicted' }))
  })

  it('says "done" after a denied edit: contradicted by the tree', async () => {
    const { code, claims } = await driveWith([{ deniedEdits: ['wind.txt'], outcome: working({}) }])
    expect(code).toBe(4)
    expect(claims).toMatchObject([{ subject: 'wind.txt', verdict: 'contradicted', note: 'git shows no change of it' }])
  })

  it('edits after the test: flagged', async () => {
    const { flags } = await driveWith([
      {
        runs: ['true'],
        ...HONEST,
        outcome: working({ activities: [{ kind: 'test', command: 'true', exit_code: 0, summary: '-' }] }),
      },
    ])
    expect(flags).toEqual(['check_older_than_last_edit'])
  })

  it('deletes, empties and skips tests, and changes a check: flagged', async () => {
    const turn = {
      ...HONEST,
      deletes: ['wind.test.js'],
      writes: {
        'rain.test.js': '\n',
        'sun.test.js': "it.skip('shines', () => { expect(1).toBe(1) })\n",
        'check.sh': 'true\n',
      },
      outcome: working({}),
    }
    const { evidence } = await driveWith([turn], '--check', 'sh check.sh')
    const flags = evidence.at(-1)?.flags.map(({ flag, detail }) => `${flag} ${detail}`) ?? []
    expect(flags.filter((flag) => !flag.startsWith('change_not_reported'))).toEqual([
      'test_emptied rain.test.js',
      'test_skipped sun.test.js',
      'test_deleted wind.test.js',
      'check_configuration_changed check.sh',
    ])
  })

  it('claims that the check passes which drover ran: contradicted', async () => {
    const lie = { edits: { 'wind.txt': 'wind: 12\n' }, outcome: working(tested(0)) }
    const { code, claims } = await driveWith([lie], '--check', 'sh check.sh')
    expect(code).toBe(4)
    expect(claims).toContainEqual(
      expect.objectContaining({ verdict: 'contradicted', note: 'drover ran it, and it ended with exit code 1' }),
    )
  })

  it('returns no outcome: told twice, then an error with what it said', async () => {
    const driving = createDriving({ orient: [{ says: 'All done, trust me.' }] })
    const { stdout } = await driving.drive(GOAL, '--no-review')
    const records = driving.records(runIdIn(stdout))
    expect(driving.calls().filter(({ kind }) => kind === 'orient')).toHaveLength(3)
    expect(dataOf(records, 'outcome_submitted')[0]).toMatchObject({ by: 'drover', status: 'error' })
    expect(driving.calls()[1]?.prompt).toContain('the answer has no code block named drover-outcome')
    expect(dataOf(records, 'attempt_ended')[0]).toMatchObject({ said: 'All done, trust me.' })
  })

  it('makes the same call again and again: ended, told once, then a person decides', async () => {
    const { code, records, stdout } = await driveWith([{ repeats: 8, hangs: true }])
    expect(code).toBe(4)
    expect(dataOf(records, 'attempt_ended').map(({ how }) => how)).toEqual(['answered', 'stalled', 'stalled'])
    expect(stdout).toContain('the same call of Bash 4 times in a row')
  })

  it('never ends: ended after the time without progress', async () => {
    const driving = createDriving({ orient: [{ hangs: true }] }, { config: 'drive:\n  stall_secs: 1\n' })
    const { code, stdout } = await driving.drive(GOAL)
    expect(code).toBe(4)
    expect(dataOf(driving.records(runIdIn(stdout)), 'attempt_ended').map(({ how }) => how)).toEqual([
      'stalled',
      'stalled',
    ])
    expect(stdout).toContain('for 1 s there was no text, no result of a tool and no change of a file')
  })

  it('asks for ever: the actions of the run end', async () => {
    const pause = { reason: 'decision_required', question: 'Are you sure?', destructive_request: null }
    const driving = createDriving({ orient: [{ outcome: { status: 'needs_input', pause, suggested_actions: [] } }] })
    const { code, stdout } = await driving.drive(GOAL, '--actions', '1', '--in-place')
    const id = runIdIn(stdout)
    const action = JSON.parse((await driving.call(['status', id, '--json'])).stdout).current_action.action_id
    await driving.call(['protocol', 'answer', '--run', id, '--action', action, '--text', 'Yes.'])
    const again = await driving.drive(id)
    expect([code, again.code]).toEqual([4, 4])
    expect(again.stdout).toContain('The run has used all of its actions.')
    expect(driving.calls()).toHaveLength(1)
    expect(await driving.drive(id, '--actions', '1')).toMatchObject({ code: 4 })
    expect(driving.calls()).toHaveLength(2)
  })

  it('dies: tried again once, then the run pauses', async () => {
    const driving = createDriving({ orient: [{ dies: true }] })
    const { code, stdout } = await driving.drive(GOAL)
    expect(code).toBe(4)
    expect(stdout).toContain('Paused (agent_failed)')
    expect(driving.calls()).toHaveLength(2)
    driving.rewrite({})
    expect(await driving.drive(runIdIn(stdout))).toMatchObject({ code: 0 })
  })

  it('writes during a review: the review does not count', async () => {
    const driving = createDriving({ review: [{ writes: { 'wind.txt': 'wind: 24 knots\n' } }, {}] })
    const { code, stdout } = await driving.drive(GOAL)
    expect(code).toBe(4)
    expect(stdout).toContain('Paused (review_changed_files)')
    expect(dataOf(driving.records(runIdIn(stdout)), 'outcome_submitted').map(({ status }) => status)).toHaveLength(2)
    expect(await driving.drive(runIdIn(stdout))).toMatchObject({ code: 0 })
  })
})

describe('a limit', () => {
  it.each([
    ['max_tokens', ['--max-tokens', '300'], { usage: { input: 200, output: 100 } }, ['--max-tokens', '100000']],
    ['max_cost', ['--max-cost', '0.5', '--review-with', 'claude'], { cost: 0.5 }, ['--max-cost', '50']],
  ])('%s pauses the run, and a higher one lets it go on', async (reason, limit, turn, higher) => {
    const driving = createDriving({ orient: [turn] })
    const { code, stdout } = await driving.drive(GOAL, ...limit)
    expect(code).toBe(4)
    expect(stdout).toContain(`Paused (${reason})`)
    expect(stdout).toMatch(/Limits: .*noticed.* after each model request/)
    expect(driving.calls()).toHaveLength(1)
    const id = runIdIn(stdout)
    expect(await driving.drive(id)).toMatchObject({ code: 4 })
    expect(driving.calls()).toHaveLength(1)
    expect(await driving.drive(id, ...higher)).toMatchObject({ code: 0 })
  })

  it('max_tokens ends an agent between two model requests, and what it used counts', async () => {
    const driving = createDriving({ orient: [{ requests: Array(3).fill({ input: 100, output: 50 }), hangs: true }] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--max-tokens', '450')
    expect(code).toBe(4)
    expect(stdout).toContain('Paused (max_tokens)')
    const id = runIdIn(stdout)
    expect(dataOf(driving.records(id), 'attempt_ended')).toMatchObject([
      { how: 'budget', usage: { input_tokens: 300, output_tokens: 150 } },
    ])
    expect(await driving.drive(id)).toMatchObject({ code: 4 })
    expect(driving.calls()).toHaveLength(1)
    driving.rewrite({})
    expect(await driving.drive(id, '--max-tokens', '100000')).toMatchObject({ code: 0 })
    expect(driving.calls()[1]?.resumed).toBeDefined()
  })

  it('max_cost is kept by claude itself, between two model requests', async () => {
    const driving = createDriving({ orient: [{ fails: 'error_max_budget_usd', cost: 0.51 }] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--max-cost', '0.5', '--review-with', 'claude')
    expect(code).toBe(4)
    expect(stdout).toContain('Paused (max_cost)')
    expect(driving.calls().map(({ argv }) => argv[argv.indexOf('--max-budget-usd') + 1])).toEqual(['0.500000'])
  })
})
