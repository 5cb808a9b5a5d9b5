import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { firstOf } from './support/full-counts.ts'
import { temporaryDirectory } from './support/run-drover.ts'

const ROOT = join(import.meta.dirname, '..')

/** A fake npm: writes a line when it starts and when it is done, and waits in between for permission to continue. */
const NPM = `
import { appendFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
appendFileSync('npm.log', 'start ' + process.argv.slice(2).join(' ') + '\\n')
rmSync('node_modules', { recursive: true, force: true })
mkdirSync('node_modules')
const wait = setInterval(() => {
  if (!existsSync('npm.go')) return
  clearInterval(wait)
  appendFileSync('npm.log', 'done\\n')
  process.exitCode = existsSync('npm.fail') ? 7 : 0
}, 10)`

/** Looks at once, again and again. */
const FAST = [
  '--import',
  'data:text/javascript,const set=setInterval;globalThis.setInterval=(call,ms)=>set(call,ms===15000?10:ms)',
]

let clone: string

beforeEach(() => {
  clone = temporaryDirectory()
  mkdirSync(join(clone, 'scripts'))
  for (const file of [
    'scripts/bootstrap.mjs',
    'scripts/install-lock.mjs',
    'package.json',
    'package-lock.json',
    'runtime/package.json',
  ]) {
    cpSync(join(ROOT, file), join(clone, file))
  }
  writeFileSync(join(clone, 'npm.js'), NPM)
})

describe('the bootstrap', () => {
  it('installs once, and does nothing in later runs', async () => {
    letNpmFinish()
    expect(await ended(bootstrap())).toMatchObject({ code: 0, stderr: expect.stringContaining('npm ci') })
    expect(await ended(bootstrap())).toEqual({ code: 0, stderr: '' })
    expect(npmLog()).toEqual(['start ci --ignore-scripts --no-audit --no-fund --loglevel=error', 'done'])
  })

  it.each(firstOf(['package-lock.json', 'package.json', 'runtime/package.json']))(
    'installs again when %s changes',
    async (file) => {
      letNpmFinish()
      await ended(bootstrap())
      appendFileSync(join(clone, file), '\n')
      await ended(bootstrap())
      expect(npmLog().filter((line) => line === 'done')).toHaveLength(2)
    },
  )

  it('does not install what npm install has installed by hand', async () => {
    noteInstalled()
    expect(await ended(bootstrap())).toEqual({ code: 0, stderr: '' })
    noteInstalled(() => ({}))
    expect(await ended(bootstrap())).toEqual({ code: 0, stderr: '' })
    expect(npmLog()).toEqual([])
  })

  it.each<[string, () => void]>([
    ['is of another version', () => noteInstalled((packages) => change(packages, 'vitest', { version: '0.0.1' }))],
    ['lacks a package', () => noteInstalled((packages) => change(packages, 'vitest', undefined))],
    [
      'lacks one for this platform',
      () => noteInstalled((packages) => change(packages, `@esbuild/${process.platform}-${process.arch}`, undefined)),
    ],
    [
      'lacks what package.json wants',
      () => {
        noteInstalled()
        editJson('package.json', (text) => ({ ...text, dependencies: { other: '1.0.0' } }))
      },
    ],
  ])('installs if what npm install has left %s', async (_name, prepare) => {
    prepare()
    letNpmFinish()
    expect(await ended(bootstrap())).toMatchObject({ code: 0, stderr: expect.stringContaining('npm ci') })
  })

  it('lets one of two first runs install while the other waits', async () => {
    const [one, other] = [bootstrap(), bootstrap()]
    await until(() => npmLog().length > 0)
    letNpmFinish()
    expect([(await ended(one)).code, (await ended(other)).code]).toEqual([0, 0])
    expect(npmLog()).toHaveLength(2)
    expect(existsSync(join(clone, '.bootstrap.lock'))).toBe(false)
  })

  it('is repeated by the next run if it is killed with its npm', async () => {
    const first = bootstrap()
    await until(() => npmLog().length > 0)
    process.kill(-(first.pid ?? 0), 'SIGKILL')
    await ended(first)
    letNpmFinish()
    expect((await ended(bootstrap())).code).toBe(0)
    expect(npmLog().filter((line) => line === 'done')).toHaveLength(1)
  })

  it('waits for the npm of a killed run', async () => {
    const first = bootstrap()
    await until(() => npmLog().length > 0 && lockOwners().length === 2)
    first.kill('SIGKILL')
    const second = bootstrap()
    await until(() => stderrOf(second).includes('waiting'))
    letNpmFinish()
    expect((await ended(second)).code).toBe(0)
    // The orphan finished before the second one started: they never ran at the same time.
    expect(npmLog().map((line) => line.split(' ')[0])).toEqual(['start', 'done', 'start', 'done'])
  })

  it('names the usual causes after two minutes in which npm was silent', async () => {
    const child = bootstrap(FAST)
    await until(() => stderrOf(child).includes('npm is still installing'))
    expect(stderrOf(child)).toContain('(NODE_EXTRA_CA_CERTS=FILE, or npm config set cafile FILE)')
    letNpmFinish()
    expect(await ended(child)).toMatchObject({ code: 0 })
  })

  it('ends an npm that does not trust the certificate of its registry, and says so', async () => {
    const logs = join(clone, '.npm', '_logs')
    mkdirSync(logs, { recursive: true })
    const name = (time: number) => `${new Date(time).toISOString().replace(/[:.]/g, '_')}-debug-0.log`
    const line = '25 http fetch GET https://npm.test/a attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN\n'
    writeFileSync(join(logs, name(Date.now() - 60_000)), line)
    const child = bootstrap(FAST)
    await until(() => stderrOf(child).includes('npm is still installing'))
    writeFileSync(join(logs, name(Date.now() + 1000)), line)
    const { code, stderr } = await ended(child)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('certificate of its registry (SELF_SIGNED_CERT_IN_CHAIN)'),
    ])
    expect(stderr).toContain('npm config set cafile FILE')
  })

  it('reports a failure with a remedy, and tries again next time', async () => {
    letNpmFinish()
    writeFileSync(join(clone, 'npm.fail'), '')
    expect(await ended(bootstrap())).toMatchObject({ code: 7, stderr: expect.stringContaining('Run this again') })
    expect(await ended(bootstrap())).toMatchObject({ code: 7 })
    expect(npmLog().filter((line) => line === 'done')).toHaveLength(2)
  })

  it('ends npm and releases the lock when it is stopped', async () => {
    const run = bootstrap()
    await until(() => npmLog().length > 0)
    run.kill('SIGTERM')
    expect((await ended(run)).code).not.toBe(0)
    expect(existsSync(join(clone, '.bootstrap.lock'))).toBe(false)
  })

  it('reports that neither this Node nor npm supports the platform', async () => {
    writeFileSync(join(clone, 'runtime/package.json'), '{"optionalDependencies":{}}')
    const pretend = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.0.0"})'
    expect(await ended(bootstrap(['--import', pretend]))).toEqual({
      code: 1,
      stderr: expect.stringMatching(/this machine has Node 20\.0\.0 and drover needs Node 24/),
    })
  })
})

