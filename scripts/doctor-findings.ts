/** Everything that `drover doctor` can find, gathered from its files, in the order of the report for people. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  FINDING_GROUPS,
  type FindingGroup,
  type FindingKind,
  type FindingMaker,
} from '../src/cli/doctor/checks/finding.ts'
import { compareBytes } from '../src/kit/utf8.ts'

const STATUSES: readonly FindingKind['status'][] = ['ok', 'warning', 'error']

export async function gatherFindings(): Promise<{ group: FindingGroup; kinds: FindingKind[] }[]> {
  const doctor = join(import.meta.dirname, '..', 'src', 'cli', 'doctor')
  const files = globSync(['all-checks.ts', 'checks/*.ts'], { cwd: doctor }).filter((file) => !file.endsWith('.test.ts'))
  const modules = await Promise.all(
    files.map((file): Promise<object> => import(pathToFileURL(join(doctor, file)).href)),
  )
  const makers = modules.flatMap((exports) => Object.values(exports).flatMap(Object.values).filter(isMaker))
  const kinds = makers.map(({ kind }) => kind).toSorted(byName)
  return FINDING_GROUPS.map((group) => ({ group, kinds: kinds.filter((kind) => kind.group === group) }))
}

/** By subject, then by status. */
function byName(one: FindingKind, other: FindingKind): number {
  return (
    compareBytes(one.name, other.name) ||
    STATUSES.indexOf(one.status) - STATUSES.indexOf(other.status) ||
    compareBytes(one.code, other.code)
  )
}

function isMaker(value: unknown): value is FindingMaker {
  return typeof value === 'function' && 'kind' in value
}
