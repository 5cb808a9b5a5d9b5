/**
 * The settings for agents in the worktree of a run, and whether the user trusts them. They are compared by content before each
 * attempt, so that agents never use what an agent has written.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { userHome } from '../agents/adapter/surroundings.ts'
import { isAgentSettings } from '../kit/agent-configuration.ts'
import { type Digest, digestFields } from '../kit/digest.ts'
import { tryTo } from '../kit/fault.ts'
import { readRecordFile, saveRecordFile } from '../kit/files/record-file.ts'
import { digestPrograms, readGitSettings } from '../kit/git/read-settings.ts'
import { checker } from '../kit/schema.ts'
import { compareBytes } from '../kit/utf8.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import type { RunContext } from '../runs/run-context.ts'
import { createPathReader, observePath } from '../workspace/observe-path.ts'
import { ContentBudget } from '../workspace/read-content.ts'
import { findNamed } from '../workspace/unseen-configuration.ts'
import { validateSettingsDecision } from './record/checks.generated.js'
import type { SettingsDecision } from './record/user-records.shape.ts'

export type ProjectSettings = {
  readonly paths: readonly string[]
  /** Undefined if they cannot be trusted: not all could be read, or there is a link, which may lead anywhere. */
  readonly digest: Digest | undefined
}

export type ProjectTrust = {
  /** The setting `agents.project_settings`. */
  readonly use: 'trusted' | 'never'
  /** The directory with the decisions of the user. */
  readonly decisions: string
}

export async function readProjectSettings({ workspace }: Pick<RunContext, 'workspace'>): Promise<ProjectSettings> {
  const { worktree_root: root, git_common_dir: repository } = workspace
  const { found, isCut } = await findNamed(root, isAgentSettings)
  const paths = found.sort(compareBytes)
  const reader = createPathReader({ root, budget: new ContentBudget() })
  const observed = paths.map((path) => observePath(toSubject(path), reader))
  const isWhole = !isCut && observed.every(({ observation }) => observation === 'regular')
  // Settings may name files of their project, so the same settings of another one are others.
  const fields = observed.flatMap(({ path, content_sha256: content = '' }) => [path, content])
  return { paths, digest: isWhole ? digestFields(['drover-project-settings/v1', repository, ...fields]) : undefined }
}

function toSubject(path: string) {
  return { path, bytes: Buffer.from(path).toString('latin1'), category: 'settings', state: '' } as const
}

/** The digest of the settings that agents may use now; undefined: none. */
export async function findTrusted(
  runs: Pick<RunContext, 'workspace'>,
  { use, decisions }: ProjectTrust,
): Promise<Digest | undefined> {
  if (use === 'never' || !existsSync(decisions)) return undefined
  const { paths, digest } = await readProjectSettings(runs)
  if (paths.length === 0 || digest === undefined) return undefined
  return findDecision(decisions, digest) === 'trusted' ? digest : undefined
}

/** A digest of what the repository tells git to run; undefined: nothing, or nothing that can be read. */
export function findGitPrograms(
  { workspace }: Pick<RunContext, 'workspace'>,
  { env }: Pick<PromptContext, 'env'>,
): Digest | undefined {
  const place = { directory: workspace.worktree_root, home: userHome(env) }
  return tryTo(() => digestPrograms(readGitSettings(place)))
}

/** What the user has decided about the settings of projects: one file for each, `trusted-settings/<digest>.json`. */
const LIMIT_BYTES = 1024 * 1024

const checkDecision = checker<SettingsDecision>('settingsDecision', validateSettingsDecision)

/** `directory` is that of all decisions. */
export function saveDecision(directory: string, decision: SettingsDecision): void {
  saveRecordFile(decisionPath(directory, decision.digest), decision)
}

/** Undefined if the user has not decided, or if the file is not valid: then nothing is trusted. */
export function findDecision(directory: string, digest: string): SettingsDecision['decision'] | undefined {
  const found = tryTo(() => readRecordFile(decisionPath(directory, digest), checkDecision, LIMIT_BYTES))
  return found?.digest === digest ? found.decision : undefined
}

function decisionPath(directory: string, digest: string): string {
  return join(directory, `${digest.replace('sha256:', '')}.json`)
}
