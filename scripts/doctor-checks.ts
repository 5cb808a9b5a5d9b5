/** Everything that `drover doctor` can find, gathered from its files, in the order of its report. */
import * as agents from '../src/cli/doctor/agents.ts'
import { CHECK_GROUPS, type CheckGroup, type CheckKind, type CheckMaker } from '../src/cli/doctor/check.ts'
import * as configuration from '../src/cli/doctor/configuration.ts'
import * as examine from '../src/cli/doctor/examine.ts'
import * as github from '../src/cli/doctor/github.ts'
import * as hosts from '../src/cli/doctor/hosts.ts'
import * as host from '../src/cli/doctor/judge-host.ts'
import * as locks from '../src/cli/doctor/locks.ts'
import * as programs from '../src/cli/doctor/programs.ts'
import * as repository from '../src/cli/doctor/repository.ts'
import * as runStorage from '../src/cli/doctor/run-storage.ts'
import * as runs from '../src/cli/doctor/runs.ts'
import * as sessions from '../src/cli/doctor/sessions.ts'
import { compareBytes } from '../src/kit/utf8.ts'

const FILES: readonly object[] = [
  repository,
  host,
  hosts,
  runStorage,
  runs,
  github,
  programs,
  configuration,
  sessions,
  locks,
  agents,
  examine,
]

const STATUSES: readonly CheckKind['status'][] = ['ok', 'warning', 'error']

export function gatherChecks(): { group: CheckGroup; kinds: CheckKind[] }[] {
  const makers = FILES.flatMap((file) => Object.values(file).filter(isMaker))
  const kinds = makers.map(({ kind }) => kind).toSorted(byName)
  return CHECK_GROUPS.map((group) => ({ group, kinds: kinds.filter((kind) => kind.group === group) }))
}

/** What is about the same thing stands together, what is well before what is not. */
function byName(one: CheckKind, other: CheckKind): number {
  return (
    compareBytes(one.name, other.name) ||
    STATUSES.indexOf(one.status) - STATUSES.indexOf(other.status) ||
    compareBytes(one.code, other.code)
  )
}

function isMaker(value: unknown): value is CheckMaker {
  return typeof value === 'function' && 'kind' in value
}
