/** What doctor says about the GitHub CLI. Pure. */
import { formatVersion, isOlder, type Version } from '../../kit/version.ts'
import type { GhInspection, GhRights } from '../../source/inspect-gh.ts'
import { defineCheck, type Finding } from './check.ts'

/** The first that knows sub-issues and dependencies by itself. */
const NATIVE_RELATIONS: Version = [2, 94, 0]

const [CLI, AUTH, PERMISSIONS] = [
  { group: 'GitHub', name: 'github_cli' },
  { group: 'GitHub', name: 'github_auth' },
  { group: 'GitHub', name: 'github_permissions' },
] as const

export const githubCliUnavailable = defineCheck({
  ...CLI,
  code: 'github_cli_unavailable',
  status: 'warning',
  means:
    'The GitHub CLI `gh`, through which issues are read and written, is not installed. Runs without an issue need none.',
  todo: 'install it from https://cli.github.com to work from issues',
})

export const githubCliVersionUnknown = defineCheck({
  ...CLI,
  code: 'github_cli_version_unknown',
  status: 'warning',
  means: '`gh --version` failed, took longer than 5 seconds, or told no version.',
  todo: 'try gh --version yourself; a released build tells its version',
})

export const githubCliRestFallbackRequired = defineCheck({
  ...CLI,
  code: 'github_cli_rest_fallback_required',
  status: 'warning',
  means: '`gh` is older than 2.94.0 and does not know relations between issues; hosts set them through the REST API.',
  todo: 'update gh to 2.94.0 or later',
})

export const githubCliCompatible = defineCheck({
  ...CLI,
  code: 'github_cli_compatible',
  status: 'ok',
  means: '`gh` is 2.94.0 or later.',
})

export const githubAuthUnavailable = defineCheck({
  ...AUTH,
  code: 'github_auth_unavailable',
  status: 'warning',
  means: '`gh` is not logged in to github.com, or could not find out within 5 seconds.',
  todo: 'run gh auth login --hostname github.com',
})

export const githubAuthAvailable = defineCheck({
  ...AUTH,
  code: 'github_auth_available',
  status: 'ok',
  means: '`gh` is logged in to github.com.',
})

export const githubIssuePermissionsOk = defineCheck({
  ...PERMISSIONS,
  code: 'github_issue_permissions_ok',
  status: 'ok',
  means: 'The account may read, label and write issues of the repository that the remote `origin` names.',
})

export const githubIssuePermissionsLimited = defineCheck({
  ...PERMISSIONS,
  code: 'github_issue_permissions_limited',
  status: 'warning',
  means: 'The account may not do all of that.',
  todo: 'ask an owner of the repository for more, or log in as somebody else',
})

export const githubIssuePermissionsUnknown = defineCheck({
  ...PERMISSIONS,
  code: 'github_issue_permissions_unknown',
  status: 'warning',
  means: 'GitHub did not say what the account may do.',
  todo: 'check the network, and gh auth status',
})

/** `found` is undefined when gh is not installed. */
export function judgeGh(found: GhInspection | undefined): Finding[] {
  if (found === undefined) return [githubCliUnavailable({ detail: 'gh is not in PATH' })]
  const { version, isLoggedIn, rights } = found
  return [
    judgeVersion(version),
    ...(isLoggedIn === undefined ? [] : [judgeLogin(isLoggedIn)]),
    ...(rights === undefined ? [] : [judgeRights(rights)]),
  ]
}

function judgeVersion(version: Version | undefined): Finding {
  if (version === undefined) return githubCliVersionUnknown({ detail: 'gh does not tell its version' })
  const detail = `gh ${formatVersion(version)}`
  return isOlder(version, NATIVE_RELATIONS)
    ? githubCliRestFallbackRequired({ detail })
    : githubCliCompatible({ detail })
}

function judgeLogin(isLoggedIn: boolean): Finding {
  return isLoggedIn
    ? githubAuthAvailable({ detail: 'logged in to github.com' })
    : githubAuthUnavailable({ detail: 'not logged in to github.com' })
}

function judgeRights({ repository, allows }: GhRights): Finding {
  if (allows === undefined)
    return githubIssuePermissionsUnknown({ detail: `the rights in ${repository} could not be had` })
  const { read, triage, write } = allows
  const detail = `${repository}: read ${read}, triage ${triage}, write ${write}`
  return read && triage && write ? githubIssuePermissionsOk({ detail }) : githubIssuePermissionsLimited({ detail })
}
