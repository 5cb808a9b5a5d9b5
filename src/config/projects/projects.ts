/** How worktrees of a repository are prepared and checked: what its user decided, in `projects/<digest>.json`. */

import { join } from 'node:path'
import { type Document, parseDocument } from 'yaml'
import { type Digest, digest, digestFields } from '../../kit/digest.ts'
import { Fault, tryTo } from '../../kit/fault.ts'
import { decodeUtf8, readFileBytes } from '../../kit/files/read-file.ts'
import { readRecordFile, saveRecordFile } from '../../kit/files/record-file.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import { problemOfRepositoryPath } from '../../kit/repository-path.ts'
import { checker } from '../../kit/schema.ts'
import type { Config } from '../config.shape.ts'
import { projectFileInvalid } from '../faults.ts'
import { validateProjectFile, validateProjectRecord } from './checks.generated.js'
import type { ProjectFile, ProjectRecord } from './project.shape.ts'

export const PROJECT_FILE = '.drover.yml'
const LIMIT_BYTES = 64 * 1024

const checkRecord = checker<ProjectRecord>('projectRecord', validateProjectRecord)
const checkFile = checker<ProjectFile>(PROJECT_FILE, validateProjectFile)

type Place = {
  /** The directory of all projects. */
  readonly home: string
  /** The git directory of the repository. */
  readonly repository: string
}

/** Undefined if the user has not decided. */
export function findProject({ home, repository }: Place): ProjectRecord | undefined {
  const record = tryTo(() => readRecordFile(recordPath({ home, repository }), checkRecord, LIMIT_BYTES))
  return record?.repository === repository ? record : undefined
}

export function saveProject(home: string, project: Omit<ProjectRecord, 'version'>): void {
  saveRecordFile(recordPath({ home, repository: project.repository }), { version: 1, ...project })
}

function recordPath({ home, repository }: Place): string {
  return join(home, `${digestFields(['drover-project/v1', repository]).replace('sha256:', '')}.json`)
}

export type ReadProjectFile = { readonly content: ProjectFile; readonly text: string; readonly digest: Digest }

/** The file in the root of a worktree; undefined if there is none. Throws `project_file_invalid`. */
export function readProjectFile(root: string): ReadProjectFile | undefined {
  const path = join(root, PROJECT_FILE)
  let bytes: Buffer
  try {
    bytes = readFileBytes({ path, limitBytes: LIMIT_BYTES })
  } catch (error) {
    if (error instanceof Fault && error.code === 'file_missing') return undefined
    throw error
  }
  const text = decodeUtf8({ bytes, source: path })
  const document = parseDocument(text, { schema: 'core', uniqueKeys: true, strict: true })
  const [error] = document.errors
  if (error !== undefined) throw projectFileInvalid({ path, problem: error.message })
  return { content: checkContent(path, toValue(path, document)), text, digest: digest(bytes) }
}

function toValue(path: string, document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 })
  } catch (error) {
    throw projectFileInvalid({ path, problem: 'it has aliases; write the values out' }, error)
  }
}

function checkContent(path: string, value: unknown): ProjectFile {
  const refuse = (problem: string, cause?: unknown) => projectFileInvalid({ path, problem }, cause)
  try {
    const content = checkFile(value ?? {})
    const { setup = [], copy = [], share = [], checks = [] } = content
    for (const command of [...setup, ...checks]) parseCheck(command)
    const wrong = [...copy, ...share].find((each) => problemOfRepositoryPath(each) !== undefined)
    if (wrong !== undefined) throw refuse(`${JSON.stringify(wrong)}: ${problemOfRepositoryPath(wrong)}`)
    return content
  } catch (error) {
    if (!(error instanceof Fault) || error.code === projectFileInvalid.code) throw error
    throw refuse(error.message, error)
  }
}

/** What the user decided about the repository of a worktree, unless a trusted file has changed since. */
function findUsableProject(place: Place & { readonly root: string }): ProjectRecord | undefined {
  const project = findProject(place)
  if (project?.from !== 'file') return project
  return isOutdated(project, tryToReadProjectFile(place.root)) ? undefined : project
}

/** The settings for a repository, for its user. */
export function settingsForUser(config: Config, place: Place & { readonly root: string }): Config {
  return withProject(config, findUsableProject(place))
}

/**
 * The settings for what clients start in a repository. If checks are required, nobody can take them away by changing a file: what
 * was trusted last counts until the user trusts it again.
 */
export function settingsForClients(config: Config, place: Place & { readonly root: string }): Config {
  return config.drive.require_checks ? withProject(config, findProject(place)) : settingsForUser(config, place)
}

/** Undefined if there is none that can be used. */
export function tryToReadProjectFile(root: string): ReadProjectFile | undefined {
  return tryTo(() => readProjectFile(root))
}

/** Whether a file that the user trusted has changed since. */
export function isOutdated({ from, file_digest: trusted }: ProjectRecord, file: ReadProjectFile | undefined): boolean {
  return from === 'file' && trusted !== file?.digest
}

/** The settings for a repository: what its user decided about it counts more than the settings for all. Pure. */
export function withProject(config: Config, project: ProjectRecord | undefined): Config {
  if (project === undefined) return config
  const { setup, copy, share, checks } = project
  return { ...config, drive: { ...config.drive, ...withoutUndefined({ setup, copy, share, checks }) } }
}
