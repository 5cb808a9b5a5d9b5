/** Small real projects whose tests need a dependency. Everything that their package managers ask for is on this machine. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Repository } from './git-repository.ts'
import { storeZip } from './stored-zip.ts'

export type SampleProject = {
  name: string
  /** Why its package manager cannot run here. */
  obstacle: string | undefined
  /** Takes many seconds of CPU time. */
  isSlow?: true
  /** Where the next worktree gets it from. */
  next: 'template' | 'setup'
  /** Its proposal is accepted at a terminal. */
  asks?: true
  /** What drover proposes. */
  setup: readonly string[]
  checks: readonly string[]
  /** Writes the project into a repository. `scratch` is for what is not part of it. */
  write: (repository: Repository, scratch: string) => void
  /** Variables of its package manager. */
  env: (scratch: string) => Record<string, string>
}

export const SAMPLE_PROJECTS: readonly SampleProject[] = [
  {
    name: 'Node with npm',
    obstacle: obstacleOf('npm', '--version'),
    asks: true,
    next: 'template',
    setup: ['npm ci'],
    checks: ['npm test'],
    write: writeNode,
    env: () => ({ npm_config_offline: 'true', npm_config_update_notifier: 'false' }),
  },
  {
    name: 'Python with a virtual environment',
    obstacle: obstacleOf('python3', '-c', 'import venv, ensurepip'),
    isSlow: true,
    next: 'template',
    setup: ['python3 -m venv .venv', '.venv/bin/python -m pip install -r requirements.txt'],
    checks: ['.venv/bin/python -m unittest'],
    write: writePython,
    env: () => ({ PIP_DISABLE_PIP_VERSION_CHECK: '1' }),
  },
  {
    name: 'Go with a module proxy',
    obstacle: obstacleOf('go', 'version'),
    isSlow: true,
    // Its modules are in a cache of the user.
    next: 'setup',
    setup: ['go mod download'],
    checks: ['go test ./...'],
    write: writeGo,
    env: (scratch) => ({
      ...{ GOPROXY: `file://${join(scratch, 'proxy')}`, GOSUMDB: 'off', GOTOOLCHAIN: 'local' },
      // Without write permission, nobody could remove the home of the test.
      GOFLAGS: '-modcacherw',
    }),
  },
]

function obstacleOf(program: string, ...args: string[]): string | undefined {
  return spawnSync(program, args).status === 0 ? undefined : `${program} cannot run here`
}

function writeNode({ write }: Repository, scratch: string): void {
  const tarball = 'vendor/knots-1.0.0.tgz'
  const folder = join(scratch, 'tarball', 'package')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'knots', version: '1.0.0', main: 'knots.js' }))
  writeFileSync(join(folder, 'knots.js'), 'exports.toKnots = (speed) => speed * 1.94384\n')
  const path = write(tarball, '')
  execFileSync('tar', ['-czf', path, '-C', dirname(folder), 'package'])
  const integrity = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`
  const dependencies = { knots: `file:${tarball}` }
  const project = { name: 'weather', version: '1.0.0' }
  write('package.json', JSON.stringify({ ...project, scripts: { test: 'node --test' }, dependencies }))
  const installed = { version: '1.0.0', resolved: `file:${tarball}`, integrity }
  const packages = { '': { ...project, dependencies }, 'node_modules/knots': installed }
  write('package-lock.json', JSON.stringify({ ...project, lockfileVersion: 3, requires: true, packages }))
  write('.gitignore', 'node_modules/\n')
  for (const name of ['rain', 'sun']) write(`${name}.test.js`, '')
  write(
    'wind.test.js',
    `const { toKnots } = require('knots')
require('node:test')('a metre per second is about two knots', () => {
  require('node:assert').equal(Math.round(toKnots(1)), 2)
})
`,
  )
}

function writePython({ write }: Repository): void {
  const facts = 'knots-1.0.dist-info'
  const files = {
    'knots.py': 'def to_knots(speed):\n    return speed * 1.94384\n',
    [`${facts}/METADATA`]: 'Metadata-Version: 2.1\nName: knots\nVersion: 1.0\n',
    [`${facts}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  }
  const names = [...Object.keys(files), `${facts}/RECORD`]
  const record = names.map((name) => `${name},,\n`).join('')
  write('vendor/knots-1.0-py3-none-any.whl', storeZip({ ...files, [`${facts}/RECORD`]: record }))
  write('requirements.txt', '--no-index\n--find-links vendor\nknots==1.0\n')
  write('.gitignore', '.venv/\n__pycache__/\n')
  write(
    'test_wind.py',
    `import unittest

from knots import to_knots


class Wind(unittest.TestCase):
    def test_a_metre_per_second_is_about_two_knots(self):
        self.assertEqual(round(to_knots(1)), 2)
`,
  )
}

function writeGo({ write }: Repository, scratch: string): void {
  const [path, version] = ['example.com/knots', 'v1.0.0']
  const manifest = `module ${path}\n\ngo 1.20\n`
  const source = 'package knots\n\nfunc FromMetres(m float64) float64 { return m * 1.94384 }\n'
  const proxy = join(scratch, 'proxy', path, '@v')
  mkdirSync(proxy, { recursive: true })
  const root = `${path}@${version}`
  writeFileSync(join(proxy, `${version}.zip`), storeZip({ [`${root}/go.mod`]: manifest, [`${root}/knots.go`]: source }))
  writeFileSync(join(proxy, `${version}.mod`), manifest)
  writeFileSync(join(proxy, `${version}.info`), JSON.stringify({ Version: version }))
  write('go.mod', `module example.com/weather\n\ngo 1.20\n\nrequire ${path} ${version}\n`)
  const sums = ['h1:RyfODzn/UFQdEbkdQ3JgzUwX+fPZmoWZbRyqfPkC3bc=', 'h1:ZlqPKrYE7TvQVrJVZAGFUQ+7n+6XBEQBZOa+dNtR8ps=']
  write('go.sum', `${path} ${version} ${sums[0]}\n${path} ${version}/go.mod ${sums[1]}\n`)
  write(
    'wind_test.go',
    `package weather

import (
	"math"
	"testing"

	"${path}"
)

func TestAMetrePerSecondIsAboutTwoKnots(t *testing.T) {
	if math.Round(knots.FromMetres(1)) != 2 {
		t.Fail()
	}
}
`,
  )
}
