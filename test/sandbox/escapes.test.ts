/** Every attack succeeds without a boundary, and fails inside. */
import { spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { syscallProgram } from '../../src/sandbox/check/syscall-program.ts'
import { createRepositoryAt, type Repository } from '../support/git-repository.ts'
import { runAt, temporaryDirectoryForAll } from '../support/run-drover.ts'
import { hasSandbox, runInside, skipWithoutSandbox } from '../support/sandbox.ts'

const PROGRAM = join(import.meta.dirname, '..', 'programs', 'escape.mjs')
const PROCESSOR = process.arch === 'arm64' ? 'arm64' : 'x64'
const GIB = 2 ** 30

const CALLS = {
  'ptrace of another process': { x64: 101, arm64: 117, args: [0] },
  'a new user namespace': { x64: 272, arm64: 97, args: [0x1000_0000] },
  'a key ring': { x64: 250, arm64: 219, args: [0, -3, 0] },
}

const scratch = realpathSync(temporaryDirectoryForAll())
const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
})

type Results = Record<string, unknown>
let outside: Results = {}
let inside: Results = {}
let attacked: { before: string; after: string } = { before: '', after: '' }
let daemons: { outside: number[]; inside: number[] } = { outside: [], inside: [] }

describe('a command in a boundary', () => {
  beforeAll(async () => {
    if (!hasSandbox) return
    const servers = await startServers()
    const open = createVictim('open', servers)
    outside = JSON.parse(await runOutside(open))
    daemons.outside = findDaemons(open.daemon)
    for (const pid of daemons.outside) process.kill(pid, 'SIGKILL')
    const closed = createVictim('closed', servers)
    const before = describeVictim(closed.repository)
    const { home, droverHome, root, gitDirectory, common } = closed
    const ran = await runInside([process.execPath, join(root, 'escape.mjs'), JSON.stringify(closed)], {
      worktree: { root, git: { directory: gitDirectory, commonDirectory: common } },
      ...{ home, droverHome },
      settings: { limits: { memoryBytes: undefined, processes: undefined, fileBytes: 8 * GIB } },
    })
    expect(ran).toMatchObject({ hasStarted: true, code: 0 })
    inside = JSON.parse(ran.stdout)
    daemons = { ...daemons, inside: findDaemons(closed.daemon) }
    attacked = { before, after: describeVictim(closed.repository) }
  })
  beforeEach(skipWithoutSandbox)

  it.each([
    'a file in the home directory',
    'a key in ~/.ssh',
    'credentials in ~/.aws',
    'a file that a shell reads',
    'the store of drover',
    'the socket of drover',
    'a file of a sibling worktree',
    'a file in a sibling worktree',
    'a file of the main worktree',
    'a file outside',
    'another branch',
    'another branch in the same directory',
    'the removal of another branch',
    'all packed branches',
    'a hook',
    'the settings of the repository',
    'core.fsmonitor by git',
    'settings of a worktree',
    'attributes of the repository',
    'another store of objects',
    'packs of objects',
    'another repository for the worktree',
    'another directory for all settings',
    'a symbolic link out',
    'a write through a symbolic link',
    'a hard link out',
    'the environment of other processes',
    'the root of another process',
    'a Unix socket',
    'the socket of Docker',
    'an abstract Unix socket',
    'a server on 127.0.0.1',
    'a server on ::1',
    'a server at an address of this machine',
    'a question by UDP, as to DNS',
    'a file of 10 GB',
  ])('does not get: %s', (attack) => {
    expect(outside[attack]).toBe(true)
    expect(inside[attack]).not.toBe(true)
    expect(inside[attack]).toEqual(expect.any(String))
  })

  it('does not get: the system, even as root', () => {
    expect(inside['the system']).toBe('EROFS')
  })

  it.each(Object.keys(CALLS))('does not get: %s', (call) => {
    const EPERM = 1
    expect(outside[call]).toBe(0)
    expect(inside[call]).toBe(EPERM)
  })

  it('leaves nothing of its repository changed but its own worktree', () => {
    expect(attacked.before).toContain('refs/heads/drover/two')
    expect(attacked.after).toBe(attacked.before)
  })

  it('leaves no process behind, even one that has left its session', () => {
    expect(daemons.outside).toHaveLength(1)
    expect(daemons.inside).toEqual([])
  })
})

type Servers = Awaited<ReturnType<typeof startServers>>
type Victim = ReturnType<typeof createVictim>

