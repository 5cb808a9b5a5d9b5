/** Finds the repositories that git could use in a directory, and reads their settings. Runs no git. */
import { type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Digest, digestFields } from '../digest.ts'
import { Fault, tryTo, tryToRead } from '../fault.ts'
import { fileUnreadable } from '../faults.ts'
import { readFileText } from '../files/read-file.ts'
import { looksIntoSubmodule, namesProgram } from './git-program-settings.ts'
import { type GitSetting, parseGitConfig } from './parse-git-config.ts'

/** A setting of a repository, and the file that it is in. */
export type FoundSetting = GitSetting & { readonly file: string }

type Place = {
  readonly directory: string
  /** Of the user. What stands there itself is the user's own. */
  readonly home: string | undefined
}

type UserEnvironment = Readonly<Record<string, string | undefined>>

/** Git reads no larger file `.git`. */
const LIMIT_BYTES = 1024 * 1024
const MAX_INCLUDES = 10

/** The settings that count in a directory, without those of the user and of the system. Throws a Fault if it cannot tell. */
export function readGitSettings({ directory, home }: Place): FoundSetting[] {
  const { found, isCertain } = findRepositories(directory)
  const settings = found.flatMap(configFiles).flatMap((file) => readConfig(file, { home, depth: 0 }))
  const inside = submodulesLookedInto(directory, settings).flatMap((path) =>
    readGitSettings({ directory: path, home: directory }),
  )
  const parent = dirname(directory)
  const isLast = isCertain || parent === directory || parent === home
  return [...settings, ...inside, ...(isLast ? [] : readGitSettings({ directory: parent, home }))]
}

/** The settings of the user. Files that cannot be read have none: git will say so. */
export function readUserSettings(env: UserEnvironment): FoundSetting[] {
  return userConfigFiles(env).flatMap((file) => tryTo(() => readConfig(file, { home: env['HOME'], depth: 0 })) ?? [])
}

/** Where the settings of the user are, whether the files exist or not. */
export function userConfigFiles(env: UserEnvironment): string[] {
  const { HOME: home, XDG_CONFIG_HOME: configHome, GIT_CONFIG_GLOBAL: chosen } = env
  if (chosen !== undefined) return [chosen]
  if (home === undefined) return []
  return [join(configHome || join(home, '.config'), 'git', 'config'), join(home, '.gitconfig')]
}

/** A digest of the programs that the settings name; undefined: none. */
export function digestPrograms(settings: readonly GitSetting[]): Digest | undefined {
  const programs = settings.filter(namesProgram).flatMap(({ key, value }) => [key, value])
  return programs.length === 0 ? undefined : digestFields(['drover-git-programs/v1', ...programs])
}

/** Where a repository says how git reaches others, and with which programs. */
const REMOTE = /^(?:(?:credential|http|protocol|push|remote|ssh|url)\.|core\.(?:askpass|gitproxy|sshcommand)$)/

/** A digest of the settings with which git reaches the remotes of a repository. */
export function digestRemotes(settings: readonly GitSetting[]): Digest {
  const found = settings.filter(({ key }) => REMOTE.test(key)).flatMap(({ key, value }) => [key, value])
  return digestFields(['drover-git-remotes/v1', ...found])
}

/** If it is not certain that git accepts one of them, those of the directories above may count. */
function findRepositories(directory: string): { found: string[]; isCertain: boolean } {
  const link = join(directory, '.git')
  const [, named] = /^gitdir: (.+?)[\r\n]*$/s.exec(readText(link) ?? '') ?? []
  if (named !== undefined) return { found: [resolve(directory, named)], isCertain: true }
  const found = [link, directory].filter((each) => tryLookAt(join(each, 'HEAD')) !== undefined)
  return { found, isCertain: found.some(isRepository) }
}

/** As git checks it. */
function isRepository(path: string): boolean {
  const shared = sharedBy(path)
  const hasParts = ['objects', 'refs'].every((name) => isDirectory(join(shared, name)))
  return hasParts && /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(readText(join(path, 'HEAD')) ?? '')
}

/** The repository that a linked worktree belongs to. */
function sharedBy(path: string): string {
  const named = readText(join(path, 'commondir'))
  return named === undefined ? path : resolve(path, named.replace(/[\r\n]+$/, ''))
}

function configFiles(repository: string): string[] {
  return [join(sharedBy(repository), 'config'), join(repository, 'config.worktree')]
}

type Around = Pick<Place, 'home'> & { readonly depth: number }

function readConfig(file: string, { home, depth }: Around): FoundSetting[] {
  const settings = depth > MAX_INCLUDES ? undefined : parseGitConfig(readText(file) ?? '')
  if (settings === undefined) throw fileUnreadable({ path: file, reason: 'git cannot read it' })
  return settings.flatMap((setting) => {
    if (!/^include(?:if\..*)?\.path$/s.test(setting.key)) return [{ ...setting, file }]
    // Whether a condition holds may change.
    return readConfig(resolveInclude(setting.value, { file, home }), { home, depth: depth + 1 })
  })
}

function resolveInclude(path: string, { file, home }: Pick<FoundSetting, 'file'> & Pick<Place, 'home'>): string {
  const isOfHome = path.startsWith('~/') && home !== undefined
  // What a tab becomes depends on the version of git.
  if (/^(?:%\(|~)|[\t\r]/.test(isOfHome ? path.slice(1) : path))
    throw fileUnreadable({ path: file, reason: `it includes ${path}` })
  return isOfHome ? join(home, path.slice(2)) : resolve(dirname(file), path)
}

/** The directories of submodules whose files git looks at, although it is told not to. */
function submodulesLookedInto(directory: string, settings: readonly GitSetting[]): string[] {
  const listed = parseGitConfig(readText(join(directory, '.gitmodules')) ?? '') ?? []
  if (![...settings, ...listed].some(looksIntoSubmodule)) return []
  const paths = listed.filter(({ key }) => /^submodule\..*\.path$/s.test(key)).map(({ value }) => value)
  return paths.map((path) => resolve(directory, path)).filter((path) => path.startsWith(join(directory, '/')))
}

/** Undefined if there is no such file. Throws a Fault if it cannot be read, or is not text. */
function readText(path: string): string | undefined {
  try {
    return isDirectory(path) ? undefined : readFileText({ path, limitBytes: LIMIT_BYTES, links: 'follow' })
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return undefined
    throw error
  }
}

function isDirectory(path: string): boolean {
  return tryLookAt(path)?.isDirectory() === true
}

/** Undefined if there is nothing, or nothing that this user may look at. */
function tryLookAt(path: string): Stats | undefined {
  return tryToRead(() => statSync(path, { throwIfNoEntry: false }))
}
