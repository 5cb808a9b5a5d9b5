/** Changes single keys of the config file and leaves everything else in it, comments and order too. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Document, isMap, isScalar, visit, YAMLMap } from 'yaml'
import { withLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { replaceFile } from '../kit/files/write-file.ts'
import { checkLayer } from './check-layer.ts'
import { type ConfigProblem, configInvalid, configValueInvalid } from './faults.ts'
import { type NamedKey, nameKey } from './name-key.ts'
import { byLine } from './origin.ts'
import { type ParsedConfig, parseConfig } from './parse-config.ts'
import { type ParsedText, parseList, parseText } from './parse-text.ts'
import { readConfigText } from './read-config.ts'
import { settle } from './settle.ts'

/** `path` is the file, `key` a key or an entry of a map as a person names it. */
export type Edit = { path: string; key: string }

/**
 * Writes one key, given in the words of a command line: several for a list, one for anything else. The file that would
 * come of it is checked as a whole before anything is written. A missing file is made, for its user alone.
 */
export async function setConfigValue(edit: Edit & { value: readonly string[] }): Promise<{ value: unknown }> {
  const named = nameKey(edit.key)
  const parsed = parseWords(named, edit.value)
  if ('rule' in parsed) throw configValueInvalid({ key: edit.key, problems: [{ key: edit.key, rule: parsed.rule }] })
  const folder = dirname(edit.path)
  if (!isDirectory(folder)) ensurePrivateDirectory({ path: folder })
  await changeFile(edit, (document) => put(document, { steps: named.steps, value: parsed.value }))
  return { value: parsed.value }
}

/** Takes one key out of the file, with the sections that are empty then. */
export async function unsetConfigValue(edit: Edit): Promise<{ wasSet: boolean }> {
  const { steps } = nameKey(edit.key)
  if (!existsSync(edit.path)) return { wasSet: false }
  return { wasSet: await changeFile(edit, (document) => take(document, steps)) }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function parseWords({ key, entry }: NamedKey, words: readonly string[]): ParsedText {
  if (key.type === 'list') return parseList(key, words)
  const [word, ...more] = words
  if (word === undefined || more.length > 0) return { rule: `takes one value, not ${words.length}` }
  return entry === undefined ? parseText(key, word) : { value: word }
}

/** Beside the file itself, so that those who come by a symbolic link and those who do not meet at one lock. */
export function lockPathOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}.lock`
}

/** Lets one process at a time read, change and write the file. `change` tells whether it changed anything. */
async function changeFile({ path, key }: Edit, change: (document: Document) => boolean): Promise<boolean> {
  return await withLock({ path: lockPathOf(path), mode: 'exclusive' }, async () => {
    const before = parseConfig({ text: readConfigText(path) ?? '', file: path })
    const troubles = await problemsOf(before)
    if (troubles.length > 0) throw configInvalid({ file: path, problems: troubles })
    refuseAliases(before.document, key)
    if (!change(before.document)) return false
    const text = before.document.toString({ lineWidth: 0 })
    const problems = await problemsOf(parseConfig({ text, file: path }))
    if (problems.length > 0) throw configValueInvalid({ key, problems })
    replaceFile({ path, bytes: Buffer.from(text), mode: 0o600, links: 'follow' })
    return true
  })
}

async function problemsOf({ layer, problems }: ParsedConfig): Promise<ConfigProblem[]> {
  const found = [...problems, ...(await checkLayer(layer))].toSorted(byLine)
  return found.length > 0 ? found : settle([layer]).problems
}

/** What an alias stands for would change with its anchor, in a place that nobody named. */
function refuseAliases(document: Document, key: string): void {
  visit(document, {
    Alias() {
      throw configValueInvalid({ key, problems: [{ key: '', rule: 'the file has aliases (*); edit it by hand' }] })
    },
  })
}

function put(document: Document, { steps, value }: { steps: readonly string[]; value: unknown }): boolean {
  if (!isMap(document.contents)) document.contents = new YAMLMap(document.schema)
  const section = steps.slice(0, -1).reduce(openSection, unfold(document.contents as YAMLMap))
  // A plain value goes into the node that is there, which keeps the comment behind it.
  section.set(steps.at(-1), Array.isArray(value) ? document.createNode(value) : value)
  return true
}

/** The map under a name. One left empty, perhaps with comments where its keys would be, becomes one with those comments. */
function openSection(parent: YAMLMap, name: string): YAMLMap {
  const found = parent.get(name, true)
  if (isMap(found)) return unfold(found)
  const made = new YAMLMap(parent.schema)
  if (isScalar(found)) made.commentBefore = [found.commentBefore, found.comment].filter(Boolean).join('\n') || null
  parent.set(name, made)
  return made
}

/** `{}`, which is also what is left of a file without keys, gets its keys one a line. */
function unfold(map: YAMLMap): YAMLMap {
  if (map.items.length === 0) map.flow = false
  return map
}

function take(document: Document, steps: readonly string[]): boolean {
  if (!document.hasIn(steps)) return false
  document.deleteIn(steps)
  for (let depth = steps.length - 1; depth > 0; depth--) {
    const section = document.getIn(steps.slice(0, depth))
    if (isMap(section) && section.items.length === 0) document.deleteIn(steps.slice(0, depth))
  }
  return true
}
