import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { NO_SANDBOX } from '../../scripts/bubblewrap.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { createRepositoryAt } from '../support/git-repository.ts'
import { DROVER, ending, run, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { hasSandbox, skipWithoutSandbox } from '../support/sandbox.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { CAN_DROP_PRIVILEGES, NOBODY_UID, SHARED_DIRECTORY } from '../support/unprivileged.ts'
import { until } from '../support/until.ts'

/** A linked worktree, as drover creates them, and a home that is not in it. */
function createWorktree() {
  const repository = createRepository()
  repository.write('file', 'text')
  repository.commit()
  const directory = realpathSync(temporaryDirectory())
  const root = join(directory, 'tree')
  repository.git('worktree', 'add', '--quiet', '-b', 'drover/one', root)
  const home = join(directory, 'home')
  mkdirSync(home)
  const sandboxed = (args: readonly string[], env: Record<string, string> = {}) =>
    runAt(root, [process.execPath, DROVER, 'sandbox', 'run', ...args], { HOME: home, ...env })
  return { repository, root, home, sandboxed }
}

/** Of processes. */
const LIMIT = 64

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}

function skipWithoutUser(skip: (condition: boolean, note: string) => void): void {
  skip(!hasSandbox, NO_SANDBOX)
  skip(!CAN_DROP_PRIVILEGES || SHARED_DIRECTORY === undefined, 'no other user can use this directory')
}

