/** Changes single keys of the config file and leaves everything else in it, comments and order too. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Document, isMap, isScalar, visit, YAMLMap } from 'yaml'
import { withLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { replaceFile } from '../kit/files/write-file.ts'
import { type ConfigProblem, configInvalid, configValueInvalid } from './faults.ts'
import { checkLayer, mergeLayers } from './layers.ts'
import { byLine } from './origin.ts'
import { type ParsedConfig, parseConfig } from './parse-config.ts'
import { type ParsedText, parseList, parseText } from './pick-settings.ts'
import { readConfigText } from './read-config.ts'
import { type ResolvedKey, resolveKey } from './resolve-key.ts'

/** `path` is the file; `key` is a key, or an entry of a map. */
export type Edit = { path: string; key: string }

type BackendEdit = { path: string; name: string }

/** A section of the file that defines a backend. */
export type BackendSection = {
  protocol: 'acp'
  command: readonly string[]
  env?: Readonly<Record<string, string>>
  profile?: Readonly<Record<string, string>>
  model?: string
  approval_mode?: string
  sandbox_mode?: string
  system_prompt?: string
  enabled?: boolean
}

/** Sets one key in the file. `value` holds words of the command line: any number for a list, otherwise one. */
export async function setConfigValue(edit: Edit & { value: readonly string[] }): Promise<{ value: unknown }> {
  const resolved = resolveKey(edit.key)
  const parsed = parseWords(resolved, edit.value)
  if ('rule' in parsed) throw configValueInvalid({ key: edit.key, problems: [{ key: edit.key, rule: parsed.rule }] })
  await changeFile(edit, (document) => setIn(document, { steps: resolved.steps, value: parsed.value }))
  return { value: parsed.value }
}

/** Removes one key from the file, and sections that become empty. */
export async function unsetConfigValue(edit: Edit): Promise<{ wasSet: boolean }> {
  const { steps } = resolveKey(edit.key)
  if (!existsSync(edit.path)) return { wasSet: false }
  return { wasSet: await changeFile(edit, (document) => removeIn(document, steps)) }
}

/** Writes the section of a backend, in place of the one that is there. The resulting file is checked as a whole. */
export async function setBackendSection(backendEdit: BackendEdit & { section: BackendSection }): Promise<void> {
  const { path, name, section } = backendEdit
  const folder = dirname(path)
  if (!isDirectory(folder)) ensurePrivateDirectory({ path: folder })
  const steps = ['backends', name]
  await changeFile({ path, key: steps.join('.') }, (document) =>
    setIn(document, { steps, value: document.createNode(section) }),
  )
}

export async function removeBackendSection({ path, name }: BackendEdit): Promise<{ wasSet: boolean }> {
  const steps = ['backends', name]
  if (!existsSync(path)) return { wasSet: false }
  return { wasSet: await changeFile({ path, key: steps.join('.') }, (document) => removeIn(document, steps)) }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function parseWords({ key, entry }: ResolvedKey, words: readonly string[]): ParsedText {
  if (key.type === 'list') return parseList(key, words)
  const [word, ...more] = words
  if (word === undefined || more.length > 0) return { rule: `takes one value, not ${words.length}` }
  return entry === undefined ? parseText(key, word) : { value: word }
}

/** Beside the real file, so that callers that use a symbolic link and callers that do not share one lock. */
export function toLockPath(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}.lock`
}

/**
 * Reads, changes and writes the file under a lock. `change` returns whether it changed anything. The resulting file is
 * checked as a whole before it is written. It keeps its mode; a missing one is created with mode 0600, in a private directory.
 */
export async function changeFile({ path, key }: Edit, change: (document: Document) => boolean): Promise<boolean> {
  const folder = dirname(path)
  if (!isDirectory(folder)) ensurePrivateDirectory({ path: folder })
  return await withLock({ path: toLockPath(path), mode: 'exclusive' }, async () => {
    const before = parseConfig({ text: readConfigText(path) ?? '', file: path })
    const problemsBefore = await findProblems(before)
    if (problemsBefore.length > 0) throw configInvalid({ file: path, problems: problemsBefore })
    refuseAliases(before.document, key)
    if (!change(before.document)) return false
    const text = before.document.toString({ lineWidth: 0 })
    const problems = await findProblems(parseConfig({ text, file: path }))
    if (problems.length > 0) throw configValueInvalid({ key, problems })
    const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o600
    replaceFile({ path, bytes: Buffer.from(text), mode, links: 'follow' })
    return true
  })
}

async function findProblems({ layer, problems }: ParsedConfig): Promise<ConfigProblem[]> {
  const found = [...problems, ...(await checkLayer(layer))].toSorted(byLine)
  return found.length > 0 ? found : mergeLayers([layer]).problems
}

/** A change to an anchor would also change every alias of it. */
function refuseAliases(document: Document, key: string): void {
  visit(document, {
    Alias() {
      throw configValueInvalid({ key, problems: [{ key: '', rule: 'the file has aliases (*); edit it by hand' }] })
    },
  })
}

export function setIn(document: Document, { steps, value }: { steps: readonly string[]; value: unknown }): boolean {
  if (!isMap(document.contents)) document.contents = new YAMLMap(document.schema)
  const section = steps.slice(0, -1).reduce(openSection, unfold(document.contents as YAMLMap))
  // Setting a plain value reuses the existing node, which keeps its trailing comment.
  section.set(steps.at(-1), Array.isArray(value) ? document.createNode(value) : value)
  return true
}

/** The map under a name. An empty section becomes a map and keeps its comments. */
function openSection(parent: YAMLMap, name: string): YAMLMap {
  const found = parent.get(name, true)
  if (isMap(found)) return unfold(found)
  const made = new YAMLMap(parent.schema)
  if (isScalar(found)) made.commentBefore = [found.commentBefore, found.comment].filter(Boolean).join('\n') || null
  parent.set(name, made)
  return made
}

/** Writes the keys of an empty map (`{}`, also an empty file) one per line. */
function unfold(map: YAMLMap): YAMLMap {
  if (map.items.length === 0) map.flow = false
  return map
}

export function removeIn(document: Document, steps: readonly string[]): boolean {
  if (!document.hasIn(steps)) return false
  document.deleteIn(steps)
  for (let depth = steps.length - 1; depth > 0; depth--) {
    const section = document.getIn(steps.slice(0, depth))
    if (isMap(section) && section.items.length === 0) document.deleteIn(steps.slice(0, depth))
  }
  return true
}
