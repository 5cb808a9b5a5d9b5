import { toAgentEnvironment } from '../../../agents/adapter/agent-environment.ts'
import { askVersion, type VersionAnswer } from '../../../agents/probe-version.ts'
import { findProgram, findVersion, formatVersion, isOlder, type Version } from '../../../kit/process/find-program.ts'
import { askGitVersion, type GitVersion, OLDEST_GIT } from '../../../workspace/git-version.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem, warning } from './finding.ts'

const OLDEST_NODE: Version = [24, 0, 0]

export const NODE = defineFindings('Programs', 'node', {
  node_supported: ok('Node is new enough.'),
  node_too_old: problem(
    'Node is older than 24, the first version that has everything drover uses.',
    'install Node 24 or later from https://nodejs.org/en/download',
  ),
})

export const GIT = defineFindings('Programs', 'git', {
  git_supported: ok('Git is new enough.'),
  git_missing: problem(
    'Git is not in PATH. Hosts and runs need it; prompts and the server do not.',
    'install git, or correct PATH',
  ),
  git_too_old: problem(
    `Git is older than ${formatVersion(OLDEST_GIT)}.`,
    `install git ${formatVersion(OLDEST_GIT)} or later`,
  ),
  git_version_unknown: warning(
    '`git version` failed, took too long, or printed no version.',
    'run git version yourself',
  ),
})

export const DROVER = defineFindings('Programs', 'drover', {
  drover_on_path: ok('Hosts that call `drover` get this version.'),
  drover_not_on_path: warning(
    '`drover` is not in PATH, so hosts cannot call it.',
    'run npm install --global . in the clone of drover, or add the directory of drover to PATH',
  ),
  drover_other_version: warning(
    'The `drover` in PATH has a different version from this one, or does not report its version.',
    'update it, or remove the one that you do not want',
  ),
})

export async function checkPrograms({ runtime, signal, git }: CheckContext): Promise<Finding[]> {
  const { env, cwd } = runtime
  const path = findProgram('drover', runtime)
  const [gitVersion, answer] = await Promise.all([
    askGitVersion(git, { directory: cwd, signal }),
    path === undefined ? undefined : askVersion([path], { env: toAgentEnvironment({ env }, {}), signal }),
  ])
  const inPath = path === undefined || answer === undefined ? undefined : { path, answer }
  return [assessNode(process.versions.node), assessGit(gitVersion), assessDrover(inPath, runtime.version())]
}

export function assessNode(version: string): Finding {
  const found = findVersion(version)
  const detail = `Node ${version}`
  return found === undefined || isOlder(found, OLDEST_NODE)
    ? NODE.node_too_old({ detail })
    : NODE.node_supported({ detail })
}

function assessGit(found: GitVersion): Finding {
  if (found.is === 'missing') return GIT.git_missing({ detail: 'git is not in PATH' })
  if (found.is === 'unknown') return GIT.git_version_unknown({ detail: found.problem })
  const detail = `git ${formatVersion(found.version)} (${found.program})`
  return found.isTooOld ? GIT.git_too_old({ detail }) : GIT.git_supported({ detail })
}

/** `own` is the version of the running drover. */
function assessDrover(found: { path: string; answer: VersionAnswer } | undefined, own: string): Finding {
  if (found === undefined) return DROVER.drover_not_on_path({ detail: 'drover is not in PATH' })
  const { path, answer } = found
  if (answer.is === 'version' && answer.version === own)
    return DROVER.drover_on_path({ detail: `${path} is drover ${own}` })
  const claim = answer.is === 'version' ? `is drover ${answer.version}` : 'does not report its version'
  return DROVER.drover_other_version({ detail: `${path} ${claim}; this is drover ${own}` })
}
