/** What installing into hosts, or refreshing them, does to files: decided from what was found, all hosts together. */

import { installFailed } from '../faults.ts'
import { type FoundFiles, sayBlocked } from '../found-files.ts'
import { type Host, manifestPath, type Surface, sentinelPath } from '../host.ts'
import { EARLIER_FILES, type EarlierFile } from '../hosts.ts'
import {
  describeMarkerOnly,
  type InspectedHost,
  type Installed,
  inspectFiles,
  inspectHost,
  MANIFEST_REMEDY,
} from '../inspect-host.ts'
import { settleSurfaces } from './choose-surfaces.ts'
import { joinPlans, onlyWarn, type Plan, toChangeReport } from './plan.ts'
import { type Ground, planHostFiles } from './plan-files.ts'

export type InstallRequest = {
  /** In the order of the registry. */
  readonly hosts: readonly Host[]
  /** Whether a person named them, or they were detected. */
  readonly isExplicit: boolean
  readonly surface?: Surface | undefined
  /** Bring what is installed up to date; without it an installed host is left as it is. */
  readonly isRefresh: boolean
  readonly found: FoundFiles
  readonly earlier?: readonly EarlierFile[]
}

export function planInstall(request: InstallRequest): Plan {
  const { found, earlier = EARLIER_FILES } = request
  const inspected = request.hosts.map((host) => ({ host, inspection: inspectHost(host, found, earlier) }))
  const { surfaceOf, skipped } = settleSurfaces(inspected, request)
  const plans: Plan[] = skipped.map((warning) => ({ hosts: [], steps: [], preserved: [], warnings: [warning] }))
  for (const each of inspected.filter(({ host }) => surfaceOf.has(host.id))) {
    const plan = planHost(each, { ...request, earlier, surface: surfaceOf.get(each.host.id) })
    if ('problem' in plan) {
      throw installFailed({ ...plan, report: toChangeReport(joinPlans(plans), { outcome: 'not_committed' }) })
    }
    plans.push(plan)
  }
  return joinPlans(plans)
}

type HostRequest = Required<Pick<InstallRequest, 'isRefresh' | 'found' | 'earlier' | 'surface'>>

function planHost({ host, inspection }: InspectedHost, request: HostRequest): Plan | { problem: string } {
  if (inspection.is === 'unreadable') return { problem: `${inspection.problem}; ${MANIFEST_REMEDY}` }
  if (inspection.is === 'marker_only') return onlyWarn(host, describeMarkerOnly(host))
  if (inspection.is === 'installed' && !request.isRefresh) return onlyWarn(host, sayInstalled(host))
  const ground = inspection.is === 'installed' ? toGround(host, inspection) : bareGround(host, request)
  const paths = [manifestPath(host), sentinelPath(host), ...ground.files.map(({ path }) => path)]
  const problem = sayBlocked(paths, request.found)
  return problem === undefined ? planHostFiles(ground) : { problem }
}

function toGround(host: Host, { surface, files, manifest, sentinel }: Installed): Ground {
  return { host, surface, files, manifest, sentinel }
}

/** Nothing is claimed yet, so whatever is there is somebody else's. */
function bareGround(host: Host, { found, earlier, surface }: HostRequest): Ground {
  const files = inspectFiles({ host, ownership: { surface, claims: new Map() }, found, earlier })
  return { host, surface, files, manifest: undefined, sentinel: 'missing' }
}

function sayInstalled({ id }: Host): string {
  return `drover is installed here already and was left as it is; drover install --refresh --tool ${id} updates it`
}
