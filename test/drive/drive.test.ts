import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { createDriving } from '../support/driven-agents.ts'
import { createDrivenHome, type DrivenScript, dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { type Ran, temporaryDirectoryForAll } from '../support/run-drover.ts'

const GOAL = 'Show the wind in knots'

/** One run for all of these, with everything that does not disturb the others. */
describe('drover drive, from a goal to a commit on a new branch', () => {
  const scratch = temporaryDirectoryForAll()
  const activity = { kind: 'test', command: 'sh -n check.sh', exit_code: 0, summary: 'Found.' }
  const edits = { ...HONEST.edits, 'a b/wïnd ü.txt': 'new\n' }
  const implementation = {
    result: 'applied',
    files_changed: Object.keys(edits),
    activities: [activity],
    uncertainties: [],
    attempts: 1,
  }
  const driving = createDrivenHome(scratch, {
    orient: [{ cost: 0.25 }],
    implement: [{ edits, runsAfter: [activity.command], outcome: { implementation } }],
  })
  const { git } = driving.repository
  const call = (...args: string[]) =>
    callMain(args, { cwd: driving.repository.root, env: driving.env, homeDirectory: driving.home })
  const told = join(scratch, 'told.json')
  let ran: Ran
  let id: string
  let written: string[]

  beforeAll(async () => {
    ran = await call('drive', GOAL, '--json', '--check', 'sh check.sh', '--notify', `sh -c 'cat > ${told}'`)
    id = runIdIn(ran.stdout)
    written = driving.records(id).map(({ type }) => type)
  })

  it('delivers a commit, and leaves no worktree', async () => {
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [delivered] = dataOf(driving.records(id), 'delivered')
    expect(delivered).toMatchObject({ as: 'branch', branch: expect.stringMatching(/^drover\/show-the-wind-in-knots-/) })
    expect(git('show', `${delivered?.branch}:wind.txt`)).toBe('wind: 23 knots\n')
    expect(git('log', '-1', '--format=%s', delivered?.branch ?? '')).toBe(`${GOAL}\n`)
    expect(git('status', '--short')).toBe('')
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    // As after a kill between the removal of the worktree and the end of the command.
    expect(await call('drive', id)).toMatchObject({ code: 0, stderr: '' })
    expect(driving.calls().map(({ backend, kind }) => `${kind} ${backend}`)).toEqual([
      'orient claude',
      'implement claude',
      'review codex',
      'summarize claude',
    ])
  })

  it('keeps one session for the work, and a new one for the review, which may only read', () => {
    const [orient, implement, review, summarize] = driving.calls()
    expect(orient?.resumed).toBeUndefined()
    expect(implement?.resumed).toBeDefined()
    expect(summarize?.resumed).toBe(implement?.resumed)
    expect(review?.resumed).toBeUndefined()
    expect(review?.argv.join(' ')).toContain('read-only')
    expect(orient?.argv.join(' ')).toContain('--disallowedTools')
    expect(implement?.argv.join(' ')).toContain('acceptEdits')
    expect(review?.prompt).toContain('+wind: 23 knots')
  })

  it('lets only the one who implements run the checks, exactly as they are', () => {
    const [orient, implement, review] = driving.calls()
    expect(implement?.argv.join(' ')).toContain('--allowedTools Bash(sh check.sh),Bash(git status),')
    expect(implement?.prompt).toContain('You may run them too, exactly as they are here')
    for (const other of [orient, review]) expect(other?.argv.join(' ')).not.toContain('check.sh')
  })

  it('starts agents without the settings of the project', () => {
    const claude = driving.calls().filter(({ backend }) => backend === 'claude')
    for (const { argv } of claude) expect(argv.join(' ')).toContain('--setting-sources user')
  })

  it('prints every record and every event of an agent as JSON', () => {
    const lines = linesOf(ran.stdout)
    expect(lines.filter(({ type }) => type !== 'agent_event' && type !== 'result').map(({ type }) => type)).toEqual(
      written,
    )
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      run_id: id,
      verdict: { word: 'delivered' },
      exit_code: 0,
      delivered: { as: 'branch' },
    })
    expect(lines.filter(({ event }) => event?.type === 'tool_use')).toHaveLength(3)
  })

  it('notes in the evidence which event of which execution shows a command', async () => {
    const shown = dataOf(driving.records(id), 'evidence')
      .flatMap(({ claims }) => claims)
      .find(({ about }) => about === 'activity')
    expect(shown).toMatchObject({ verdict: 'observed', note: 'a tool call shows exit code 0' })
    const logs = await call('logs', shown?.execution_id ?? '', '--json')
    const event = linesOf(logs.stdout).find(({ seq }) => seq === shown?.seq)
    expect(event).toMatchObject({ type: 'tool_result', content: { tool_name: 'Bash' } })
  })

  it('tells another program that it has ended', () => {
    expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({
      verdict: { word: 'delivered' },
      goal: GOAL,
      delivered: { as: 'branch' },
    })
  })

  it('shows attempts, checks, evidence, cost and the branch, even when the worktree is gone', async () => {
    const { stdout: status } = await call('status', id)
    expect(status).toMatch(/Driven: 4 attempts · 600 tokens · \$0\.2500/)
    expect(status).toMatch(/2\. implement by claude: answered · .* · 150 tokens\n {4}drover logs exec_[0-9a-f]+\n/)
    expect(status).toContain('check sh check.sh ended with exit code 0')
    expect(status).toContain('evidence: 3 observed, 0 claimed, 0 contradicted')
    expect(status).toMatch(/Commit [0-9a-f]{12} on branch drover\/show-the-wind-in-knots-/)
    const { stdout: report } = await call('report', id)
    expect(report).toMatch(/\| changed wind\.txt \| \*\*observed\*\* \| git shows the change \|/)
    expect(report).toMatch(/\| `sh check\.sh` \| passed \|/)
    expect(report).toContain('Branch: `drover/show-the-wind-in-knots-')
    expect(report).toContain('- Cost: $0.2500')
    expect(report).toContain('| `a b/wïnd ü.txt` | +1 | -0 |\n| `wind.txt` | +1 | -1 |\n\n2 files, +2, -1')
    expect(report).toContain('| changed a b/wïnd ü.txt | **observed** |')
    const asJson = JSON.parse((await call('report', id, '--json')).stdout)
    expect(asJson).toMatchObject({
      run_id: id,
      goal: GOAL,
      changes: [{ path: 'a b/wïnd ü.txt' }, { path: 'wind.txt', insertions: 1, deletions: 1 }],
      evidence: expect.arrayContaining([expect.objectContaining({ claim: 'changed wind.txt', verdict: 'observed' })]),
      checks: [{ command: 'sh check.sh', passed: true }],
      cost: { attempts: 4, tokens: 600, cost_usd: 0.25 },
      note: expect.stringContaining('certifies nothing'),
    })
  })

  it('is listed among delivered runs, if only those are asked for', async () => {
    await call('run', 'Another goal')
    const idsIn = async (...states: string[]) => {
      const { stdout } = await call('status', '--json', ...states.flatMap((state) => ['--state', state]))
      return JSON.parse(stdout).runs.map((run: { id: string }) => run.id)
    }
    expect(await idsIn('delivered')).toEqual([id])
    expect(await idsIn('ended')).toEqual([id])
    expect(await idsIn('active', 'delivered')).toHaveLength(2)
  })
})

