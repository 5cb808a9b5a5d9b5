/** Plans the installation or refresh of all selected hosts. Pure. */
import { installFailed, invalidAdapterSurface } from '../faults.ts'
import { describeBlocked, type FoundFiles } from '../found-files.ts'
import { type Host, type HostId, manifestPath, type Surface, sentinelPath } from '../host.ts'
import { EARLIER_FILES, type EarlierFile } from '../hosts.ts'
import {
  describeMarkerOnly,
  type InspectedHost,
  type Installed,
  inspectFiles,
  inspectHost,
  MANIFEST_REMEDY,
} from '../inspect-host.ts'
import { joinPlans, onlyWarn, type Plan, toChangeReport } from './plan.ts'
import { type HostFiles, planHostFiles } from './plan-files.ts'

export type InstallRequest = {
  /** In the order of the registry. */
  readonly hosts: readonly Host[]
  /** Whether the user named the hosts; otherwise they were detected. */
  readonly isExplicit: boolean
  readonly surface?: Surface | undefined
  /** Update installed hosts. Otherwise an installed host is not changed. */
  readonly isRefresh: boolean
  readonly found: FoundFiles
  readonly earlier?: readonly EarlierFile[]
}

export function planInstall(request: InstallRequest): Plan {
  const { found, earlier = EARLIER_FILES } = request
  const inspected = request.hosts.map((host) => ({ host, inspection: inspectHost(host, found, earlier) }))
  const { surfaceOf, skipped } = chooseSurfaces(inspected, request)
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
  if (inspection.is === 'installed' && !request.isRefresh) return onlyWarn(host, describeInstalled(host))
  const hostFiles = inspection.is === 'installed' ? installedHostFiles(host, inspection) : newHostFiles(host, request)
  const paths = [manifestPath(host), sentinelPath(host), ...hostFiles.files.map(({ path }) => path)]
  const problem = describeBlocked(paths, request.found)
  return problem === undefined ? planHostFiles(hostFiles) : { problem }
}

function installedHostFiles(host: Host, { surface, files, manifest, sentinel }: Installed): HostFiles {
  return { host, surface, files, manifest, sentinel }
}

/** Nothing is claimed yet, so drover owns none of the existing files. */
function newHostFiles(host: Host, { found, earlier, surface }: HostRequest): HostFiles {
  const files = inspectFiles({ host, ownership: { surface, claims: new Map() }, found, earlier })
  return { host, surface, files, manifest: undefined, sentinel: 'missing' }
}

function describeInstalled({ id }: Host): string {
  return `drover is already installed here and was not changed; run drover hosts install --refresh --tool ${id} to update it`
}

type ChosenSurfaces = {
  /** Every host that can be planned; undefined for a host without surfaces. */
  readonly surfaceOf: ReadonlyMap<HostId, Surface | undefined>
  /** A warning for each host that needs a choice. */
  readonly skipped: readonly string[]
}

const CHOICES = '--surface ide for the editor or --surface cli for the command line'

/** Throws `invalid_adapter_surface` if the user has to choose first. */
function chooseSurfaces(
  inspected: readonly InspectedHost[],
  { surface, isExplicit }: { readonly surface?: Surface | undefined; readonly isExplicit: boolean },
): ChosenSurfaces {
  const surfaceOf = new Map<HostId, Surface | undefined>()
  const skipped: string[] = []
  if (surface !== undefined && !inspected.some(({ host }) => host.surfaces.length > 0)) {
    throw invalidAdapterSurface({ problem: '--surface is only for kiro, which is not selected; omit it' })
  }
  for (const each of inspected) {
    const { id } = each.host
    if (needsChoice(each) && surface === undefined) {
      if (isExplicit || inspected.length === 1) throw surfaceRequired(each, inspected)
      skipped.push(
        `${id}: it was skipped because it can be called in two ways; install it with --tool ${id} and ${CHOICES}`,
      )
    } else surfaceOf.set(id, surfaceFor(each, surface))
  }
  return { surfaceOf, skipped }
}

function needsChoice({ host, inspection }: InspectedHost): boolean {
  return host.surfaces.length > 0 && inspection.is === 'absent'
}

function surfaceFor({ host, inspection }: InspectedHost, given: Surface | undefined): Surface | undefined {
  if (host.surfaces.length === 0) return undefined
  if (inspection.is !== 'installed' || given === undefined || given === inspection.surface) {
    return inspection.is === 'installed' ? inspection.surface : given
  }
  throw invalidAdapterSurface({
    problem: `${host.id} is installed for ${inspection.surface}, not for ${given}; run "drover hosts uninstall --tool ${host.id}" first, then install it with --surface ${given}`,
  })
}

/** The suggested command installs this host alone, so the message names the other hosts. */
function surfaceRequired({ host }: InspectedHost, inspected: readonly InspectedHost[]) {
  const others = inspected.map((each) => each.host.id).filter((id) => id !== host.id)
  const rest = others.length === 0 ? '' : `; ${others.join(', ')} will not be changed until then`
  return invalidAdapterSurface({ problem: `${host.id} can be called in two ways; add ${CHOICES}${rest}` })
}
