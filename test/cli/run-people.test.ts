/** The output of commands on runs for people. */
import { readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestScope } from '../../src/contract/destructive.ts'
import { decision, destruction } from '../support/contract-examples.ts'
import { installFakeGh, toFakeGitHub } from '../support/fake-gh.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, leftOnScreen, startOnTerminal } from '../support/on-terminal.ts'
import { onlyPrograms } from '../support/only-programs.ts'
import { DROVER, ending, type Ran, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { createRunFixture, offered, type RunFixture, stateOf } from '../support/run-fixture.ts'
import { ISSUE_URL, makeBundle } from '../support/source-bundle.ts'
import { adHoc, asking, bound, boundAndStopped, choosing, destroying, ended } from '../support/started-run.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { until } from '../support/until.ts'

/** stdout with ids, times and digests replaced by placeholders. */
const plain = ({ code, stdout, stderr }: Ran, fixture: RunFixture) => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const ids = new Map<string, string>()
  return stdout
    .replaceAll(fixture.root, 'ROOT')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `ID${ids.size + 1}`)
      return ids.get(id) ?? ''
    })
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/sha256:[0-9a-f]{64}/g, 'DIGEST')
}

describe('drover run', () => {
  it('prints the state of the run and the commands that can follow', async () => {
    const fixture = createRunFixture()
    expect(plain(await fixture.drover(['run', 'Show the wind\nin knots']), fixture)).toBe(`Run ID1 started
State: active
Goal: Show the wind in knots
Actions remaining: 7 of 8
Current action: orient (ID2)
Next:
  submit-outcome-file
    drover protocol submit --run ID1 --action ID2 --root ROOT --outcome-file OUTCOME_FILE
  submit-outcome-stdin
    drover protocol submit --run ID1 --action ID2 --root ROOT --outcome-stdin
  skip-action
    drover protocol skip --run ID1 --action ID2 --root ROOT
`)
  })

  it.each([
    ['a file', (fixture: RunFixture, goal: string) => ({ args: ['--goal-file', fixture.file('goal.md', goal)] })],
    ['standard input', (_: RunFixture, goal: string) => ({ args: ['--goal-stdin'], input: goal })],
    ['an argument', (_: RunFixture, goal: string) => ({ args: ['--', goal] })],
  ])('stores a goal from %s unchanged', async (_name, give) => {
    const fixture = createRunFixture()
    const goal = '--root \t“a”\r\n\n'
    const { args, input } = { input: '', ...give(fixture, goal) }
    const { run_id } = await stateOf(await fixture.program(['run', '--json', ...args], { input }))
    expect((await fixture.status(run_id)).goal).toBe(goal)
  })

  it('accepts any directory of the worktree as --root', async () => {
    const fixture = createRunFixture()
    fixture.write('deep/er/file', '')
    const { run_id } = await fixture.state(['run', '--json', '--root', join(fixture.root, 'deep/er'), 'A goal'], {
      cwd: fixture.scratch,
    })
    expect((await fixture.status(run_id)).workspace).toBe(fixture.root)
  })

  it.runIf(IS_FULL)('uses the title of an issue as the goal if there is no other', async () => {
    const fixture = createRunFixture()
    const { bin, calls } = installFakeGh(fixture.scratch, toFakeGitHub(makeBundle()))
    fixture.env.PATH = `${bin}:${fixture.env.PATH}`
    const { run_id } = await fixture.state(['run', '--json', '--issue', ISSUE_URL])
    expect((await fixture.status(run_id)).goal).toBe('Show the wind in knots')
    expect(calls().length).toBeGreaterThan(0)
    const named = await fixture.state(['run', '--json', '--issue', ISSUE_URL, 'Another goal'])
    expect((await fixture.status(named.run_id)).goal).toBe('Another goal')
  })

  it.each([
    ['gh is missing', undefined, 'gh_missing', 3],
    ['gh is not logged in', { failure: 'logged_out' }, 'provider_login_required', 3],
    ['the issue is not a change', toFakeGitHub({ ...makeBundle(), body: 'A bug.', comments: [] }), 'invalid_source', 2],
  ] as const)('reports that %s, and creates no run', async (_name, github, code, exit) => {
    const fixture = createRunFixture()
    const bin =
      github === undefined ? onlyPrograms('git') : `${installFakeGh(fixture.scratch, github).bin}:${fixture.env.PATH}`
    const env = { ...fixture.env, PATH: bin }
    const error = await fixture.error(['run', '--issue', ISSUE_URL], { env })
    expect({ code: error.code, exit: error.exit_code, next: offered(error) }).toEqual({
      code,
      exit,
      next: 'start start-from-issue',
    })
    expect(JSON.parse((await fixture.drover(['status', '--json'])).stdout).runs).toEqual([])
  })
})