function linesOf(stdout: string) {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

describe('drover drive', () => {
  it.each(['--with', '--review-with', '--fallback'])('is a usage error if %s names no agent', async (flag) => {
    const driving = createDriving()
    const stderr = expect.stringContaining('no backend "clod"')
    expect(await driving.drive(GOAL, flag, 'clod')).toMatchObject({ code: 2, stdout: '', stderr })
  })

  it('is refused in an agent that is too deep, and starts nothing', async () => {
    const driving = createDriving()
    Object.assign(driving.env, { DROVER_DEPTH: '2' })
    expect(await driving.drive(GOAL)).toMatchObject({ code: 2, stderr: expect.stringContaining('depth 2') })
    expect([driving.calls(), driving.repository.git('worktree', 'list').trim().split('\n')]).toMatchObject([
      [],
      { length: 1 },
    ])
    expect(existsSync(driving.runs)).toBe(false)
  })

  it.runIf(IS_FULL)('starts every agent without the settings of the project, whatever its action', async () => {
    const driving = createDriving()
    await driving.drive(GOAL, '--with', 'claude', '--review-with', 'claude')
    const calls = driving.calls().map(({ kind, argv }) => `${kind} ${argv.join(' ')}`)
    const ignoring = (kind: string) => expect.stringMatching(new RegExp(`^${kind} .*--setting-sources user`))
    expect(calls).toEqual(['orient', 'implement', 'review', 'summarize'].map(ignoring))
  })

  it.each(
    firstOf([
      ['', 'drover: note: agents do not use the settings of the project (.env and 1 more): '],
      ['agents: {project_settings: never}\n', ''],
    ]),
  )('uses no settings of the project that no one has trusted: %j', async (config, note) => {
    const driving = createDriving({}, { config })
    driving.repository.write('.mcp.json', '{}')
    driving.repository.write('.env', 'A=1')
    driving.repository.write('CLAUDE.md', 'Use tabs.')
    driving.repository.commit()
    const { code, stderr } = await driving.drive(GOAL, '--no-review')
    expect([code, stderr.startsWith(note), stderr.split('\n').length]).toEqual([0, true, note === '' ? 1 : 2])
    expect(driving.calls().every(({ argv }) => argv.includes('--setting-sources'))).toBe(true)
  })

  it.runIf(IS_FULL)('uses what its user has told git to run before, and nothing that came later', async () => {
    const driving = createDriving()
    driving.repository.git('config', 'core.sshCommand', 'ssh -i mine')
    const first = await driving.drive(GOAL, '--no-review')
    expect([first.code, first.stderr]).toEqual([0, ''])
    driving.rewrite({ implement: [{ ...HONEST, runs: ['git config core.sshCommand ./theirs'] }] })
    const { code, stdout } = await driving.drive('Show the rain', '--no-review')
    expect([code, stdout]).toEqual([4, expect.stringContaining('core.sshcommand in ')])
  })

  it('sends the output of a failed check back, until it passes', async () => {
    const driving = createDriving({ implement: [{ edits: { 'wind.txt': 'wind: 12\n' } }, HONEST] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--check', 'sh check.sh')
    expect(code).toBe(0)
    const records = driving.records(runIdIn(stdout))
    expect(dataOf(records, 'check_ran').map(({ exit_code }) => exit_code)).toEqual([1, 0])
    expect(dataOf(records, 'attempt_started').map(({ purpose }) => purpose)).toEqual([
      'action',
      'action',
      'failed_check',
      'action',
    ])
    const [, first, second] = driving.calls()
    expect(second?.resumed).toBe(first?.resumed)
    expect(second?.prompt).toContain('`sh check.sh` ended with exit code 1')
  })

  it('delivers no files that a check creates, or the agent by running it, and says once what to do', async () => {
    const edits = { ...HONEST.edits, '__cache__/test.bin': 'by the agent\n' }
    const files_changed = Object.keys(HONEST.edits ?? {})
    const implementation = { result: 'applied', files_changed, activities: [], uncertainties: [], attempts: 1 }
    const driving = createDriving({ implement: [{ ...HONEST, edits, outcome: { implementation } }] })
    const check = 'sh -c "mkdir -p __cache__; cat wind.txt > __cache__/wind.bin; sh check.sh"'
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--check', check)
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('change not reported')])
    const records = driving.records(runIdIn(stdout))
    const [delivered] = dataOf(records, 'delivered')
    expect(driving.repository.git('show', '--name-only', '--format=', delivered?.branch ?? '').trim()).toBe('wind.txt')
    expect(dataOf(records, 'check_ran')).toMatchObject([{ put_back: ['__cache__/test.bin', '__cache__/wind.bin'] }])
    expect(delivered?.tree_id).toBe(dataOf(records, 'check_ran')[0]?.tree_id)
    expect(stdout.match(/note: the check writes .*/g)).toEqual([
      'note: the check writes __cache__/wind.bin, which is put back: add what it creates to .gitignore',
    ])
  })

  it.runIf(IS_FULL)('titles its sessions by the goal, without the marks of a heading', async () => {
    const driving = createDriving()
    expect((await driving.drive(`# ${GOAL}\n\nPilots read knots.`, '--no-review')).code).toBe(0)
    const { sessions } = JSON.parse((await driving.call(['sessions', '--json'])).stdout)
    expect(sessions.map(({ title }: { title: string }) => title)).toEqual([GOAL])
  })

  it.runIf(IS_FULL)('accepts a check that changes files, after it left them as they were', async () => {
    const driving = createDriving({ implement: [{ ...HONEST, edits: { ...HONEST.edits, 'notes.md': 'new\n' } }] })
    const check = 'sh -c "sort wind.txt > notes.md"'
    const other = 'sh check.sh'
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--check', check, '--check', other)
    expect(code).toBe(0)
    const records = driving.records(runIdIn(stdout))
    expect(dataOf(records, 'check_ran').map(({ command }) => command)).toEqual([check, other, check])
    expect(dataOf(records, 'delivered')[0]?.tree_id).toBe(dataOf(records, 'check_ran').at(-1)?.tree_id)
  })

  it.runIf(IS_FULL)('runs a check that changes files each time once more, and says what to do about it', async () => {
    const driving = createDriving({}, { config: 'drive:\n  attempts: 0\n  rounds: 0\n' })
    const check = 'sh -c "echo more >> wind.txt"'
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--check', check)
    expect(code).toBe(3)
    expect(dataOf(driving.records(runIdIn(stdout)), 'check_ran')).toHaveLength(2)
    const { stdout: report } = await driving.call(['report', runIdIn(stdout)])
    expect(report).toContain('changed each time while it ran; let git ignore what it writes')
  })

  it.runIf(IS_FULL)('starts another run for a check that still fails, and says so at the end', async () => {
    const driving = createDriving(
      { implement: [{ edits: { 'wind.txt': 'wind: 12\n' } }, { edits: { 'wind.txt': 'wind: 13\n' } }] },
      { config: 'drive:\n  attempts: 0\n  rounds: 1\n' },
    )
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--check', 'sh check.sh')
    expect(code).toBe(3)
    expect(stdout).toContain('not delivered: the check sh check.sh ended with exit code 1')
    expect(stdout).toMatch(/^Round 2, run \w{8}, works on: check sh check\.sh ended with exit code 1$/m)
    const first = driving.records(runIdIn(stdout))
    const [{ next_run_id: next = '' } = {}] = dataOf(first, 'round_started')
    expect(dataOf(first, 'delivered')).toEqual([])
    const second = driving.records(next)
    expect(dataOf(second, 'drive_started')).toMatchObject([{ round: 2, previous_run_id: runIdIn(stdout) }])
    expect(dataOf(second, 'delivered')).toMatchObject([{ as: 'branch' }])
    expect(
      driving.calls().find(({ kind, prompt }) => kind === 'orient' && prompt.includes('still open'))?.prompt,
    ).toContain('The check `sh check.sh` ended with exit code 1')
  })

  it.runIf(IS_FULL)('starts another run for the findings of a review, and says which', async () => {
    const finding = { location: 'wind.txt:1', summary: 'Rounded', detail: '12 m/s are 23.3 knots.' }
    const found = { review: { result: 'findings_reported', findings: [finding], uncertainties: [] } }
    const driving = createDriving({
      review: [{ outcome: found }, {}],
      implement: [HONEST, { edits: { 'wind.txt': 'wind: 23.3 knots\n' } }],
    })
    const { code, stdout } = await driving.drive(GOAL)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Round 2, run \w{8}, works on: finding wind\.txt:1: Rounded$/m)
    const [{ next_run_id: next = '', open } = {}] = dataOf(driving.records(runIdIn(stdout)), 'round_started')
    expect(open).toEqual(['finding wind.txt:1: Rounded'])
    const [delivered] = dataOf(driving.records(next), 'delivered')
    expect(driving.repository.git('show', `${delivered?.branch}:wind.txt`)).toBe('wind: 23.3 knots\n')
  })

  it.runIf(IS_FULL)('waits for an answer with exit code 4, and continues after it', async () => {
    const pause = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
    const asking = { outcome: { status: 'needs_input', pause, suggested_actions: [] } }
    const driving = createDriving({ orient: [asking, {}] })
    const told = join(driving.scratch, 'told.json')
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--notify', `tee ${told}`)
    expect(code).toBe(4)
    expect(stdout).toContain('Knots or km/h?')
    expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({
      verdict: { word: 'waits for you' },
      question: 'Knots or km/h?',
    })
    const id = runIdIn(stdout)
    expect((await driving.call(['status'])).stdout).toContain(
      `waiting for an answer to "Knots or km/h?": drover answer ${id} "TEXT"`,
    )
    expect((await driving.call(['status', id])).stdout).toContain(`  answer it\n    drover answer ${id} "TEXT"\n`)
    const [{ place } = {}] = dataOf(driving.records(id), 'drive_started')
    const status = await driving.call(['status', id, '--json', '--root', place?.root ?? ''])
    const action = JSON.parse(status.stdout).current_action.action_id
    expect(await driving.drive()).toMatchObject({ code: 4 })
    const answer = [
      'protocol',
      'answer',
      '--run',
      id,
      '--action',
      action,
      '--text',
      'Knots.',
      '--root',
      place?.root ?? '',
    ]
    expect(await driving.call(answer)).toMatchObject({ code: 0 })
    expect(await driving.drive(id.slice(0, 8))).toMatchObject({ code: 0 })
    expect(driving.calls().map(({ kind }) => kind)).toEqual(['orient', 'orient', 'implement', 'summarize'])
  })

  it.runIf(IS_FULL)('works in place if that is wanted, and delivers nothing', async () => {
    const driving = createDriving()
    driving.repository.write('mine.txt', 'not of an agent\n')
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--in-place')
    expect(code).toBe(0)
    const report = JSON.parse((await driving.call(['report', runIdIn(stdout), '--json'])).stdout)
    expect(report.changes).toEqual([{ path: 'wind.txt', insertions: 1, deletions: 1 }])
    expect(stdout).toContain('delivered: the changes are in')
    expect(driving.repository.git('status', '--short')).toBe(' M wind.txt\n?? mine.txt\n')
    expect(driving.repository.git('branch')).toBe('* main\n')
  })

  it.runIf(IS_FULL)('stops after one attempt if the agent is not logged in, and says how to log in', async () => {
    const driving = createDriving()
    const [claude, started] = [join(driving.scratch, 'bin', 'claude'), join(driving.scratch, 'started')]
    rmSync(claude)
    const text = `#!/bin/sh\ncat > /dev/null; echo once >> '${started}'; echo 'Not logged in · Please run /login'; exit 1\n`
    writeFileSync(claude, text, { mode: 0o755 })
    const { code, stdout } = await driving.drive(GOAL, '--no-review')
    expect([code, readFileSync(started, 'utf8')]).toEqual([4, 'once\n'])
    expect(stdout.replace(/\s+/g, ' ')).toContain('to log in, run `claude` in a terminal and type /login')
  })

  it('refuses a second driver', async () => {
    const driving = createDriving({ orient: [{ pause: 1500 }] })
    const first = driving.drive(GOAL, '--no-review')
    let id = ''
    while (id === '') {
      const { stdout } = await driving.call(['status', '--json'])
      id = JSON.parse(stdout).runs[0]?.id ?? ''
    }
    while (driving.calls().length === 0) await driving.call(['status', '--json'])
    const second = await driving.drive(id)
    expect(second.code).toBe(3)
    expect(second.stderr).toMatch(/^drover: another process is driving the run/m)
    expect(await first).toMatchObject({ code: 0 })
    expect(driving.calls()).toHaveLength(3)
  })

  it.runIf(IS_FULL)('lists the worktrees that stay, and why', async () => {
    const driving = createDriving({
      orient: [
        {
          outcome: {
            status: 'needs_input',
            suggested_actions: [],
            pause: { reason: 'decision_required', question: 'Why?', destructive_request: null },
          },
        },
      ],
    })
    expect(await driving.drive('--list')).toMatchObject({ code: 0, stdout: 'No worktrees of driven runs.\n' })
    const id = runIdIn((await driving.drive(GOAL)).stdout)
    const { stdout } = await driving.drive('--list')
    expect(stdout).toContain(id)
    expect(stdout).toContain('its run has not delivered yet')
    expect(JSON.parse((await driving.drive('--list', '--json')).stdout)).toMatchObject({
      worktrees: [{ run_id: id, state: 'waits for you' }],
    })
  })
})

