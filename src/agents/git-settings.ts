/** Agents run git when they start. Under a ceiling and in a driven run, it must not run what another agent has told it to. */
import { relative } from 'node:path'
import { Fault } from '../kit/fault.ts'
import { isRunByLooking } from '../kit/git/git-program-settings.ts'
import { digestPrograms, readGitSettings } from '../kit/git/read-settings.ts'
import type { AgentRequest } from './adapter/agent.ts'
import { userHome } from './adapter/surroundings.ts'
import { gitSettingsRefused, gitSettingsUnreadable } from './faults.ts'

type Place = Pick<
  AgentRequest,
  'backend' | 'workdir' | 'additionalDirectories' | 'env' | 'ignoresProject' | 'isLimited' | 'knownGitSettings'
>

/** Throws a Fault if git would run a program that nothing turns off. */
export function refuseGitSettings({ additionalDirectories = [], ...place }: Place): void {
  if (!place.ignoresProject) return
  refuseIn(place)
  for (const workdir of additionalDirectories) refuseIn({ ...place, workdir, knownGitSettings: undefined })
}

function refuseIn({ backend, workdir, env, isLimited, knownGitSettings }: Place): void {
  const settings = readOrRefuse({ backend, workdir, env })
  const found = settings.find(isRunByLooking)
  const isKnown = !isLimited && knownGitSettings !== undefined && knownGitSettings === digestPrograms(settings)
  if (found === undefined || isKnown) return
  throw gitSettingsRefused({ backend, key: found.key, file: relative(workdir, found.file) })
}

function readOrRefuse({ backend, workdir, env }: Pick<Place, 'backend' | 'workdir' | 'env'>) {
  try {
    return readGitSettings({ directory: workdir, home: userHome(env) })
  } catch (error) {
    if (error instanceof Fault) throw gitSettingsUnreadable({ backend, problem: error.message }, error)
    throw error
  }
}
