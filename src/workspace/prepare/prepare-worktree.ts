/**
 * Makes a new worktree a place in which the work can be done: copies files that git ignores, brings in what is installed
 * already, or runs the setup. The tree of the user is only read.
 */
import { mkdirSync, readdirSync, renameSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { digestFields, type Hashable } from '../../kit/digest.ts'
import { errorCode, Fault, toErrorMessage } from '../../kit/fault.ts'
import { removeTree } from '../../kit/files/remove-tree.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Environment } from '../../kit/process/child-environment.ts'
import type { Check, CheckResult } from '../../kit/process/run-check.ts'
import { listSome } from '../../kit/wording.ts'
import { preparationFailed, preparationPathInvalid } from '../faults.ts'
import { askGit, askGitForOutput, type Git, SLOW_GIT_MS } from '../git.ts'
import { hasEntries } from '../worktree-records.ts'
import { askStatus } from '../worktree-status.ts'
import { findGitLinks } from '../worktrees/add-all.ts'
import { type CloneOptions, cloneTree } from './clone-tree.ts'
import { isPlainPath } from './preparation-paths.ts'
import { hasInputs, readInputs, type SetupInput } from './setup-inputs.ts'
import { cleanTemplates, copyTemplate, findTemplate, isRooted, replaceRoot, saveTemplate } from './templates.ts'

const INCOMING = /^incoming-/
const SHOWN = 5

/** What a worktree needs. */
export type Preparation = {
  /** Commands without a shell, one after another. */
  readonly setup: readonly string[]
  /** Files that git ignores, from the tree of the user. */
  readonly copy: readonly string[]
  /** Directories that git ignores: copied from the tree of the user if all lock files are equal, instead of the setup. */
  readonly share: readonly string[]
  readonly timeoutMs: number
}

export type PreparationStep =
  | { readonly is: 'copy' | 'share' | 'template' }
  | { readonly is: 'setup'; readonly command: string }

const STEPS = {
  copy: 'copying files that git ignores',
  share: 'copying what is installed in your worktree',
  template: 'copying what an earlier setup installed',
} as const

export function describeStep(step: PreparationStep): string {
  return step.is === 'setup' ? `setup: ${step.command}` : STEPS[step.is]
}

export type PreparationTools = {
  readonly preparation: Preparation
  /** The root of the worktree. Its parent belongs to drover. */
  readonly root: string
  /** The worktree of the user. */
  readonly userTree: string
  /** The git directory of the repository. */
  readonly repository: string
  /** The directory of all templates, and how large all of them may become. */
  readonly templates: { readonly home: string; readonly maxBytes: number; readonly isReadOnly?: boolean }
  readonly git: Git
  readonly env: Environment
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onStep: (step: PreparationStep) => void
  /** Runs a command of the setup. */
  readonly runCommand: (command: Omit<Check, 'enclose'>) => Promise<CheckResult>
}

/** Where what is installed comes from. */
const SOURCES = ['setup', 'template', 'share', 'nothing'] as const

type Prepared = {
  readonly from: (typeof SOURCES)[number]
  readonly copied: readonly string[]
  /** What a person should know. */
  readonly notes: readonly string[]
}

export type PreparationEnd =
  | (Prepared & { readonly is: 'prepared' })
  /** The worktree is not prepared. The next call begins again. */
  | { readonly is: 'failed'; readonly setup: CheckResult }

export function needsPreparation({ setup, copy, share }: Preparation): boolean {
  return setup.length + copy.length + share.length > 0
}

/**
 * Throws `preparation_path_invalid`, `preparation_failed`, or a fault of git. After an interruption, another call begins again,
 * without the files that git ignores.
 */
export async function prepareWorktree(tools: PreparationTools): Promise<PreparationEnd> {
  try {
    return await prepare(tools)
  } catch (error) {
    if (tools.signal.aborted || error instanceof Fault || errorCode(error) === undefined) throw error
    throw preparationFailed({ root: tools.root, problem: toErrorMessage(error) }, error)
  }
}

async function prepare(tools: PreparationTools): Promise<PreparationEnd> {
  const { preparation, userTree, signal } = tools
  const missing = preparation.copy.filter((path) => !isPlainPath(userTree, path))
  const notes = missing.map((path) => `${path} is not in ${userTree}, so it was not copied`)
  await removeLeftovers(tools)
  const copied = preparation.copy.filter((path) => !missing.includes(path))
  if (copied.length > 0) await copyFiles(tools, copied)
  const end = await install(tools)
  signal.throwIfAborted()
  if (end.is === 'failed') return end
  return { ...end, copied, notes: [...notes, ...end.notes, ...(await listMissingParts(tools))] }
}

/**
 * What a preparation that was killed has left must not be used. Changes of files that git does not ignore stay: a person who
 * repaired something may have made them.
 */
async function removeLeftovers({ git, root, signal }: PreparationTools): Promise<void> {
  for (const name of readdirSync(dirname(root)).filter((each) => INCOMING.test(each))) {
    await removeTree(join(dirname(root), name))
  }
  const slow = { ...git, timeoutMs: SLOW_GIT_MS }
  await askGitForOutput(slow, { directory: root, args: ['clean', '-ffdXq'], signal })
}

async function copyFiles(tools: PreparationTools, paths: readonly string[]): Promise<void> {
  tools.onStep({ is: 'copy' })
  await refuseTracked(tools, paths)
  await bringIn(tools, paths, async (incoming) => {
    for (const path of paths) await cloneInto(tools, join(tools.userTree, path), { to: join(incoming, path) })
  })
}

type Installed = Omit<Prepared, 'copied'> & { readonly is: 'prepared' }

async function install(tools: PreparationTools): Promise<Installed | Extract<PreparationEnd, { is: 'failed' }>> {
  const { setup, share } = tools.preparation
  const inputs = await readInputs(tools)
  if (share.length > 0 && (await shareDirectories(tools, inputs))) return { is: 'prepared', from: 'share', notes: [] }
  if (setup.length === 0) {
    const notes = share.map((path) => `${path} was not brought in: it is missing, or the lock files differ`)
    return { is: 'prepared', from: 'nothing', notes }
  }
  const key = templateKey(tools, inputs)
  if (await installTemplate(tools, key)) return { is: 'prepared', from: 'template', notes: [] }
  return await runSetup(tools, key)
}

function templateKey({ repository, preparation }: PreparationTools, inputs: readonly SetupInput[]): string {
  const files = inputs.flatMap(({ path, content }): Hashable[] => [path, content ?? '', String(content === undefined)])
  const fields = ['drover-template/v1', repository, process.platform, process.arch, ...preparation.setup, '', ...files]
  return digestFields(fields).replace('sha256:', '')
}

/** True if everything that should be shared was brought in. */
async function shareDirectories(tools: PreparationTools, inputs: readonly SetupInput[]): Promise<boolean> {
  const { userTree, preparation } = tools
  const { share } = preparation
  if (!share.every((path) => isPlainPath(userTree, path))) return false
  if (!hasInputs(userTree, inputs)) return false
  tools.onStep({ is: 'share' })
  await refuseTracked(tools, share)
  const roots = { from: userTree, to: tools.root }
  const onFile = (path: string, stats: Stats) => {
    if (isRooted(path, stats, roots.from)) replaceRoot(path, roots)
  }
  await bringIn(tools, share, async (incoming) => {
    for (const path of share) await cloneInto(tools, join(userTree, path), { to: join(incoming, path), onFile })
  })
  return true
}

async function cloneInto(
  { userTree, root, signal }: PreparationTools,
  from: string,
  { to, onFile }: Pick<CloneOptions, 'onFile'> & { readonly to: string },
): Promise<void> {
  mkdirSync(dirname(to), { recursive: true })
  await cloneTree(from, to, { signal, retarget: { from: userTree, to: root }, ...(onFile && { onFile }) })
}

/** Git would commit with the work what it does not ignore. */
async function refuseTracked({ git, root, signal }: PreparationTools, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    // With a slash git also finds patterns that are for directories only. The path does not exist yet.
    const args = ['check-ignore', '--no-index', '--', path, `${path}/`] as const
    const { code } = await askGit(git, { directory: root, args, signal })
    if (code !== 0) throw preparationPathInvalid({ path, problem: 'git does not ignore it; commit it instead' })
  }
}

