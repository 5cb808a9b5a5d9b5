/** `drover up`, `down`, and prompts that run in the server of the user. */

import { spawn } from 'node:child_process'
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { installAcpAgent } from '../support/acp-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { createLocalUser } from '../support/local-user.ts'
import { DROVER, runAt, runDrover } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

describe('drover up', () => {
  it.runIf(IS_FULL)('starts one server, and drover down ends it', async () => {
    const { drover, pidIn, socket } = createLocalUser()
    expect(await drover('up', '--status')).toMatchObject({
      code: 1,
      stdout: 'no server runs; "drover up" starts one\n',
    })
    const up = await drover('up')
    expect([up.code, up.stdout]).toEqual([0, expect.stringMatching(/^started: process \d+\n$/)])
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    const open = await drover('open')
    expect([open.code, open.stderr]).toEqual([1, expect.stringMatching(/"drover down" stops it, and "drover serve"/)])
    expect((await drover('up')).stdout).toBe(`already running: process ${pidIn(up.stdout)}\n`)
    expect((await drover('up', '--status')).stdout).toMatch(
      /^running: process \d+, version .*, in the background; 0 prompts run now\n/,
    )
    expect((await drover('down')).stdout).toBe(`ended: process ${pidIn(up.stdout)}\n`)
    expect(isRunning(pidIn(up.stdout))).toBe(false)
    expect(await drover('down')).toMatchObject({ code: 0, stdout: 'no server runs\n' })
  })

  it.runIf(IS_FULL)('prints JSON for scripts', async () => {
    const { drover } = createLocalUser()
    const json = async (...args: readonly string[]) => {
      const { code, stdout } = await drover(...args, '--json')
      return { code, ...JSON.parse(stdout) }
    }
    expect(await json('up', '--status')).toEqual({ code: 1, server: null })
    const server = { pid: expect.any(Number), version: expect.any(String), is_background: true, running: 0, warm: [] }
    const up = await json('up')
    expect(up).toEqual({ code: 0, server, is_started: true, is_used_by_prompts: true })
    expect(await json('up', '--status')).toEqual({ ...up, is_started: false })
    await drover('config', 'set', 'unified_flags.command_timeout_secs', '77')
    expect(await json('up')).toEqual({ ...up, is_started: false, is_used_by_prompts: false })
    expect(await json('down')).toEqual({ code: 0, ended: up.server.pid })
    expect(await json('down')).toEqual({ code: 0, ended: null })
  })

  it.runIf(IS_FULL)(
    'is ended by drover down also where no process takes its exit code, as in a container without an init',
    async () => {
      const { drover, work, env } = createLocalUser()
      const server = ['serve', '--local', '--quiet']
      const parent = spawn('sh', ['-c', '"$@" & exec sleep 60', 'sh', process.execPath, DROVER, ...server], {
        cwd: work,
        env,
      })
      onTestFinished(() => void parent.kill())
      await until(async () => (await drover('up', '--status')).code === 0)
      expect((await drover('down')).stdout).toMatch(/^ended: process \d+\n$/)
    },
  )

  it.runIf(IS_FULL)('finds a config file that is named by a relative path', async () => {
    const { drover, work } = createLocalUser()
    writeFileSync(join(work, 'own.yaml'), 'warm: { spare_after: 3 }')
    expect((await drover('up', '--config', 'own.yaml')).stdout).toMatch(/^started: /)
    const { stderr } = await drover('hello', '-b', 'claude', '--config', 'own.yaml', '--verbose')
    expect(stderr).toContain('runs in your server')
  })

  it.runIf(IS_FULL)('says which settings of the server differ, and how to restart it', async () => {
    const { drover, pidIn } = createLocalUser()
    const pid = pidIn((await drover('up')).stdout)
    await drover('config', 'set', 'unified_flags.command_timeout_secs', '77')
    const notice =
      'It has other settings: unified_flags.command_timeout_secs. So prompts that you wait for run without it; "drover down && drover up" restarts it.\n'
    expect(await drover('up')).toMatchObject({ code: 0, stdout: `already running: process ${pid}\n${notice}` })
    expect((await drover('up', '--status')).stdout).toMatch(new RegExp(`^running: process ${pid}, [^]*\n${notice}$`))
    await drover('down')
    await drover('up')
    expect((await drover('up', '--status')).stdout).not.toContain('other settings')
  })

  it.runIf(IS_FULL)('says that a drover serve with another configuration must be restarted', async () => {
    const serving = serveDrover(['-p', '0', '--demo'])
    await portOf(serving)
    const { stdout } = await runDrover(['up', '--status'], {
      home: serving.home,
      env: { DROVER_UNIFIED_FLAGS_COMMAND_TIMEOUT_SECS: '77' },
    })
    expect(stdout).toContain(
      'So prompts that you wait for run without it; give this command the settings of that "drover serve" ' +
        '(the same variables, such as DROVER_STORE_URL, and config), or restart that with those of this command.\n',
    )
  })

  it.runIf(IS_FULL)('says with which config file it was started, so that a restart keeps it', async () => {
    const { drover, work } = createLocalUser()
    const file = join(work, 'own.yaml')
    writeFileSync(file, 'drive: { attempts: 2 }')
    await drover('up', '--config', 'own.yaml')
    const status = async (...args: string[]) => (await drover('up', '--status', ...args)).stdout
    expect(await status()).toContain(`it was started with --config ${file}, so use that for this command too.\n`)
    expect(await status('--config', file)).not.toContain('other settings')
    writeFileSync(file, 'drive: { attempts: 4 }')
    expect(await status('--config', file)).toContain(`"drover down && drover up --config ${file}" restarts it.\n`)
  })

  it.runIf(IS_FULL)('ends by itself when no one uses it', async () => {
    const { drover, pidIn } = createLocalUser({ background_idle_secs: 1 })
    const pid = pidIn((await drover('up')).stdout)
    await until(() => !isRunning(pid))
  })

  it('keeps agents running for prompts, and leaves none', async () => {
    const { drover, ask } = createLocalUser()
    await drover('up')
    const first = await ask({ say: 'one' })
    expect([first.code, first.stdout]).toEqual([0, 'one\n'])
    await until(async () => (await drover('up', '--status')).stdout.includes('claude: idle'))
    expect((await drover('backends')).stdout).toContain('kept running: 1 idle, 0 busy')
    const warm = await ask({ pid: true })
    const again = await ask({ pid: true }, '-c')
    expect(again.stdout).toBe(warm.stdout)
    expect(isRunning(Number(warm.stdout))).toBe(true)
    await drover('down')
    await until(() => !isRunning(Number(warm.stdout)))
  })
})

