/** What doctor says about the programs that drover runs on. Pure. */
import type { VersionAnswer } from '../../agents/probe-version.ts'
import { findVersion, formatVersion, isOlder, type Version } from '../../kit/version.ts'
import { type GitVersion, OLDEST_GIT } from '../../workspace/git-version.ts'
import { defineCheck, type Finding } from './check.ts'

const OLDEST_NODE: Version = [24, 0, 0]

const [NODE, GIT, DROVER] = [
  { group: 'Programs', name: 'node' },
  { group: 'Programs', name: 'git' },
  { group: 'Programs', name: 'drover' },
] as const

export const nodeSupported = defineCheck({
  ...NODE,
  code: 'node_supported',
  status: 'ok',
  means: 'Node is new enough.',
})

export const nodeTooOld = defineCheck({
  ...NODE,
  code: 'node_too_old',
  status: 'error',
  means: 'Node is older than 24, the first that has everything drover uses.',
  todo: 'install Node 24 or later from https://nodejs.org/en/download',
})

export const gitSupported = defineCheck({ ...GIT, code: 'git_supported', status: 'ok', means: 'Git is new enough.' })

export const gitMissing = defineCheck({
  ...GIT,
  code: 'git_missing',
  status: 'error',
  means: 'Git is not in PATH. Hosts and runs need it; prompts and the server do not.',
  todo: 'install git, or correct PATH',
})

export const gitTooOld = defineCheck({
  ...GIT,
  code: 'git_too_old',
  status: 'error',
  means: `Git is older than ${formatVersion(OLDEST_GIT)}.`,
  todo: `install git ${formatVersion(OLDEST_GIT)} or later`,
})

export const gitVersionUnknown = defineCheck({
  ...GIT,
  code: 'git_version_unknown',
  status: 'warning',
  means: '`git version` failed, took too long, or told no version.',
  todo: 'try git version yourself',
})

export const droverOnPath = defineCheck({
  ...DROVER,
  code: 'drover_on_path',
  status: 'ok',
  means: 'Hosts that call `drover` get this version of it.',
})

export const droverNotOnPath = defineCheck({
  ...DROVER,
  code: 'drover_not_on_path',
  status: 'warning',
  means: 'There is no `drover` in PATH, so that hosts cannot call it.',
  todo: 'run npm install --global drover, or put the directory of its program into PATH',
})

export const droverOtherVersion = defineCheck({
  ...DROVER,
  code: 'drover_other_version',
  status: 'warning',
  means: 'The `drover` in PATH is of another version than the one that was started, or tells none.',
  todo: 'update it, or remove the one that is not wanted',
})

export function judgeNode(version: string): Finding {
  const found = findVersion(version)
  const detail = `Node ${version}`
  return found === undefined || isOlder(found, OLDEST_NODE) ? nodeTooOld({ detail }) : nodeSupported({ detail })
}

export function judgeGit(found: GitVersion): Finding {
  if (found.is === 'missing') return gitMissing({ detail: 'git is not in PATH' })
  if (found.is === 'unknown') return gitVersionUnknown({ detail: found.problem })
  const detail = `git ${formatVersion(found.version)} (${found.program})`
  return found.isTooOld ? gitTooOld({ detail }) : gitSupported({ detail })
}

export type OnPath = { path: string; answer: VersionAnswer }

/** `found` is the drover in PATH, undefined for none; `own` is the version of the one that runs. */
export function judgeDrover(found: OnPath | undefined, own: string): Finding {
  if (found === undefined) return droverNotOnPath({ detail: 'drover is not in PATH' })
  const { path, answer } = found
  if (answer.is === 'version' && answer.version === own) return droverOnPath({ detail: `${path} is drover ${own}` })
  const said = answer.is === 'version' ? `is drover ${answer.version}` : 'does not tell its version'
  return droverOtherVersion({ detail: `${path} ${said}, and this is drover ${own}` })
}
