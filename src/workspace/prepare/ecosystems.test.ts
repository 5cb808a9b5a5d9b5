import { expect, it } from 'vitest'
import { propose } from './ecosystems.ts'

const MANIFEST = '{ "scripts": { "test": "vitest run" } }'

it.each<[Record<string, string>, string[], string[]]>([
  [{ 'package.json': MANIFEST, 'package-lock.json': '{}' }, ['npm ci'], ['npm test']],
  [{ 'package.json': MANIFEST }, [], ['npm test']],
  [{ 'package.json': '{ "devDependencies": { "a": "1" } }' }, ['npm install --no-package-lock'], []],
  [
    { 'package.json': MANIFEST, 'package-lock.json': '', 'pnpm-lock.yaml': '' },
    ['pnpm install --frozen-lockfile'],
    ['pnpm test'],
  ],
  [{ 'package.json': MANIFEST, 'yarn.lock': '' }, ['yarn install --immutable'], ['yarn test']],
  [{ 'package.json': MANIFEST, 'bun.lockb': '' }, ['bun install --frozen-lockfile'], ['bun run test']],
  [{ 'package.json': '{ "scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" } }' }, [], []],
  [
    { 'requirements.txt': 'pytest==9\n' },
    ['python3 -m venv .venv', '.venv/bin/python -m pip install -r requirements.txt'],
    ['.venv/bin/python -m pytest'],
  ],
  [
    { 'pyproject.toml': '' },
    ['python3 -m venv .venv', '.venv/bin/python -m pip install -e .'],
    ['.venv/bin/python -m unittest'],
  ],
  [{ 'pyproject.toml': 'pytest', 'uv.lock': '' }, ['uv sync --frozen'], ['uv run --frozen python -m pytest']],
  [
    { 'pyproject.toml': '', 'poetry.lock': '' },
    ['env POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction'],
    ['.venv/bin/python -m unittest'],
  ],
  [{ 'go.mod': '' }, ['go mod download'], ['go test ./...']],
  [{ 'Cargo.toml': '', 'Cargo.lock': '' }, ['cargo fetch --locked'], ['cargo test']],
  [{ Gemfile: 'gem "rspec"' }, ['bundle install'], ['bundle exec rspec']],
  [{ 'composer.json': 'phpunit' }, ['composer install --no-interaction'], ['vendor/bin/phpunit']],
  [{ 'pom.xml': '' }, ['mvn -q -B dependency:go-offline'], ['mvn -q -B test']],
  [{ 'build.gradle.kts': '' }, ['./gradlew --quiet dependencies'], ['./gradlew test']],
  [
    { 'go.mod': '', 'package.json': MANIFEST, 'package-lock.json': '' },
    ['npm ci', 'go mod download'],
    ['npm test', 'go test ./...'],
  ],
])('%j', (files, setup, checks) => {
  expect(propose(new Map(Object.entries(files)))).toMatchObject({ setup, checks })
})

it.each([
  ['.env.test', true],
  ['.env.test.local', true],
  ['.env.ci', true],
  ['.env', false],
  ['.env.c', false],
  ['.env.production', false],
  ['.envrc', false],
  ['.env.d/test', false],
])('files with variables for tests, which git ignores, are copied: %s (%s)', (name, isCopied) => {
  const files = new Map([['package.json', '{ "scripts": { "test": "node --env-file=.env.ci check.js" } }']])
  expect(propose(files, [name])?.copy).toEqual(isCopied ? [name] : [])
})

it('proposes nothing where it recognises nothing', () => {
  expect(propose(new Map([['README.md', '']]))).toBeUndefined()
})
