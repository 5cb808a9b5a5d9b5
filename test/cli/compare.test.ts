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

const compare = (args: readonly string[], options: RunOptions = {}) => home.drover(['compare', ...args], options)

async function report(args: readonly string[], options: RunOptions = {}) {
  const { code, stdout, stderr } = await home.drover(['compare', '--json', ...args], options)
  return { code, stderr, report: JSON.parse(stdout) }
}

const EXECUTION_ID = expect.stringMatching(/^exec_[0-9a-f]{24}$/)
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

describe('drover compare', () => {
  it('runs the prompt on each agent and prints the report as JSON in the given order', async () => {
    const ran = await report(['hello there', '--backends', 'gemini, claude'])
    expect(ran).toEqual({
      code: 0,
      stderr: '',
      report: {
        execution_id: EXECUTION_ID,
        prompt: 'hello there',
        backends: ['gemini', 'claude'],
        total_duration_seconds: expect.any(Number),
        start_time: MOMENT,
        end_time: MOMENT,
        results: [
          expect.objectContaining({ backend: 'gemini', output: expect.stringContaining('"hello there"') }),
          expect.objectContaining({
            backend: 'claude',
            model: 'demo',
            exit_code: 0,
            token_usage: expect.objectContaining({ output_tokens: expect.any(Number) }),
            usage: expect.objectContaining({ total_tokens: expect.any(Number) }),
            duration_seconds: expect.any(Number),
            start_time: MOMENT,
            end_time: MOMENT,
          }),
        ],
      },
    })
  })

  it('ends when one agent has no login and another prints nothing, and says what to do about the login', async () => {
    home.teach('claude', { fail: 401, retryForever: true, chunkMs: 100 })
    home.teach('codex', { hangAfter: 'init' })
    const env = { DROVER_BACKENDS_CODEX_SILENCE_SECS: '1' }
    const ran = await report(['hello there', '--backends', 'claude,codex,gemini'], { env })
    expect(ran).toMatchObject({
      code: 1,
      report: {
        results: [
          {
            error_code: 'agent_auth_failed',
            error: expect.stringContaining('run `claude` in a terminal and type /login'),
          },
          { error_code: 'agent_silent', exit_code: 124 },
          { exit_code: 0 },
        ],
      },
    })
  })

  it.each<[string, string[], RunOptions]>([
    ['a pipe', ['-'], { input: 'from a pipe' }],
    ['a pipe without -', [], { input: 'from a pipe' }],
    ['a file', ['--file', 'task.md'], {}],
  ])('reads its prompt from %s', async (_name, args, options) => {
    writeFileSync(join(home.path, 'task.md'), 'from a pipe')
    const { report: made } = await report(['--backends', 'codex', ...args], options)
    expect(made).toMatchObject({ prompt: 'from a pipe', results: [{ exit_code: 0 }] })
  })

  it('warns of a task file, which is one prompt to it', async () => {
    writeFileSync(join(home.path, 't.yaml'), '- prompt: one\n- prompt: two\n')
    const { code, stderr } = await compare(['-f', 't.yaml', '--backends', 'claude', '--dry-run'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^drover: warning: t\.yaml looks like a task file, .*"drover parallel -f t\.yaml" runs its/)
  })

  it.each([
    ['a blank prompt', [' \n']],
    ['an empty file', ['--file', 'empty']],
    ['a blank prompt in worktrees', [' ', '--worktrees']],
  ])('refuses %s before anything starts, and records nothing', async (_name, args) => {
    writeFileSync(join(home.path, 'empty'), '')
    const { code, stdout, stderr } = await compare([...args, '--backends', 'claude,codex'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('the prompt is empty; write what the agent should do')
    expect(JSON.parse((await compare(['--list', '--json'])).stdout)).toMatchObject({ comparisons: [] })
  })

  it('runs on all installed agents with --all-backends', async () => {
    const env = { DROVER_BACKENDS_CODEX_COMMAND: `${NOWHERE}/codex` }
    const ran = await report(['hello there', '--all-backends'], { env })
    expect(ran).toMatchObject({ code: 0, stderr: '', report: { backends: ['claude', 'gemini'] } })
  })

  it('runs on all installed agents by default, and needs two of them', async () => {
    const noCodex = { DROVER_BACKENDS_CODEX_COMMAND: '/nonexistent/codex' }
    const ran = await report(['hello there'], { env: noCodex })
    expect(ran).toMatchObject({ code: 0, stderr: '', report: { backends: ['claude', 'gemini'] } })
    const shown = await report(['hello there', '--dry-run'], { env: noCodex })
    expect(shown.report).toMatchObject({ backends: ['claude', 'gemini'] })
    const onlyClaude = { ...noCodex, DROVER_BACKENDS_GEMINI_ENABLED: 'false' }
    expect(await compare(['hello there'], { env: onlyClaude })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /only claude is available.*install one \(npm install --global @openai\/codex\).*--backends claude/,
      ),
    })
    const alone = await report(['hello there', '--all-backends'], { env: onlyClaude })
    expect(alone).toMatchObject({ code: 0, report: { backends: ['claude'] } })
  })

  it('fails for named agents that cannot be used, says why, and keeps the answers of the others', async () => {
    const unusable = { DROVER_BACKENDS_CODEX_COMMAND: `${NOWHERE}/codex`, DROVER_BACKENDS_GEMINI_ENABLED: 'false' }
    const env = { ...unusable, DROVER_EXECUTIONS_KEEP: 'results' }
    const named = ['--backends', 'codex,gemini,claude']
    const ran = await report(['hello there', ...named], { env })
    const failed = (error: RegExp) => ({ error_code: 'backend_unavailable', error: expect.stringMatching(error) })
    const results = [failed(/^codex is not installed.*npm install/), failed(/^gemini is disabled/), { exit_code: 0 }]
    expect(ran).toMatchObject({ code: 1, stderr: '', report: { backends: ['codex', 'gemini', 'claude'], results } })
    const shown = await compare(['--show', ran.report.execution_id, '--json'], { env })
    expect(JSON.parse(shown.stdout).contenders).toMatchObject([
      { ...results[0], name: 'codex', state: 'failed' },
      { ...results[1], name: 'gemini', state: 'failed' },
      { name: 'claude', state: 'completed' },
    ])
    const { code, stderr } = await compare(['hello there', '--backends', 'codex,gemini'], { env })
    expect([code, stderr]).toMatchObject([1, expect.stringContaining('no agent is available; install one')])
  })

  it.each<[string, string[], Record<string, string>, number, string]>([
    [
      'a machine without two agents, by default',
      ['hello there'],
      { PATH: '/usr/bin:/bin' },
      1,
      'install one (npm install --global',
    ],
    ['an empty list of backends', ['hello there', '--backends', ','], {}, 2, 'specify backends'],
    [
      'an unknown backend',
      ['hello there', '--backends', 'claude,chatty'],
      {},
      2,
      '--backends must be one or more of claude, codex, gemini, not "chatty"',
    ],
    [
      'both --backends and --all-backends',
      ['x', '--backends', 'claude', '--all-backends'],
      {},
      2,
      'cannot be used together',
    ],
    [
      'backends that are not installed',
      ['hello there', '--all-backends'],
      { PATH: NOWHERE },
      1,
      'no agent is available; install one (npm install --global @anthropic-ai/claude-code, or',
    ],
    ['a missing prompt', ['--backends', 'claude'], {}, 2, 'no prompt; give it'],
  ])('refuses %s', async (_name, args, env, code, sentence) => {
    expect(await compare(args, { env })).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) })
  })

  it('prints all answers and fails if one agent fails', async () => {
    home.teach('codex', { fail: 500 })
    const { code, stdout } = await compare(['hello there', '--backends', 'claude,codex'])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^claude 0\.0\.0-fake \(demo\)\nThis is .*\n[\d.]+ m?s, \d+ tokens\n\ncodex 0\.0\.0-fake\nfailed: .*\n[\d.]+ m?s\n\nThe cost of demo is not known\..*\n$/,
    )
  })

  it.runIf(IS_FULL)('runs one after another with --sequential', async () => {
    const { report: made } = await report(['hello there', '--all-backends', '--sequential'])
    const spans: { start_time: string; end_time: string }[] = made.results
    spans.slice(1).forEach((span, at) => {
      expect(span.start_time >= (spans[at]?.end_time ?? '')).toBe(true)
    })
  })

  it('uses one model and one timeout for all agents', async () => {
    const named = ['--backends', 'claude,codex,gemini', '-m', 'm-1', '--dry-run']
    const { report: made } = await report(['hello there', ...named], { env: home.bare })
    expect(made.results.map(({ output }: { output: string }) => /--model[ =]m-1|-m m-1/.test(output))).toEqual([
      true,
      true,
      true,
    ])
    const slow = await report(['x', '--backends', 'claude', '--timeout', '1'], { script: { hangAfter: 'init' } })
    expect(slow).toMatchObject({ code: 1, report: { results: [{ exit_code: 124 }] } })
  })

  it('writes each answer to a file', async () => {
    const { report: made } = await report(['hello there', '--backends', 'codex,claude', '--output-dir', 'out'])
    const read = (name: string) => JSON.parse(readFileSync(join(home.path, 'out', name), 'utf8'))
    expect(readdirSync(join(home.path, 'out')).sort()).toEqual(['001_codex.json', '002_claude.json', 'summary.json'])
    const [{ agent_version: version, ...result }] = made.results
    expect(read('001_codex.json')).toEqual({ backend: 'codex', prompt: 'hello there', result })
    expect(version).toBe('0.0.0-fake')
    expect(read('summary.json')).toEqual(made)
  })

  it('prints only failures and answers with --quiet', async () => {
    home.teach('codex', { fail: 500 })
    const args = ['hello there', '--backends', 'claude,codex', '--access', 'read-only', '-q']
    const { stdout, stderr } = await compare(args)
    expect(stderr).toMatch(
      /^\[2\/2\] failed after \S+ m?s: codex: .*\ndrover: warning: claude: sandbox_mode read-only is .*\n$/,
    )
    expect(stdout).toMatch(/^claude \(demo\)\nThis is .*\n\ncodex\nfailed: .*\n$/)
  })

  it('prints the permissions and directory of each agent in a dry run', async () => {
    const args = ['x', '--backends', 'codex', '--access', 'workspace', '--approval', 'auto', '--dry-run']
    const { stdout, stderr } = await compare([...args, '--output-dir', 'out'])
    expect(stdout).toMatch(new RegExp(`^\\[1/1\\] codex in ${home.path}\nWould execute: .*-s workspace-write`))
    expect(stderr).toContain('nothing was written to')
    expect(existsSync(join(home.path, 'out'))).toBe(false)
  })

  it('works without an installed agent with --demo', async () => {
    const { report: made } = await report(['hello there', '--all-backends', '--demo'], { env: home.bare })
    expect(made.backends).toEqual(['claude', 'codex', 'gemini'])
  })

  it.runIf(IS_FULL)('marks only the agents that the demo agent replaces', async () => {
    const args = ['hello there', '--all-backends', '--demo', '--model', 'm-1', '-q']
    const headings = (text: string) => text.match(/^(?:claude|codex|gemini)\b.*$/gm)
    const { stdout: bare } = await compare(args, { env: home.bare })
    expect(headings(bare)).toEqual(['claude (demo)', 'codex (demo)', 'gemini (demo)'])
    const { stdout: installed } = await compare(args)
    expect(headings(installed)).toEqual(['claude (m-1)', 'codex (m-1)', 'gemini (m-1)'])
  })

  it.runIf(IS_FULL)('ends all agents on Ctrl-C', async () => {
    const pidFile = join(home.path, 'pids')
    home.teach('codex', { hangAfter: 'init', pidFile })
    const { child, ended } = home.start(['compare', 'hello there', '--backends', 'claude,codex'])
    const agent = await hangingAgent(pidFile)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130, stdout: expect.stringContaining('canceled') })
    expect(isRunning(agent)).toBe(false)
  })
})

