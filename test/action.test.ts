/** `action.yml`: what it may contain, and its script with the real `gh`, a fake forge and scripted agents. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { COMMANDS } from '../src/cli/program/command-table.ts'
import { findKey } from '../src/config/setting-keys.ts'
import { createDriving } from './support/driven-agents.ts'
import { HONEST } from './support/driven-home.ts'
import { hasForge, startForge } from './support/forge/fake-forge.ts'
import { IS_FULL } from './support/full-counts.ts'
import { ROOT } from './support/npm.ts'
import { DROVER, runAt } from './support/run-drover.ts'

type Step = { name: string; id?: string; shell?: string; run?: string; uses?: string; env?: Record<string, string> }
type Action = {
  inputs: Record<string, { description: string; default?: string }>
  runs: { using: string; steps: Step[] }
}

const action: Action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'))
const { steps } = action.runs
const page = readFileSync(join(ROOT, 'docs', 'watch.md'), 'utf8')
const workflow = [...page.matchAll(/^```yaml\n(.*?)^```/gms)]
  .map(([, text = '']) => parse(text))
  .find((each) => each.jobs)

describe('action.yml', () => {
  it('is a composite action whose scripts contain no expression, so that no text of an event is run', () => {
    expect(action.runs.using).toBe('composite')
    for (const { run, shell, uses } of steps) {
      expect([typeof run, shell, uses]).toEqual(['string', 'bash', undefined])
      expect(run).not.toContain('${{')
      expect(run).not.toMatch(/eval|\bsh -c/)
    }
    const expressions = steps.flatMap(({ env = {} }) => Object.values(env)).filter((value) => value.includes('${{'))
    expect(expressions.every((value) => /^\$\{\{ inputs\.[a-z-]+ \}\}$/.test(value))).toBe(true)
  })

  it('uses every input, describes it, and needs none', () => {
    const used = steps.flatMap(({ env = {} }) => Object.values(env)).join(' ')
    for (const [name, { description, default: value }] of Object.entries(action.inputs)) {
      expect([name, description.length > 10, typeof value]).toEqual([name, true, 'string'])
      expect(used).toContain(`inputs.${name} `)
    }
  })

  it('sets settings and gives flags that exist', () => {
    const set = steps.flatMap(({ env = {} }) => Object.keys(env)).filter((name) => name.startsWith('DROVER_'))
    const keys = ['default_backend', 'drive.checks', 'drive.max_cost_usd', 'drive.deliver', 'drive.watch_secs'].map(
      findKey,
    )
    expect(set).toEqual(keys.map((key) => key?.variables[0]))
    const flags = COMMANDS.find(({ words }) => words[0] === 'watch')?.flags.map(({ name }) => name)
    const line = /drover watch (.*) \|/.exec(steps.map(({ run }) => run).join('\n'))?.[1] ?? ''
    for (const [, name] of line.matchAll(/--([a-z-]+)/g)) expect(flags).toContain(name)
  })

  it('is used by the workflow in the documentation, which gives it only what it knows', () => {
    const [job] = Object.values(
      workflow.jobs as Record<string, { if: string; steps: { uses?: string; with?: object }[] }>,
    )
    const used = job?.steps.find(({ uses }) => uses?.startsWith('OWNER/drover@'))
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(used?.with ?? {})))
    expect(workflow.on).toEqual({ issues: { types: ['labeled'] } })
    expect(workflow.permissions).toEqual({ contents: 'write', issues: 'write', 'pull-requests': 'write' })
  })

  it.runIf(IS_FULL && hasForge)(
    'drives a labeled issue, opens a pull request and writes the report',
    { timeout: 180_000 },
    async () => {
      const fake = await startForge()
      const driving = createDriving({ implement: [HONEST] }, { config: JSON.stringify({ warm: { enabled: false } }) })
      const { root, git } = driving.repository
      git('push', '--quiet', fake.bare, 'HEAD:refs/heads/main')
      git('remote', 'add', 'origin', fake.address)
      const issue = fake.addIssue('Show the wind', '$(touch injected) `touch injected` "; touch injected')
      fake.label(issue.number, 'drover', 'ada')
      // The program that the tests run, where the action expects that of its clone.
      const place = join(driving.scratch, 'action')
      mkdirSync(join(place, 'node_modules', '.bin'), { recursive: true })
      symlinkSync(process.execPath, join(place, 'node_modules', '.bin', 'node'))
      symlinkSync(dirname(DROVER), join(place, 'bin'))
      const step = steps.find(({ id }) => id === 'drive')
      const [bin = ''] = fake.env['PATH']?.split(':') ?? []
      const settings = Object.entries(step?.env ?? {}).filter(([, value]) => !value.includes('${{'))
      const [output, summary] = [join(driving.scratch, 'output'), join(driving.scratch, 'summary.md')]
      const ran = await runAt(root, ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? ''], {
        ...fake.env,
        ...driving.env,
        PATH: `${bin}:${driving.env.PATH}`,
        ...Object.fromEntries(settings),
        ...{
          LABEL: 'drover',
          DROVER_DRIVE_CHECKS: 'sh check.sh',
          DROVER_DEFAULT_BACKEND: 'claude',
          DROVER_DRIVE_WATCH_SECS: '1',
        },
        ...{
          GITHUB_ACTION_PATH: place,
          RUNNER_TEMP: driving.scratch,
          GITHUB_OUTPUT: output,
          GITHUB_STEP_SUMMARY: summary,
        },
        ...{ GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'ada/weather', GITHUB_RUN_ID: '7' },
        GITHUB_SERVER_URL: 'https://github.com',
      })
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      const [, run] = /^runs=([0-9a-f-]{36}) \n$/.exec(readFileSync(output, 'utf8')) ?? []
      expect(readFileSync(summary, 'utf8')).toContain('Show the wind')
      expect(fake.comments.map(({ body }) => body)).toEqual([
        expect.stringMatching(
          / done -->\ndrover has finished.*pull\/2, \[run `[0-9a-f-]+`\]\(https:\/\/github.com\/ada\/weather\/actions\/runs\/7\)/,
        ),
      ])
      expect(run).toBeDefined()
      expect(git('status', '--porcelain')).toBe('')
    },
  )
})