describe('drover status', () => {
  it('says that there are no runs', async () => {
    const fixture = createRunFixture()
    expect(plain(await fixture.drover(['status']), fixture)).toBe('No runs found. "drover drive GOAL" starts one.\n')
  })

  it('lists own, foreign and unavailable runs', async () => {
    const { fixture, state } = await adHoc()
    fixture.write('a', 'a')
    fixture.commit()
    const other = join(realpathSync(temporaryDirectory()), 'other')
    fixture.git('worktree', 'add', '--quiet', other)
    const foreign = await stateOf(await fixture.drover(['run', '--json', 'Else\u202ewhere'], { cwd: other }))
    await stateOf(await fixture.drover(['stop', '--json', foreign.run_id], { cwd: other }))
    writeFileSync(join(fixture.root, '.git', 'drover', 'runs', 'damaged'), '')
    const { stdout } = await fixture.drover(['status'])
    const [heading, ...lines] = stdout.trimEnd().split('\n')
    expect(heading).toMatch(/^ID +STATE +ACTIONS LEFT +STARTED +GOAL$/)
    expect(lines[0]).toMatch(new RegExp(`^${state.run_id} {2}active +7 of 8 +just now +A goal$`))
    expect(lines[1]).toMatch(new RegExp(`^${foreign.run_id} {2}stopped +- +just now +Elsewhere$`))
    expect(lines[2]).toBe(`  in another worktree: ${other}`)
    expect(lines[3]).toMatch(/^damaged +unavailable/)
    expect(lines[4]).toMatch(/^ {2}run_unavailable: /)
  })

  it('filters by state, and always lists unavailable runs', async () => {
    const { fixture, state: active } = await adHoc()
    const stopped = await fixture.state(['run', '--json', 'Another goal'])
    await fixture.state(['stop', '--json', stopped.run_id])
    const listed = async (...states: string[]) => {
      const flags = states.flatMap((state) => ['--state', state])
      const list = JSON.parse((await fixture.drover(['status', '--json', ...flags])).stdout)
      const ids = [...list.runs, ...list.unavailable_runs].map(({ id }: { id: string }) => id)
      return {
        ids,
        shown: plain(await fixture.drover(['status', ...flags]), fixture)
          .trimEnd()
          .split('\n')
          .filter((line) => !/^(ID +STATE| )/.test(line)).length,
      }
    }
    expect(await listed('active')).toEqual({ ids: [active.run_id], shown: 1 })
    expect(await listed('stopped')).toEqual({ ids: [stopped.run_id], shown: 1 })
    expect(await listed('stopped', 'active')).toEqual({ ids: [active.run_id, stopped.run_id], shown: 2 })
    const none = await fixture.drover(['status', '--state', 'paused', '--state', 'ended'])
    expect(plain(none, fixture)).toBe('No run is paused or ended.\n')
    writeFileSync(join(fixture.root, '.git', 'drover', 'runs', 'damaged'), '')
    expect(await listed('paused')).toEqual({ ids: ['damaged'], shown: 1 })
  })

  it('shows the pending question', async () => {
    const question = `Knots\nor ${'miles '.repeat(60)}?`
    const started = await asking()
    await started.do('protocol', 'answer', ...started.ids, '--text', 'Knots.')
    await started.report({ status: 'needs_input', pause: { ...decision, question } })
    const text = plain(await started.fixture.drover(['status', started.state.run_id]), started.fixture)
    expect(text).toContain('State: paused, waiting for an answer\n')
    expect(text).toContain('Pause reason: decision_required\n')
    const [, shown = ''] = /^Pending question: (.*)$/m.exec(text) ?? []
    expect(shown).toHaveLength(200)
    expect(shown).toMatch(/^Knots or miles .*…$/)
    expect(text).toContain(`The whole question: Knots or ${'miles '.repeat(60)}?\n`)
    expect(text).toContain('  answer the question\n    drover answer ID1 "TEXT"\n')
  })

  it('shows what a confirmation would permit', async () => {
    const { fixture, state } = await destroying()
    const text = plain(await fixture.drover(['status', state.run_id]), fixture)
    expect(text).toContain(
      'Would destroy: git_ref refs/heads/old\nWould destroy: path /home/ada/weather/cache\nImpact: ',
    )
    expect(text).toMatch(/\n {4}drover answer ID1 --confirm [0-9a-f]{16}\n/)
  })

  it('shows a destructive request in full, on one line per field', async () => {
    const impact = `All of it.\n${'And more of it.\n'.repeat(30)}Next:\n  everything`
    const started = await adHoc()
    await started.report({ suggested_actions: [{ kind: 'implement', brief: 'Go.' }] })
    const scope = { ...destruction.destructive_request, impact }
    const destructive_request = { ...scope, scope_sha256: digestScope(scope) }
    await started.report({ status: 'needs_input', pause: { ...destruction, destructive_request } })
    const { stdout } = await started.fixture.drover(['status', started.state.run_id])
    expect(stdout).toContain(`Impact: ${impact.replaceAll(/\s+/g, ' ')}\n`)
  })

  it('shows what a confirmation has permitted', async () => {
    const started = await destroying()
    const scope = started.state.next.variants[0]?.base_argv.at(-1) ?? ''
    await started.do('protocol', 'answer', ...started.ids, '--confirm-destructive', '--scope-sha256', scope)
    const { stdout } = await started.fixture.drover(['status', started.state.run_id])
    expect(stdout).toContain('Is allowed to destroy: git_ref refs/heads/old\n')
    expect(stdout).not.toContain('Would destroy')
  })

  it('shows a budget above the initial one without the initial one', async () => {
    const started = await (await adHoc()).stop()
    await started.do('protocol', 'resume', started.state.run_id, '--budget', '20')
    const { stdout } = await started.fixture.drover(['status', started.state.run_id])
    expect(stdout).toContain('Actions remaining: 19\n')
  })

  it('shows how to fetch the issue for a resume', async () => {
    const { fixture, state } = await boundAndStopped()
    const text = plain(await fixture.drover(['status', state.run_id]), fixture)
    const lines = [
      '  refresh-source',
      `    drover source fetch ${ISSUE_URL} -o SOURCE_FILE`,
      '    drover protocol resume ID1 --root ROOT --source-file SOURCE_FILE',
    ]
    expect(text).toContain('  resume the run with the issue as it is now\n    drover continue ID1\n')
    expect(plain(await fixture.drover(['stop', state.run_id]), fixture)).toContain(`${lines.join('\n')}\n`)
  })

  it('shows the pinned issue and the source candidate', async () => {
    const { fixture, state } = await choosing()
    const text = plain(await fixture.drover(['status', state.run_id]), fixture)
    expect(text).toContain(`Pinned source: ${ISSUE_URL} (I_kwDOB5fHzM5xQ2Yt)\nSource revision: DIGEST\n`)
    expect(text).toContain('Sections: outcome, requirements, acceptance_examples, constraints, non_goals\n')
    expect(text).toContain('State: paused, waiting for a choice between its pinned source and the candidate\n')
    expect(text).toContain(
      'Current source candidate: ID2 (valid, valid_change)\nCandidate sections: changed: requirements\n',
    )
    const invalid = await choosing({ ...makeBundle(), body: 'no change' })
    const said = plain(await invalid.fixture.drover(['status', invalid.state.run_id]), invalid.fixture)
    expect(said).toMatch(/^Candidate classification: .+$/m)
  })

  it('shows the summary of an ended run, and no commands', async () => {
    const { fixture, state } = await ended()
    const { stdout } = await fixture.drover(['status', state.run_id])
    expect(stdout).toContain('State: ended\n')
    expect(stdout).not.toContain('Budget')
    expect(stdout).toContain(state.summary?.trimEnd())
    expect(stdout).not.toContain('Next:')
  })

  it('shows a pinned section in every state', async () => {
    const started = await (await bound()).stop()
    const { fixture, state } = started
    expect(plain(await fixture.drover(['status', state.run_id, '--section', 'outcome']), fixture)).toBe(
      `Section "outcome" (outcome) of run ID1, which is stopped.
Section revision: DIGEST
Requirements revision: DIGEST
This is the pinned text. Reading it does not permit anyone to work on it.

# About outcome

What there is to say about outcome.
`,
    )
  })

  it('creates nothing in a repository without runs', async () => {
    const fixture = createRunFixture()
    await fixture.drover(['status'])
    expect(fixture.git('status', '--porcelain')).toBe('')
    expect(readdirSync(join(fixture.root, '.git'))).not.toContain('drover')
  })
})

