/** Finds settings of a project that an agent would use although it must not. */
import { existsSync, lstatSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { AcpProfile } from '../adapter/acp-profile.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { NO_SURROUNDINGS, rootsOf, type Surroundings } from '../adapter/surroundings.ts'
import { projectSettingsRefused } from './faults.ts'
import { KNOWN_AGENTS } from './known-agents.ts'

/** Of the agents that have a dedicated adapter. */
const OF_NATIVE_AGENTS = ['.claude/settings.json', '.claude/settings.local.json', '.gemini', '.cursor']

/** An agent that was never tried may read the settings of any other. */
function refusedBy({ withoutProject }: AcpProfile): readonly string[] {
  if (withoutProject !== undefined) return withoutProject.refused
  const known = KNOWN_AGENTS.flatMap(({ profile }) => profile.withoutProject?.refused ?? [])
  return [...new Set([...known, ...OF_NATIVE_AGENTS])]
}

export function readProjectSettings(
  profile: AcpProfile,
  place: Pick<AgentRequest, 'env' | 'workdir' | 'additionalDirectories'>,
): Surroundings {
  const names = refusedBy(profile)
  const { env, workdir } = place
  const folders = [...new Set(rootsOf(place).flatMap((root) => foldersAbove(root, env['HOME'])))]
  const projectSettings = folders.flatMap((folder) =>
    names.filter((name) => isThere(join(folder, name))).map((name) => relative(workdir, join(folder, name))),
  )
  return { ...NO_SURROUNDINGS, projectSettings }
}

/** What stands in the home itself is the user's own. Some agents look further up than the repository. */
function foldersAbove(folder: string, home: string | undefined): string[] {
  if (folder === home) return []
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent, home)]
}

/** Also a link that leads nowhere yet. */
function isThere(path: string): boolean {
  return existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Throws a Fault if there are settings that the agent would use. */
export function refuseProjectSettings({ backend, ignoresProject, surroundings }: Found): void {
  const [first, ...more] = surroundings?.projectSettings ?? []
  if (ignoresProject && first !== undefined) throw projectSettingsRefused({ backend, file: first, more: more.length })
}

type Found = Pick<AgentRequest, 'backend' | 'ignoresProject' | 'surroundings'>

/** The same for what is there now: another agent may have written it since the request was made. */
export function refuseNewSettings(request: AgentRequest): void {
  const { agent, ignoresProject } = request
  // Stryker disable next-line ConditionalExpression,LogicalOperator: it only saves time; what follows refuses nothing else
  if (!ignoresProject || !('profile' in agent)) return
  refuseProjectSettings({ ...request, surroundings: agent.readSurroundings?.(request) })
}
