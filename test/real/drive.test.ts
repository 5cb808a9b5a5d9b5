/** Real agents do a run, from the goal or an issue to a branch. The model is scripted: test/fake-upstream/drive.mjs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataOf, runIdIn } from '../support/driven-home.ts'
import { toFakeGitHub } from '../support/fake-gh.ts'
import { ISSUE_URL, makeBundle } from '../support/source-bundle.ts'
import { until } from '../support/until.ts'
import { installedAcp } from './acp-agents.ts'
import { createDriveSetup, type DriveSetup, serveRealRuns } from './drive-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const natives: readonly string[] = installed.map(({ backend }) => backend)
const workers = [...natives, ...installedAcp.map(({ name }) => name)]
/** Agents that never ask before they use a tool, so that drover cannot deny one. */
const unlimited = installedAcp.filter(({ profile }) => profile.asks === 'never').map(({ name }) => name)

/** The next of the native agents reviews. */
function reviewerOf(backend: string): string {
  return natives[(natives.indexOf(backend) + 1) % natives.length] ?? backend
}

/** Agents that do not show the exit codes of commands. */
const HIDES_EXIT_CODES = ['gemini', 'vibe', 'pi']

/** Agents that ask for a command in a form that drover can compare with a check. */
const RUNS_CHECKS = ['claude', 'codex', 'gemini', 'opencode', 'qwen']

