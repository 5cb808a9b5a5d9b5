/** Commands on runs when locks, disks, pipes or git fail. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import type { StatusList } from '../../src/contract/run-status.shape.ts'
import { startRun } from '../../src/runs/start-run.ts'
import { amendedBundle } from '../support/amended-bundle.ts'
import { createRunContext } from '../support/create-run-context.ts'
import { outcomeFor } from '../support/drive-run.ts'
import { canFailDisk, type DiskFailure, failingDisk } from '../support/failing-disk.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { interruptedAtGit } from '../support/interrupted-git.ts'
import { DROVER, ending, runAt } from '../support/run-drover.ts'
import { asJson, createRunFixture, offered, readMessage } from '../support/run-fixture.ts'
import { makeBundle } from '../support/source-bundle.ts'
import { adHoc, bound, boundAndStopped, destroying, type StartedRun } from '../support/started-run.ts'
import { firstWords, program } from '../support/test-command.ts'

const NOTHING_DONE = { committed: false, projection_stale: false, namespace_detached: false, ambiguous: false }

const submission = ({ fixture, ids, state }: StartedRun) => [
  ...['protocol', 'submit', ...ids, '--outcome-file', fixture.file('outcome.json', outcomeFor(state.action))],
]

/** Runs the command in a shell: `before` precedes it, `after` redirects its output. */
async function inShell(
  { fixture }: StartedRun,
  args: readonly string[],
  { before = '', after = '' },
): Promise<CliError> {
  const words = [process.execPath, DROVER, ...asJson(args)].map((word) => `'${word}'`).join(' ')
  const { stderr } = await runAt(fixture.root, ['bash', '-c', `${before} ${words} ${after}`], fixture.env)
  return await readMessage<CliError>('cliError', stderr)
}

describe('a run that another process has locked', () => {
  it.runIf(IS_FULL)('is run_busy, with mutation details for a change and without for status', async () => {
    const started = await adHoc()
    const lock = join(started.directory, 'run.lock')
    const holder = spawn(process.execPath, [program('lock-hold.ts'), lock, 'exclusive', '1000'])
    expect(await firstWords(holder.stdout)).toBe('held')
    const [changed, shown, listed] = await Promise.all([
      started.fixture.programError(submission(started)),
      started.fixture.programError(['status', started.state.run_id]),
      started.fixture.program(['status', '--json']),
    ])
    holder.stdin.end()
    expect([changed.code, shown.code]).toEqual(['run_busy', 'run_busy'])
    expect([offered(changed), offered(shown)]).toEqual(['command inspect-run', 'command inspect-run'])
    expect([changed.details, shown.details]).toEqual([
      { phase: expect.stringMatching(/^lock_/), ...NOTHING_DONE },
      undefined,
    ])
    expect(JSON.parse(listed.stdout)).toMatchObject({
      runs: [],
      unavailable_runs: [{ id: started.state.run_id, code: 'run_busy' }],
    })
  })
})

describe('a list of many runs', () => {
  it.runIf(IS_FULL)('needs no more open files than a short list', { timeout: 60_000 }, async () => {
    const { fixture } = await adHoc()
    const context = await createRunContext(fixture)
    for (let count = 1; count < 80; count += 1) {
      await startRun(context, { goal: 'A goal', budget: 8, reviewEnabled: true })
    }
    const list = `ulimit -n 70; '${process.execPath}' '${DROVER}' status --json`
    const { stdout } = await runAt(fixture.root, ['bash', '-c', list], fixture.env)
    const { runs, unavailable_runs } = await readMessage<StatusList>('statusList', stdout)
    expect([runs.length, unavailable_runs]).toEqual([80, []])
  })
})

