/** What a project needs before its tests can run, as its package managers tell it. */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { tryTo } from '../../kit/fault.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { askGitForOutput, type Git } from '../git.ts'

/** The files in the root of a project that are looked at, with their content. */
export type RootFiles = ReadonlyMap<string, string>

export type Proposal = {
  /** The package managers that were recognised, with the file that tells. */
  readonly found: readonly { readonly manager: string; readonly file: string }[]
  readonly setup: readonly string[]
  /** Directories that the setup fills. */
  readonly share: readonly string[]
  /** Files with variables for tests, which git ignores. */
  readonly copy: readonly string[]
  readonly checks: readonly string[]
}

type Manager = {
  readonly name: string
  /** The first one that exists tells that the project uses it. */
  readonly files: readonly string[]
  readonly setup: readonly string[]
  readonly share: readonly string[]
  readonly checks: (files: RootFiles) => readonly string[]
}

type Ecosystem = {
  /** The first one that fits is used: a lock file says more than a manifest. */
  readonly managers: readonly Manager[]
  /** Files anywhere in the project that decide what is installed, in addition to those of the managers. */
  readonly inputs: readonly string[]
}

const NODE_MODULES = ['node_modules']
const VENV = ['.venv']
const IN_VENV = '.venv/bin/python'

const ECOSYSTEMS: readonly Ecosystem[] = [
  {
    inputs: ['package.json', '.npmrc', '.yarnrc.yml', 'pnpm-workspace.yaml'],
    managers: [
      node({ name: 'pnpm', files: ['pnpm-lock.yaml'], setup: 'pnpm install --frozen-lockfile', test: 'pnpm test' }),
      node({ name: 'yarn', files: ['yarn.lock'], setup: 'yarn install --immutable', test: 'yarn test' }),
      node({
        name: 'bun',
        files: ['bun.lock', 'bun.lockb'],
        setup: 'bun install --frozen-lockfile',
        test: 'bun run test',
      }),
      node({ name: 'npm', files: ['package-lock.json', 'npm-shrinkwrap.json'], setup: 'npm ci', test: 'npm test' }),
      node({ name: 'npm', files: ['package.json'], setup: 'npm install --no-package-lock', test: 'npm test' }),
    ],
  },
  {
    inputs: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements-dev.txt', 'constraints.txt'],
    managers: [
      {
        name: 'uv',
        files: ['uv.lock'],
        setup: ['uv sync --frozen'],
        share: VENV,
        checks: (files) => pythonChecks(files, 'uv run --frozen python'),
      },
      {
        name: 'poetry',
        files: ['poetry.lock'],
        setup: ['env POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction'],
        share: VENV,
        checks: (files) => pythonChecks(files, IN_VENV),
      },
      {
        name: 'pip',
        files: ['requirements.txt'],
        setup: ['python3 -m venv .venv', `${IN_VENV} -m pip install -r requirements.txt`],
        share: VENV,
        checks: (files) => pythonChecks(files, IN_VENV),
      },
      {
        name: 'pip',
        files: ['pyproject.toml', 'setup.py'],
        setup: ['python3 -m venv .venv', `${IN_VENV} -m pip install -e .`],
        share: VENV,
        checks: (files) => pythonChecks(files, IN_VENV),
      },
    ],
  },
  {
    inputs: ['go.sum', 'go.work', 'go.work.sum'],
    managers: [plain({ name: 'go', files: ['go.mod'], setup: 'go mod download', test: 'go test ./...' })],
  },
  {
    inputs: ['Cargo.toml', 'rust-toolchain.toml'],
    managers: [
      plain({ name: 'cargo', files: ['Cargo.lock'], setup: 'cargo fetch --locked', test: 'cargo test' }),
      plain({ name: 'cargo', files: ['Cargo.toml'], setup: 'cargo fetch', test: 'cargo test' }),
    ],
  },
  {
    inputs: ['Gemfile'],
    managers: [
      {
        name: 'bundler',
        files: ['Gemfile.lock', 'Gemfile'],
        setup: ['bundle install'],
        share: [],
        checks: (files) => [mentions(files, /\brspec\b/) ? 'bundle exec rspec' : 'bundle exec rake test'],
      },
    ],
  },
  {
    inputs: ['composer.json'],
    managers: [
      {
        name: 'composer',
        files: ['composer.lock', 'composer.json'],
        setup: ['composer install --no-interaction'],
        share: ['vendor'],
        checks: (files) => (mentions(files, /phpunit/) ? ['vendor/bin/phpunit'] : []),
      },
    ],
  },
  {
    inputs: [],
    managers: [
      plain({ name: 'maven', files: ['pom.xml'], setup: 'mvn -q -B dependency:go-offline', test: 'mvn -q -B test' }),
    ],
  },
  {
    inputs: ['settings.gradle', 'settings.gradle.kts', 'gradle.lockfile', 'libs.versions.toml'],
    managers: [
      plain({
        name: 'gradle',
        files: ['build.gradle', 'build.gradle.kts'],
        setup: './gradlew --quiet dependencies',
        test: './gradlew test',
      }),
    ],
  },
]

