import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome, hangingAgent, type RunOptions } from '../support/agent-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { hasTerminals, leftOnScreen, startOnTerminal } from '../support/on-terminal.ts'
import { isRunning } from '../support/test-command.ts'

let home: AgentHome

beforeEach(() => {
  home = createAgentHome()
})

function write(text: string): string {
  const path = join(home.path, 'steps.yaml')
  writeFileSync(path, text)
  return path
}

const chain = (text: string, args: readonly string[] = [], options: RunOptions = {}) =>
  home.drover(['chain', '-f', write(text), ...args], options)

async function report(text: string, args: readonly string[] = [], options: RunOptions = {}) {
  const { code, stdout, stderr } = await home.drover(['chain', '-f', write(text), '--json', ...args], options)
  return { code, stderr, report: JSON.parse(stdout) }
}

const EXECUTION_ID = expect.stringMatching(/^exec_[0-9a-f]{24}$/)
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
const FAILING = '- {name: one, prompt: please fail}\n- {name: two, prompt: say more}\n'

describe('drover chain', () => {
  it('gives each step the earlier answers, and prints the report as JSON', async () => {
    home.teach('claude', { text: ['forty-two'] })
    const steps =
      '- {name: ask, prompt: a question}\n- {backend: codex, prompt: "first {{previous}}, then {{steps.ask}}"}\n'
    const ran = await report(steps)
    expect(ran).toEqual({
      code: 0,
      stderr: '',
      report: {
        execution_id: EXECUTION_ID,
        total_steps: 2,
        completed_steps: 2,
        canceled: 0,
        total_duration_seconds: expect.any(Number),
        start_time: MOMENT,
        end_time: MOMENT,
        results: [
          expect.objectContaining({ step: 1, name: 'ask', backend: 'claude', exit_code: 0, output: 'forty-two' }),
          expect.objectContaining({
            step: 2,
            output: expect.stringContaining('Your prompt arrived: "first forty-two, then forty-two"'),
            duration_seconds: expect.any(Number),
            start_time: MOMENT,
            end_time: MOMENT,
          }),
        ],
      },
    })
  })

  it('prints outputs, a table and totals', async () => {
    const { code, stdout, stderr } = await chain('- {name: ask, prompt: one}\n- prompt: two\n')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^\[1\/2\] ask \(claude\)\nThis is .*\n\n\[2\/2\] two \(claude\)\nThis is .*\n\nSTEP {2}BACKEND {2}STATUS {2}DURATION {2}TOKENS {2}NAME\n1 {5}claude {3}OK .*ask\n2 .*\n2 steps: 2 completed; /,
    )
    expect(stderr).toMatch(/^\[1\/2\] started: ask \(claude\)\n\[1\/2\] finished after .*\n\[2\/2\] started/)
  })

  it('reads JSON from standard input too', async () => {
    const input = '{"steps": [{"prompt": "one"}]}'
    const { stdout } = await home.drover(['chain', '--json'], { input })
    expect(JSON.parse(stdout)).toMatchObject({ total_steps: 1, completed_steps: 1 })
  })

  it('keeps its placeholders in a dry run, which needs no agent', async () => {
    const { report: made } = await report('- prompt: one\n- prompt: "{{previous}}"\n', ['--dry-run'], {
      env: home.bare,
    })
    expect(made.results).toMatchObject([
      { output: expect.stringMatching(/^Would execute: claude .*one'$/) },
      { output: expect.stringContaining("'{{previous}}'") },
    ])
  })

  it('prints the directory of each step in a dry run and writes nothing', async () => {
    const inner = home.folder('inner')
    const steps =
      'pass_working_dir: true\noutput_dir: out\nsteps:\n  - {name: one, prompt: a, workdir: inner}\n  - prompt: b\n'
    const { stdout, stderr } = await chain(steps, ['--dry-run', '-q'])
    expect(stdout).toMatch(
      new RegExp(
        `^\\[1/2\\] one \\(claude\\) in ${inner}\nWould execute: .*\n\n\\[2/2\\] b \\(claude\\) in ${inner}\nWould execute: .*\n\n$`,
      ),
    )
    expect(stderr).toBe(`Dry run: nothing was started, and nothing was written to ${join(home.path, 'out')}.\n`)
    expect(existsSync(join(home.path, 'out'))).toBe(false)
  })

  it('passes the directory on to later steps if asked', async () => {
    const inner = home.folder('inner')
    home.teach('codex', { tool: 'pwd > where' })
    const steps = `steps:\n  - {prompt: one, workdir: inner}\n  - {prompt: two, backend: codex}\n`
    await report(`${steps}pass_working_dir: true\n`)
    expect(readFileSync(join(inner, 'where'), 'utf8').trim()).toBe(inner)
    await report(steps)
    expect(readFileSync(join(home.path, 'where'), 'utf8').trim()).toBe(home.path)
  })

  it('writes each result to a file', async () => {
    const { report: made } = await report('- {name: ask me, prompt: one}\n- prompt: two\n', ['--output-dir', 'out'])
    expect(readdirSync(join(home.path, 'out')).sort()).toEqual(['001_ask_me.json', '002_step-2.json', 'summary.json'])
    const first = JSON.parse(readFileSync(join(home.path, 'out', '001_ask_me.json'), 'utf8'))
    expect(first.step).toMatchObject({ name: 'ask me', prompt: 'one', backend: 'claude' })
    expect(first.result).toEqual(made.results[0])
  })
})

describe('a step that fails', () => {
  it.each<[string, string, string[], number]>([
    ['ends the chain', FAILING, [], 1],
    ['ends it with stop_on_failure in the file', `steps:\n${FAILING}stop_on_failure: true\n`, [], 1],
    ['does not end it with stop_on_failure: false in the file', `steps:\n${FAILING}stop_on_failure: false\n`, [], 2],
    [
      'does not end it with --continue-on-failure',
      `steps:\n${FAILING}stop_on_failure: true\n`,
      ['--continue-on-failure'],
      2,
    ],
    ['ends it with --stop-on-failure', `steps:\n${FAILING}stop_on_failure: false\n`, ['--stop-on-failure'], 1],
  ])('%s', async (_name, text, args, begun) => {
    const { code, report: made } = await report(text, args)
    expect({ code, begun: made.results.length }).toEqual({ code: 1, begun })
    expect(made).toMatchObject({ total_steps: 2, completed_steps: begun - 1, failed_step: 1 })
  })

  it('leaves the later steps in the table as skipped', async () => {
    const { stdout } = await chain(FAILING)
    expect(stdout).toMatch(
      /1 +claude +FAILED .*one\n2 +claude +SKIPPED +- +- +two\n2 steps: 0 completed, 1 failed, 1 skipped/,
    )
  })
})

describe('an invalid chain', () => {
  it.each([
    ['that is empty', 'steps: []\n', 'no steps defined: '],
    [
      'with a reference to nothing',
      '- prompt: "{{steps.later}}"\n- {name: later, prompt: b}\n',
      ':1:3: $[0].prompt {{steps.later}} names no earlier step',
    ],
    ['that wants a session', 'steps: [{prompt: a}]\npass_session_id: true\n', ':2:1: $.pass_session_id cannot be true'],
    [
      'with a field that steps do not have',
      '- {prompt: a, dry_run: true}\n',
      ':1:15: $[0].dry_run is not a known field',
    ],
  ])('%s is refused, and nothing is started', async (_name, text, sentence) => {
    const pidFile = join(home.path, 'pids')
    const ran = await chain(text, [], { script: { pidFile } })
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining(sentence) })
    expect(ran.code).not.toBe(0)
    expect(existsSync(pidFile)).toBe(false)
  })

  it('does not start if the agent of a later step is not installed, unless it continues on failure', async () => {
    const text = '- prompt: one\n- {prompt: two, backend: codex}\n'
    const env = { DROVER_BACKENDS_CODEX_COMMAND: `${NOWHERE}/codex` }
    expect(await chain(text, [], { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(':2:3: $[1] cannot be run: codex is not installed'),
    })
    const { report: made } = await report(text, ['--continue-on-failure'], { env })
    expect(made).toMatchObject({ completed_steps: 1, failed_step: 2 })
  })

  it('cannot both stop and continue on failure', async () => {
    const ran = await chain('- prompt: one\n', ['--stop-on-failure', '--continue-on-failure'])
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be used together') })
  })
})