describe('a change that cannot be written', () => {
  it('is mutation_not_committed, and offers nothing', async () => {
    const started = await adHoc()
    const journal = join(started.directory, 'journal.jsonl')
    const before = readFileSync(journal)
    const error = await inShell(started, submission(started), { before: 'ulimit -f 1;' })
    expect(error).toMatchObject({
      code: 'mutation_not_committed',
      exit_code: 3,
      next: { operation: 'none' },
      details: { ...NOTHING_DONE, phase: expect.stringMatching(/^journal_/) },
    })
    expect(readFileSync(journal)).toEqual(before)
    expect((await started.report()).state.action).toMatchObject({ kind: 'summarize' })
  })
})

describe('a disk that fails while a change is recorded', () => {
  it.runIf(canFailDisk).each<[string, string, DiskFailure, object]>([
    ['mutation_outcome_ambiguous', 'journal_sync', { call: 'fsyncSync', on: 'journal.jsonl' }, { ambiguous: true }],
    [
      'mutation_committed_verification_failed',
      'journal_verify',
      { call: 'fstatSync', on: 'journal.jsonl', after: 'fsyncSync' },
      { committed: true },
    ],
  ])('is %s in the phase %s', async (code, phase, failure, expected) => {
    const started = await adHoc()
    const env = { ...started.fixture.env, ...failingDisk(failure) }
    const error = await started.fixture.programError(submission(started), { env })
    expect(error).toMatchObject({ code, exit_code: 3, details: { ...NOTHING_DONE, phase, ...expected } })
    expect(offered(error)).toBe('command inspect-run')
    // Submitted again on a working disk, it is recorded once.
    const { state } = await started.do(...submission(started))
    expect(state.action).toMatchObject({ kind: 'summarize' })
    expect(readFileSync(join(started.directory, 'journal.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2)
  })
})

describe('a change after which run.json cannot be written', () => {
  it('is mutation_committed_projection_stale, and the run continues without it', async () => {
    const started = await adHoc()
    const { run_id } = started.state
    const inTheWay = join(started.directory, 'run.json')
    mkdirSync(inTheWay)
    const error = await started.fixture.error(submission(started))
    expect(error).toMatchObject({
      code: 'mutation_committed_projection_stale',
      exit_code: 3,
      message: expect.stringMatching(
        / is recorded, but its run\.json .* commands read the whole journal until run\.json can be written$/,
      ),
      details: { ...NOTHING_DONE, phase: 'projection_write', committed: true, projection_stale: true },
    })
    expect(offered(error)).toBe('command inspect-run')
    expect((await started.fixture.program(['status', run_id])).stdout).toContain('Current action: summarize')
    // Submitted again, it is recorded once. Nothing is written, so the directory is not in the way.
    await started.do(...submission(started))
    expect(started.state.action).toMatchObject({ kind: 'summarize' })
    rmdirSync(inTheWay)
    expect((await started.report()).state.state).toBe('ended')
    expect(statSync(inTheWay).isFile()).toBe(true)
  })
})

describe('a change that exceeds the size of a record', () => {
  const titled = (envelope: RawSourceEnvelope, title: string) => ({ ...envelope, title })
  const TOO_LARGE = { context: 'event payload', size: expect.any(Number), limit: 4 * 1024 * 1024 - 64 * 1024 }

  it('is journal_record_too_large, and offers the list without a run', async () => {
    const fixture = createRunFixture()
    const file = fixture.file('envelope.json', titled(makeBundle(), 't'.repeat(4 * 1024 * 1024)))
    const error = await fixture.error(['run', '--source-file', file, 'A goal'])
    expect(error).toMatchObject({ code: 'journal_record_too_large', exit_code: 3, details: TOO_LARGE })
    expect(offered(error)).toBe('command inspect-runs')
    expect(JSON.parse((await fixture.drover(['status', '--json'])).stdout).runs).toEqual([])
  })

  it('is journal_record_too_large, and offers the run, which is unchanged', async () => {
    const started = await boundAndStopped()
    const before = readFileSync(join(started.directory, 'journal.jsonl'))
    const amended = amendedBundle(started.state.pinned_source?.requirements_revision)
    const error = await started.refresh(titled(amended, 't'.repeat(2 * 1024 * 1024)))
    expect(error).toMatchObject({ code: 'journal_record_too_large', exit_code: 3, details: TOO_LARGE })
    expect(offered(error)).toBe('command inspect-run')
    expect(readFileSync(join(started.directory, 'journal.jsonl'))).toEqual(before)
  })
})

describe('a change whose answer cannot be printed', () => {
  it.each<[string, (started: StartedRun, args: readonly string[]) => Promise<CliError>]>([
    ['the pipe is closed', withClosedPipe],
    ['the disk is full', (started, args) => inShell(started, args, { after: '> /dev/full' })],
  ])('is mutation_committed_output_failed when %s', async (_name, call) => {
    const started = await adHoc()
    const error = await call(started, submission(started))
    expect(error).toMatchObject({
      code: 'mutation_committed_output_failed',
      exit_code: 3,
      details: { ...NOTHING_DONE, phase: 'response_output', committed: true },
    })
    expect(offered(error)).toBe('command inspect-run')
    expect(await started.fixture.status(started.state.run_id)).toMatchObject({ current_action: { kind: 'summarize' } })
  })

  it.each([
    ['run', () => ['run', 'A goal']],
    ['stop', ({ state }: StartedRun) => ['stop', state.run_id]],
    ['protocol skip', ({ ids }: StartedRun) => ['protocol', 'skip', ...ids]],
  ])('is mutation_committed_output_failed for %s', async (_name, toArgs) => {
    const started = await adHoc()
    const error = await inShell(started, toArgs(started), { after: '> /dev/full' })
    expect(error.code).toBe('mutation_committed_output_failed')
    expect(offered(error)).toBe('command inspect-run')
  })

  it.each([
    ['protocol material', ({ ids }: StartedRun) => ['protocol', 'material', ...ids, '--section', 'outcome']],
    ['status', ({ state }: StartedRun) => ['status', state.run_id]],
  ])('is runtime_error for %s, which changes nothing', async (_name, toArgs) => {
    const started = await bound()
    const error = await inShell(started, toArgs(started), { after: '> /dev/full' })
    expect(error).toMatchObject({ code: 'runtime_error', exit_code: 3, message: expect.stringContaining('ENOSPC') })
    expect(offered(error)).toBe('command inspect-run')
  })

  it('is no error for a command that changes nothing if the pipe is closed', async () => {
    const started = await adHoc()
    const child = started.fixture.start(['status', '--json'])
    child.stdout?.destroy()
    expect(await ending(child)).toMatchObject({ code: 0, stderr: '' })
  })
})

async function withClosedPipe({ fixture }: StartedRun, args: readonly string[]): Promise<CliError> {
  const child = fixture.start(args)
  child.stdout?.destroy()
  const { stderr } = await ending(child)
  return await readMessage<CliError>('cliError', stderr)
}

describe('a git that does not answer', () => {
  it('is git_repository_unavailable when drover is interrupted', async () => {
    const error = await interruptedAtGit(createRunFixture(), ['status', '--json'])
    expect(error).toMatchObject({ code: 'git_repository_unavailable', exit_code: 3 })
    expect(offered(error)).toBe('command retry-doctor')
  })
})

describe('a confirmation without remaining budget', () => {
  it('is recorded, and the run waits for budget', async () => {
    const started = await destroying('--budget', '2')
    const scope = started.state.next.variants[0]?.base_argv.at(-1) ?? ''
    const confirmation = ['protocol', 'answer', ...started.ids, '--confirm-destructive', '--scope-sha256', scope]
    const { state } = await started.do(...confirmation)
    expect(state).toMatchObject({ state: 'paused', pause_reason: 'budget_exhausted' })
    expect((await started.do(...confirmation)).state).toEqual(state)
  })
})
