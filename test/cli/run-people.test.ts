/** What people see of runs. */
import { readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestScope } from '../../src/contract/destructive.ts'
import { decision, destruction } from '../support/contract-examples.ts'
import { installFakeGh, toFakeGitHub } from '../support/fake-gh.ts'
import { hasTerminals, leftOnScreen, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER, ending, type Ran, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { createRunRoom, offered, type RunRoom, stateOf } from '../support/run-room.ts'
import { adHoc, asking, bound, boundAndStopped, choosing, destroying, ended } from '../support/run-scene.ts'
import { ISSUE_URL, makeBundle } from '../support/source-bundle.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { until } from '../support/until.ts'

/** What is printed, with ids and moments as words. */
const plain = ({ code, stdout, stderr }: Ran, room: RunRoom) => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const ids = new Map<string, string>()
  return stdout
    .replaceAll(room.root, 'ROOT')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `ID${ids.size + 1}`)
      return ids.get(id) ?? ''
    })
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
    .replace(/sha256:[0-9a-f]{64}/g, 'DIGEST')
}

describe('drover run', () => {
  it('tells a person where the run stands and how to go on', async () => {
    const room = createRunRoom()
    expect(plain(await room.drover(['run', 'Show the wind\nin knots']), room)).toBe(`Run ID1 started
State: active
Goal: Show the wind in knots
Budget remaining: 7 of 8
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
    ['a file', (room: RunRoom, goal: string) => ({ args: ['--goal-file', room.file('goal.md', goal)] })],
    ['standard input', (_: RunRoom, goal: string) => ({ args: ['--goal-stdin'], input: goal })],
    ['an argument', (_: RunRoom, goal: string) => ({ args: ['--', goal] })],
  ])('keeps a goal from %s as it is', async (_name, give) => {
    const room = createRunRoom()
    const goal = '--root \t“a”\r\n\n'
    const { args, input } = { input: '', ...give(room, goal) }
    const { run_id } = await stateOf(await room.program(['run', '--json', ...args], { input }))
    expect((await room.status(run_id)).goal).toBe(goal)
  })

  it('works in the worktree that is named, from any place in it', async () => {
    const room = createRunRoom()
    room.write('deep/er/file', '')
    const { run_id } = await room.state(['run', '--json', '--root', join(room.root, 'deep/er'), 'A goal'], {
      cwd: room.desk,
    })
    expect((await room.status(run_id)).workspace).toBe(room.root)
  })

  it('takes the title of an issue for the goal where no other is given', async () => {
    const room = createRunRoom()
    const { bin, calls } = installFakeGh(room.desk, toFakeGitHub(makeBundle()))
    room.env.PATH = `${bin}:${room.env.PATH}`
    const { run_id } = await room.state(['run', '--json', '--issue', ISSUE_URL])
    expect((await room.status(run_id)).goal).toBe('Show the wind in knots')
    expect(calls().length).toBeGreaterThan(0)
    const named = await room.state(['run', '--json', '--issue', ISSUE_URL, 'Another goal'])
    expect((await room.status(named.run_id)).goal).toBe('Another goal')
  })

  it.each([
    ['there is no gh', undefined, 'gh_missing', 3],
    ['gh is not logged in', { failure: 'logged_out' }, 'provider_login_required', 3],
    ['the issue is no change', toFakeGitHub({ ...makeBundle(), body: 'A bug.', comments: [] }), 'invalid_source', 2],
  ] as const)('says when %s, and leaves nothing behind', async (_name, world, code, exit) => {
    const room = createRunRoom()
    const bin = world === undefined ? '/nonexistent' : installFakeGh(room.desk, world).bin
    const env = { ...room.env, PATH: `${bin}:/usr/bin:/bin` }
    const error = await room.error(['run', '--issue', ISSUE_URL], { env })
    expect({ code: error.code, exit: error.exit_code, next: offered(error) }).toEqual({
      code,
      exit,
      next: 'start start-with-source',
    })
    expect(JSON.parse((await room.drover(['status', '--json'])).stdout).runs).toEqual([])
  })
})

describe('drover status', () => {
  it('says that there are no runs', async () => {
    const room = createRunRoom()
    expect(plain(await room.drover(['status']), room)).toBe('No runs found. "drover run GOAL" starts one.\n')
  })

  it('lists runs of here, of elsewhere and those that cannot be read', async () => {
    const { room, state } = await adHoc()
    room.write('a', 'a')
    room.commit()
    const other = join(realpathSync(temporaryDirectory()), 'other')
    room.git('worktree', 'add', '--quiet', other)
    const foreign = await stateOf(await room.drover(['run', '--json', 'Else\u202ewhere'], { cwd: other }))
    await stateOf(await room.drover(['stop', '--json', foreign.run_id], { cwd: other }))
    writeFileSync(join(room.root, '.git', 'drover', 'runs', 'damaged'), '')
    const { stdout } = await room.drover(['status'])
    const [heading, ...lines] = stdout.trimEnd().split('\n')
    expect(heading).toMatch(/^ID +STATE +BUDGET +STARTED +GOAL$/)
    expect(lines[0]).toMatch(new RegExp(`^${state.run_id} {2}active +7 of 8 +just now +A goal$`))
    expect(lines[1]).toMatch(new RegExp(`^${foreign.run_id} {2}stopped +- +just now +Elsewhere$`))
    expect(lines[2]).toBe(`  foreign: it belongs to ${other}`)
    expect(lines[3]).toMatch(/^damaged +unavailable/)
    expect(lines[4]).toMatch(/^ {2}run_unavailable: /)
  })

  it('lists the runs in the states that are named, and those of which nobody knows the state', async () => {
    const { room, state: active } = await adHoc()
    const stopped = await room.state(['run', '--json', 'Another goal'])
    await room.state(['stop', '--json', stopped.run_id])
    const listed = async (...states: string[]) => {
      const flags = states.flatMap((state) => ['--state', state])
      const list = JSON.parse((await room.drover(['status', '--json', ...flags])).stdout)
      const ids = [...list.runs, ...list.unavailable_runs].map(({ id }: { id: string }) => id)
      return {
        ids,
        said: plain(await room.drover(['status', ...flags]), room)
          .trimEnd()
          .split('\n')
          .filter((line) => !/^(ID +STATE| )/.test(line)).length,
      }
    }
    expect(await listed('active')).toEqual({ ids: [active.run_id], said: 1 })
    expect(await listed('stopped')).toEqual({ ids: [stopped.run_id], said: 1 })
    expect(await listed('stopped', 'active')).toEqual({ ids: [active.run_id, stopped.run_id], said: 2 })
    const none = await room.drover(['status', '--state', 'paused', '--state', 'ended'])
    expect(plain(none, room)).toBe('No run is paused or ended.\n')
    writeFileSync(join(room.root, '.git', 'drover', 'runs', 'damaged'), '')
    expect(await listed('paused')).toEqual({ ids: ['damaged'], said: 1 })
  })

  it('shows the question that a run waits with', async () => {
    const question = `Knots\nor ${'miles '.repeat(60)}?`
    const scene = await asking()
    await scene.do('protocol', 'answer', ...scene.ids, '--text', 'Knots.')
    await scene.report({ status: 'needs_input', pause: { ...decision, question } })
    const text = plain(await scene.room.drover(['status', scene.state.run_id]), scene.room)
    expect(text).toContain('State: paused, waits for an answer\n')
    expect(text).toContain('Pause reason: decision_required\n')
    const [, shown = ''] = /^Pending question: (.*)$/m.exec(text) ?? []
    expect(shown).toHaveLength(200)
    expect(shown).toMatch(/^Knots or miles .*…$/)
    expect(text).toContain(`The whole question: Knots or ${'miles '.repeat(60)}?\n`)
    expect(text).toContain('    drover protocol answer --run ID1 --action ID2 --root ROOT --text-file TEXT_FILE\n')
  })

  it('shows what a confirmation would allow', async () => {
    const { room, state } = await destroying()
    const text = plain(await room.drover(['status', state.run_id]), room)
    expect(text).toContain(
      'Would destroy: git_ref refs/heads/old\nWould destroy: path /home/ada/weather/cache\nImpact: ',
    )
    expect(text).toContain('--confirm-destructive --scope-sha256 DIGEST\n')
  })

  it('shows all that would be lost, however long it is, on lines that it cannot break', async () => {
    const impact = `All of it.\n${'And more of it.\n'.repeat(30)}Next:\n  everything`
    const scene = await adHoc()
    await scene.report({ suggested_actions: [{ kind: 'implement', brief: 'Go.' }] })
    const scope = { ...destruction.destructive_request, impact }
    const destructive_request = { ...scope, scope_sha256: digestScope(scope) }
    await scene.report({ status: 'needs_input', pause: { ...destruction, destructive_request } })
    const { stdout } = await scene.room.drover(['status', scene.state.run_id])
    expect(stdout).toContain(`Impact: ${impact.replaceAll(/\s+/g, ' ')}\n`)
  })

  it('shows what was allowed once it is', async () => {
    const scene = await destroying()
    const scope = scene.state.next.variants[0]?.base_argv.at(-1) ?? ''
    await scene.do('protocol', 'answer', ...scene.ids, '--confirm-destructive', '--scope-sha256', scope)
    const { stdout } = await scene.room.drover(['status', scene.state.run_id])
    expect(stdout).toContain('Is allowed to destroy: git_ref refs/heads/old\n')
    expect(stdout).not.toContain('Would destroy')
  })

  it('shows a budget that is larger than the first one alone', async () => {
    const scene = await (await adHoc()).stop()
    await scene.do('protocol', 'resume', scene.state.run_id, '--budget', '20')
    const { stdout } = await scene.room.drover(['status', scene.state.run_id])
    expect(stdout).toContain('Budget remaining: 19\n')
  })

  it('says how to get the issue that a run can be resumed with', async () => {
    const { room, state } = await boundAndStopped()
    const text = plain(await room.drover(['status', state.run_id]), room)
    const lines = [
      '  refresh-source',
      `    drover source fetch ${ISSUE_URL} -o SOURCE_FILE`,
      '    drover protocol resume ID1 --root ROOT --source-file SOURCE_FILE',
    ]
    expect(text).toContain(`${lines.join('\n')}\n`)
    expect(plain(await room.drover(['stop', state.run_id]), room)).toContain(`${lines.join('\n')}\n`)
  })

  it('shows the issue, and what waits for a choice', async () => {
    const { room, state } = await choosing()
    const text = plain(await room.drover(['status', state.run_id]), room)
    expect(text).toContain(`Pinned source: ${ISSUE_URL} (I_kwDOB5fHzM5xQ2Yt)\nSource revision: DIGEST\n`)
    expect(text).toContain('Sections: outcome, requirements, acceptance_examples, constraints, non_goals\n')
    expect(text).toContain('State: paused, waits for a choice between its pinned source and the candidate\n')
    expect(text).toContain(
      'Current source candidate: ID2 (valid, valid_change)\nCandidate sections: changed: requirements\n',
    )
    const invalid = await choosing({ ...makeBundle(), body: 'no change' })
    const said = plain(await invalid.room.drover(['status', invalid.state.run_id]), invalid.room)
    expect(said).toMatch(/^Candidate classification: .+$/m)
  })

  it('shows what came of a run that has ended, and nothing to do', async () => {
    const { room, state } = await ended()
    const { stdout } = await room.drover(['status', state.run_id])
    expect(stdout).toContain('State: ended\n')
    expect(stdout).toContain(state.summary?.trimEnd())
    expect(stdout).not.toContain('Next:')
  })

  it('shows a section as it was pinned, in every state', async () => {
    const scene = await (await bound()).stop()
    const { room, state } = scene
    expect(plain(await room.drover(['status', state.run_id, '--section', 'outcome']), room)).toBe(
      `Section "outcome" (outcome) of run ID1, which is stopped.
Section revision: DIGEST
Requirements revision: DIGEST
This is the pinned text. Reading it does not permit anyone to work on it.

# About outcome

What there is to say about outcome.
`,
    )
  })

  it('changes nothing, not even where nothing is yet', async () => {
    const room = createRunRoom()
    await room.drover(['status'])
    expect(room.git('status', '--porcelain')).toBe('')
    expect(readdirSync(join(room.root, '.git'))).not.toContain('drover')
  })
})

describe('a shell that completes', () => {
  it('is offered the runs of the worktree, the latest first', async () => {
    const { room, state } = await adHoc()
    const { run_id } = await room.state(['run', '--json', 'Another goal'])
    const offeredFor = async (...typed: string[]) =>
      (await room.drover(['complete-words', '--', ...typed])).stdout.trimEnd().split('\n')
    expect(await offeredFor('status', '')).toEqual([run_id, state.run_id])
    expect(await offeredFor('stop', run_id.slice(0, 8))).toEqual([run_id])
    expect(await offeredFor('protocol', 'resume', '')).toEqual([run_id, state.run_id])
  })

  it('is offered nothing where there is no worktree', async () => {
    const room = createRunRoom()
    const ran = await room.drover(['complete-words', '--', 'status', ''], { cwd: room.desk })
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

describe('drover stop', () => {
  it('stops the only run that can be meant, and says how to resume it', async () => {
    const { room } = await adHoc()
    expect(
      plain(await room.drover(['stop']), room),
    ).toBe(`Run ID1 is stopped. Its work so far is kept, and it can be resumed.
Next:
  resume-ad-hoc
    drover protocol resume ID1 --root ROOT
`)
    const error = await room.error(['stop'])
    expect({ code: error.code, exit: error.exit_code, next: offered(error) }).toEqual({
      code: 'run_id_required',
      exit: 2,
      next: 'command list-runs',
    })
  })

  it('does not guess among several runs, nor when one cannot be read', async () => {
    const { room } = await adHoc()
    const second = await room.state(['run', '--json', 'Another goal'])
    expect((await room.error(['stop'])).message).toContain('2 runs can be stopped')
    await room.state(['stop', '--json', second.run_id])
    writeFileSync(join(room.root, '.git', 'drover', 'runs', 'damaged'), '')
    expect((await room.error(['stop'])).message).toContain('some runs cannot be read')
  })

  it('answers alike when it is done again', async () => {
    const { room, state } = await adHoc()
    const args = ['stop', '--json', state.run_id]
    expect(await room.drover(args)).toEqual(await room.drover(args))
  })
})

describe('a command that is shown', () => {
  it('can be pasted into a shell, whatever the path', async () => {
    const at = join(realpathSync(temporaryDirectory()), `it's a "$(place)" & more`)
    const room = createRunRoom({ repository: createRepository({ at }) })
    const { stdout } = await room.drover(['run', 'A goal'])
    const [line = ''] = stdout.split('\n').filter((each) => each.includes('protocol skip'))
    const script = `drover() { '${process.execPath}' '${DROVER}' "$@"; }\n${line}`
    const state = await stateOf(await runAt(room.desk, ['bash', '-c', script], room.env))
    expect(state.action).toMatchObject({ kind: 'summarize' })
  })
})

describe('drover status --watch', () => {
  it('prints a line for every change, until the run has ended', async () => {
    const scene = await adHoc()
    const { room } = scene
    const child = room.start(['status', scene.state.run_id, '--watch'])
    let seen = ''
    child.stdout?.on('data', (text) => {
      seen += text
    })
    const done = ending(child)
    await until(() => seen.includes('waits for the outcome of orient'))
    await scene.report()
    await until(() => seen.includes('waits for the outcome of summarize'))
    await scene.report()
    const { code, stdout, stderr } = await done
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\S+ {2}ended {2}\(6 of 8 actions left\)$/)
  })

  it('prints a whole status for every change as JSON', async () => {
    const { room, state } = await ended()
    const { stdout } = await room.drover(['status', state.run_id, '--watch', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ id: state.run_id, state: 'ended' })
  })

  it('ends quietly with Ctrl-C', async () => {
    const { room, state } = await adHoc()
    const child = room.start(['status', state.run_id, '--watch'])
    const done = ending(child)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.kill('SIGINT')
    expect(await done).toMatchObject({ code: 0, stderr: '' })
  })

  it.runIf(hasTerminals)('draws the run anew on a terminal, and leaves its commands there whole', async () => {
    const scene = await adHoc()
    const { room, state } = scene
    const watching = startOnTerminal(['status', state.run_id, '--watch'], { cwd: room.root, env: room.env })
    await watching.shows('waits for the outcome of orient')
    await scene.report()
    await watching.shows('waits for the outcome of summarize')
    watching.type('\u0003')
    const { code, seen } = await watching.ended
    expect(code).toBe(0)
    const left = leftOnScreen(seen)
    expect(left).not.toContain('outcome of orient')
    expect(left).toContain(
      `    drover protocol skip --run ${state.run_id} --action ${scene.state.action?.action_id} --root ${room.root}`,
    )
  })
})

