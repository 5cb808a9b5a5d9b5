import { toAgentEnvironment } from '../../../agents/adapter/agent-environment.ts'
import { askVersion, type VersionAnswer } from '../../../agents/probe-version.ts'
import { findProgram } from '../../../kit/process/find-program.ts'
import { findVersion, formatVersion, isOlder, type Version } from '../../../kit/version.ts'
import { askGitVersion, type GitVersion, OLDEST_GIT } from '../../../workspace/git-version.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFinding, type Finding } from './finding.ts'

const OLDEST_NODE: Version = [24, 0, 0]

const [NODE, GIT, DROVER] = [
  { group: 'Programs', name: 'node' },
  { group: 'Programs', name: 'git' },
  { group: 'Programs', name: 'drover' },
] as const

export const nodeSupported = defineFinding({
  ...NODE,
  code: 'node_supported',
  status: 'ok',
  means: 'Node is new enough.',
})

export const nodeTooOld = defineFinding({
  ...NODE,
  code: 'node_too_old',
  status: 'error',
  means: 'Node is older than 24, the first version that has everything drover uses.',
  todo: 'install Node 24 or later from https://nodejs.org/en/download',
})

export const gitSupported = defineFinding({ ...GIT, code: 'git_supported', status: 'ok', means: 'Git is new enough.' })

export const gitMissing = defineFinding({
  ...GIT,
  code: 'git_missing',
  status: 'error',
  means: 'Git is not in PATH. Hosts and runs need it; prompts and the server do not.',
  todo: 'install git, or correct PATH',
})

export const gitTooOld = defineFinding({
  ...GIT,
  code: 'git_too_old',
  status: 'error',
  means: `Git is older than ${formatVersion(OLDEST_GIT)}.`,
  todo: `install git ${formatVersion(OLDEST_GIT)} or later`,
})

export const gitVersionUnknown = defineFinding({
  ...GIT,
  code: 'git_version_unknown',
  status: 'warning',
  means: '`git version` failed, took too long, or printed no version.',
  todo: 'run git version yourself',
})

export const droverOnPath = defineFinding({
  ...DROVER,
  code: 'drover_on_path',
  status: 'ok',
  means: 'Hosts that call `drover` get this version.',
})

export const droverNotOnPath = defineFinding({
  ...DROVER,
  code: 'drover_not_on_path',
  status: 'warning',
  means: '`drover` is not in PATH, so hosts cannot call it.',
  todo: 'run npm install --global . in the clone of drover, or add the directory of drover to PATH',
})

export const droverOtherVersion = defineFinding({
  ...DROVER,
  code: 'drover_other_version',
  status: 'warning',
  means: 'The `drover` in PATH has a different version from this one, or does not report its version.',
  todo: 'update it, or remove the one that you do not want',
})

export async function checkPrograms({ runtime, signal, git }: CheckContext): Promise<Finding[]> {
  const { env, cwd } = runtime
  const path = findProgram('drover', runtime)
  const [gitVersion, answer] = await Promise.all([
    askGitVersion(git, { directory: cwd, signal }),
    path === undefined ? undefined : askVersion([path], { env: toAgentEnvironment({ env }, {}), cwd, signal }),
  ])
  const inPath = path === undefined || answer === undefined ? undefined : { path, answer }
  return [assessNode(process.versions.node), assessGit(gitVersion), assessDrover(inPath, runtime.version())]
}

export function assessNode(version: string): Finding {
  const found = findVersion(version)
  const detail = `Node ${version}`
  return found === undefined || isOlder(found, OLDEST_NODE) ? nodeTooOld({ detail }) : nodeSupported({ detail })
}

function assessGit(found: GitVersion): Finding {
  if (found.is === 'missing') return gitMissing({ detail: 'git is not in PATH' })
  if (found.is === 'unknown') return gitVersionUnknown({ detail: found.problem })
  const detail = `git ${formatVersion(found.version)} (${found.program})`
  return found.isTooOld ? gitTooOld({ detail }) : gitSupported({ detail })
}

type DroverInPath = { path: string; answer: VersionAnswer }

/** `own` is the version of the running drover. */
function assessDrover(found: DroverInPath | undefined, own: string): Finding {
  if (found === undefined) return droverNotOnPath({ detail: 'drover is not in PATH' })
  const { path, answer } = found
  if (answer.is === 'version' && answer.version === own) return droverOnPath({ detail: `${path} is drover ${own}` })
  const claim = answer.is === 'version' ? `is drover ${answer.version}` : 'does not report its version'
  return droverOtherVersion({ detail: `${path} ${claim}; this is drover ${own}` })
}