/** They answer everyone with the canary. */
async function startServers() {
  const listen = async (where: ListenOptions): Promise<number> => {
    const server = createServer((socket) => socket.on('error', () => {}).end('canary'))
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(where, resolve))
    closing.push(() => server.close())
    const address = server.address()
    return typeof address === 'object' ? ((address as AddressInfo | null)?.port ?? 0) : 0
  }
  const udp = createSocket('udp4', (_message, { port, address }) => udp.send('canary', port, address))
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
  closing.push(() => udp.close())
  const abstractSocket = `drover-escape-${process.pid}`
  await listen({ path: `\0${abstractSocket}` })
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const address = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.2'
  const mark = `drover-mark-${process.pid}`
  const sibling = spawn('sleep', ['300'], { env: { MARK: mark }, stdio: 'ignore' })
  closing.push(() => sibling.kill('SIGKILL'))
  const port6 = await listen({ port: 0, host: '::1' })
  const port = await listen({ port: 0, host: '0.0.0.0' })
  return { port, port6, udpPort: udp.address().port, abstractSocket, address, mark, pid: process.pid, listen }
}

/** A machine in a directory: a home, drover's files, a repository with three linked worktrees, and sockets. */
function createVictim(name: string, { listen, ...servers }: Servers) {
  const place = (...names: string[]) => join(scratch, name, ...names)
  const [home, droverHome, main, outsideDirectory] = [place('home'), place('drover'), place('repo'), place('outside')]
  for (const directory of [join(home, '.ssh'), join(home, '.aws'), outsideDirectory, droverHome])
    mkdirSync(directory, { recursive: true })
  for (const file of ['canary', '.ssh/id_ed25519', '.aws/credentials']) writeFileSync(join(home, file), 'canary')
  writeFileSync(join(droverHome, 'sessions.db'), 'canary')
  writeFileSync(join(outsideDirectory, 'canary'), 'canary')
  for (const socket of ['path.sock', 'docker.sock']) void listen({ path: join(outsideDirectory, socket) })
  void listen({ path: join(droverHome, 'server.sock') })
  const repository = createRepositoryAt(main)
  repository.write('file', 'canary')
  repository.write('.gitignore', '.env\n')
  repository.commit()
  repository.write('.env', 'canary')
  repository.git('config', 'extensions.worktreeConfig', 'true')
  const trees = ['one', 'two', 'three'].map((each) => join(droverHome, 'worktrees', each))
  for (const path of trees) repository.git('worktree', 'add', '--quiet', '-b', `drover/${path.split('/').at(-1)}`, path)
  repository.git('pack-refs')
  const [root = '', sibling = ''] = trees
  cpSync(PROGRAM, join(root, 'escape.mjs'))
  const calls = Object.fromEntries(
    Object.entries(CALLS).map(([call, numbers], index) => {
      writeFileSync(join(root, `call-${index}`), syscallProgram(numbers, PROCESSOR), { mode: 0o755 })
      return [call, join(root, `call-${index}`)]
    }),
  )
  const common = join(main, '.git')
  const paths = { home, droverHome, root, sibling, main, common, outside: outsideDirectory, calls }
  return {
    ...servers,
    ...paths,
    gitDirectory: join(common, 'worktrees/one'),
    daemon: `${name}-${process.pid}`,
    repository,
  }
}

async function runOutside(victim: Victim): Promise<string> {
  const argv = [process.execPath, join(victim.root, 'escape.mjs'), JSON.stringify(victim)]
  const { stdout, stderr } = await runAt(victim.root, argv, { HOME: victim.home })
  if (stdout === '') throw new Error(stderr)
  return stdout
}

function findDaemons(mark: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && existsSync(`/proc/${pid}/environ`))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`DAEMON=${mark}`)
      } catch {
        return false
      }
    })
    .map(Number)
}

/** Refs, settings and hooks. */
function describeVictim({ root, git }: Repository): string {
  const common = join(root, '.git')
  const files = [
    'config',
    'packed-refs',
    'info',
    'hooks',
    'objects/info',
    'objects/pack',
    'refs',
    'worktrees/one/commondir',
  ]
  const paths = files.map((file) => join(common, file)).filter((path) => existsSync(path))
  const found = spawnSync('find', [...paths, '-type', 'f', '-exec', 'sha256sum', '{}', '+'], { encoding: 'utf8' })
  return [git('show-ref'), git('status', '--porcelain'), ...found.stdout.split('\n').sort()].join('\n')
}
