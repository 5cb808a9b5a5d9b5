/** One verdict in every face: exit code, last lines, status, report, notification, HTTP and MCP. */

import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { RunVerdict } from '../../src/contract/run-verdict.shape.ts'
import { callMain } from '../support/call-main.ts'
import { createDrivenHome, type DrivenScript, HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { connectClient } from '../support/mcp-client.ts'
import { temporaryDirectoryForAll } from '../support/run-drover.ts'
import { portOf, serveDrover, startDrover } from '../support/serve-drover.ts'
import { runClient } from '../support/served-runs.ts'
import { ask } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'
const home = createDrivenHome(temporaryDirectoryForAll())
const repository = realpathSync(home.repository.root)
const call = (args: readonly string[]) =>
  callMain(args, { cwd: home.repository.root, env: home.env, homeDirectory: home.home })
const configure = (drive: object = {}) =>
  home.configure(
    JSON.stringify({
      drive: { repositories: [repository], checks: ['sh check.sh'], attempts: 0, rounds: 0, ...drive },
      warm: { enabled: false },
    }),
  )

const NOT_NEEDED = { result: 'not_needed', files_changed: [], activities: [], uncertainties: [], attempts: 1 }
const WRONG = { edits: { 'wind.txt': 'wind: 12\n' } }
const QUESTION = 'Knots\u001b[31m or km/h?'
const ASKS = {
  outcome: {
    status: 'needs_input',
    pause: { reason: 'decision_required', question: QUESTION, destructive_request: null },
    suggested_actions: [],
  },
}
const SILENT = { says: 'I am done.' }
/** What every face must say about each run. */
const verdicts = new Map<string, RunVerdict>()

/** Drives, and compares what the command, its notification, `status` and `report` say. */
async function driveAndCompare(script: DrivenScript, args: readonly string[]) {
  home.rewrite(script)
  const told = join(home.scratch, 'told.json')
  const ran = await call(['drive', ...args, '--no-review', '--notify', `tee ${told}`])
  const notice = JSON.parse(readFileSync(told, 'utf8')) as { run_id: string; verdict: RunVerdict; question?: string }
  const { verdict, run_id: id } = notice
  verdicts.set(id, verdict)
  const status = await call(['status', id, '--json'])
  expect(JSON.parse(status.stdout).verdict, status.stderr).toEqual(verdict)
  const text = await call(['status', id])
  expect(text.stdout).toContain(`\nState: ${verdict.line}\n`)
  expect(text.stdout).not.toMatch(/protocol submit|finished all its actions/)
  const listed = JSON.parse((await call(['status', '--json'])).stdout).runs as { id: string; verdict: RunVerdict }[]
  expect(listed.find((run) => run.id === id)?.verdict).toEqual(verdict)
  expect((await call(['status'])).stdout).toMatch(new RegExp(`^${id}  ${verdict.word}  `, 'm'))
  const report = await call(['report', id])
  expect(report.stdout.split('\n')[2]).toMatch(new RegExp(`^\\*\\*${verdict.word}\\*\\*`))
  return { ...ran, id, verdict, notice, text: text.stdout, report: report.stdout }
}

describe('a driven run is', () => {
  const ROWS: [string, DrivenScript, readonly string[], number, string][] = [
    ['delivered', {}, [], 0, 'delivered: branch drover/'],
    [
      'delivered, to look at first',
      { implement: [{ ...HONEST, deletes: ['rain.test.js'] }] },
      [],
      5,
      'delivered, look first: test deleted: rain.test.js',
    ],
    [
      'not delivered, because a check fails',
      { implement: [WRONG] },
      [],
      3,
      'not delivered: the check sh check.sh ended with exit code 1; it was already failing before the work',
    ],
    ['waiting for a person', { orient: [ASKS] }, [], 4, 'waits for you: Knots\\u001b[31m or km/h?'],
    ['paused by a limit', {}, ['--max-tokens', '1'], 4, 'paused by limit: the limit of tokens is reached'],
    [
      'without a change',
      { implement: [{ outcome: { implementation: NOT_NEEDED } }] },
      ['--check', 'grep wind wind.txt'],
      0,
      'nothing to change: the agent says so, and the checks pass',
    ],
    [
      'not delivered, because the agent never gives an outcome',
      { orient: [SILENT], summarize: [SILENT] },
      [],
      3,
      'not delivered: claude reported no valid outcome: the answer has no code block named drover-outcome; ',
    ],
  ]

  it.each(firstOf(ROWS, 2))('%s', async (_name, script, args, code, line) => {
    configure()
    const ran = await driveAndCompare(script, [GOAL, ...args])
    expect([ran.code, ran.verdict.exit_code], ran.stdout).toEqual([code, code])
    expect(ran.verdict.line.slice(0, line.length)).toBe(line)
    expect(ran.stdout.includes('drover merge')).toBe(
      code === 0 || code === 5 ? ran.verdict.exists.commit !== undefined : false,
    )
    if (ran.verdict.word === 'waits for you') expect(ran.stdout).toContain('  | Knots\\u001b[31m or km/h?')
  })

  it.runIf(IS_FULL)('not delivered, because the delivery fails, and is delivered when it is driven again', async () => {
    configure()
    const ran = await driveAndCompare({}, [GOAL, '--deliver', 'pr'])
    expect([ran.code, ran.verdict.word, ran.verdict.next]).toEqual([3, 'not delivered', `drover drive ${ran.id}`])
    expect(ran.verdict.reason).toContain('the work is committed but not delivered')
    const again = await driveAndCompare({}, [ran.id, '--deliver', 'branch'])
    expect([again.code, again.verdict.word]).toEqual([0, 'delivered'])
  })

  it.runIf(IS_FULL)('shown before it is committed, if that is set, and committed when it is driven again', async () => {
    configure({ on_flags: 'ask' })
    const script = { implement: [{ ...HONEST, deletes: ['rain.test.js'] }] }
    const { id, code, verdict } = await driveAndCompare(script, [GOAL])
    expect([code, verdict.word, verdict.exists.commit]).toEqual([4, 'waits for you', undefined])
    expect(verdict.reason).toContain('test deleted: rain.test.js')
    const again = await driveAndCompare(script, [id])
    expect([again.code, again.verdict.word]).toEqual([5, 'delivered, look first'])
  })

  it.runIf(IS_FULL)('continued in another run, which keeps its title, and either id leads to the other', async () => {
    configure({ rounds: 1 })
    const { id, code, verdict, stdout, text } = await driveAndCompare(
      { implement: [{ runs: ['echo 12 >> wind.txt'] }] },
      [GOAL],
    )
    expect([code, verdict.word]).toEqual([3, 'not delivered'])
    const first = runIdIn(stdout)
    expect(text).toContain(`continues run ${first}`)
    expect(text).toContain(`Goal: round 2 of ${GOAL}`)
    const before = JSON.parse((await call(['status', first, '--json'])).stdout).verdict as RunVerdict
    expect(before).toMatchObject({ word: 'continued', line: `continued as ${id}`, exists: { follow_up: id } })
    verdicts.set(first, before)
    expect(await call(['drive', first])).toMatchObject({ code: 3, stdout: expect.stringContaining('not delivered') })
    const answer = await call(['answer', first, 'Knots.'])
    expect([answer.code, answer.stderr]).toEqual([
      3,
      expect.stringContaining(`the run ${id} waits for no answer: not del`),
    ])
  })

  it.runIf(IS_FULL)(
    'shown with the output of the check that failed, live, in the status and in the report',
    async () => {
      configure()
      const { stdout, text, report } = await driveAndCompare({ implement: [WRONG] }, [
        GOAL,
        '--check',
        'sh -c "seq 60 | sed s/^/row-/; exit 1"',
      ])
      for (const shown of [stdout, text, report]) {
        expect([shown.includes('row-21\n'), shown.includes('row-60'), shown.includes('row-20\n')]).toEqual([
          true,
          true,
          false,
        ])
      }
    },
  )

  it('delivered, and says so if someone answers it', async () => {
    const [id = ''] = [...verdicts].find(([, { word }]) => word === 'delivered') ?? []
    const { code, stderr } = await call(['answer', id, 'Knots.'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('waits for no answer: delivered: branch')])
  })

  it('running while a process drives it, and not driven when that was killed', async () => {
    configure()
    home.rewrite({ orient: [{ tells: ['I look.'], hangs: true }] })
    const driver = startDrover(['drive', GOAL, '--root', repository, '--no-review', '--json'], home.env)
    await until(() => driver.heard.stdout.includes('I look.'))
    const id = runIdIn(driver.heard.stdout)
    const verdictNow = async () => JSON.parse((await call(['status', id, '--json'])).stdout).verdict as RunVerdict
    expect((await verdictNow()).line).toBe('running: claude works on orient')
    driver.child.kill('SIGKILL')
    await driver.ended
    expect((await verdictNow()).line).toBe(`not driven (killed just now): drover drive ${id}`)
    expect((await call(['status'])).stdout).toMatch(new RegExp(`^${id}  not driven  `, 'm'))
    expect((await call(['status', '--state', 'active'])).stdout).not.toContain(id)
    const dead = (await call(['status', id])).stdout
    expect(dead).not.toContain('protocol submit')
    expect(dead).toMatch(/orient.*: unknown$/m)
    expect((await driveAndCompare({}, [id])).verdict.word).toBe('delivered')
  })

  it('the same over HTTP, in its resource and in the list, and in the answer of the MCP tool', async () => {
    const port = await portOf(serveDrover(['--port', '0'], home.env))
    const server = runClient((path, request) => ask({ host: '127.0.0.1', port, path, ...request }))
    const url = new URL(`http://127.0.0.1:${port}/mcp`)
    const mcp = await connectClient(new StreamableHTTPClientTransport(url))
    const { runs } = await server.list('?limit=100')
    expect(verdicts.size).toBeGreaterThan(IS_FULL ? 9 : 2)
    for (const [id, verdict] of verdicts) {
      expect((await server.show(id)).verdict).toEqual(verdict)
      expect(runs.find((run) => run.id === id)?.verdict).toEqual(verdict)
      expect((await mcp.call('run_status', { run_id: id })).text).toMatch(new RegExp(`^Run ${id}: ${verdict.word}`))
    }
  })
})
