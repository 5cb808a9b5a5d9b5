/** Tells whether a change concerns how checks are run. Pure. */
import type { ReviewFlag } from '../../record/drive-event.shape.ts'
import type { FileChange } from '../changed-tests/judge-test-change.ts'

/** Runners, CI, git and shells read these wherever they find them, so a new one counts as well. Installed packages are not committed. */
const READ_BY_RUNNERS =
  /(?:^|\/)(?:\.npmrc|\.gitattributes|\.envrc|\.rspec|bunfig\.toml|jasmine\.json|lefthook\.ya?ml|usercustomize\.py|[^/]+\.pth|\.?pytest\.toml|\.pytest\.ini|\.yarnrc(?:\.ya?ml)?|\.pnpmfile\.cjs|pytest\.ini|conftest\.py|sitecustomize\.py|tox\.ini|noxfile\.py|(?:vitest|jest|playwright|karma|mocha|ava|nyc|c8|cypress)[.-](?:config|conf|setup|workspace|global)[^/]*\.(?:json|jsonc|[cm]?[jt]s|ya?ml|toml)|\.(?:mocharc|nycrc|c8rc|coveragerc|taprc)[^/]*|phpunit\.xml[^/]*)$|(?:^|\/)(?:node_modules|site-packages|\.husky)\/|(?:^|\/)(?:\.github\/(?:workflows|actions)|\.circleci|\.buildkite|\.woodpecker)\/|(?:^|\/)(?:\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.yml|bitbucket-pipelines\.yml|Jenkinsfile)$/
/** What is new among these is not run by any check that was there before. */
const CONFIGURATION =
  /(?:^|\/)(?:tsconfig[^/]*\.json|(?:babel|eslint|prettier|biome|vite\.config)[^/]*\.(?:json|jsonc|[cm]?[jt]s|ya?ml|toml)|\.(?:eslintrc|eslintignore|prettierrc|flake8|pylintrc|rubocop)[^/]*|mypy\.ini|ruff\.toml|\.pre-commit-config\.ya?ml|[Mm]akefile|GNUmakefile|[^/]+\.mk|[Jj]ustfile|\.justfile|Taskfile\.ya?ml|Rakefile|clippy\.toml|\.golangci\.ya?ml|\.cargo\/config(?:\.toml)?)$/

/** Files that say much else too: only the parts that decide about checks count. */
const MANIFESTS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/(?:^|\/)package\.json$/, jsonParts],
  [/(?:^|\/)composer\.json$/, jsonParts],
  [
    /(?:^|\/)pyproject\.toml$/,
    sectionsOf(
      /^tool\.(?:pytest|tox|coverage|mypy|pyright|ruff|pylint|flake8|nox|poe|taskipy|pdm\.scripts|hatch\.envs)(?:\.|$)/,
    ),
  ],
  [/(?:^|\/)setup\.cfg$/, sectionsOf(/^(?:tool:pytest|pytest|flake8|mypy|coverage|tox|pycodestyle|pylint|aliases)/)],
  [/(?:^|\/)Cargo\.toml$/, sectionsOf(/^(?:test|bench|profile|lints|workspace\.lints|patch|target\..*runner)/)],
  [/(?:^|\/)go\.mod$/, linesWith(/^\s*(?:replace|exclude|retract)\b|=>/)],
  [/(?:^|\/)pom\.xml$/, linesWith(/surefire|failsafe|skip|ignore|<(?:exclude|include|group|test)|argLine/i)],
  [/(?:^|\/)build\.gradle(?:\.kts)?$/, linesWith(/\btest\b|tests\b|exclude|include|enabled|ignoreFailures|onlyIf/)],
]

const LOCKS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/,
    /(?:^|\/)(?:package\.json|pnpm-workspace\.yaml)$/,
  ],
  [/(?:^|\/)Cargo\.lock$/, /(?:^|\/)Cargo\.toml$/],
  [/(?:^|\/)(?:poetry|uv|pdm)\.lock$/, /(?:^|\/)pyproject\.toml$/],
  [/(?:^|\/)Pipfile\.lock$/, /(?:^|\/)Pipfile$/],
  [/(?:^|\/)Gemfile\.lock$/, /(?:^|\/)(?:Gemfile|[^/]+\.gemspec)$/],
  [/(?:^|\/)composer\.lock$/, /(?:^|\/)composer\.json$/],
]

