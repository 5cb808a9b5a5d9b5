/** A drover that is killed cannot end its agents; the next one does, and settles what they were working on. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPids, until } from './support/demo-agent.ts'
import { DROVER, runDrover, temporaryDirectory } from './support/run-drover.ts'

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== 'linux')('an agent whose drover was killed', () => {
  it.each([
    ['in a session', ['prompt', 'hello'], 'paused'],
    ['in an ephemeral prompt', ['prompt', '--ephemeral', 'hello'], undefined],
    ['in a parallel call', ['parallel', '--json'], undefined],
    ['that is stubborn', ['prompt', 'hello'], 'paused'],
  ])('%s is ended by the next drover', async (name, args, status) => {
    const home = temporaryDirectory()
    const pidFile = join(home, 'pids')
    const isStubborn = name.includes('stubborn')
    const script = { hangAfter: 'init', pidFile, ignoreSigterm: isStubborn, ignoreSigint: isStubborn }
    const env = { HOME: home, PATH: process.env['PATH'] ?? '' }
    const victim = spawn(process.execPath, [DROVER, ...args, '--demo'], {
      env: { ...env, DEMO_AGENT_SCRIPT: JSON.stringify(script) },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    victim.stdin.end('[{"backend": "claude", "prompt": "hello"}]')
    const agent = await until(() => {
      const { hangs, agent: pid } = readPids(pidFile)
      return hangs && pid
    })
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    expect(isAlive(agent)).toBe(true)
    const { stdout } = await runDrover(['sessions', 'list', '--json'], { home })
    await until(() => !isAlive(agent))
    const { sessions } = JSON.parse(stdout) as { sessions: { status: string }[] }
    // Whether it had named its own session when drover was killed decides between the two.
    const statuses = sessions.map((session) => (session.status === 'error' ? 'paused' : session.status))
    expect(statuses).toEqual(status === undefined ? [] : [status])
  })
})
