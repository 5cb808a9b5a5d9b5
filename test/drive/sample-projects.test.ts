/**
 * Real projects, from a plain clone to a delivered branch with green checks. `SAMPLES=all` adds Python and Go, which take longer.
 */

import { expect, it } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { createDrivenHome, dataOf, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { SAMPLE_PROJECTS, type SampleProject } from '../support/sample-projects.ts'

const GOAL = 'Show the wind in knots'
/** Package managers are slow on a busy machine. */
const TIMEOUT_MS = 300_000

const isShort = process.env['SAMPLES'] !== 'all'
const PROJECTS = SAMPLE_PROJECTS.filter(({ obstacle, isSlow }) => obstacle === undefined && !(isSlow && isShort))

function createProject({ write, env: variables }: SampleProject) {
  const scratch = temporaryDirectory()
  const home = createDrivenHome(scratch, {}, { write: (origin) => write(origin, scratch) })
  const env = { ...home.env, ...variables(scratch) }
  const cwd = home.repository.root
  const call = (...args: string[]) => callMain(args, { cwd, env, homeDirectory: home.home })
  const start = (...args: string[]) => startOnTerminal(args, { cwd, env: { ...env, NO_COLOR: '1' }, columns: 120 })
  /** How a run was prepared, checked and delivered. */
  const endOf = (output: string) => {
    const records = home.records(runIdIn(output))
    const ran = [...dataOf(records, 'baseline_ran'), ...dataOf(records, 'check_ran')]
    return {
      from: dataOf(records, 'prepared').map(({ from }) => from),
      checks: ran.map(({ command, passed }) => ({ command, passed })),
      delivered: dataOf(records, 'delivered').map(({ as }) => as),
    }
  }
  return { ...home, call, start, endOf }
}

const greenFrom = (from: string, checks: readonly string[]) => ({
  from: [from],
  checks: [...checks, ...checks].map((command) => ({ command, passed: true })),
  delivered: ['branch'],
})

/** The first run, with what drover proposes: from `drover init`, or from the question at a terminal. */
async function driveFirst({ call, start }: ReturnType<typeof createProject>, { setup, checks, asks }: SampleProject) {
  if (asks && hasTerminals) {
    const terminal = start('drive', GOAL, '--no-review')
    for (const line of [`setup   ${setup[0]}`, `checks  ${checks[0]}`, '[y/n, empty: not now]'])
      await terminal.shows(line)
    terminal.type('y\r')
    const { code, seen } = await terminal.ended
    return { code, output: seen }
  }
  expect(JSON.parse((await call('init', '--yes', '--json')).stdout)).toMatchObject({ setup, checks, is_saved: true })
  const { code, stdout } = await call('drive', GOAL, '--no-review')
  return { code, output: stdout }
}

it.runIf(IS_FULL || !isShort).each(PROJECTS)(
  'a project of $name is delivered with green checks, twice',
  { timeout: TIMEOUT_MS },
  async (sample) => {
    const { checks, next } = sample
    const project = createProject(sample)
    const { call, endOf, repository } = project
    const { code, output } = await driveFirst(project, sample)
    expect({ code, ...endOf(output) }, output).toEqual({ code: 0, ...greenFrom('setup', checks) })
    const second = await call('drive', GOAL, '--no-review', '--demo')
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(endOf(second.stdout)).toEqual(greenFrom(next, checks))
    expect(repository.git('branch', '--list', 'drover/*').trim().split('\n')).toHaveLength(2)
    expect(repository.git('status', '--short', '--ignored')).toBe('')
  },
)
