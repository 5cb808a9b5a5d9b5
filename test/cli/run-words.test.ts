/** The commands on runs in people's words: answer, skip, continue, report. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decision, destruction } from '../support/contract-examples.ts'
import { installFakeGh, toFakeGitHub } from '../support/fake-gh.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { stateOf } from '../support/run-fixture.ts'
import { makeBundle } from '../support/source-bundle.ts'
import { adHoc, asking, boundAndStopped, choosing, destroying, StartedRun } from '../support/started-run.ts'

const short = ({ state }: StartedRun) => state.run_id.slice(0, 8)
const digestOf = () => destruction.destructive_request.scope_sha256

/** Another worktree of the repository. */
function otherWorktree({ fixture }: StartedRun): string {
  fixture.write('a', 'a')
  fixture.commit()
  const path = join(realpathSync(temporaryDirectory()), 'other')
  fixture.git('worktree', 'add', '--quiet', path)
  return path
}

describe('drover answer', () => {
  it('answers the only run that asks, and shows what follows', async () => {
    const started = await asking()
    const { code, stdout, stderr } = await started.fixture.drover(['answer', 'Whole knots.'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Answered\.\n\nRun [0-9a-f]{8} {2}active, waiting for the outcome of orient\n/)
    expect(stdout).toMatch(/^ {2}1 orient +asked .*\n {6}you +answered +Whole knots\.\n {2}2 orient +in progress$/m)
    expect(stdout).toContain(`drover skip ${short(started)}`)
    const { answers } = await started.fixture.status(started.state.run_id)
    expect(answers).toMatchObject([{ text: 'Whole knots.', confirm_destructive: false }])
  })

  it.each(
    firstOf(
      [
        ['the beginning of an id', (started: StartedRun) => ({ args: [short(started).slice(0, 4), 'x y'] })],
        ['a file', (started: StartedRun) => ({ args: [short(started), '-f', started.fixture.file('a.md', 'x y')] })],
        ['a pipe', (started: StartedRun) => ({ args: [short(started)], input: 'x y' })],
        ['a pipe, without an id', () => ({ args: [], input: 'x y' })],
        ['the end of flags', () => ({ args: ['--', 'x y'] })],
      ],
      3,
    ),
  )('takes the answer with %s', async (_name, give) => {
    const started = await asking()
    const { args, ...rest } = { ...give(started) }
    const state = await stateOf(await started.fixture.drover(['answer', '--json', ...args], rest))
    expect(state).toMatchObject({ state: 'active' })
    expect((await started.fixture.status(state.run_id)).answers).toMatchObject([{ text: 'x y' }])
  })

  it.runIf(IS_FULL)('works from another worktree of the repository', async () => {
    const started = await asking()
    const cwd = otherWorktree(started)
    expect(await stateOf(await started.fixture.drover(['answer', '--json', 'Knots.'], { cwd }))).toMatchObject({
      run_id: started.state.run_id,
      state: 'active',
    })
    expect(await started.fixture.drover(['skip', short(started)], { cwd })).toMatchObject({ code: 0 })
  })

  it('names the runs if several ask, and answers none', async () => {
    const started = await asking()
    const { fixture } = started
    const second = await fixture.state(['run', '--json', 'Another goal'])
    await new StartedRun(fixture, second).report({ status: 'needs_input', pause: decision })
    const error = await fixture.error(['answer', 'Knots.'])
    expect(error).toMatchObject({ code: 'run_id_required', exit_code: 2 })
    expect(error.message).toContain(`${short(started)} (A goal)`)
    expect(error.message).toContain(`${second.run_id.slice(0, 8)} (Another goal)`)
    expect((await fixture.status(second.run_id)).answers).toBeUndefined()
  })

  it.each(
    firstOf(
      [
        ['no run asks', ['Knots.'], 'run_id_required', 2],
        ['the run does not ask', ['ID', 'Knots.'], 'answer_not_expected', 3],
        ['there is no such run', ['6f1c2c6e', 'Knots.'], 'run_not_found', 3],
      ],
      2,
    ),
  )('reports that %s', async (_name, args, code, exit) => {
    const { fixture, state } = await adHoc()
    const error = await fixture.error(['answer', ...args.map((word) => word.replace('ID', state.run_id))])
    expect({ code: error.code, exit: error.exit_code }).toEqual({ code, exit })
  })

  it.each([
    ['the whole digest', () => digestOf()],
    ['its first 12 characters', () => digestOf().slice(7, 19)],
  ])('confirms a destructive request with %s', async (_name, digest) => {
    const { fixture } = await destroying()
    const { stdout, code } = await fixture.drover(['answer', '--confirm', digest()])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Confirmed\.\n/)
    expect(stdout).toContain('Is allowed to destroy\n  git_ref refs/heads/old\n')
  })

  it.each([
    ['11 characters', () => digestOf().slice(7, 18), 'invalid_usage'],
    ['another digest', () => 'f'.repeat(12), 'destructive_scope_mismatch'],
    ['no digest', () => 'yes', 'invalid_usage'],
  ])('refuses a confirmation with %s', async (_name, digest, code) => {
    const { fixture, state } = await destroying()
    expect(await fixture.error(['answer', '--confirm', digest()])).toMatchObject({ code })
    expect((await fixture.status(state.run_id)).answers).toBeUndefined()
  })

  it('never confirms by a text', async () => {
    const { fixture, state } = await destroying()
    await fixture.drover(['answer', 'y'])
    expect((await fixture.status(state.run_id)).answers).toMatchObject([{ text: 'y', confirm_destructive: false }])
  })
})