describe('a server of the user with an agent that speaks ACP', () => {
  it.runIf(IS_FULL)('runs its prompts, also those that no one waits for', async () => {
    const { home, drover, configure } = createLocalUser()
    configure({ backends: { mine: { protocol: 'acp', command: [installAcpAgent(home)] } } })
    await drover('up')
    const first = await drover('hello there', '-b', 'mine', '--verbose')
    expect([first.stdout, first.stderr]).toEqual([
      'You said: hello there\n',
      expect.stringContaining('the prompt runs in your server'),
    ])
    await until(async () => (await drover('up', '--status')).stdout.includes('mine: idle'))
    const { code, stdout: id } = await drover('prompt', '--detach', 'still there?', '-b', 'mine')
    expect(code).toBe(0)
    expect((await drover('logs', '-f', id.trim())).stdout).toContain('You said: still there?')
    const pid = Number((await drover('pid', '-b', 'mine')).stdout)
    await drover('down')
    await until(() => !isRunning(pid))
  })
})

describe('a server that is killed', () => {
  it.each(firstOf(['SIGKILL', 'SIGTERM']))('by %s leaves no agent behind', async (signal) => {
    const { drover, ask, pidIn } = createLocalUser()
    const server = pidIn((await drover('up')).stdout)
    await ask({ say: 'one' })
    await until(async () => (await drover('up', '--status')).stdout.includes('claude: idle'))
    const agent = Number((await ask({ pid: true })).stdout)
    expect(isRunning(agent)).toBe(true)
    process.kill(server, signal)
    await until(() => !isRunning(server) && !isRunning(agent))
    expect((await ask({ say: 'still' })).stdout).toBe('still\n')
  })

  it.runIf(IS_FULL)(
    'by SIGKILL leaves an agent that ignores the end of its input, until drover runs the next time',
    async () => {
      const { drover, ask, pidIn } = createLocalUser({}, { WARM_STAYS: '1' })
      const server = pidIn((await drover('up')).stdout)
      await ask({ say: 'one' })
      await until(async () => (await drover('up', '--status')).stdout.includes('claude: idle'))
      const agent = Number((await ask({ pid: true })).stdout)
      process.kill(server, 'SIGKILL')
      await until(() => !isRunning(server))
      expect(isRunning(agent)).toBe(true)
      await drover('up')
      await until(() => !isRunning(agent))
    },
  )
})

