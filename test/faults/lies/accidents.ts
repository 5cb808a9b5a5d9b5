/** What goes wrong without a lie: checks, agents, limits and drivers that fail. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { droverPath } from '../../support/bundled-program.ts'
import { dataOf, HONEST } from '../../support/driven-home.ts'
import { until } from '../../support/until.ts'
import { GOAL, type Lie } from './lie.ts'

const NOT_LOGGED_IN = 'Failed to authenticate. API Error: 401 {"type":"error","error":{"type":"authentication_error"}}'
const WAITS = { exit: 4, word: 'waits for you' } as const
const LIMIT = { exit: 4, word: 'paused by limit' } as const

export const ACCIDENTS: readonly Lie[] = [
  {
    name: 'a check has a typo',
    ...{ exit: 2, word: 'refused' },
    checks: ['npn test'],
    caught: ({ calls, stderr }) => {
      match(stderr, /npn/)
      deepEqual(calls(), [])
    },
  },
  {
    name: 'a check is red before the work, and after it',
    ...{ exit: 3, word: 'not delivered' },
    script: { implement: [{ edits: { 'wind.txt': 'wind: 12\n' } }] },
    caught: ({ verdict }) => match(verdict.reason, /it was already failing before the work/),
  },
  {
    name: 'a check breaks with the work',
    ...{ exit: 3, word: 'not delivered' },
    checks: ['grep m/s wind.txt'],
    caught: ({ verdict }) => match(verdict.reason, /it passed before the work/),
  },
  {
    name: 'a check starts a process that stays',
    ...{ exit: 0, word: 'delivered' },
    checks: [`sh -c 'sleep 600 & sh check.sh'`],
  },
  {
    name: 'a check prints 30 MB',
    ...{ exit: 0, word: 'delivered' },
    checks: [`sh -c 'yes | head -c 30000000; sh check.sh'`],
  },
  {
    name: 'a check never ends',
    ...{ exit: 3, word: 'not delivered' },
    checks: [`sh -c 'grep m/s wind.txt || exec sleep 600'`],
    config: 'drive:\n  attempts: 0\n  rounds: 0\n  check_timeout_secs: 1\n',
    caught: ({ verdict }) => match(verdict.reason, /timed out after 1 s/),
  },
  {
    name: 'a setup fails before the work',
    ...WAITS,
    args: ['--no-review', '--setup', 'false'],
    caught: ({ calls }) => deepEqual(calls(), []),
  },
  {
    name: 'a setup no longer works with the commit',
    ...{ exit: 3, word: 'not delivered' },
    files: { 'versions.lock': 'one\n', 'install.sh': 'grep -q one versions.lock\n' },
    args: ['--no-review', '--setup', 'sh install.sh'],
    script: { implement: [{ ...HONEST, writes: { 'versions.lock': 'two\n' } }] },
    caught: ({ verdict }) => match(verdict.reason, /in a clean checkout of the commit, the setup sh install\.sh ended/),
  },
  {
    name: 'a pull request cannot be opened',
    ...{ exit: 3, word: 'not delivered' },
    args: ['--no-review', '--deliver', 'pr'],
    caught: ({ verdict, id }) => {
      match(verdict.reason, /the work is committed but not delivered/)
      equal(verdict.next, `drover drive ${id}`)
    },
  },
  {
    name: 'a driver is killed',
    ...{ exit: null, word: 'not driven', isInGate: true },
    script: { orient: [{ tells: ['I look.'], hangs: true }] },
    drive: async ({ repository, env }) => {
      const child = spawn(process.execPath, [droverPath(), 'drive', GOAL, '--no-review'], {
        ...{ cwd: repository.root, env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const heard = { stdout: '', stderr: '' }
      child.stdout.setEncoding('utf8').on('data', (text) => (heard.stdout += text))
      child.stderr.setEncoding('utf8').on('data', (text) => (heard.stderr += text))
      const ended = once(child, 'close')
      await until(() => heard.stdout.includes('I look.'))
      child.kill('SIGKILL')
      await ended
      return { code: child.exitCode, ...heard }
    },
    caught: async ({ verdict, id, home, call }) => {
      equal(verdict.line, `not driven (killed just now): drover drive ${id}`)
      home.rewrite({})
      equal((await call('drive', id)).code, 0)
    },
  },
  {
    name: 'an agent dies',
    ...WAITS,
    script: { orient: [{ dies: true }] },
    caught: async ({ stdout, calls, home, call, id }) => {
      match(stdout, /Paused \(agent_failed\)/)
      equal(calls().length, 2)
      home.rewrite({})
      equal((await call('drive', id)).code, 0)
    },
  },
  {
    name: 'an agent is not logged in',
    ...WAITS,
    script: { orient: [{ fails: 'error_during_execution', says: NOT_LOGGED_IN }] },
    caught: ({ stdout, calls }) => {
      match(
        stdout,
        /^Paused \(agent_failed\): claude failed: .*to log in, run `claude` in a terminal and type \/login/m,
      )
      equal(calls().length, 1)
    },
  },
  {
    name: 'an agent never ends',
    ...WAITS,
    script: { orient: [{ hangs: true }] },
    config: 'drive:\n  stall_secs: 1\n',
    caught: ({ ends, stdout }) => {
      deepEqual(ends, ['stalled', 'stalled'])
      match(stdout, /for 1 s there was no text, no result of a tool and no change of a file/)
    },
  },
  {
    name: 'an agent makes the same call again and again',
    ...WAITS,
    script: { implement: [{ repeats: 8, hangs: true }] },
    caught: ({ ends, stdout }) => {
      deepEqual(ends, ['answered', 'stalled', 'stalled'])
      match(stdout, /the same call of Bash 4 times in a row/)
    },
  },
  ...[
    { cap: 'max_tokens', args: ['--max-tokens', '300'], turn: { usage: { input: 200, output: 100 } } },
    { cap: 'max_cost', args: ['--max-cost', '0.5', '--review-with', 'claude'], turn: { cost: 0.5 } },
  ].map(
    ({ cap, args, turn }): Lie => ({
      name: `an agent exceeds \`${cap}\``,
      ...LIMIT,
      script: { orient: [turn] },
      args: ['--no-review', ...args],
      caught: async ({ stdout, calls, call, id, home }) => {
        match(stdout, new RegExp(`Paused \\(${cap}\\)`))
        equal((await call('drive', id)).code, 4)
        equal(calls().length, 1)
        home.rewrite({})
        const raised = args.map((word) => (/^[\d.]+$/.test(word) ? '100000' : word))
        equal((await call('drive', id, ...raised.slice(0, 2))).code, 0)
      },
    }),
  ),
  {
    name: 'an agent exceeds `max_tokens` between two requests',
    ...LIMIT,
    args: ['--no-review', '--max-tokens', '450'],
    script: { orient: [{ requests: Array(3).fill({ input: 100, output: 50 }), hangs: true }] },
    caught: async ({ records, call, calls, id, home }) => {
      const [ended] = dataOf(records, 'attempt_ended')
      deepEqual([ended?.how, ended?.usage?.input_tokens, ended?.usage?.output_tokens], ['budget', 300, 150])
      home.rewrite({})
      equal((await call('drive', id, '--max-tokens', '100000')).code, 0)
      ok(calls()[1]?.resumed !== undefined)
    },
  },
  {
    name: 'an agent ends itself at `max_cost`',
    ...LIMIT,
    args: ['--no-review', '--max-cost', '0.5', '--review-with', 'claude'],
    script: { orient: [{ fails: 'error_max_budget_usd', cost: 0.51 }] },
    caught: ({ calls }) =>
      deepEqual(
        calls().map(({ argv }) => argv[argv.indexOf('--max-budget-usd') + 1]),
        ['0.500000'],
      ),
  },
  {
    name: 'an agent exceeds `max_time`',
    ...LIMIT,
    script: { orient: [{ hangs: true }] },
    args: ['--no-review', '--max-time', '1s'],
    caught: ({ ends, calls }) => {
      deepEqual(ends, ['budget'])
      equal(calls().length, 1)
    },
  },
]