describe.each(workers)('a run by the real %s', { timeout: 300_000 }, (backend) => {
  const reviewer = reviewerOf(backend)
  let setup: DriveSetup
  let endServer: () => Promise<unknown>

  beforeEach(() => {
    endServer = async () => undefined
    setup = createDriveSetup({ port: upstream.port(), acp: installedAcp.find(({ name }) => name === backend) })
  })

  afterEach(async () => {
    await endServer()
    await until(() => processesIn(setup.asAgentSetup()).length === 0)
    setup.remove()
  })

  const drive = (target: string, ...more: string[]) =>
    setup.drover('drive', target, '--with', setup.nameOf(backend), '--check', 'sh check.sh', ...more)

  const serve = async () => {
    const server = await serveRealRuns(setup)
    endServer = server.end
    return server
  }

  it.skipIf(unlimited.includes(backend))(
    'asks, fixes a failed check, is reviewed by another agent, and ends as a branch',
    async () => {
      const asked = await drive('Show the wind', '--review-with', setup.nameOf(reviewer), '--approval', 'none')
      expect([asked.code, asked.stderr]).toEqual([4, ''])
      expect(asked.stdout).toContain('Knots or km/h?')
      const id = runIdIn(asked.stdout)
      expect(await setup.drover('answer', id, 'In knots, please.')).toMatchObject({ code: 0 })
      const done = await setup.drover('drive', id)
      expect([done.code, done.stderr], done.stdout).toEqual([0, ''])
      const records = setup.records()
      // Some agents end their turn when a tool call is denied, and are told to continue.
      const failed = dataOf(records, 'attempt_ended').filter(({ how }) => how === 'failed')
      expect(failed.filter(({ error }) => !error?.includes('because a tool call was denied'))).toEqual([])
      const numbers = failed.map(({ attempt }) => attempt)
      const answered = dataOf(records, 'attempt_started').filter(({ attempt }) => !numbers.includes(attempt))
      expect(answered.map((each) => `${each.action_kind} ${each.backend}`)).toEqual([
        `orient ${backend}`,
        `orient ${backend}`,
        `implement ${backend}`,
        `implement ${backend}`,
        `review ${reviewer}`,
        `summarize ${backend}`,
      ])
      expect(dataOf(records, 'attempt_ended').length - failed.length).toBe(6)
      expect(dataOf(records, 'check_ran').map(({ exit_code }) => exit_code)).toEqual([1, 0])
      const [delivered] = dataOf(records, 'delivered')
      expect(setup.repository.git('show', '--stat=80', '--format=', delivered?.branch ?? '')).toMatch(
        /^ wind\.txt [^\n]*\n 1 file changed/,
      )
      expect(setup.repository.git('show', `${delivered?.branch}:wind.txt`)).toBe('wind: 23 knots\n')
      const shown = HIDES_EXIT_CODES.includes(backend) ? 'claimed' : 'observed'
      const claims = dataOf(records, 'evidence').at(-1)?.claims
      expect(claims?.map(({ subject, exit_code, verdict }) => [subject, exit_code, verdict])).toEqual([
        ['wind.txt', undefined, 'observed'],
        ['sh check.sh again', 1, shown],
        ['sh check.sh again', 0, shown],
      ])
    },
  )

  it.runIf(unlimited.includes(backend))('is reviewed before anything else if it writes while it orients', async () => {
    const { stdout } = await drive('Show the wind', '--review-with', setup.nameOf(reviewer), '--approval', 'none')
    await setup.drover('answer', runIdIn(stdout), 'In knots, please.')
    // Checks run after an implement. Without one, no check has seen what is delivered.
    const ended = await setup.drover('drive', runIdIn(stdout))
    expect(ended).toMatchObject({ code: 3, stdout: expect.stringContaining('was not run') })
    const started = dataOf(setup.records(), 'attempt_started')
    expect(started.map((each) => `${each.action_kind} ${each.backend}`)).toEqual([
      `orient ${backend}`,
      `orient ${backend}`,
      `review ${reviewer}`,
      `summarize ${backend}`,
    ])
    expect((await setup.drover('report', runIdIn(stdout))).stdout).toContain('hacked.txt')
  })

  it('does what an issue with pinned sections asks for', async () => {
    setup.installGitHub(toFakeGitHub(makeBundle()))
    const { code, stdout, stderr } = await drive(ISSUE_URL, '--no-review')
    expect([code, stderr], stdout).toEqual([0, ''])
    const records = setup.records()
    const [delivered] = dataOf(records, 'delivered')
    expect(setup.repository.git('show', `${delivered?.branch}:wind.txt`)).toBe('wind: 23 knots\n')
    const claims = dataOf(records, 'evidence').at(-1)?.claims ?? []
    expect(claims.filter(({ verdict }) => verdict === 'contradicted')).toEqual([])
    expect(upstream.received()).toContain('What there is to say about requirements.')
  })

  it.runIf(RUNS_CHECKS.includes(backend))('may run a check at the default approval', async () => {
    setup.installGitHub(toFakeGitHub(makeBundle()))
    const target = [ISSUE_URL, '--with', setup.nameOf(backend), '--no-review']
    const { stdout } = await setup.drover('drive', ...target, '--check', 'sh check.sh again')
    const records = setup.records()
    const [first] = dataOf(records, 'attempt_started').filter(({ action_kind }) => action_kind === 'implement')
    const ended = dataOf(records, 'attempt_ended').find(({ attempt }) => attempt === first?.attempt)
    expect(
      ended?.warnings.filter((warning) => warning.includes('denied')),
      stdout,
    ).toEqual([])
    expect(ended?.trace.filter(({ did }) => did === 'command')).toMatchObject([{ did: 'command' }])
  })

  // A process of gemini that stays up cannot resume a session of another one.
  it.skipIf(backend === 'gemini')('does the same in a server, where agents stay up', async () => {
    const server = await serve()
    const { id } = await server.start({ goal: 'Show the wind', ...setup.modelOf(backend) })
    expect(await server.settled(id)).toMatchObject({ state: 'waiting', waits_for: { question: 'Knots or km/h?' } })
    await until(async () => (await server.warm(backend)).some(({ state }) => state === 'idle'))
    expect(await server.change(id, 'answer', { text: 'In knots, please.' })).toMatchObject({ status: 200 })
    const run = await server.settled(id)
    expect(run, JSON.stringify([run.pause, run.attempts?.at(-1)])).toMatchObject({ state: 'ended' })
    // The process of codex that has the session ends when another action has other permissions.
    const isUsed = (await server.warm(backend)).some(({ turns }) => turns > 0)
    expect(isUsed || backend === 'codex').toBe(true)
    expect(setup.repository.git('show', `${run.delivered?.branch}:wind.txt`)).toBe('wind: 23 knots\n')
    expect(run.attempts?.filter(({ how }) => how === 'answered')).toHaveLength(5)
    const claims = dataOf(setup.records(), 'evidence').at(-1)?.claims ?? []
    expect(claims.filter(({ verdict }) => verdict === 'contradicted')).toEqual([])
  })

  it.runIf(['claude', 'codex', 'qwen'].includes(backend))(
    'is ended between two model requests at a limit',
    async () => {
      const server = await serve()
      const { id } = await server.start({ goal: 'Show the wind #spend', max_tokens: 6000, ...setup.modelOf(backend) })
      await server.reaches(id, 'waiting')
      await until(async () => (await server.warm(backend)).some(({ state }) => state === 'idle'))
      await server.change(id, 'answer', { text: 'In knots, please.' })
      expect(await server.reaches(id, 'paused')).toMatchObject({ pause: { reason: 'max_tokens' } })
      const [, spending] = dataOf(setup.records(), 'attempt_ended')
      expect(spending?.how).toBe('budget')
      const { tokens = 0 } = (await server.show(id)).spent ?? {}
      expect([tokens >= 6000, tokens < 12_000]).toEqual([true, true])
    },
  )
})