const outputs = new WeakMap<ChildProcess, { text: string }>()

function bootstrap(nodeFlags: readonly string[] = []): ChildProcess {
  const child = spawn(process.execPath, [...nodeFlags, 'scripts/bootstrap.mjs'], {
    cwd: clone,
    env: { PATH: process.env['PATH'], HOME: clone, npm_execpath: join(clone, 'npm.js') },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const output = { text: '' }
  outputs.set(child, output)
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output.text += text
  })
  return child
}

function stderrOf(child: ChildProcess): string {
  return outputs.get(child)?.text ?? ''
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve))
  return { code: child.exitCode, stderr: stderrOf(child) }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error('what was waited for did not happen')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

type Packages = Record<string, object>

/** What npm writes at the end of an installation: the packages of the lock file, without those for other platforms. */
function noteInstalled(edit: (packages: Packages) => Packages = (packages) => packages): void {
  const { packages } = JSON.parse(readFileSync(join(clone, 'package-lock.json'), 'utf8')) as { packages: Packages }
  const installed = Object.entries(packages).filter(([path, entry]) => {
    const { os, cpu, libc } = entry as { os?: string[]; cpu?: string[]; libc?: string[] }
    const isElsewhere = os?.includes(process.platform) === false || cpu?.includes(process.arch) === false
    return path !== '' && !isElsewhere && libc?.includes('musl') !== true
  })
  mkdirSync(join(clone, 'node_modules'), { recursive: true })
  const text = JSON.stringify({ packages: edit(Object.fromEntries(installed)) })
  writeFileSync(join(clone, 'node_modules', '.package-lock.json'), text)
}

function change(packages: Packages, name: string, entry: object | undefined): Packages {
  const { [`node_modules/${name}`]: before, ...others } = packages
  if (before === undefined) throw new Error(`${name} is not installed`)
  return entry === undefined ? others : { ...others, [`node_modules/${name}`]: { ...before, ...entry } }
}

function editJson(file: string, edit: (text: object) => object): void {
  const path = join(clone, file)
  writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')))))
}

function npmLog(): string[] {
  const log = join(clone, 'npm.log')
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
}

function lockOwners(): string[] {
  const lock = join(clone, '.bootstrap.lock')
  return existsSync(lock) ? readFileSync(lock, 'utf8').trim().split(' ') : []
}

function letNpmFinish(): void {
  writeFileSync(join(clone, 'npm.go'), '')
}