describe('a limit of costs', () => {
  const COSTS: DrivenScript = {
    orient: [{ cost: 0.25 }],
    implement: [{ ...HONEST, cost: 0.25 }],
    review: [{ cost: 0.25 }],
    summarize: [{ cost: 0.25 }],
  }
  const kinds = (driving: ReturnType<typeof createDriving>) =>
    driving.calls().map(({ backend, kind }) => `${kind} ${backend}`)

  it('lets no other agent review whose cost is not known', async () => {
    const driving = createDriving(COSTS)
    const { stdout, code } = await driving.drive(GOAL, '--max-cost', '3')
    expect([code, kinds(driving).at(2)], stdout).toEqual([0, 'review claude'])
    expect(stdout).toContain(', review by claude\nNo review by codex: --max-cost cannot count what it costs')
    const { repository, env, home } = driving
    const places = { cwd: repository.root, env, homeDirectory: home }
    const { checks } = JSON.parse((await callMain(['doctor', '--json', '--offline'], places)).stdout)
    const details = checks.map(({ detail }: { detail: string }) => detail)
    expect(details).toContainEqual(
      expect.stringMatching(
        /^--max-cost cannot count codex: .+; name one: drover config set backends\.codex\.model MODEL$/,
      ),
    )
  })

  it('pauses after an attempt of unknown cost, and a higher one continues', async () => {
    const driving = createDriving(COSTS)
    const paused = await driving.drive(GOAL, '--max-cost', '3', '--review-with', 'codex')
    expect(paused).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('what codex has cost in attempt 3 is not known'),
    })
    const id = runIdIn(paused.stdout)
    expect(paused.stdout).toMatch(/\n {2}drover drive \S+ --max-cost 6 /)
    expect(await driving.drive(id)).toMatchObject({ code: 4, stdout: expect.stringContaining('cost_unknown') })
    expect(await driving.drive(id, '--max-cost', '6')).toMatchObject({ code: 0 })
    expect(kinds(driving)).toEqual(['orient claude', 'implement claude', 'review codex', 'summarize claude'])
  })
})

