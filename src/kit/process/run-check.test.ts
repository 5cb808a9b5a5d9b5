import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLAIN_ENV } from '../../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { programNotFound } from '../faults.ts'
import { toChildEnvironment } from './child-environment.ts'
import { type Check, parseCheck, runCheck } from './run-check.ts'

const env = { PATH: PLAIN_ENV.PATH }
const run = (command: string, changes: Partial<Check> = {}) =>
  runCheck({ command, cwd: '/', env, timeoutMs: 10_000, signal: new AbortController().signal, ...changes })

const NO_LIMIT = { exceeded: new AbortController().signal, settle: async () => {} }

describe('runCheck', () => {
  it('passes with exit code 0, in its directory', async () => {
    expect(await run('pwd', { cwd: '/usr' })).toMatchObject({
      ...{ command: 'pwd', passed: true, exitCode: 0, output: '/usr\n', isOutputCut: false },
    })
  })

  it('fails with another exit code and keeps both outputs in their order', async () => {
    expect(await run("sh -c 'echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three; exit 3'")).toMatchObject({
      ...{ passed: false, exitCode: 3, output: 'one\ntwo\nthree\n' },
    })
  })

  it('starts what the boundary says, and closes the boundary after it', async () => {
    const done: string[] = []
    const enclose: Check['enclose'] = async ({ argv, cwd, env: given }) => ({
      command: { argv: ['echo', ...argv, cwd], env: toChildEnvironment(given) },
      whyNotStarted: (printed) => void done.push(printed),
      ...NO_LIMIT,
      close: async () => void done.push('closed'),
    })
    expect(await run('false --inside', { cwd: '/usr', enclose })).toMatchObject({ passed: true, isStarted: true })
    expect(done).toEqual(['false --inside /usr\n', 'closed'])
  })

  it('fails without a boundary, and starts nothing', async () => {
    const marker = join(temporaryDirectory(), 'marker')
    const none: Check['enclose'] = async () => {
      throw programNotFound({ program: 'bwrap' })
    }
    expect(await run(`touch ${marker}`, { enclose: none })).toMatchObject({ passed: false, isStarted: false })
    const broken: Check['enclose'] = async ({ env: given }) => ({
      command: { argv: ['echo', 'no namespaces'], env: toChildEnvironment(given) },
      whyNotStarted: (printed) => `there is no sandbox: ${printed.trim()}`,
      ...NO_LIMIT,
      close: async () => {},
    })
    expect(await run(`touch ${marker}`, { enclose: broken })).toMatchObject({
      ...{ passed: false, isStarted: false, exitCode: null, problem: 'there is no sandbox: no namespaces' },
    })
    expect(existsSync(marker)).toBe(false)
  })

  it('does not use a shell', async () => {
    const marker = join(temporaryDirectory(), 'marker')
    expect(await run(`echo '$(touch ${marker})'`)).toMatchObject({ output: `$(touch ${marker})\n` })
    expect(existsSync(marker)).toBe(false)
  })

  it('fails at its deadline, with what it printed, and ends what it started', async () => {
    const late = join(temporaryDirectory(), 'late')
    const result = await run(`sh -c 'echo begun; (sleep 1; touch ${late}) & sleep 60'`, { timeoutMs: 300 })
    expect(result).toMatchObject({ passed: false, exitCode: null, problem: 'it timed out after 0.3 s' })
    expect(result.output).toBe('begun\n')
    expect(existsSync(late)).toBe(false)
  })

  it('fails if it is cancelled, killed or cannot be started', async () => {
    expect(await run('sleep 60', { signal: AbortSignal.abort() })).toMatchObject({ problem: 'it was canceled' })
    expect(await run("sh -c 'kill -9 $$'")).toMatchObject({ passed: false, problem: 'it was killed by SIGKILL' })
    expect(await run('no-such-program')).toMatchObject({
      passed: false,
      exitCode: null,
      problem: expect.stringContaining('program not found: no-such-program'),
    })
  })

  it('keeps 256 KiB of output, and says if there was more', async () => {
    const whole = await run('head -c 262144 /dev/zero')
    expect([whole.output.length, whole.isOutputCut]).toEqual([262_144, false])
    const cut = await run('head -c 262145 /dev/zero')
    expect([cut.output.length, cut.isOutputCut]).toEqual([262_144, true])
  })

  it('passes on neither secrets of drover nor the place of another repository', async () => {
    const theirs = { ...env, DROVER_API_KEYS: 'secret', PGHOST: 'secret', GIT_DIR: '/x', GIT_AUTHOR_NAME: 'Ada' }
    const { output } = await run('env', { env: theirs })
    expect(output).not.toMatch(/secret|GIT_DIR/)
    expect(output).toContain('GIT_AUTHOR_NAME=Ada')
  })
})

describe('parseCheck', () => {
  it.each([
    ['', 'it names no program'],
    ["''", 'it names no program'],
    ['CI=1 npm test', '"CI=1" is not a program; put "env" in front of it'],
    ['npm test && npm run lint', '"&" needs a shell'],
  ])('refuses %j', (command, problem) => {
    expect(() => parseCheck(command)).toThrow(
      expect.objectContaining({ code: 'check_command_invalid', message: expect.stringContaining(problem) }),
    )
  })
})