describe('Ctrl-C', () => {
  it('ends the running step and prints the earlier ones', async () => {
    const pidFile = join(home.path, 'pids')
    home.teach('codex', { hangAfter: 'init', pidFile })
    const path = write('- prompt: one\n- {prompt: two, backend: codex}\n- prompt: three\n')
    const { child, ended } = home.start(['chain', '-f', path, '--json'])
    const agent = await hangingAgent(pidFile)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({
      total_steps: 3,
      completed_steps: 1,
      canceled: 1,
      results: [
        { step: 1, exit_code: 0 },
        { step: 2, error_code: 'agent_cancelled' },
      ],
    })
    expect(isRunning(agent)).toBe(false)
  })
})

describe.skipIf(!hasTerminals)('drover chain on a terminal', () => {
  it.runIf(IS_FULL)('redraws the line of the running step', async () => {
    const path = write('- {name: alpha, prompt: a}\n- {name: beta, prompt: b}\n')
    // Longer than the time between two drawings.
    const env = { ...home.env, FAKE_AGENT_SCRIPT: JSON.stringify({ delayMs: 500 }) }
    const { code, seen } = await startOnTerminal(['chain', '-f', path], { cwd: home.path, env }).ended
    expect(code).toBe(0)
    expect(seen).toMatch(/\[1\/2\] {2}alpha .*\n0 of 2 done, 1 running, 1 waiting/)
    expect(leftOnScreen(seen)).toMatch(/^\[1\/2\] alpha \(claude\)\nThis is/)
  })
})
