/** What a command in a boundary could attack: a machine in a directory, with servers around it. test/programs/escape.mjs attacks it. */
import { spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { syscallProgram } from '../../src/sandbox/check/syscall-program.ts'
import type { Repository } from './git-repository.ts'

const PROGRAM = join(import.meta.dirname, '..', 'programs', 'escape.mjs')
const PROCESSOR = process.arch === 'arm64' ? 'arm64' : 'x64'

export const CALLS = {
  'ptrace of another process': { x64: 101, arm64: 117, args: [0] },
  'a new user namespace': { x64: 272, arm64: 97, args: [0x1000_0000] },
  'a key ring': { x64: 250, arm64: 219, args: [0, -3, 0] },
}

/** Those that `true` is the answer to, if nothing holds them back. */
export const ATTACKS = [
  'a file in the home directory',
  'a key in ~/.ssh',
  'credentials in ~/.aws',
  'a file that a shell reads',
  'the login of gh',
  'a token of gh in a variable',
  'what is sent with telemetry',
  'the secret of a webhook',
  'the store of drover',
  'the records of runs',
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
]

/** What git outside would write or believe after a command, if nothing holds it back. */
export const LEFT = [
  'a message through a link',
  'a log through a link',
  'an index through a link',
  'a branch that another one names',
  'a branch that is packed',
  'an object of another branch',
]

export type Servers = Awaited<ReturnType<typeof startCanaryServers>>

/** They answer everyone with the canary. */
export async function startCanaryServers() {
  const closing: (() => void)[] = []
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
  const places = { port, port6, udpPort: udp.address().port, abstractSocket, address, mark, pid: process.pid }
  const close = () => {
    for (const each of closing) each()
  }
  return { places, listen, close }
}

/** Variables of drover that a command must not get. */
export const OUTER_VARIABLES = { GH_TOKEN: 'canary', OTEL_RESOURCE_ATTRIBUTES: 'canary=1' }

/** In a directory that commands may read. */
function toSecret(outside: string): string {
  return join(`${outside}-readable`, 'webhook-secret')
}

/** The settings that name the secret. */
export function secretSettings(secret: string) {
  return { DROVER_SERVER_WEBHOOK_SECRET_FILE: secret, DROVER_SANDBOX_READ: dirname(secret) }
}

type Places = { home: string; droverHome: string; outside: string; repository: Repository }

/** Plants canaries: in a home, in drover's files, in the repository, which gets worktrees, and in a directory outside. */
export function plantCanaries({ home, droverHome, outside, repository }: Places, { listen }: Servers) {
  const secret = toSecret(outside)
  for (const directory of [
    ...['.ssh', '.aws', '.config/gh'].map((name) => join(home, name)),
    outside,
    droverHome,
    dirname(secret),
  ])
    mkdirSync(directory, { recursive: true })
  for (const file of ['canary', '.ssh/id_ed25519', '.aws/credentials', '.config/gh/hosts.yml'])
    writeFileSync(join(home, file), 'canary')
  writeFileSync(join(droverHome, 'canary'), 'canary')
  for (const file of [join(outside, 'canary'), secret]) writeFileSync(file, 'canary')
  for (const socket of ['path.sock', 'docker.sock']) void listen({ path: join(outside, socket) })
  void listen({ path: join(droverHome, 'server.sock') })
  repository.write('file', 'canary')
  repository.write('.gitignore', '.env\n*.out\nlink-*\nbeside\nway-out\nlarge\n')
  repository.commit()
  repository.write('.env', 'canary')
  const commit = repository.git('rev-parse', 'HEAD').trim()
  const blob = repository.git('rev-parse', 'HEAD:file').trim()
  repository.git('commit', '--quiet', '--allow-empty', '--message=Later')
  for (const name of ['packed', 'named']) repository.git('branch', `drover/${name}`)
  repository.git('pack-refs', '--all')
  repository.git('config', 'extensions.worktreeConfig', 'true')
  const common = join(repository.root, '.git')
  mkdirSync(join(common, 'drover'), { recursive: true })
  writeFileSync(join(common, 'drover', 'canary'), 'canary')
  const trees = ['one', 'two', 'three'].map((each) => join(droverHome, 'worktrees', each))
  for (const path of trees) repository.git('worktree', 'add', '--quiet', '-b', `drover/${path.split('/').at(-1)}`, path)
  const [root = '', sibling = ''] = trees
  return { root, where: { home, droverHome, sibling, main: repository.root, common, outside, secret, commit, blob } }
}

/** Puts the program into a directory. Returns the programs of its system calls, by their names. */
export function plantProgram(directory: string): Record<string, string> {
  cpSync(PROGRAM, join(directory, 'escape.mjs'))
  return Object.fromEntries(
    Object.entries(CALLS).map(([call, numbers], index) => {
      writeFileSync(join(directory, `call-${index}`), syscallProgram(numbers, PROCESSOR), { mode: 0o755 })
      return [call, `./call-${index}`]
    }),
  )
}

export function findDaemons(mark: string): number[] {
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
export function describeVictim({ root, git }: Repository): string {
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

/** Commits in a worktree, as drover and its user do. Returns those of `LEFT` that a command got that way. */
export function commitAfter({ git }: Repository, { outside, worktree }: { outside: string; worktree: string }) {
  git('-C', worktree, 'add', '--all')
  git('-C', worktree, 'commit', '--quiet', '--allow-empty', '--message=After')
  const isMoved = (branch: string) => git('rev-parse', branch) !== git('rev-parse', 'HEAD')
  const found: Record<string, boolean> = {
    'a message through a link': existsSync(join(outside, 'message')),
    'a log through a link': existsSync(join(outside, 'log')),
    'an index through a link': existsSync(join(outside, 'index')),
    'a branch that another one names': isMoved('drover/named'),
    'a branch that is packed': isMoved('drover/packed'),
    'an object of another branch': git('show', 'HEAD:file') === 'evil',
  }
  return LEFT.filter((name) => found[name])
}
