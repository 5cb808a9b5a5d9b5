/** What happens to commands on runs when the world around them fails, through the program. */
import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import type { StatusList } from '../../src/contract/status-list.shape.ts'
import { startRun } from '../../src/runs/start-run.ts'
import { until } from '../support/demo-agent.ts'
import { outcomeFor } from '../support/report-outcome.ts'
import { DROVER, runAt } from '../support/run-drover.ts'
import { createRunRoom, ending, errorOf, offered, readMessage } from '../support/run-room.ts'
import { adHoc, destroying, type Scene } from '../support/run-scene.ts'
import { firstWords, program } from '../support/test-command.ts'
import { openSite } from '../support/worksite.ts'

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
    const site = await openSite(room)
    for (let count = 1; count < 80; count += 1) {
      await startRun(site, { goal: 'A goal', budget: 8, reviewEnabled: true })
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

  it('is nothing to complain about where nothing was changed', async () => {
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
    const room = createRunRoom()
    const mark = join(room.desk, 'asked')
    const git = room.file('git', `#!/bin/sh\necho > '${mark}'\nexec sleep 60\n`)
    chmodSync(git, 0o755)
    writeFileSync(mark, '')
    const child = room.start(['status'], { env: { ...room.env, PATH: `${room.desk}:${room.env.PATH}` } })
    const ended = ending(child)
    await until(() => readFileSync(mark, 'utf8') !== '')
    child.kill('SIGINT')
    const error = await errorOf(await ended)
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
