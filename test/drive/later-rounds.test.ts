/** Rounds after the delivery, as the user asks for them. */
import { expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'

const asks = (question: string) => ({
  outcome: {
    status: 'needs_input',
    pause: { reason: 'decision_required', question, destructive_request: null },
    suggested_actions: [],
    implementation: null,
  },
})

it.runIf(IS_FULL)(
  'counts the attempts of all rounds, knows what an earlier round changed, and names its own commit',
  {
    timeout: 60_000,
  },
  async () => {
    const driving = createDriving()
    const id = runIdIn((await driving.drive('Show the wind in knots', '--no-review')).stdout)
    const files_changed = ['README.md', 'wind.txt']
    const implementation = { result: 'applied', files_changed, activities: [], uncertainties: [], attempts: 1 }
    driving.rewrite({ implement: [{ edits: { 'README.md': 'knots\n' }, outcome: { implementation } }] })
    const second = await driving.drive(id, '--also', 'Mention it in the README\nand in the docs', '--also', 'Or not')
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(second.stdout).toMatch(/^6 attempts in 2 rounds · 900 tokens · /m)
    const [{ next_run_id: next = '' } = {}] = dataOf(driving.records(id), 'round_started')
    expect((await driving.call(['status', next])).stdout).toMatch(/^Driven: 6 attempts in 2 rounds · 900 tokens/m)
    expect((await driving.call(['report', next])).stdout).toContain('- Attempts: 6 in 2 rounds\n- Tokens: 900\n')
    expect(dataOf(driving.records(next), 'evidence').map(({ claims }) => claims)).toMatchObject([
      [
        { subject: 'README.md', verdict: 'observed', note: 'git shows the change' },
        { subject: 'wind.txt', verdict: 'observed', note: 'git shows the change, which was made earlier in the run' },
      ],
    ])
    const [{ branch = '' } = {}] = dataOf(driving.records(next), 'delivered')
    expect(driving.repository.git('log', '-2', '--format=%s', branch).trim().split('\n')).toEqual([
      'Mention it in the README (and 1 more)',
      'Show the wind in knots',
    ])
  },
)

it.runIf(IS_FULL)(
  'says why there is a review after an answer, and what the next round works on',
  { timeout: 60_000 },
  async () => {
    const driving = createDriving({ implement: [{ ...HONEST, ...asks('Knots or km/h?') }, HONEST] })
    const id = runIdIn((await driving.drive('Show the wind in knots')).stdout)
    await driving.call(['answer', id, 'Leave it as it is'])
    const { stdout } = await driving.drive(id)
    const why = '4. review by codex, because the changes so far are not reviewed (implement was suggested)'
    expect(stdout).toContain(`${why}\n`)
    expect((await driving.call(['status', id])).stdout).toContain(`${why}: answered`)
    expect(stdout).toMatch(/^Round 2, run \w{8}, works on: work that waited for a person$/m)
  },
)

it('does not count a commit as delivered whose checks fail in a clean checkout', { timeout: 60_000 }, async () => {
  const driving = createDriving(
    { implement: [{ ...HONEST, writes: { 'x.log': 'x' } }] },
    { write: (origin) => origin.write('.gitignore', '*.log\n') },
  )
  const args = ['--no-review', '--check', 'test -e x.log', '--baseline', 'skip']
  const first = await driving.drive('Show the wind in knots', ...args)
  expect(first).toMatchObject({ code: 3, stdout: expect.stringContaining(', not delivered\n') })
  driving.rewrite({ orient: [asks('Knots or km/h?')] })
  expect((await driving.drive(runIdIn(first.stdout), '--also', 'Add the log')).code).toBe(4)
  const { stdout } = await driving.call(['report', '--since', '1h'])
  expect(stdout).toContain('## Waits for you')
  expect(stdout).not.toContain('## Delivered')
})
