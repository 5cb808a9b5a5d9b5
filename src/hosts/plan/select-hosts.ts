import { nearestWord } from '../../kit/match-names.ts'
import { hostAdapterRequired, installFailed, uninstallFailed, unknownHostAdapter } from '../faults.ts'
import { type FoundDirectories, type FoundFiles, foundAt } from '../found-files.ts'
import { HOST_IDS, type Host } from '../host.ts'
import { findHost, HOSTS } from '../hosts.ts'
import { inspectHost, isDetected, MANIFEST_REMEDY } from '../inspect-host.ts'
import { NOTHING, toChangeReport } from './plan.ts'

const ALL = 'all'

/** The hosts that `--tool` names: each value is a comma-separated list of ids in any case, or `all`. */
export function namedHosts(values: readonly string[]): readonly Host[] {
  const ids = values.flatMap((value) => value.split(',')).map((id) => id.trim().toLowerCase())
  const named = ids.filter((id) => id !== '')
  if (named.length === 0) throw hostAdapterRequired({ problem: '--tool names no host', known: HOST_IDS })
  for (const id of named) {
    if (id === ALL || findHost(id) !== undefined) continue
    throw unknownHostAdapter({ given: id, nearest: nearestWord(id, [...HOST_IDS, ALL]), known: HOST_IDS })
  }
  return HOSTS.filter(({ id }) => named.includes(id) || named.includes(ALL))
}

/** The hosts whose directories exist. Throws if one cannot be inspected. */
export function detectedHosts(found: FoundDirectories): readonly Host[] {
  for (const path of HOSTS.flatMap(({ directories }) => directories)) {
    const there = foundAt(found, path)
    if (there.is !== 'unreadable') continue
    const report = toChangeReport(NOTHING, { outcome: 'not_committed' })
    throw installFailed({ problem: `${path} cannot be inspected: ${there.reason}`, report })
  }
  const detected = HOSTS.filter((host) => isDetected(host, found))
  if (detected.length > 0) return detected
  throw hostAdapterRequired({ problem: 'no host was detected in the repository', known: HOST_IDS })
}

/** The hosts that have a manifest. Throws if one of the manifests is invalid. */
export function installedHosts(found: FoundFiles): readonly Host[] {
  const inspected = HOSTS.map((host) => ({ host, inspection: inspectHost(host, found) }))
  const fail = (problem: string) =>
    uninstallFailed({ problem, report: toChangeReport(NOTHING, { outcome: 'not_committed' }) })
  for (const { inspection } of inspected) {
    if (inspection.is === 'unreadable') throw fail(`${inspection.problem}; ${MANIFEST_REMEDY}`)
  }
  const installed = inspected.filter(({ inspection }) => inspection.is === 'installed').map(({ host }) => host)
  if (installed.length === 0) throw fail('drover is not installed into any host of this repository')
  return installed
}
