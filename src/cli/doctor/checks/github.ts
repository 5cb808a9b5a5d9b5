import { locateGh } from '../../../forge/gh.ts'
import { type GhInspection, type GhRights, inspectGh } from '../../../forge/inspect-gh.ts'
import { parseOrigin } from '../../../forge/origin-repository.ts'
import { Fault } from '../../../kit/fault.ts'
import { formatVersion, isOlder, type Version } from '../../../kit/version.ts'
import { askGit } from '../../../workspace/git.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFinding, type Finding } from './finding.ts'

/** The first version with its own commands for sub-issues and dependencies. */
const NATIVE_RELATIONS: Version = [2, 94, 0]

const [CLI, AUTH, PERMISSIONS] = [
  { group: 'GitHub', name: 'github_cli' },
  { group: 'GitHub', name: 'github_auth' },
  { group: 'GitHub', name: 'github_permissions' },
] as const

export const githubCliUnavailable = defineFinding({
  ...CLI,
  code: 'github_cli_unavailable',
  status: 'warning',
  means:
    'The GitHub CLI `gh` is not installed. Issues are read and written with it. Runs without an issue do not need it.',
  todo: 'install it from https://cli.github.com to work from issues',
})

export const githubCliVersionUnknown = defineFinding({
  ...CLI,
  code: 'github_cli_version_unknown',
  status: 'warning',
  means: '`gh --version` failed, took longer than 5 seconds, or printed no version.',
  todo: 'run gh --version yourself; a released build prints its version',
})

export const githubCliRestFallbackRequired = defineFinding({
  ...CLI,
  code: 'github_cli_rest_fallback_required',
  status: 'warning',
  means: '`gh` is older than 2.94.0 and has no commands for relations between issues. Hosts use the REST API for them.',
  todo: 'update gh to 2.94.0 or later',
})

export const githubCliCompatible = defineFinding({
  ...CLI,
  code: 'github_cli_compatible',
  status: 'ok',
  means: '`gh` is 2.94.0 or later.',
})

export const githubAuthUnavailable = defineFinding({
  ...AUTH,
  code: 'github_auth_unavailable',
  status: 'warning',
  means: '`gh` is not logged in to github.com, or did not answer within 5 seconds.',
  todo: 'run gh auth login --hostname github.com',
})

export const githubAuthAvailable = defineFinding({
  ...AUTH,
  code: 'github_auth_available',
  status: 'ok',
  means: '`gh` is logged in to github.com.',
})

export const githubIssuePermissionsOk = defineFinding({
  ...PERMISSIONS,
  code: 'github_issue_permissions_ok',
  status: 'ok',
  means: 'The account may read, label and write issues in the repository of the remote `origin`.',
})

export const githubIssuePermissionsLimited = defineFinding({
  ...PERMISSIONS,
  code: 'github_issue_permissions_limited',
  status: 'warning',
  means: 'The account lacks at least one of these permissions.',
  todo: 'ask an owner of the repository for them, or log in with another account',
})

export const githubIssuePermissionsUnknown = defineFinding({
  ...PERMISSIONS,
  code: 'github_issue_permissions_unknown',
  status: 'warning',
  means: 'GitHub did not report the permissions of the account.',
  todo: 'check the network and run gh auth status',
})

export async function checkGitHub(context: CheckContext): Promise<Finding[]> {
  const { runtime, isOffline, signal } = context
  return assessGh(await inspectGh(locateGh(runtime), { findOrigin: () => findOrigin(context), isOffline, signal }))
}

/** The GitHub repository of the remote `origin`; undefined without one. */
async function findOrigin({ repository, git, signal }: CheckContext) {
  const found = await repository
  if (found.is === 'missing') return undefined
  try {
    const directory = found.value.worktree_root
    const { code, stdout } = await askGit(git, { directory, args: ['remote', 'get-url', 'origin'], signal })
    return parseOrigin(code === 0 ? stdout.toString('utf8').replace(/\r?\n$/, '') : '')
  } catch (error) {
    if (error instanceof Fault) return parseOrigin('')
    throw error
  }
}

/** `found` is undefined if gh is not installed. */
function assessGh(found: GhInspection | undefined): Finding[] {
  if (found === undefined) return [githubCliUnavailable({ detail: 'gh is not in PATH' })]
  const { version, isLoggedIn, rights } = found
  return [
    assessVersion(version),
    ...(isLoggedIn === undefined ? [] : [assessLogin(isLoggedIn)]),
    ...(rights === undefined ? [] : [assessPermissions(rights)]),
  ]
}

function assessVersion(version: Version | undefined): Finding {
  if (version === undefined) return githubCliVersionUnknown({ detail: 'gh does not report its version' })
  const detail = `gh ${formatVersion(version)}`
  return isOlder(version, NATIVE_RELATIONS)
    ? githubCliRestFallbackRequired({ detail })
    : githubCliCompatible({ detail })
}

function assessLogin(isLoggedIn: boolean): Finding {
  return isLoggedIn
    ? githubAuthAvailable({ detail: 'logged in to github.com' })
    : githubAuthUnavailable({ detail: 'not logged in to github.com' })
}

function assessPermissions({ repository, allows }: GhRights): Finding {
  if (allows === undefined) {
    return githubIssuePermissionsUnknown({ detail: `the permissions in ${repository} could not be read` })
  }
  const { read, triage, write } = allows
  const detail = `${repository}: read ${read}, triage ${triage}, write ${write}`
  return read && triage && write ? githubIssuePermissionsOk({ detail }) : githubIssuePermissionsLimited({ detail })
}