/** Fills a directory beside the worktree and moves its entries into it when it is complete. */
async function bringIn(
  { root }: PreparationTools,
  paths: readonly string[],
  fill: (incoming: string) => Promise<void>,
): Promise<void> {
  const incoming = join(dirname(root), `incoming-${randomIds.hex(4)}`)
  try {
    await fill(incoming)
    for (const path of paths) {
      // The commit may have a link where the path leads through.
      if (isPlainPath(root, path)) throw preparationPathInvalid({ path, problem: 'it is part of the commit' })
      mkdirSync(dirname(join(root, path)), { recursive: true })
      renameSync(join(incoming, path), join(root, path))
    }
  } finally {
    await removeTree(incoming)
  }
}

/** False if there is no template, or if another process removed it meanwhile. */
async function installTemplate(tools: PreparationTools, key: string): Promise<boolean> {
  const { templates, root, signal } = tools
  const template = findTemplate(templates.home, key)
  if (template === undefined) return false
  tools.onStep({ is: 'template' })
  try {
    await bringIn(tools, template.entries, (to) => copyTemplate(template, { to, root, signal }))
    return true
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || signal.aborted) throw error
    return false
  }
}

async function runSetup(
  tools: PreparationTools,
  key: string,
): Promise<Installed | Extract<PreparationEnd, { is: 'failed' }>> {
  const { preparation, root: cwd, env, signal, onStep, runCommand } = tools
  const before = await listIgnored(tools)
  const started = performance.now()
  for (const command of preparation.setup) {
    onStep({ is: 'setup', command })
    const result = await runCommand({ command, cwd, env, timeoutMs: preparation.timeoutMs, signal })
    signal.throwIfAborted()
    if (!result.passed) return { is: 'failed', setup: result }
  }
  const setupMs = Math.round(performance.now() - started)
  const { changed } = await askStatus(tools.git, { directory: cwd, signal })
  if (changed.length > 0) return { is: 'prepared', from: 'setup', notes: [describeChanges(changed)] }
  const created = (await listIgnored(tools)).filter((path) => !before.includes(path))
  // One that filled a cache elsewhere is fast the next time.
  const notes = created.length === 0 ? [] : await keepTemplate(tools, { key, entries: created, setupMs })
  return { is: 'prepared', from: 'setup', notes }
}