/** Whether the content of a changed file must be known to judge it. */
export function isManifest(path: string): boolean {
  return MANIFESTS.some(([pattern]) => pattern.test(path))
}

type ChangedConfiguration = {
  readonly changed: readonly string[]
  /** Those of them, at least, that were there before. */
  readonly old: ReadonlySet<string>
  /** Everything that was changed in the run. */
  readonly changedInRun: readonly string[]
  readonly manifests: readonly FileChange[]
}

export function judgeConfiguration({ changed, old, changedInRun, manifests }: ChangedConfiguration): ReviewFlag[] {
  return [
    ...changed.filter((path) => READ_BY_RUNNERS.test(path) || (CONFIGURATION.test(path) && old.has(path))).map(toFlag),
    ...manifests.filter(changesChecks).map(({ path }) => toFlag(path)),
    ...changed.filter((path) => old.has(path) && isLockAlone(path, changedInRun)).map(toLockFlag),
    ...changed.filter((path) => CONFIGURATION.test(path) && !old.has(path)).map(toNote),
    ...manifests.filter((change) => !changesChecks(change)).map(({ path }) => toNote(path)),
  ]
}

const toFlag = (path: string): ReviewFlag => ({ flag: 'check_configuration_changed', detail: path, path })
const toNote = (path: string): ReviewFlag => ({ flag: 'build_configuration_changed', detail: path, path })

function toLockFlag(path: string): ReviewFlag {
  const detail = `${path}: other packages may be installed, although no manifest was changed`
  return { flag: 'lock_file_changed_alone', detail, path }
}

function isLockAlone(path: string, changedInRun: readonly string[]): boolean {
  const [, manifest] = LOCKS.find(([lock]) => lock.test(path)) ?? []
  return manifest !== undefined && !changedInRun.some((each) => manifest.test(each))
}

/** A new manifest is not one of a check that was there before. One that was deleted, or cannot be read, may be. */
function changesChecks({ path, before, after }: FileChange): boolean {
  if (before === undefined) return false
  const parts = MANIFESTS.find(([pattern]) => pattern.test(path))?.[1]
  return after === undefined || parts === undefined || parts(before) !== parts(after)
}

const JSON_PARTS = [
  ...['scripts', 'jest', 'mocha', 'ava', 'nyc', 'c8', 'vitest', 'tap', 'eslintConfig', 'babel', 'husky'],
  // They decide which package a name means.
  ...['overrides', 'resolutions', 'pnpm', 'imports'],
]
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
/** A package that does not come from a registry by its own name. */
const FROM_ELSEWHERE = /^(?:file|link|portal|npm|git(?:\+\w{1,8})?|https?|ssh|github|gitlab|bitbucket):|^\.{0,2}\//

/** Text that is no JSON counts as a whole. */
function jsonParts(text: string): string {
  try {
    const parsed = JSON.parse(text) as Record<string, unknown> | null
    return JSON.stringify([...JSON_PARTS.map((key) => parsed?.[key] ?? null), ...packagesFromElsewhere(parsed)])
  } catch {
    return text
  }
}

function packagesFromElsewhere(manifest: Record<string, unknown> | null): string[] {
  const all = DEPENDENCIES.flatMap((key) => Object.entries(manifest?.[key] ?? {}))
  return all.map(([name, from]) => `${name} ${from}`).filter((each) => FROM_ELSEWHERE.test(each.replace(/^.*? /, '')))
}

/** The lines of the sections of a TOML or INI file whose names match. */
function sectionsOf(wanted: RegExp): (text: string) => string {
  return (text) => {
    let isWanted = false
    return text
      .split('\n')
      .map((line) => line.slice(0, 1000).trim())
      .filter((line) => {
        const name = line.startsWith('[') ? line.replace(/^\[{1,2}\s?/, '').replace(/\]{1,2}.*$/, '') : undefined
        if (name !== undefined) isWanted = wanted.test(name.replaceAll('"', ''))
        return isWanted && line !== '' && !line.startsWith('#')
      })
      .join('\n')
  }
}

function linesWith(wanted: RegExp): (text: string) => string {
  return (text) =>
    text
      .split('\n')
      .map((line) => line.slice(0, 1000).trim())
      .filter((line) => wanted.test(line))
      .join('\n')
}