/** The names of all files that decide what a setup installs. */
export const INPUT_NAMES: ReadonlySet<string> = new Set(
  ECOSYSTEMS.flatMap(({ inputs, managers }) => [...inputs, ...managers.flatMap(({ files }) => files)]),
)

/** `ignored`: the files in the root that git ignores. Undefined if no package manager was recognised. */
export function propose(files: RootFiles, ignored: readonly string[] = []): Proposal | undefined {
  const found = ECOSYSTEMS.flatMap(({ managers }) => recognise(managers, files) ?? [])
  if (found.length === 0) return undefined
  return {
    found: found.map(({ manager: { name: manager }, file }) => ({ manager, file })),
    setup: found.flatMap(({ manager: { setup } }) => setup),
    share: found.flatMap(({ manager: { share } }) => share),
    copy: ignored.filter((name) => isForTests(name, files)),
    checks: found.flatMap(({ manager: { checks } }) => checks(files)),
  }
}

function recognise(managers: readonly Manager[], files: RootFiles): { manager: Manager; file: string } | undefined {
  for (const manager of managers) {
    const file = manager.files.find((name) => files.has(name))
    if (file !== undefined) return { manager: withoutEmptySetup(manager, file, files), file }
  }
  return undefined
}

/** A manifest of Node without a lock file may have no dependencies. */
function withoutEmptySetup(manager: Manager, file: string, files: RootFiles): Manager {
  const hasDependencies = /"(?:dev|optional|peer)?dependencies"\s*:\s*\{\s*"/i.test(files.get(file) ?? '')
  return file !== 'package.json' || hasDependencies ? manager : { ...manager, setup: [], share: [] }
}

type Commands = { name: string; files: readonly string[]; setup: string; test: string }

function node({ name, files, setup, test }: Commands): Manager {
  const checks = (all: RootFiles) => (hasTestScript(all.get('package.json')) ? [test] : [])
  return { name, files, setup: [setup], share: NODE_MODULES, checks }
}

function plain({ name, files, setup, test }: Commands): Manager {
  return { name, files, setup: [setup], share: [], checks: () => [test] }
}

/** `npm init` writes a script that only fails. */
function hasTestScript(manifest = ''): boolean {
  return /"test"\s*:\s*"(?!echo \\"Error: no test specified)[^"]/.test(manifest)
}

function pythonChecks(files: RootFiles, python: string): string[] {
  return [mentions(files, /\bpytest\b/) ? `${python} -m pytest` : `${python} -m unittest`]
}

/** Other such files may have secrets that tests do not need. */
function isForTests(name: string, files: RootFiles): boolean {
  if (!/^\.env(?:\.[\w.-]+)?$/.test(name)) return false
  const word = new RegExp(`(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w.-])`)
  return /\btest/.test(name) || mentions(files, word)
}

function mentions(files: RootFiles, name: RegExp): boolean {
  return [...files.values()].some((content) => name.test(content))
}

/** A lock file may be large, and only manifests are read for words. */
const LIMIT_BYTES = 16 * 1024 * 1024

type Project = { readonly root: string; readonly git: Git; readonly signal: AbortSignal }

/** Looks into a project. Undefined if nothing was recognised. */
export async function lookForSetup({ root, git, signal }: Project): Promise<Proposal | undefined> {
  const files = [...INPUT_NAMES].flatMap((name) => {
    const content = readText(join(root, name))
    return content === undefined ? [] : [[name, content] as const]
  })
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--', ':(glob).env*'] as const
  const listed = await askGitForOutput(git, { directory: root, args, signal })
  const ignored = listed.toString('utf8').split('\0')
  return propose(
    new Map(files),
    ignored.filter((name) => lstatSync(join(root, name), { throwIfNoEntry: false })?.isFile() === true),
  )
}

function readText(path: string): string | undefined {
  return tryTo(() => readFileBytes({ path, limitBytes: LIMIT_BYTES }).toString('utf8'))
}
