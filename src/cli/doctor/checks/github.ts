import { parseOrigin } from '../../../forge/forge.ts'
import { type GhInspection, type GhRights, inspectGh, locateGh } from '../../../forge/gh.ts'
import { Fault } from '../../../kit/fault.ts'
import { formatVersion, isOlder, type Version } from '../../../kit/process/find-program.ts'
import { askGit } from '../../../workspace/git.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFindings, type Finding, ok, warning } from './finding.ts'

/** The first version with its own commands for sub-issues and dependencies. */
const NATIVE_RELATIONS: Version = [2, 94, 0]

export const CLI = defineFindings('GitHub', 'github_cli', {
  github_cli_unavailable: warning(
    'The GitHub CLI `gh` is not installed. Issues are read and written with it. Runs without an issue do not need it.',
    'install it from https://cli.github.com to work from issues',
  ),
  github_cli_version_unknown: warning(
    '`gh --version` failed, took longer than 5 seconds, or printed no version.',
    'run gh --version yourself; a released build prints its version',
  ),
  github_cli_rest_fallback_required: warning(
    '`gh` is older than 2.94.0 and has no commands for relations between issues. Hosts use the REST API for them.',
    'update gh to 2.94.0 or later',
  ),
  github_cli_compatible: ok('`gh` is 2.94.0 or later.'),
})

export const AUTH = defineFindings('GitHub', 'github_auth', {
  github_auth_unavailable: warning(
    '`gh` is not logged in to github.com, or did not answer within 5 seconds.',
    'run gh auth login --hostname github.com',
  ),
  github_auth_available: ok('`gh` is logged in to github.com.'),
})

export const PERMISSIONS = defineFindings('GitHub', 'github_permissions', {
  github_issue_permissions_ok: ok(
    'The account may read, label and write issues in the repository of the remote `origin`.',
  ),
  github_issue_permissions_limited: warning(
    'The account lacks at least one of these permissions.',
    'ask an owner of the repository for them, or log in with another account',
  ),
  github_issue_permissions_unknown: warning(
    'GitHub did not report the permissions of the account.',
    'check the network and run gh auth status',
  ),
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
  if (found === undefined) return [CLI.github_cli_unavailable({ detail: 'gh is not in PATH' })]
  const { version, isLoggedIn, rights } = found
  return [
    assessVersion(version),
    ...(isLoggedIn === undefined ? [] : [assessLogin(isLoggedIn)]),
    ...(rights === undefined ? [] : [assessPermissions(rights)]),
  ]
}

function assessVersion(version: Version | undefined): Finding {
  if (version === undefined) return CLI.github_cli_version_unknown({ detail: 'gh does not report its version' })
  const detail = `gh ${formatVersion(version)}`
  return isOlder(version, NATIVE_RELATIONS)
    ? CLI.github_cli_rest_fallback_required({ detail })
    : CLI.github_cli_compatible({ detail })
}

function assessLogin(isLoggedIn: boolean): Finding {
  return isLoggedIn
    ? AUTH.github_auth_available({ detail: 'logged in to github.com' })
    : AUTH.github_auth_unavailable({ detail: 'not logged in to github.com' })
}

function assessPermissions({ repository, allows }: GhRights): Finding {
  if (allows === undefined) {
    return PERMISSIONS.github_issue_permissions_unknown({
      detail: `the permissions in ${repository} could not be read`,
    })
  }
  const { read, triage, write } = allows
  const detail = `${repository}: read ${read}, triage ${triage}, write ${write}`
  return read && triage && write
    ? PERMISSIONS.github_issue_permissions_ok({ detail })
    : PERMISSIONS.github_issue_permissions_limited({ detail })
}
