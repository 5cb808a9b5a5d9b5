/** Which of its two ways to be called a host is installed for; it is chosen once and recorded in the manifest. */
import { invalidAdapterSurface } from '../faults.ts'
import type { HostId, Surface } from '../host.ts'
import type { InspectedHost } from '../inspect-host.ts'

type Settled = {
  /** Every host that can be planned; the surface is undefined for those that have none. */
  readonly surfaceOf: ReadonlyMap<HostId, Surface | undefined>
  /** A warning for each host that cannot. */
  readonly skipped: readonly string[]
}

const CHOICES = '--surface ide for the editor or --surface cli for the command line'

/** Throws what a person has to decide before any host is touched. */
export function settleSurfaces(
  inspected: readonly InspectedHost[],
  { surface, isExplicit }: { readonly surface?: Surface | undefined; readonly isExplicit: boolean },
): Settled {
  const surfaceOf = new Map<HostId, Surface | undefined>()
  const skipped: string[] = []
  if (surface !== undefined && !inspected.some(({ host }) => host.surfaces.length > 0)) {
    throw invalidAdapterSurface({ problem: '--surface is only for kiro, which is not selected; leave it out' })
  }
  for (const each of inspected) {
    const { id } = each.host
    if (needsChoice(each) && surface === undefined) {
      if (isExplicit || inspected.length === 1) throw sayChoose(each, inspected)
      skipped.push(
        `${id}: it was left out because it can be called in two ways; install it with --tool ${id} and ${CHOICES}`,
      )
    } else surfaceOf.set(id, settle(each, surface))
  }
  return { surfaceOf, skipped }
}

function needsChoice({ host, inspection }: InspectedHost): boolean {
  return host.surfaces.length > 0 && inspection.is === 'absent'
}

function settle({ host, inspection }: InspectedHost, given: Surface | undefined): Surface | undefined {
  if (host.surfaces.length === 0) return undefined
  if (inspection.is !== 'installed' || given === undefined || given === inspection.surface) {
    return inspection.is === 'installed' ? inspection.surface : given
  }
  throw invalidAdapterSurface({
    problem: `${host.id} is installed for ${inspection.surface}, not for ${given}; run "drover uninstall --tool ${host.id}" first, then install it with --surface ${given}`,
  })
}

/** The command that is offered installs this host alone, so the others have to be asked for again. */
function sayChoose({ host }: InspectedHost, inspected: readonly InspectedHost[]) {
  const others = inspected.map((each) => each.host.id).filter((id) => id !== host.id)
  const rest = others.length === 0 ? '' : `; until then nothing is done about ${others.join(', ')} either`
  return invalidAdapterSurface({ problem: `${host.id} can be called in two ways; add ${CHOICES}${rest}` })
}