describe.skipIf(!hasTerminals)('drover compare on a terminal', () => {
  const onTerminal = async (columns: number) => {
    home.teach('claude', { text: ['one two three four five six seven eight nine ten'] })
    home.teach('codex', { text: ['short'] })
    const args = ['compare', 'hello there', '--backends', 'claude,codex']
    const { seen } = await startOnTerminal(args, { cwd: home.path, env: home.env, columns }).ended
    return leftOnScreen(seen).replace(/[\d.]+ m?s, \d+ tokens/g, 'COST')
  }

  it('prints the answers side by side on a wide terminal', async () => {
    expect(await onTerminal(83)).toMatch(
      /^claude 0\.0\.0-fake \(demo\) +│ codex 0\.0\.0-fake \(model unknown\)\n─{40} │ ─{40}\none two three four five six seven eight +│ short\nnine ten +│\n +│\nCOST +│ COST\n\nThe cost of demo and the model of codex is not known\..*\nnot kept; to keep answers: drover config set executions\.keep results\n$/,
    )
  })

  it('says after Ctrl-C, too, that answers are not kept', async () => {
    const pidFile = join(home.path, 'pids')
    home.teach('codex', { hangAfter: 'init', pidFile })
    const args = ['compare', 'hello there', '--backends', 'claude,codex']
    const { type, ended } = startOnTerminal(args, { cwd: home.path, env: home.env, columns: 120 })
    await hangingAgent(pidFile)
    type('\u0003')
    const { code, seen } = await ended
    expect(code).toBe(130)
    expect(leftOnScreen(seen)).toMatch(
      /\ndrover: canceled; to start again, .*\nnot kept; to keep answers: drover config set /,
    )
  })

  it.runIf(IS_FULL)('prints them one after another on a narrow one', async () => {
    expect(await onTerminal(82)).toMatch(
      /^claude .*\none two .* ten\nCOST\n\ncodex .*\nshort\nCOST\n\nThe cost of .*\nnot kept; .*\n$/,
    )
  })
})
