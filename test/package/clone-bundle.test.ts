/** The bundle of a clone: bin/drover.cjs uses it only as long as it was made from the sources that are there. */

import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { IS_FULL } from '../support/full-counts.ts'
import { runAt, temporaryDirectory, temporaryDirectoryForAll } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'

const ROOT = join(import.meta.dirname, '../..')
const HELP = 'src/cli/shell/help.ts'
let clone: string

beforeAll(() => {
  clone = temporaryDirectoryForAll()
  for (const path of ['bin', 'src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json']) {
    cpSync(join(ROOT, path), join(clone, path), { recursive: true, preserveTimestamps: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
}, 60_000)

async function run(...argv: string[]) {
  const home = temporaryDirectory()
  const { code, stdout, stderr } = await runAt(clone, [process.execPath, ...argv], {
    HOME: home,
    PATH: '/usr/bin:/bin',
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

const help = async () => ((await run('bin/drover.cjs', '--help')) === 'BUNDLED\n' ? 'bundle' : 'sources')

/** A bundle that says so, made from the sources that are there. */
function pretendToBundle(): void {
  const { stampOf } = createRequire(import.meta.url)(join(ROOT, 'bin/run-bundle.cjs'))
  const dist = join(clone, 'dist')
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist)
  writeFileSync(join(dist, 'facts.json'), JSON.stringify({ build: 'x', commands: [] }))
  writeFileSync(join(dist, 'drover.cjs'), "(function () { console.log('BUNDLED') })")
  writeFileSync(join(dist, 'inputs.json'), JSON.stringify([[HELP, stampOf(join(clone, HELP))]]))
}

describe('the command of a clone', () => {
  it.runIf(IS_FULL)(
    'runs its sources without a bundle, and the bundle once there is one',
    { timeout: 120_000 },
    async () => {
      rmSync(join(clone, 'dist'), { recursive: true, force: true })
      expect(await run('bin/drover.cjs', '--help')).toMatch(/^drover runs prompts/)
      await run('scripts/bundle-clone.ts')
      const port = await portOf(serveDrover(['--port', '0'], {}, { drover: join(clone, 'bin', 'drover.cjs') }))
      // A file of a package, which is elsewhere for the bundle than for the sources.
      expect((await fetch(`http://127.0.0.1:${port}/docs/swagger-ui.css`)).status).toBe(200)
      const scripts = readdirSync(join(clone, 'dist')).filter((name) => name.endsWith('.cjs'))
      const inputs: [string, number][] = JSON.parse(readFileSync(join(clone, 'dist', 'inputs.json'), 'utf8'))
      expect(scripts).toContain('drover.cjs')
      expect(inputs.map(([each]) => each)).toEqual(expect.arrayContaining([HELP, 'src/bin.ts', 'package-lock.json']))
      for (const script of scripts) {
        const at = join(clone, 'dist', script)
        writeFileSync(at, readFileSync(at, 'latin1').replace('drover runs prompts', 'BUNDLED'), 'latin1')
      }
      expect(await run('bin/drover.cjs', '--help')).toMatch(/^BUNDLED/)
    },
  )

  it.runIf(IS_FULL)(
    'keeps working while the package and the console are built from it, at once',
    { timeout: 300_000 },
    async () => {
      const builds = ['scripts/bundle-clone.ts', 'scripts/build-console.ts', 'scripts/build.ts']
      await run('scripts/bundle-clone.ts')
      await run('scripts/build-console.ts')
      let isBuilding = true
      const building = Promise.all(builds.map((script) => run(script))).finally(() => {
        isBuilding = false
      })
      let commands = 0
      while (isBuilding) {
        expect(await run('bin/drover.cjs', '--help')).toMatch(/^drover runs prompts/)
        for (const name of ['packages/fastify.cjs', 'console/page.html', 'facts.json', 'inputs.json'])
          expect([name, existsSync(join(clone, 'dist', name))]).toEqual([name, true])
        commands += 1
      }
      await building
      expect(commands).toBeGreaterThan(1)
      const names = readdirSync(clone).filter((name) => name.startsWith('.build'))
      expect(names).toEqual(['.build.lock'])
      expect(readdirSync(join(clone, 'dist'))).toEqual(expect.arrayContaining(['inputs.json', 'library', 'console']))
      expect(readdirSync(join(clone, 'dist', 'library')).filter((name) => name === 'drover.d.ts')).toHaveLength(1)
    },
  )

  it.each<[string, (path: string) => void]>([
    ['is edited', (path) => appendFileSync(path, '\n')],
    [
      'is replaced by one of the same size and time',
      (path) => {
        const { atime, mtime } = statSync(path)
        writeFileSync(path, readFileSync(path, 'utf8').replace('Most used', 'MOST USED'))
        utimesSync(path, atime, mtime)
      },
    ],
    [
      'is written again, as by git pull',
      (path) => {
        const text = readFileSync(path)
        rmSync(path)
        writeFileSync(path, text)
      },
    ],
  ])('runs its sources when a source %s', async (_name, change) => {
    pretendToBundle()
    expect(await help()).toBe('bundle')
    change(join(clone, HELP))
    expect(await help()).toBe('sources')
  })

  it('runs its sources if a list of sources is damaged', async () => {
    mkdirSync(join(clone, 'dist'), { recursive: true })
    writeFileSync(join(clone, 'dist', 'inputs.json'), '[[')
    expect(await help()).toBe('sources')
  })

  it.each(['--version', '-v'])('prints its version for %s without loading the program', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    rmSync(join(clone, 'src', 'cli'), { recursive: true, force: true })
    expect(await run('bin/drover.cjs', flag)).toBe(`drover ${version}\n`)
  })
})
