/** Agents that reach a limit of their provider. test/faults/drive-faults.ts kills drivers that wait. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'
const limitedFor = (wait: string) => ({ limit: { claude: `API Error: Request rejected (429) · try again in ${wait}` } })
const SHORT = limitedFor('1s')
const LONG = limitedFor('9h')

it('waits until a limit is reset, without a request, and delivers', async () => {
  const driving = createDriving({ implement: [{ ...SHORT, edits: { 'wind.txt': 'half\n' } }, HONEST] })
  const told = join(driving.scratch, 'told.json')
  const ran = await driving.drive(GOAL, '--no-review', '--check', 'sh check.sh', '--notify', `tee -a ${told}`)
  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('claude is limited') })
  const records = driving.records(runIdIn(ran.stdout))
  expect(dataOf(records, 'limit_decided')).toEqual([{ by: 'drover', choice: 'wait' }])
  const [wait] = dataOf(records, 'waiting_for_limit')
  const calls = driving.calls().filter(({ kind }) => kind === 'implement')
  expect(calls).toHaveLength(2)
  expect(Date.parse(calls[1]?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(wait?.until ?? ''))
  expect(calls[1]).toMatchObject({ resumed: expect.any(String), prompt: expect.stringContaining('stopped by a limit') })
  const words = readFileSync(told, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).verdict.word)
  expect(words).toEqual(['waiting for limit', 'delivered'])
  // Other runs need not wait any more.
  expect(readdirSync(join(driving.home, '.drover', 'agent-limits'))).toEqual(['claude.lock'])
})

it.runIf(IS_FULL)('hands over to the next agent, which sees the work so far', async () => {
  const driving = createDriving({ implement: [{ ...LONG, edits: { 'wind.txt': 'wind: 23\n' } }, HONEST] })
  const ran = await driving.drive(GOAL, '--no-review', '--on-limit', 'next', '--fallback', 'codex')
  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('codex continues the work') })
  const [, limited, taken, summary] = driving.calls()
  expect([limited, taken, summary].map((each) => `${each?.kind} ${each?.backend}`)).toEqual([
    'implement claude',
    'implement codex',
    'summarize codex',
  ])
  for (const text of ['claude worked on this action before you', '+wind: 23', GOAL])
    expect(taken?.prompt).toContain(text)
  const attempts = dataOf(driving.records(runIdIn(ran.stdout)), 'attempt_started')
  expect(attempts[2]).toMatchObject({ backend: 'codex', purpose: 'hand_over' })
})

it.runIf(IS_FULL)('pauses if that is wanted, or if the wait would be too long, and says how to continue', async () => {
  const driving = createDriving({ implement: [LONG, HONEST] })
  const ran = await driving.drive(GOAL, '--no-review', '--max-wait', '2h', '--json')
  const lines = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { verdict, run_id: id } = lines.at(-1)
  expect(ran.code).toBe(4)
  expect(verdict).toMatchObject({
    ...{
      word: 'paused by limit',
      exit_code: 4,
      reason: expect.stringContaining('--max-wait'),
      next: `drover drive ${id}`,
    },
  })
  // A person who continues it does not wait again.
  expect(await driving.drive(id)).toMatchObject({ code: 0 })
})

it.runIf(IS_FULL)('waits for a limit that another run has reached, before its first request', async () => {
  const driving = createDriving()
  const directory = join(driving.home, '.drover', 'agent-limits')
  const soon = new Date(Date.now() + 1500).toISOString()
  mkdirSync(directory, { mode: 0o700 })
  const known = { version: 1, backend: 'claude', code: 'agent_rate_limited', until: soon }
  writeFileSync(join(directory, 'claude.json'), JSON.stringify(known))
  const ran = await driving.drive(GOAL, '--no-review', '--on-limit', 'wait')
  expect(ran).toMatchObject({ code: 0 })
  expect(Date.parse(driving.calls()[0]?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(soon))
  expect(dataOf(driving.records(runIdIn(ran.stdout)), 'waiting_for_limit')).toMatchObject([{ until: soon }])
})

it.each(firstOf(['3s', '40s'], 1))(
  'waits once if another run reaches the same limit at the same time: %s',
  async (wait) => {
    const file = '$HOME/.drover/agent-limits/claude.json'
    // As another run would note it, a second earlier.
    const note = `date -u -d '+${wait.replace('s', ' seconds')}' '+{"version":1,"backend":"claude","code":"agent_rate_limited","until":"%Y-%m-%dT%H:%M:%S.000Z"}'`
    const runs = `mkdir -p -m 700 "$HOME/.drover/agent-limits" && ${note} > "${file}"`
    const driving = createDriving({ implement: [{ ...limitedFor(wait), runs: [runs] }, HONEST] })
    const path = join(driving.home, '.drover', 'agent-limits', 'claude.json')
    let shownSoFar = ''
    const onOutput = (text: string) => (shownSoFar += text)
    const ran = driving.call(['drive', GOAL, '--no-review', '--on-limit', 'wait'], { onOutput })
    await until(() => shownSoFar.includes('Waiting until'))
    expect(JSON.parse(readFileSync(path, 'utf8')).until).toMatch(/\.000Z$/)
    // It is noticed within ten seconds that the agent has answered the other run.
    if (wait === '40s') rmSync(path)
    const { code, stdout } = await ran
    expect(code).toBe(0)
    expect(dataOf(driving.records(runIdIn(stdout)), 'waiting_for_limit')).toHaveLength(1)
  },
)

it.runIf(IS_FULL)('stops waiting when the agent answers a run that tries in spite of the limit', async () => {
  const driving = createDriving()
  const directory = join(driving.home, '.drover', 'agent-limits')
  mkdirSync(directory, { mode: 0o700 })
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  const known = { version: 1, backend: 'claude', code: 'agent_usage_limited', until: inAnHour }
  writeFileSync(join(directory, 'claude.json'), JSON.stringify(known))
  let shownSoFar = ''
  const onOutput = (text: string) => (shownSoFar += text)
  const waiting = driving.call(['drive', GOAL, '--no-review', '--on-limit', 'wait'], { onOutput })
  await until(() => shownSoFar.includes('Waiting until'))
  const args = ['--no-review', '--on-limit', 'next', '--fallback', 'claude']
  expect(await driving.drive('Show the wind in knots again', ...args)).toMatchObject({ code: 0 })
  expect(await waiting).toMatchObject({ code: 0 })
})

it('keeps waiting after it was killed, and shows until when', { timeout: 60_000 }, async () => {
  const driving = createDriving({ implement: [limitedFor('3s'), HONEST] })
  const child = spawn(process.execPath, [DROVER, 'drive', GOAL, '--no-review'], {
    cwd: driving.repository.root,
    env: driving.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran = ending(child)
  let shownSoFar = ''
  child.stdout.on('data', (text) => (shownSoFar += text))
  await until(() => shownSoFar.includes('Waiting until'))
  const id = runIdIn(shownSoFar)
  const [wait] = dataOf(driving.records(id), 'waiting_for_limit')
  const shown = await driving.call(['status', id, '--json'])
  expect(JSON.parse(shown.stdout).verdict).toMatchObject({
    ...{ word: 'waiting for limit', reason: expect.stringContaining(wait?.until ?? 'never') },
  })
  child.kill('SIGKILL')
  await ran
  expect(await driving.drive(id)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Run .* continues\nWaiting until .*: claude is limited\n/m),
  })
  const calls = driving.calls().filter(({ kind }) => kind === 'implement')
  expect(calls).toHaveLength(2)
  expect(Date.parse(calls[1]?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(wait?.until ?? ''))
})
