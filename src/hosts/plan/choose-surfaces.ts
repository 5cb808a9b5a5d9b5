/** Chooses the surface that a host is installed for. The manifest records it. */
import { invalidAdapterSurface } from '../faults.ts'
import type { HostId, Surface } from '../host.ts'
import type { InspectedHost } from '../inspect-host.ts'

type ChosenSurfaces = {
  /** Every host that can be planned; undefined for a host without surfaces. */
  readonly surfaceOf: ReadonlyMap<HostId, Surface | undefined>
  /** A warning for each host that needs a choice. */
  readonly skipped: readonly string[]
}

const CHOICES = '--surface ide for the editor or --surface cli for the command line'

/** Throws `invalid_adapter_surface` if the user has to choose first. */
export function chooseSurfaces(
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
