import { describe, expect, it } from 'vitest'
import { judgeConfiguration } from './judge-configuration.ts'

const NOTHING = { changed: [], old: new Set<string>(), changedInRun: [], manifests: [] }
const judge = (facts: Partial<Parameters<typeof judgeConfiguration>[0]>) =>
  judgeConfiguration({ ...NOTHING, ...facts }).map(({ flag, path }) => `${flag} ${path}`)

describe('a changed file that decides what checks do', () => {
  it.each([
    ...['web/tsconfig.build.json', 'vitest.config.ts', '.eslintrc.cjs', '.github/workflows/ci.yml', 'Makefile'],
    ...[
      'jest.config.mts',
      'jest.setup.js',
      '.prettierrc',
      'prettier.yml',
      '.golangci.yml',
      'phpunit.xml.dist',
      '.npmrc',
    ],
    ...[
      '.gitlab-ci.yml',
      'pytest.ini',
      'tests/conftest.py',
      'tox.ini',
      'justfile',
      '.circleci/config.yml',
      'vite.config.ts',
    ],
  ])('is %s', (path) => {
    expect(judge({ changed: [path], old: new Set([path]) })).toEqual([`check_configuration_changed ${path}`])
  })

  it.each([
    'src/package.json.ts',
    'src/config.ts',
    'makefile.md',
    '.gitlab-ci.yml.bak',
    'src/jest.ts',
    'src/vitest.ts',
  ])('is not %s', (path) => {
    expect(judge({ changed: [path], old: new Set([path]) })).toEqual([])
  })

  it.each([
    ...['.npmrc', 'pytest.ini', 'conftest.py', 'tox.ini', 'vitest.config.ts', '.rspec', 'usercustomize.py', 'x.pth'],
    ...['.github/workflows/ci.yml', '.gitlab-ci.yml', '.gitattributes', '.envrc', '.husky/pre-commit'],
    ...['node_modules/vitest/index.js', 'web/node_modules/.bin/vitest', 'lib/python3/site-packages/pytest.py'],
  ])('is serious if it is new: %s', (path) => {
    expect(judge({ changed: [path] })).toEqual([`check_configuration_changed ${path}`])
  })

  it.each(['Makefile', 'tsconfig.json'])('is a note if it is new: %s', (path) => {
    expect(judge({ changed: [path] })).toEqual([`build_configuration_changed ${path}`])
  })
})

describe('a manifest', () => {
  const json = (scripts: object, more: object = {}) => JSON.stringify({ name: 'wind', scripts, ...more })
  it.each([
    ['package.json', json({ test: 'node --test' }), json({ test: 'true' }), true],
    ['package.json', json({ test: 'a' }), json({ test: 'a' }, { jest: { testMatch: [] } }), true],
    ['package.json', json({ test: 'a' }), json({ test: 'a' }, { dependencies: { a: '1' } }), false],
    ['package.json', json({}, { dependencies: { a: '1' } }), json({}, { dependencies: { a: 'file:./a' } }), true],
    ['package.json', json({}), json({}, { devDependencies: { a: 'npm:b@1' } }), true],
    ['package.json', json({}), json({}, { devDependencies: { a: 'workspace:*' } }), false],
    ['package.json', json({}), json({}, { overrides: { a: '2' } }), true],
    ['package.json', json({ test: 'a' }), '{', true],
    ['package.json', json({ test: 'a' }), undefined, true],
    ['web/package.json', undefined, json({ test: 'a' }), false],
    ['pyproject.toml', '[project]\nname = "a"\n', '[project]\nname = "b"\n', false],
    ['pyproject.toml', '[project]\n', '[project]\n[tool.pytest.ini_options]\naddopts = "-k no"\n', true],
    ['pyproject.toml', '[tool.poetry]\na = 1\n', '[tool.poetry]\na = 2\n', false],
    ['setup.cfg', '[metadata]\na = 1\n', '[metadata]\na = 1\n[tool:pytest]\naddopts = -x\n', true],
    ['setup.cfg', '[metadata]\na = 1\n', '[metadata]\na = 2\n', false],
    ['Cargo.toml', '[dependencies]\n', '[dependencies]\nserde = "1"\n', false],
    ['Cargo.toml', '[[test]]\nname = "a"\n', '[[test]]\nname = "a"\nharness = false\n', true],
    ['go.mod', 'module a\n', 'module a\nrequire b v1.0.0\n', false],
    ['go.mod', 'module a\n', 'module a\nreplace b => ./b\n', true],
    ['pom.xml', '<a/>', '<a/>\n<skipTests>true</skipTests>', true],
    ['build.gradle', 'a', 'a\ntest { ignoreFailures = true }', true],
    ['build.gradle', 'a', "a\nimplementation 'b:c:1'", false],
  ])('%s from %j to %j', (path, before, after, isSerious) => {
    const flag = isSerious ? 'check_configuration_changed' : 'build_configuration_changed'
    expect(judge({ changed: [path], manifests: [{ path, before, after }] })).toEqual([`${flag} ${path}`])
  })
})

describe('a lock file', () => {
  it.each([
    ['package-lock.json', 'package.json'],
    ['web/pnpm-lock.yaml', 'web/app/package.json'],
    ['Cargo.lock', 'Cargo.toml'],
    ['uv.lock', 'pyproject.toml'],
    ['Gemfile.lock', 'wind.gemspec'],
  ])('%s is flagged if %s was not changed in the run', (path, manifest) => {
    const facts = { changed: [path], old: new Set([path]) }
    expect(judge({ ...facts, changedInRun: [path] })).toEqual([`lock_file_changed_alone ${path}`])
    expect(judge({ ...facts, changedInRun: [path, manifest] })).toEqual([])
    expect(judge({ changed: [path], changedInRun: [path] })).toEqual([])
  })
})