describe('wrong use', () => {
  const WRONG: readonly (readonly [string, readonly string[], string])[] = [
    ['nothing to do', [], 'drive_target_missing'],
    ['a file among goals', ['Do it', '--goal-file', 'goal.md'], 'goal_unavailable'],
    ['a file without a name', ['--goal-file', ''], 'goal_file_required'],
    ['a file that is not there', ['--goal-file', 'goal.md'], 'goal_unavailable'],
    ['an unknown run', ['0123abcd'], 'run_not_found'],
    ['an unknown agent', ['Do it', '--with', 'cursor'], 'backend_not_found'],
    ['an agent without its model', ['Do it', '--with', 'codex/'], 'invalid_usage'],
    ['an agent that is not installed', ['Do it', '--with', 'gemini'], 'backend_unavailable'],
    ['a check with a shell operator', ['Do it', '--check', 'npm test && npm run lint'], 'check_command_invalid'],
    [
      'a limit that the agent cannot keep',
      ['Do it', '--with', 'codex/mine', '--max-cost', '1'],
      'drive_cap_unsupported',
    ],
    [
      'a limit that the reviewer cannot keep',
      ['Do it', '--review-with', 'codex/mine', '--max-cost', '1'],
      'drive_cap_unsupported',
    ],
    ['no amount', ['Do it', '--max-cost', '0'], 'invalid_usage'],
    ['no time', ['Do it', '--max-time', '2 hours'], 'invalid_usage'],
    ['two places', ['Do it', '--worktree', '--in-place'], 'invalid_usage'],
    ['a branch in place', ['Do it', '--in-place', '--deliver', 'branch'], 'invalid_usage'],
    ['a notification that cannot be run', ['Do it', '--notify', 'a | b'], 'check_command_invalid'],
    ['an issue without its repository', ['#7'], 'issue_without_repository'],
  ]

  it('is refused, and nothing is changed', async () => {
    const driving = createDriving({}, { config: 'backends: { gemini: { command: not-installed } }' })
    for (const [name, args, code] of WRONG) {
      const { stderr, code: exitCode } = await driving.drive(...args, '--json')
      expect([name, JSON.parse(stderr).code]).toEqual([name, code])
      expect([2, 3]).toContain(exitCode)
    }
    expect(driving.calls()).toEqual([])
    expect(driving.repository.git('branch', '--list', 'drover/*')).toBe('')
  })
})