describe('completion', () => {
  it('offers the runs of the worktree, newest first', async () => {
    const { fixture, state } = await adHoc()
    const { run_id } = await fixture.state(['run', '--json', 'Another goal'])
    const offeredFor = async (...typed: string[]) =>
      (await fixture.drover(['complete-words', '--', ...typed])).stdout.trimEnd().split('\n')
    expect(await offeredFor('status', '')).toEqual([run_id, state.run_id])
    expect(await offeredFor('stop', run_id.slice(0, 8))).toEqual([run_id])
    expect(await offeredFor('protocol', 'resume', '')).toEqual([run_id, state.run_id])
  })

  it('offers nothing outside of a worktree', async () => {
    const fixture = createRunFixture()
    const ran = await fixture.drover(['complete-words', '--', 'status', ''], { cwd: fixture.scratch })
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

describe('drover stop', () => {
  it('stops the only run, and shows how to resume it', async () => {
    const { fixture } = await adHoc()
    expect(
      plain(await fixture.drover(['stop']), fixture),
    ).toBe(`Run ID1 is stopped. Its work so far is kept, and it can be resumed.
Next:
  resume-ad-hoc
    drover protocol resume ID1 --root ROOT
`)
    const error = await fixture.error(['stop'])
    expect({ code: error.code, exit: error.exit_code, next: offered(error) }).toEqual({
      code: 'run_id_required',
      exit: 2,
      next: 'command list-runs',
    })
  })

  it('requires an id with several runs or an unavailable one', async () => {
    const { fixture } = await adHoc()
    const second = await fixture.state(['run', '--json', 'Another goal'])
    expect((await fixture.error(['stop'])).message).toContain('2 runs that can be stopped')
    await fixture.state(['stop', '--json', second.run_id])
    writeFileSync(join(fixture.root, '.git', 'drover', 'runs', 'damaged'), '')
    expect((await fixture.error(['stop'])).message).toContain('some runs cannot be read')
  })

  it('gives the same answer when repeated', async () => {
    const { fixture, state } = await adHoc()
    const args = ['stop', '--json', state.run_id]
    expect(await fixture.drover(args)).toEqual(await fixture.drover(args))
  })
})

describe('a printed command', () => {
  it('can be pasted into a shell, with any path', async () => {
    const at = join(realpathSync(temporaryDirectory()), `it's a "$(place)" & more`)
    const fixture = createRunFixture({ repository: createRepository({ at }) })
    const { stdout } = await fixture.drover(['run', 'A goal'])
    const [line = ''] = stdout.split('\n').filter((each) => each.includes('protocol skip'))
    const script = `drover() { '${process.execPath}' '${DROVER}' "$@"; }\n${line}`
    const state = await stateOf(await runAt(fixture.scratch, ['bash', '-c', script], fixture.env))
    expect(state.action).toMatchObject({ kind: 'summarize' })
  })
})

describe('drover status --watch', () => {
  it.runIf(IS_FULL)('prints a line for every change, until the run has ended', async () => {
    const started = await adHoc()
    const { fixture } = started
    const child = fixture.start(['status', started.state.run_id, '--watch'])
    let seen = ''
    child.stdout?.on('data', (text) => {
      seen += text
    })
    const done = ending(child)
    await until(() => seen.includes('waiting for the outcome of orient'))
    await started.report()
    await until(() => seen.includes('waiting for the outcome of summarize'))
    await started.report()
    const { code, stdout, stderr } = await done
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\S+ {2}ended {2}\(6 of 8 actions left\)$/)
  })

  it('prints a runStatus for every change with --json', async () => {
    const { fixture, state } = await ended()
    const { stdout } = await fixture.drover(['status', state.run_id, '--watch', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ id: state.run_id, state: 'ended' })
  })

  it('exits quietly on Ctrl-C', async () => {
    const { fixture, state } = await adHoc()
    const child = fixture.start(['status', state.run_id, '--watch'])
    const done = ending(child)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.kill('SIGINT')
    expect(await done).toMatchObject({ code: 0, stderr: '' })
  })

  it.runIf(hasTerminals)('redraws the run on a terminal, and prints it in full at the end', async () => {
    const started = await adHoc()
    const { fixture, state } = started
    const env = { ...fixture.env, NO_COLOR: '1' }
    const watching = startOnTerminal(['status', state.run_id, '--watch'], { cwd: fixture.root, env })
    await watching.shows('waiting for the outcome of orient')
    await started.report()
    await watching.shows('waiting for the outcome of summarize')
    const skip = `drover skip ${state.run_id.slice(0, 8)}`
    const live = () => leftOnScreen(watching.seen())
    await until(() => live().includes(skip))
    const widths = live()
      .split('\n')
      .map((line) => line.length)
    expect(Math.max(...widths)).toBeLessThanOrEqual(80)
    watching.type('\u0003')
    const { code, seen } = await watching.ended
    expect(code).toBe(0)
    const left = leftOnScreen(seen)
    expect(left).not.toContain('outcome of orient')
    expect(left).toContain(skip)
    expect(left).toMatch(/ 1 orient +completed/)
  })
})

describe.runIf(hasTerminals)('an outcome typed at a terminal', () => {
  it.runIf(IS_FULL)('can be aborted with Ctrl-C, and changes nothing', async () => {
    const { fixture, ids, state } = await adHoc()
    const args = ['protocol', 'submit', ...ids, '--outcome-stdin']
    const typing = startOnTerminal(args, { cwd: fixture.root, env: fixture.env })
    await typing.shows('press Ctrl-D')
    typing.type('{"contract_version"\u0003')
    const { code, seen } = await typing.ended
    expect(code).toBe(3)
    expect(JSON.parse(seen.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ code: 'run_interrupted', exit_code: 3 })
    expect((await fixture.status(state.run_id)).current_action).toEqual(state.action)
  })
})

describe.runIf(hasTerminals)('an error on a terminal', () => {
  it('is a message and the commands that can follow', async () => {
    const { fixture } = await adHoc()
    const { code, seen } = await startOnTerminal(['status', 'absent'], { cwd: fixture.root, env: fixture.env }).ended
    expect(code).toBe(3)
    expect(seen).toBe(
      `drover: no run "absent" in this repository (run "drover status" to see the ids;\nat least 4 characters are needed)\nNext:\n  drover status --root ${fixture.root}\n`,
    )
  })

  it.each([
    ['without another goal', [], ISSUE_URL, `--issue ${ISSUE_URL}`],
    ['with one', ['A goal'], ISSUE_URL, `--goal-file GOAL_FILE --issue ${ISSUE_URL}`],
    ['corrected', [], `${ISSUE_URL}?a=b`, `--issue ${ISSUE_URL}`],
    ['unless it is none', [], '7', '--issue ISSUE_URL'],
  ])('repeats the URL of the issue, %s', async (_name, goal, issue, words) => {
    const fixture = createRunFixture()
    const env = { ...fixture.env, PATH: onlyPrograms('git', 'script', 'sh', 'stty') }
    const { seen } = await startOnTerminal(['run', ...goal, '--issue', issue], { cwd: fixture.root, env }).ended
    expect(seen.trimEnd().split('\n').at(-1)).toBe(`  drover run --budget 8 --root ${fixture.root} ${words}`)
  })

  it.each([
    ['an operation that fails', ['protocol', 'skip', '--run', 'absent', '--action', 'x'], 'run_not_found', 3],
    ['an operation that there is not', ['protocol', 'foo'], 'invalid_usage', 2],
    ['none after a flag', ['--root', '.', 'protocol', 'foo'], 'invalid_usage', 2],
    ['a flag in place of one', ['protocol', '--foo'], 'invalid_usage', 2],
    ['none at all', ['protocol'], 'protocol_operation_required', 2],
  ])('is JSON for a protocol command: %s', async (_name, args, code, exit) => {
    const fixture = createRunFixture()
    const { seen } = await startOnTerminal(args, { cwd: fixture.root, env: fixture.env }).ended
    expect(JSON.parse(seen)).toMatchObject({ code, exit_code: exit })
  })
})
