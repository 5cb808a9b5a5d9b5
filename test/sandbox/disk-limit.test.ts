/** What commands, checks, setups and agents may write to disks, at the limit and one byte past it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { mergeLayers } from '../../src/config/layers.ts'
import { callMain } from '../support/call-main.ts'
import { createDrivenHome, HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf } from '../support/full-counts.ts'
import { createRepositoryAt } from '../support/git-repository.ts'
import { createPromptFixture, finishPrompt } from '../support/prompt-fixture.ts'
import { DROVER, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { runInside, skipWithoutSandbox } from '../support/sandbox.ts'
import { sandboxParts } from '../support/sandbox-parts.ts'
import { CAN_MOUNT, withSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const MEGABYTE = 2 ** 20
const LIMIT_MB = 8
const LIMIT = LIMIT_MB * MEGABYTE
const NONE = { memoryBytes: undefined, processes: undefined, fileBytes: undefined }
const EXCEEDED = `more than ${LIMIT_MB} MB were written (sandbox.max_disk_mb)`

/** On a disk that others hardly use: what they free meanwhile would hide what a command writes. */
function quietDirectory(): string {
  const directory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'drover-quiet-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const AT_AND_PAST = [
  [LIMIT, []],
  [LIMIT + 1, [EXCEEDED]],
] as const

const write = (bytes: number, file = 'large') => `head -c ${bytes} /dev/zero > ${file}`

describe('the limit on what is written', () => {
  beforeEach(skipWithoutSandbox)

  it.each(AT_AND_PAST)('is told for a command that writes %i bytes: %j', async (bytes, exceeded) => {
    const [root, home] = [quietDirectory(), temporaryDirectory()]
    writeFileSync(join(root, 'before'), Buffer.alloc(LIMIT))
    // What changed right before the command counts too, because the clock of a file system lags behind.
    await until(() => Date.now() > statSync(join(root, 'before')).ctimeMs + 100)
    const where = { worktree: { root }, home, droverHome: join(home, '.drover') }
    const halves = `${write(LIMIT / 2, 'one')}; ${write(bytes - LIMIT / 2, 'two')}; ln one three`
    const { events } = await runInside(['sh', '-c', halves], {
      ...where,
      settings: { limits: { ...NONE, diskBytes: LIMIT } },
    })
    expect(events.map((event) => event.is === 'exceeded' && event.fault.details.exceeded)).toEqual(exceeded)
  })

  it('ends a command that stays, and names the setting', async () => {
    const [root, HOME] = [quietDirectory(), temporaryDirectory()]
    createRepositoryAt(root)
    const env = { HOME, DROVER_SANDBOX_MAX_DISK_MB: String(LIMIT_MB) }
    const command = ['sh', '-c', `trap '' TERM; ${write(LIMIT + 1)}; sleep 300`]
    const ran = await runAt(root, [process.execPath, DROVER, 'sandbox', 'run', '--', ...command], env)
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`was ended because ${EXCEEDED}; raise`) })
  })

  it('keeps a part of the disk free for others, whatever is allowed', async ({ skip }) => {
    skip(!CAN_MOUNT, 'only root can mount a small disk')
    await withSmallDisk(async (root) => {
      const home = temporaryDirectory()
      const where = { worktree: { root }, home, droverHome: join(home, '.drover'), settings: { limits: NONE } }
      const { events, ended } = await runInside(['sh', '-c', `${write(9 * MEGABYTE)}; sleep 300`], where)
      expect(ended).toBe('cancelled')
      expect(events).toMatchObject([{ fault: { details: { exceeded: 'less than 8 MB were left free' } } }])
    })
  })

  // Directories that drover makes for an agent count, too.
  it.each([
    [LIMIT - MEGABYTE, []],
    [LIMIT + 1, [EXCEEDED]],
  ])('is told for an agent that writes %i bytes: %j', async (bytes, exceeded) => {
    const { got, events } = await promptAgent([['fill', 'large', String(bytes)]])
    // It had answered before anyone looked.
    expect(got).toMatchObject({ boundary: { exceeded } })
    expect(events.flatMap(({ type, content }) => (type === 'boundary' ? [content] : []))).toEqual(
      exceeded.map((limit) => ({ is: 'exceeded', limit })),
    )
  })

  it('ends the turn of an agent', async () => {
    const { got } = await promptAgent([
      ['fill', 'large', String(LIMIT + 1)],
      ['wait', 'log'],
    ])
    expect(got).toMatchObject({ error_code: 'sandbox_disk_limit', exit_code: 1, boundary: { exceeded: [EXCEEDED] } })
  })

  it.each(firstOf(['setup', 'check']))('is in the report of a driven run whose %s writes more', async (by) => {
    const driving = createDrivenHome(quietDirectory(), { implement: [HONEST] }, { sandbox: 'on' })
    const { repository, home } = driving
    repository.write('.gitignore', 'large\n')
    repository.write('fill.sh', `${write(LIMIT + 1)}\n`)
    repository.commit()
    const env = { ...driving.env, DROVER_SANDBOX_MAX_DISK_MB: String(LIMIT_MB) }
    const call = (...args: string[]) => callMain(args, { cwd: repository.root, env, homeDirectory: home })
    const ends = ['--baseline', 'skip', '--approval', 'auto', '--no-review', '--rounds', '0', '--deliver', 'none']
    const { stdout } = await call('drive', 'Show the wind in knots', `--${by}`, 'sh fill.sh', ...ends)
    const report = await call('report', runIdIn(stdout))
    expect(report.stdout).toContain(`| a limit | more than ${LIMIT_MB} MB were written`)
    expect(stdout).toContain(`the sandbox stopped the ${by}: ${EXCEEDED}`)
  })
})

type Attempt = readonly [string, string, ...string[]]

/** An agent that does this in its working directory. */
async function promptAgent(attempts: readonly Attempt[]) {
  const work = quietDirectory()
  const { directory, context } = await createPromptFixture({}, { sandbox: sandboxParts(temporaryDirectory()) })
  const agent = readFileSync(join(import.meta.dirname, '..', 'programs', 'inside-agent.cjs'), 'utf8')
  writeFileSync(join(directory, 'claude'), `#!${process.execPath}\n${agent}`, { mode: 0o755 })
  mkdirSync(join(directory, '.claude'))
  const prompt = JSON.stringify(attempts.map(([name, path, ...rest]) => [name, join(work, path), ...rest]))
  const sandbox = { ...mergeLayers([]).config.sandbox, max_disk_mb: LIMIT_MB }
  const settings = { ...context.settings, sandbox }
  const request = { backend: 'claude', prompt, sandbox: 'required', workdir: work } as const
  const { result: got, events } = await finishPrompt(request, { ...context, settings })
  return { got, events }
}
