/** What happens to commands on runs when the world around them fails, through the program. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import type { StatusList } from '../../src/contract/status-list.shape.ts'
import { startRun } from '../../src/runs/start-run.ts'
import { amendedBundle } from '../support/amended-bundle.ts'
import { createRunContext } from '../support/create-run-context.ts'
import { canFailDisk, type DiskFailure, failingDisk } from '../support/failing-disk.ts'
import { interruptedAtGit } from '../support/interrupted-git.ts'
import { outcomeFor } from '../support/report-outcome.ts'
import { DROVER, ending, runAt } from '../support/run-drover.ts'
import { createRunRoom, errorOf, offered, readMessage } from '../support/run-room.ts'
import { adHoc, bound, boundAndStopped, destroying, type Scene } from '../support/run-scene.ts'
import { makeBundle } from '../support/source-bundle.ts'
import { firstWords, program } from '../support/test-command.ts'

const NOTHING_DONE = { committed: false, projection_stale: false, namespace_detached: false, ambiguous: false }

const submission = ({ room, ids, state }: Scene) => [
  ...['protocol', 'submit', ...ids, '--outcome-file', room.file('outcome.json', outcomeFor(state.action))],
]

/** The command in a shell, with what has to be done before and what happens to its output. */
async function inShell({ room }: Scene, args: readonly string[], { before = '', after = '' }): Promise<CliError> {
  const words = [process.execPath, DROVER, ...args].map((word) => `'${word}'`).join(' ')
  const { stderr } = await runAt(room.root, ['bash', '-c', `${before} ${words} ${after}`], room.env)
  return await readMessage<CliError>('cliError', stderr)
}

describe('a run that another process works on', () => {
  it('is run_busy, with how far a change came and without for a look', async () => {
    const scene = await adHoc()
    const lock = join(scene.directory, 'run.lock')
    const holder = spawn(process.execPath, [program('lock-hold.ts'), lock, 'exclusive', '1000'])
    expect(await firstWords(holder.stdout)).toBe('held')
    const [changed, looked, listed] = await Promise.all([
      scene.room.program(submission(scene)).then(errorOf),
      scene.room.program(['status', scene.state.run_id]).then(errorOf),
      scene.room.program(['status', '--json']),
    ])
    holder.stdin.end()
    expect([changed.code, looked.code]).toEqual(['run_busy', 'run_busy'])
    expect([offered(changed), offered(looked)]).toEqual(['command inspect-run', 'command inspect-run'])
    expect([changed.details, looked.details]).toEqual([
      { phase: expect.stringMatching(/^lock_/), ...NOTHING_DONE },
      undefined,
    ])
    expect(JSON.parse(listed.stdout)).toMatchObject({
      runs: [],
      unavailable_runs: [{ id: scene.state.run_id, code: 'run_busy' }],
    })
  })
})

describe('a list of many runs', () => {
  it('needs no more open files than a list of few', { timeout: 60_000 }, async () => {
    const { room } = await adHoc()
    const context = await createRunContext(room)
    for (let count = 1; count < 80; count += 1) {
      await startRun(context, { goal: 'A goal', budget: 8, reviewEnabled: true })
    }
    const list = `ulimit -n 70; '${process.execPath}' '${DROVER}' status --json`
    const { stdout } = await runAt(room.root, ['bash', '-c', list], room.env)
    const { runs, unavailable_runs } = await readMessage<StatusList>('statusList', stdout)
    expect([runs.length, unavailable_runs]).toEqual([80, []])
  })
})