describe('a prompt', () => {
  it.runIf(IS_FULL)('says with --verbose where it runs, and nothing else about it', async () => {
    const { drover, ask } = createLocalUser()
    await drover('up')
    expect(await ask({ say: 'hi' })).toMatchObject({ code: 0, stdout: 'hi\n' })
    expect((await ask({ say: 'hi' }, '--verbose')).stderr).toContain('drover: the prompt runs in your server\n')
    expect((await ask({ say: 'hi' }, '--verbose', '--direct')).stderr).not.toContain('runs in your server')
  })

  it.runIf(IS_FULL)('runs directly if the server has another configuration', async () => {
    const { drover, ask, configure } = createLocalUser()
    await drover('up')
    configure({ unified_flags: { command_timeout_secs: 77 } })
    const { code, stdout, stderr } = await ask({ say: 'hi' }, '--verbose')
    expect([code, stdout]).toEqual([0, 'hi\n'])
    expect(stderr).toContain('does not run the prompt: it has a different version or configuration')
  })

  it('gets the environment and the directory of its caller, and fails as ever', async () => {
    const { drover, work, env, ask } = createLocalUser()
    await drover('up')
    const empty = await runAt(work, [process.execPath, DROVER, 'prompt', ' ', '-b', 'claude'], env)
    const direct = await runAt(work, [process.execPath, DROVER, 'prompt', ' ', '-b', 'claude', '--direct'], env)
    expect([empty.code, empty.stderr]).toEqual([direct.code, direct.stderr])
    const elsewhere = await runAt(work, [process.execPath, DROVER, 'x', '-b', 'claude'], { ...env, PATH: '/nowhere' })
    expect(elsewhere.stderr).toContain('claude is not installed')
    const { stdout } = await ask({ say: 'x' }, '-o', 'stream-json')
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
      type: 'init',
      content: { working_dir: expect.stringContaining('work') },
    })
  })

  it('is ended by Ctrl-C, with its tool', async () => {
    const { drover, work, env } = createLocalUser()
    await drover('up')
    const order = JSON.stringify({ hang: true, pid: true })
    const child = spawn(process.execPath, [DROVER, order, '-b', 'claude', '-o', 'stream-json'], { cwd: work, env })
    let stdout = ''
    child.stdout.on('data', (text) => {
      stdout += text
    })
    const pid = Number(await until(() => /"text":"(\d+)"/.exec(stdout)?.[1]))
    child.kill('SIGINT')
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130)
    await until(() => !isRunning(pid))
    expect(stdout).toContain('"agent_cancelled"')
  })

  it('is not accepted at the address of a server, nor without its version', async () => {
    const { env, socket } = createLocalUser()
    const port = await portOf(serveDrover(['--port', '0'], env))
    for (const path of ['status', 'stop', 'prompt']) {
      const method = path === 'status' ? 'GET' : 'POST'
      const response = await fetch(`http://127.0.0.1:${port}/local/${path}`, { method })
      expect([path, response.status]).toEqual([path, 404])
    }
    const curl = ['curl', '-sS', '--unix-socket', socket, 'http://localhost/local/prompt', '--json']
    for (const body of ['{}', '[]', 'null', '{"version":1}']) {
      const { stdout } = await runAt('/', [...curl, body], env)
      expect(stdout).toBe('{"refused":"it has a different version or configuration"}\n')
    }
  })

  it.runIf(IS_FULL)('runs directly if the server hangs, and not again when the server continues', async () => {
    const { drover, ask, pidIn, work } = createLocalUser()
    const pid = pidIn((await drover('up')).stdout)
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(pid, 'SIGCONT'))
    const { stdout, stderr } = await ask({ say: 'hi', spawn: 'echo ran >> runs' }, '--verbose')
    expect([stdout, stderr]).toEqual(['hi\n', expect.stringContaining('does not run the prompt: it does not answer')])
    const down = await drover('down')
    expect([down.code === 0, down.stdout, down.stderr]).toEqual([false, '', expect.stringContaining('does not answer')])
    process.kill(pid, 'SIGCONT')
    expect((await ask({ say: 'next' }, '--verbose')).stderr).toContain('runs in your server')
    expect(readFileSync(join(work, 'runs'), 'utf8')).toBe('ran\n')
  })

  it.skipIf(process.getuid?.() !== 0)('runs directly if the server belongs to another user', async () => {
    const { drover, ask, socket } = createLocalUser()
    await drover('up')
    chownSync(socket, 65_534, 65_534)
    const { stdout, stderr } = await ask({ say: 'hi' }, '--verbose')
    expect([stdout, stderr]).toEqual(['hi\n', expect.not.stringContaining('runs in your server')])
    chownSync(socket, 0, 0)
  })

  it.runIf(IS_FULL)('runs directly if it is too large for the server', async () => {
    const { drover, ask, configure } = createLocalUser()
    configure({ server: { max_request_body_bytes: 2048 } })
    await drover('up')
    const { code, stdout, stderr } = await ask({ say: 'x'.repeat(3000) }, '--verbose')
    expect([code, stdout]).toEqual([0, `${'x'.repeat(3000)}\n`])
    expect(stderr).toContain('does not run the prompt: it answered with status 413')
  })

  it.runIf(IS_FULL)('uses the socket of a drover serve too, unless server.local_socket is false', async () => {
    const { ask, env, home, configure, drover } = createLocalUser()
    const serving = serveDrover(['--port', '0'], { ...env, DROVER_WARM_ENABLED: 'true' })
    await portOf(serving)
    expect((await ask({ say: 'hi' }, '--verbose')).stderr).toContain('runs in your server')
    const refused = await drover('down')
    expect([refused.code === 0, refused.stderr]).toEqual([
      false,
      expect.stringContaining('is a foreground "drover serve"'),
    ])
    serving.child.kill('SIGTERM')
    await serving.ended
    configure({ server: { local_socket: false } })
    await portOf(serveDrover(['--port', '0'], env))
    expect((await ask({ say: 'hi' }, '--verbose')).stderr).not.toContain('runs in your server')
    expect(readFileSync(join(home, '.drover', 'config.yaml'), 'utf8')).toContain('local_socket')
  })
})