function describeChanges(changed: readonly { path: string }[]): string {
  const paths = changed.map(({ path }) => path)
  return `the setup changed files that git does not ignore, so they become part of the work: ${listSome(paths, SHOWN)}`
}

/** Directories of which git ignores everything are one entry. */
async function listIgnored({ git, root, signal }: PreparationTools): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'] as const
  const listed = await askGitForOutput(git, { directory: root, args, signal })
  const paths = listed.toString('utf8').split('\0').filter(Boolean)
  return paths.map((path) => path.replace(/\/$/, ''))
}

/** A template only saves time. Without it the next worktree runs the setup. */
async function keepTemplate(
  { templates, repository, root, clock, signal }: PreparationTools,
  { key, entries, setupMs }: { key: string; entries: readonly string[]; setupMs: number },
): Promise<string[]> {
  if (templates.isReadOnly === true) return []
  try {
    await saveTemplate({ home: templates.home, key, repository, root, entries, setupMs, clock, signal })
    await cleanTemplates(templates.home, { maxBytes: templates.maxBytes, now: clock.now() })
    return []
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error
    return [`what the setup installed could not be kept for the next worktree: ${error.message}`]
  }
}

type Places = { readonly git: Git; readonly root: string; readonly userTree: string; readonly signal: AbortSignal }

/** Pointers of Git LFS begin with this. */
const POINTER = 'version https://git-lfs.github.com/spec/'

/** Parts of a project that git does not check out in a new worktree, although the user has them. */
export async function listMissingParts(places: Places): Promise<string[]> {
  return [...(await missingSubmodules(places)), ...(await missingLargeFiles(places))]
}

async function missingSubmodules({ git, root, userTree, signal }: Places): Promise<string[]> {
  const links = await findGitLinks(git, { directory: root, signal })
  return links
    .filter((path) => hasEntries(join(userTree, path)) && !hasEntries(join(root, path)))
    .map((path) => `the submodule ${path} is empty; to fill it, set up with: git submodule update --init ${path}`)
}

/** Git checks them out as pointers if its filter is not installed. */
async function missingLargeFiles({ git, root, signal }: Places): Promise<string[]> {
  if (!readdirSync(root).includes('.gitattributes')) return []
  const args = ['grep', '-l', '-I', '-F', '--max-depth', '8', POINTER, '--', ':(attr:filter=lfs)'] as const
  const { code, stdout } = await askGit(git, { directory: root, args, signal })
  const [first] = code === 0 ? stdout.toString('utf8').split('\n') : []
  if (first === undefined || first === '') return []
  return [`files of Git LFS such as ${first} are pointers; install git-lfs, or set up with: git lfs pull`]
}