/** Runs drover as a user who is not root. */
async function runAsUser(args: readonly string[], more: Record<string, string> = {}) {
  const home = mkdtempSync(join(SHARED_DIRECTORY ?? '', 'drover-nobody-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const uid = process.getuid?.() === 0 ? NOBODY_UID : undefined
  const cwd = join(home, 'work')
  createRepositoryAt(cwd)
  if (uid !== undefined) spawnSync('chown', ['-R', String(uid), home])
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, ...more }
  return await ending(
    spawn(process.execPath, [DROVER, ...args], { cwd, env, ...(uid !== undefined && { uid, gid: uid }) }),
  )
}

describe('drover sandbox run', () => {
  beforeEach(skipWithoutSandbox)

  it('exits with the code of the command, and passes both outputs on, byte by byte', async () => {
    const { sandboxed } = createWorktree()
    expect(await sandboxed(['--', 'sh', '-c', 'echo out; echo err >&2; exit 7'])).toEqual({
      code: 7,
      stdout: 'out\n',
      stderr: 'err\n',
    })
    expect(await sandboxed(['--', 'sh', '-c', 'kill -TERM $$'])).toMatchObject({ code: 143 })
    expect(await sandboxed(['--', 'no-such-program'])).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('no-such-program cannot be started in the sandbox: ENOENT'),
    })
    // A port that is listed needs the forwarder in Node.
    expect(await sandboxed(['--host', 'localhost:4099', '--', 'no-such-program'])).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('no-such-program cannot be started in the sandbox: ENOENT'),
    })
  })

  it('lets git commit to the branch of the worktree', async () => {
    const { repository, root, sandboxed } = createWorktree()
    writeFileSync(join(root, 'new'), 'text')
    const commit = 'git add --all && git commit --quiet --message=Inside && git log -1 --format=%s'
    const names = Object.keys(AUTHOR).flatMap((name) => ['--env', name])
    expect(await sandboxed([...names, '--', 'sh', '-c', commit], AUTHOR)).toMatchObject({ code: 0, stdout: 'Inside\n' })
    expect(repository.git('log', '-1', '--format=%s', 'drover/one')).toBe('Inside\n')
    expect(repository.git('fsck', '--strict')).toBe('')
  })

  it('does not move the branch to a commit whose objects are missing', async () => {
    const { repository, root, sandboxed } = createWorktree()
    writeFileSync(join(root, 'new'), 'another text')
    const commit = 'git add --all && git commit --quiet --message=Inside'
    const lose = `blob=$(git rev-parse HEAD:new | sed "s,..,&/,") && rm $(git rev-parse --git-common-dir)/objects/$blob`
    const names = Object.keys(AUTHOR).flatMap((name) => ['--env', name])
    expect(await sandboxed([...names, '--', 'sh', '-c', `${commit} && ${lose}`], AUTHOR)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /what git has committed was not taken from the sandbox, because the object \w+ is missing/,
      ),
    })
    expect(repository.git('log', '-1', '--format=%s', 'drover/one')).not.toBe('Inside\n')
    expect(repository.git('-C', root, 'status', '--porcelain')).toBe('?? new\n')
  })

  it('reaches only hosts that are listed, and prints at the end what was reached and refused', async () => {
    const server = createServer((_request, response) => response.end('reached'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { sandboxed } = createWorktree()
    // Node uses the proxy by itself. The port of this machine that is listed is there inside, too.
    const script = `const get = async (url) => (await fetch(url).catch(() => new Response('failed'))).text();
      console.log(await get('http://127.0.0.1:${port}/'), await get('http://canary.invalid/'))`
    const command = ['--', process.execPath, '--input-type=module', '--eval', script]
    const { stdout, stderr } = await sandboxed(['--host', `127.0.0.1:${port}`, ...command])
    expect(stdout).toBe('reached failed\n')
    expect(stderr).toContain(`drover: sandbox: reached 127.0.0.1:${port} once\n`)
    expect(stderr).toContain('drover: sandbox: refused canary.invalid:80 once: not listed\n')
    const { stdout: refused } = await sandboxed([
      '--',
      process.execPath,
      '--eval',
      `fetch('http://127.0.0.1:${port}/').catch((error) => console.log(error.cause.code))`,
    ])
    expect(refused).toBe('ECONNREFUSED\n')
  })

  it('cannot be talked into an address that is not listed', async () => {
    const server = createServer((_request, response) => response.end('reached'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { sandboxed } = createWorktree()
    const targets = [
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      `localhost:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `0.0.0.0:${port}`,
      `2130706433:${port}`,
    ]
    const script = `const net = require('node:net'); const targets = ${JSON.stringify(targets)};
      const ask = (target) => new Promise((resolve) => { const socket = net.connect(19128, '127.0.0.1');
        socket.on('data', (bytes) => { resolve(bytes.toString().slice(9, 12)); socket.destroy() });
        socket.write('CONNECT ' + target + ' HTTP/1.1\\r\\nHost: listed.test\\r\\n\\r\\n') });
      Promise.all(targets.map(ask)).then((codes) => console.log(codes.join(' ')))`
    const { stdout } = await sandboxed(['--host', 'listed.test', '--', process.execPath, '--eval', script])
    expect(stdout).toBe('403 403 403 403 403 400\n')
  })

  it('passes only listed variables, and standard input if it is asked to', async () => {
    const { root, home } = createWorktree()
    const args = [DROVER, 'sandbox', 'run', '--stdin', '--env', 'MINE', '--', 'sh', '-c', 'cat; echo "$MINE,$TOKEN"']
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, MINE: 'mine', TOKEN: 'secret' }
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdin.end('given ')
    expect(await ending(child)).toMatchObject({ code: 0, stdout: 'given mine,\n' })
  })

  it('refuses to let a command write to the home directory', async () => {
    const { sandboxed, root } = createWorktree()
    expect(await sandboxed(['--', 'true'], { HOME: root })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('contains your home directory'),
    })
    expect(await sandboxed(['--write', '/', '--', 'true'])).toMatchObject({ code: 2 })
    expect(await sandboxed(['--host', 'http://x', '--', 'true'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"http://x" is not a host for the sandbox'),
    })
  })

  it.for([
    [LIMIT, { code: 0, stdout: `${LIMIT}\n` }],
    [LIMIT + 1, { code: 2, stderr: expect.stringContaining('Cannot fork') }],
  ] as const)(
    'with a limit of 64 processes, a command gets %i of them, or cannot fork',
    async ([count, ended], { skip }) => {
      skipWithoutUser(skip)
      const fork = `set -- /proc/[0-9]*; n=$#; while [ $n -lt ${count} ]; do sleep 60 & n=$((n+1)); done; echo $n`
      const ran = await runAsUser(['sandbox', 'run', '--', 'sh', '-c', fork], {
        DROVER_SANDBOX_MAX_PROCESSES: String(LIMIT),
      })
      expect(ran).toMatchObject(ended)
    },
  )

  it('ends everything inside when drover is killed', async () => {
    const { root, home } = createWorktree()
    const env = { PATH: process.env['PATH'] ?? '', HOME: home }
    const script = 'setsid sleep 300 & echo $$ > started; sleep 300'
    const child = spawn(process.execPath, [DROVER, 'sandbox', 'run', '--', 'sh', '-c', script], {
      cwd: root,
      env,
      stdio: 'ignore',
    })
    await until(() => existsSync(join(root, 'started')))
    const inside = () => spawnSync('pgrep', ['-f', '--', `--chdir ${root} `], { encoding: 'utf8' }).stdout
    expect(inside()).not.toBe('')
    child.kill('SIGKILL')
    await until(() => inside() === '')
  })
})

describe('drover sandbox check', () => {
  it('finds everything enforced, and leaves nothing behind', async ({ skip }) => {
    skip(!hasSandbox, NO_SANDBOX)
    const TMPDIR = temporaryDirectory()
    const { code, stdout } = await run([process.execPath, DROVER, 'sandbox', 'check', '--json'], {
      HOME: TMPDIR,
      TMPDIR,
    })
    const report = JSON.parse(stdout)
    expect(
      report.properties.filter(
        (each: { is_enforced: boolean; is_limit?: boolean }) => !each.is_enforced && !each.is_limit,
      ),
    ).toEqual([])
    expect(report).toMatchObject({ is_available: true, is_enforced: true })
    expect(report.properties).toHaveLength(15)
    expect(code).toBe(0)
    expect(spawnSync('ls', ['-A', TMPDIR], { encoding: 'utf8' }).stdout).not.toMatch(/drover-(?:check|sandbox)/)
  })

  it.runIf(IS_FULL)('finds a limit on processes too, for a user who is not root', async ({ skip }) => {
    skipWithoutUser(skip)
    const { code, stdout } = await runAsUser(['sandbox', 'check', '--json'])
    const missing = JSON.parse(stdout).properties.filter((each: { is_enforced: boolean }) => !each.is_enforced)
    // Another user has no session of systemd.
    expect(missing).toMatchObject([{ by: 'systemd', problem: 'there is no user session of systemd' }])
    expect(code).toBe(0)
  })

  it('names what covers /proc, as directives of a systemd unit do', async ({ skip }) => {
    skipWithoutUser(skip)
    const cover = 'mount --make-rprivate / && mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys'
    skip(spawnSync('unshare', ['-m', 'sh', '-c', cover]).status !== 0, 'only root can cover /proc')
    const home = mkdtempSync(join(SHARED_DIRECTORY ?? '', 'drover-nobody-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    spawnSync('chown', [String(NOBODY_UID), home])
    const asNobody = `exec setpriv --reuid ${NOBODY_UID} --regid ${NOBODY_UID} --clear-groups "$@"`
    const check = [process.execPath, DROVER, 'sandbox', 'check']
    const argv = ['unshare', '-m', 'sh', '-c', `${cover} && ${asNobody}`, 'sh', ...check]
    const { code, stdout, stderr } = await runAt(home, argv, { HOME: home, TMPDIR: home })
    expect(code).toBe(1)
    expect(stdout + stderr).toContain('a part of /proc is hidden or read-only')
    expect(stdout + stderr).toContain('ProtectKernelTunables')
    expect(stdout + stderr).not.toContain('user namespaces')
  })

  it('says which package is missing', async () => {
    const PATH = temporaryDirectory()
    const { code, stdout } = await run([process.execPath, DROVER, 'sandbox', 'check'], { HOME: PATH, PATH })
    expect(stdout).toContain(
      'Not available: there is no sandbox on this machine: bwrap is not in PATH; install bubblewrap (Debian and Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap; Alpine: apk add bubblewrap).',
    )
    expect(code).toBe(1)
  })

  it('says that a machine has no user namespaces', async ({ skip }) => {
    skip(!hasSandbox, NO_SANDBOX)
    const home = temporaryDirectory()
    const none = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    const argv = ['unshare', '--user', '--map-root-user', 'sh', '-c', none, 'sh', process.execPath, DROVER, 'sandbox']
    const { code, stdout } = await run([...argv, 'check'], { HOME: home })
    expect(stdout).toContain(
      'Not available: there is no sandbox on this machine: this kernel or container does not allow user namespaces',
    )
    expect(code).toBe(1)
  })
})