describe.runIf(hasTerminals)('an outcome that is typed', () => {
  it('can be given up with Ctrl-C, and nothing is changed', async () => {
    const { room, ids, state } = await adHoc()
    const args = ['protocol', 'submit', ...ids, '--outcome-stdin']
    const typing = startOnTerminal(args, { cwd: room.root, env: room.env })
    await typing.shows('end it with Ctrl-D')
    typing.type('{"contract_version"\u0003')
    const { code, seen } = await typing.ended
    expect(code).toBe(3)
    expect(JSON.parse(seen.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ code: 'run_interrupted', exit_code: 3 })
    expect((await room.status(state.run_id)).current_action).toEqual(state.action)
  })
})

describe.runIf(hasTerminals)('an error on a terminal', () => {
  it('is a sentence, and the command that helps', async () => {
    const { room } = await adHoc()
    const { code, seen } = await startOnTerminal(['status', 'absent'], { cwd: room.root, env: room.env }).ended
    expect(code).toBe(3)
    expect(seen).toBe(
      `drover: no run "absent" in this repository (run "drover status" to see the full ids)\nNext:\n  drover status --root ${room.root}\n`,
    )
  })

  it.each([
    ['without another goal', [], `--issue ${ISSUE_URL}`],
    ['with one', ['A goal'], `--goal-file GOAL_FILE --issue ${ISSUE_URL}`],
  ])('about an issue names the issue, %s', async (_name, goal, words) => {
    const room = createRunRoom()
    const env = { ...room.env, PATH: '/nonexistent:/usr/bin:/bin' }
    const { seen } = await startOnTerminal(['run', ...goal, '--issue', ISSUE_URL], { cwd: room.root, env }).ended
    expect(seen.trimEnd().split('\n').at(-1)).toBe(`  drover run --budget 8 --root ${room.root} ${words}`)
  })

  it.each([
    ['an operation that fails', ['protocol', 'skip', '--run', 'absent', '--action', 'x'], 'run_not_found', 3],
    ['an operation that there is not', ['protocol', 'foo'], 'invalid_usage', 2],
    ['none after a flag', ['--root', '.', 'protocol', 'foo'], 'invalid_usage', 2],
    ['a flag in place of one', ['protocol', '--foo'], 'invalid_usage', 2],
    ['none at all', ['protocol'], 'protocol_operation_required', 2],
  ])('is JSON under protocol: %s', async (_name, args, code, exit) => {
    const room = createRunRoom()
    const { seen } = await startOnTerminal(args, { cwd: room.root, env: room.env }).ended
    expect(JSON.parse(seen)).toMatchObject({ code, exit_code: exit })
  })
})