describe.runIf(hasTerminals)('drover answer on a terminal', () => {
  it('shows a destructive request whole, and y confirms it', async () => {
    const { fixture, state } = await destroying()
    const typing = startOnTerminal(['answer'], { cwd: fixture.root, env: fixture.env })
    await typing.shows('Type y to allow exactly this, once')
    const { targets, impact } = destruction.destructive_request
    for (const { value } of targets) expect(typing.seen()).toContain(value)
    expect(typing.seen()).toContain(impact.slice(0, 40))
    typing.type('y\n')
    expect(await typing.ended).toMatchObject({ code: 0, seen: expect.stringContaining('Confirmed.') })
    expect((await fixture.status(state.run_id)).answers).toMatchObject([{ confirm_destructive: true }])
  })

  it.runIf(IS_FULL)('asks for the answer below the quoted question, and Ctrl-C changes nothing', async () => {
    const { fixture, state } = await asking()
    const typing = startOnTerminal(['answer'], { cwd: fixture.root, env: fixture.env })
    await typing.shows('Answer: ')
    expect(typing.seen()).toMatch(/^ {2}\| Knots or metres per second\?$/m)
    typing.type('\u0003')
    const { code, seen } = await typing.ended
    expect(code).toBe(3)
    expect(seen).toContain('interrupted; nothing was changed')
    expect(seen).not.toMatch(/[{}]/)
    expect((await fixture.status(state.run_id)).state).toBe('paused')
  })

  it('answers nothing if the shell has taken the terminal back', async () => {
    const { fixture, state } = await asking()
    const terminal = startOnTerminal(['answer'], { cwd: fixture.root, env: fixture.env, isLost: true })
    await terminal.shows('Answer: ')
    terminal.type('Knots.\r')
    expect((await terminal.ended).seen).not.toContain('EIO')
    expect((await fixture.status(state.run_id)).state).toBe('paused')
  })

  it('fits every line of a status into 80 columns', async () => {
    const started = await asking()
    const { seen } = await startOnTerminal(['status', short(started)], {
      cwd: started.fixture.root,
      env: { ...started.fixture.env, NO_COLOR: '1' },
    }).ended
    expect(seen).toMatch(/^ {2}1 orient +asked/m)
    expect(seen).toContain(`drover answer ${short(started)} "TEXT"`)
    expect(Math.max(...seen.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })
})

describe.runIf(hasTerminals)('drover stop and status on a terminal', () => {
  it.runIf(IS_FULL)('work from another worktree of the repository', async () => {
    const started = await asking()
    const around = { cwd: otherWorktree(started), env: { ...started.fixture.env, NO_COLOR: '1' } }
    const shown = await startOnTerminal(['status', short(started)], around).ended
    expect(shown).toMatchObject({ code: 0, seen: expect.stringContaining('paused, waiting for an answer') })
    const stopped = await startOnTerminal(['stop'], around).ended
    expect(stopped).toMatchObject({ code: 0, seen: expect.stringMatching(/^Stopped\. Its work so far is kept\./) })
    expect((await started.fixture.status(started.state.run_id)).state).toBe('stopped')
  })
})

describe('drover skip', () => {
  it('skips the action of the only run', async () => {
    const { fixture } = await adHoc()
    const { stdout } = await fixture.drover(['skip'])
    expect(stdout).toMatch(/^Skipped orient\.\n\nRun \S+ {2}active, waiting for the outcome of summarize\n/)
    expect(stdout).toMatch(/ 1 orient +skipped/)
  })

  it('has nothing to skip in a stopped run', async () => {
    const { fixture, state } = await (await adHoc()).stop()
    expect(await fixture.error(['skip'])).toMatchObject({ code: 'run_id_required' })
    expect(await fixture.error(['skip', state.run_id])).toMatchObject({ code: 'run_not_skippable' })
  })
})

describe('drover continue', () => {
  it('resumes the only run that was stopped', async () => {
    const { fixture } = await (await adHoc()).stop()
    const { stdout } = await fixture.drover(['continue', '--budget', '3'])
    expect(stdout).toMatch(/^Resumed\.\n\nRun \S+ {2}active/)
    expect(stdout).toContain('Actions   2 of 8 left')
  })

  it('fetches the issue again, and continues if it is unchanged', async () => {
    const { fixture } = await boundAndStopped()
    const { bin, calls } = installFakeGh(fixture.scratch, toFakeGitHub(makeBundle()))
    fixture.env.PATH = `${bin}:${fixture.env.PATH}`
    expect(await fixture.state(['continue', '--json'])).toMatchObject({ resume_operation: 'source_refreshed' })
    expect(calls().length).toBeGreaterThan(0)
  })

  it.runIf(IS_FULL)('continues with the pinned issue without a look at it', async () => {
    const { fixture } = await boundAndStopped()
    expect(await fixture.state(['continue', '--json', '--use-pinned'])).toMatchObject({ state: 'active' })
  })

  it.each([
    ['--adopt', 'adopt'],
    ['--use-pinned', 'pinned'],
  ])('chooses with %s between the pinned issue and the changed one', async (flag, choice) => {
    const { fixture, state } = await choosing()
    expect(await fixture.error(['continue'])).toMatchObject({ code: 'source_choice_required' })
    expect(await fixture.state(['continue', '--json', flag])).toMatchObject({ state: 'active' })
    expect((await fixture.status(state.run_id)).last_source_choice).toMatchObject({ choice })
  })

  it('refuses two choices, and a run that waits for an outcome', async () => {
    const { fixture, state } = await adHoc()
    expect(await fixture.error(['continue', '--adopt', '--use-pinned'])).toMatchObject({ code: 'invalid_usage' })
    expect(await fixture.error(['continue', state.run_id])).toMatchObject({ code: 'run_not_resumable' })
  })
})

describe('drover report', () => {
  it('has the goal, the decisions, the changes, the claims and the findings', async () => {
    const started = await asking()
    await started.fixture.drover(['answer', 'Whole `knots`.'])
    started.state = await started.fixture.state(['skip', '--json'])
    const { stdout } = await started.fixture.drover(['report'])
    expect(stdout).toMatch(/^# A goal\n\nState: \*\*.+ Run `[0-9a-f-]{36}`, \d{4}-/)
    expect(stdout).toContain('## Goal\n\n> A goal\n')
    expect(stdout).toMatch(/## Decisions\n\n> .+\n\nAnswer, .+ UTC:\n\n> Whole `knots`\.\n/)
    expect(stdout).toContain('It certifies nothing.')
  })

  it('writes a new file, and never replaces one', async () => {
    const { fixture, state } = await adHoc()
    const file = join(fixture.scratch, 'report.md')
    expect(await fixture.drover(['report', state.run_id, '-o', file])).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toMatch(/^# .+\n\nState: /)
    expect(await fixture.error(['report', '-o', file])).toMatchObject({ code: 'file_exists' })
  })

  it.runIf(IS_FULL)('is about the newest run of the repository, from another worktree too', async () => {
    const started = await adHoc()
    const { stdout } = await started.fixture.drover(['report'], { cwd: otherWorktree(started) })
    expect(stdout).toContain(`Run \`${started.state.run_id}\``)
  })

  it('reports that there is no run', async () => {
    const { fixture } = await adHoc()
    const cwd = realpathSync(temporaryDirectory())
    expect(await fixture.error(['report'], { cwd })).toMatchObject({ code: 'git_repository_required' })
    expect(existsSync(join(cwd, '.git'))).toBe(false)
  })
})