describe('a change that cannot be written', () => {
  it('is mutation_not_committed, and nothing is next', async () => {
    const scene = await adHoc()
    const journal = join(scene.directory, 'journal.jsonl')
    const before = readFileSync(journal)
    const error = await inShell(scene, submission(scene), { before: 'ulimit -f 1;' })
    expect(error).toMatchObject({
      code: 'mutation_not_committed',
      exit_code: 3,
      next: { operation: 'none' },
      details: { ...NOTHING_DONE, phase: expect.stringMatching(/^journal_/) },
    })
    expect(readFileSync(journal)).toEqual(before)
    expect((await scene.report()).state.action).toMatchObject({ kind: 'summarize' })
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
  ])('is %s in the phase %s', async (code, phase, failure, standing) => {
    const scene = await adHoc()
    const env = { ...scene.room.env, ...failingDisk(failure) }
    const error = await scene.room.error(submission(scene), { env })
    expect(error).toMatchObject({ code, exit_code: 3, details: { ...NOTHING_DONE, phase, ...standing } })
    expect(offered(error)).toBe('command inspect-run')
    // Given again once the disk is well, it counts once.
    const { state } = await scene.do(...submission(scene))
    expect(state.action).toMatchObject({ kind: 'summarize' })
    expect(readFileSync(join(scene.directory, 'journal.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2)
  })
})

describe('a change after which run.json cannot be written', () => {
  it('is mutation_committed_projection_stale, and the run goes on without it', async () => {
    const scene = await adHoc()
    const { run_id } = scene.state
    const inTheWay = join(scene.directory, 'run.json')
    mkdirSync(inTheWay)
    const error = await scene.room.error(submission(scene))
    expect(error).toMatchObject({
      code: 'mutation_committed_projection_stale',
      exit_code: 3,
      message: expect.stringMatching(
        / is recorded, but its run\.json .* the next change writes it; until then commands read the whole journal$/,
      ),
      details: { ...NOTHING_DONE, phase: 'projection_write', committed: true, projection_stale: true },
    })
    expect(offered(error)).toBe('command inspect-run')
    expect((await scene.room.program(['status', run_id])).stdout).toContain('Current action: summarize')
    // Given again, it counts once; and nothing is written, so nothing is in the way.
    await scene.do(...submission(scene))
    expect(scene.state.action).toMatchObject({ kind: 'summarize' })
    rmdirSync(inTheWay)
    expect((await scene.report()).state.state).toBe('ended')
    expect(statSync(inTheWay).isFile()).toBe(true)
  })
})

describe('what takes more room than one record has', () => {
  const titled = (envelope: RawSourceEnvelope, title: string) => ({ ...envelope, title })
  const TOO_LARGE = { context: 'event payload', size: expect.any(Number), limit: 4 * 1024 * 1024 - 64 * 1024 }

  it('is journal_record_too_large, with all runs next where there is no run yet', async () => {
    const room = createRunRoom()
    const file = room.file('envelope.json', titled(makeBundle(), 't'.repeat(4 * 1024 * 1024)))
    const error = await room.error(['run', '--source-file', file, 'A goal'])
    expect(error).toMatchObject({ code: 'journal_record_too_large', exit_code: 3, details: TOO_LARGE })
    expect(offered(error)).toBe('command inspect-runs')
    expect(JSON.parse((await room.drover(['status', '--json'])).stdout).runs).toEqual([])
  })

  it('is journal_record_too_large, with the run next where there is one, which stays as it was', async () => {
    const scene = await boundAndStopped()
    const before = readFileSync(join(scene.directory, 'journal.jsonl'))
    const amended = amendedBundle(scene.state.pinned_source?.requirements_revision)
    const error = await scene.refresh(titled(amended, 't'.repeat(2 * 1024 * 1024)))
    expect(error).toMatchObject({ code: 'journal_record_too_large', exit_code: 3, details: TOO_LARGE })
    expect(offered(error)).toBe('command inspect-run')
    expect(readFileSync(join(scene.directory, 'journal.jsonl'))).toEqual(before)
  })
})

describe('a change whose answer nobody gets', () => {
  it.each<[string, (scene: Scene, args: readonly string[]) => Promise<CliError>]>([
    ['the reader is gone', withClosedPipe],
    ['the disk is full', (scene, args) => inShell(scene, args, { after: '> /dev/full' })],
  ])('is mutation_committed_output_failed when %s', async (_name, call) => {
    const scene = await adHoc()
    const error = await call(scene, submission(scene))
    expect(error).toMatchObject({
      code: 'mutation_committed_output_failed',
      exit_code: 3,
      details: { ...NOTHING_DONE, phase: 'response_output', committed: true },
    })
    expect(offered(error)).toBe('command inspect-run')
    expect(await scene.room.status(scene.state.run_id)).toMatchObject({ current_action: { kind: 'summarize' } })
  })

  it.each([
    ['run', () => ['run', 'A goal']],
    ['stop', ({ state }: Scene) => ['stop', state.run_id]],
    ['protocol skip', ({ ids }: Scene) => ['protocol', 'skip', ...ids]],
  ])('says so for %s too', async (_name, toArgs) => {
    const scene = await adHoc()
    const error = await inShell(scene, toArgs(scene), { after: '> /dev/full' })
    expect(error.code).toBe('mutation_committed_output_failed')
    expect(offered(error)).toBe('command inspect-run')
  })

  it.each([
    ['protocol material', ({ ids }: Scene) => ['protocol', 'material', ...ids, '--section', 'outcome']],
    ['status', ({ state }: Scene) => ['status', state.run_id]],
  ])('is runtime_error where nothing was changed, as by %s', async (_name, toArgs) => {
    const scene = await bound()
    const error = await inShell(scene, toArgs(scene), { after: '> /dev/full' })
    expect(error).toMatchObject({ code: 'runtime_error', exit_code: 3, message: expect.stringContaining('ENOSPC') })
    expect(offered(error)).toBe('command inspect-run')
  })

  it('is nothing to complain about where nothing was changed and the reader is gone', async () => {
    const scene = await adHoc()
    const child = scene.room.start(['status', '--json'])
    child.stdout?.destroy()
    expect(await ending(child)).toMatchObject({ code: 0, stderr: '' })
  })
})

async function withClosedPipe({ room }: Scene, args: readonly string[]): Promise<CliError> {
  const child = room.start(args)
  child.stdout?.destroy()
  const { stderr } = await ending(child)
  return await readMessage<CliError>('cliError', stderr)
}

describe('a git that does not answer', () => {
  it('is git_repository_unavailable when drover is interrupted', async () => {
    const error = await interruptedAtGit(createRunRoom(), ['status'])
    expect(error).toMatchObject({ code: 'git_repository_unavailable', exit_code: 3 })
    expect(offered(error)).toBe('command retry-doctor')
  })
})

describe('a confirmation for which no budget is left', () => {
  it('is recorded, and the run waits for more', async () => {
    const scene = await destroying('--budget', '2')
    const scope = scene.state.next.variants[0]?.base_argv.at(-1) ?? ''
    const confirmation = ['protocol', 'answer', ...scene.ids, '--confirm-destructive', '--scope-sha256', scope]
    const { state } = await scene.do(...confirmation)
    expect(state).toMatchObject({ state: 'paused', pause_reason: 'budget_exhausted' })
    expect((await scene.do(...confirmation)).state).toEqual(state)
  })
})
