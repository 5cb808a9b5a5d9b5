/** A killed drover cannot end its agents; the next one ends them and their turns. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installFakeAgents, readPids } from './support/fake-agent.ts'
import { DROVER, runDrover, temporaryDirectory } from './support/run-drover.ts'
import { isRunning } from './support/test-command.ts'
import { until } from './support/until.ts'

describe.skipIf(process.platform !== 'linux')('an agent whose drover was killed', () => {
  it.each([
    ['in a session', ['prompt', 'hello', '-o', 'stream-json'], ['paused']],
    ['in an ephemeral prompt', ['prompt', 'hello', '-o', 'stream-json', '--ephemeral'], []],
    ['in a parallel call', ['parallel', '--json'], []],
    ['that is stubborn', ['prompt', 'hello', '-o', 'stream-json'], ['paused']],
  ])('%s is ended by the next drover', async (name, args, statuses) => {
    const home = temporaryDirectory()
    const pidFile = join(home, 'pids')
    const isStubborn = name.includes('stubborn')
    const script = { hangAfter: 'init', pidFile, ignoreSigterm: isStubborn, ignoreSigint: isStubborn }
    const env = { HOME: home, PATH: `${installFakeAgents(temporaryDirectory())}:${process.env['PATH']}` }
    const victim = spawn(process.execPath, [DROVER, ...args], {
      env: { ...env, FAKE_AGENT_SCRIPT: JSON.stringify(script) },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let heard = ''
    victim.stdout.setEncoding('utf8').on('data', (text) => {
      heard += text
    })
    victim.stdin.end('[{"backend": "claude", "prompt": "hello"}]')
    // An event is printed after the session has stored it.
    const agent = await until(() => {
      const { hangs, agent: pid } = readPids(pidFile)
      return hangs && (args.includes('--json') || heard.includes('"type":"init"')) && pid
    })
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    expect(isRunning(agent)).toBe(true)
    const { stdout } = await runDrover(['sessions', 'list', '--json'], { home })
    await until(() => !isRunning(agent))
    const { sessions } = JSON.parse(stdout) as { sessions: { status: string }[] }
    expect(sessions.map(({ status }) => status)).toEqual(statuses)
  })
})
