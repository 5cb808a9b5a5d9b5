/** What doctor can find, one maker each: calling it gives a finding. docs/doctor.md lists them all. */
import type { DoctorReport } from '../../contract/doctor-report.shape.ts'
import type { Durability } from '../../kit/files/durability.ts'

export type DoctorCheck = DoctorReport['checks'][number]

/** In the order of the report. */
export const CHECK_GROUPS = [
  'Repository',
  'Hosts',
  'Runs',
  'GitHub',
  'Programs',
  'Configuration',
  'Sessions',
  'Locks',
  'Agents',
  'Doctor',
] as const

export type CheckGroup = (typeof CHECK_GROUPS)[number]

export type CheckKind = {
  readonly code: string
  readonly group: CheckGroup
  /** What is looked at, as the report calls it. */
  readonly name: string
  readonly status: DoctorCheck['status']
  /** A sentence for docs/doctor.md. */
  readonly means: string
  /** What to do about it, if anything has to be done; a finding may know better. */
  readonly todo?: string
}

export type Finding = {
  readonly kind: CheckKind
  /** The host that it is about; undefined for none. */
  readonly host: string | undefined
  readonly detail: string
  readonly todo: string | undefined
  readonly durability: Durability | undefined
}

/** `todo` is that of the kind unless it is given; given as undefined, the detail says it already. */
type Found = { detail: string; host?: string | undefined; todo?: string | undefined; durability?: Durability }

export type CheckMaker = { readonly kind: CheckKind; (found: Found): Finding }

export function defineCheck(kind: CheckKind): CheckMaker {
  const make = (found: Found): Finding => {
    const { detail, host, durability } = found
    return { kind, host, detail, todo: 'todo' in found ? found.todo : kind.todo, durability }
  }
  return Object.assign(make, { kind })
}

/** Strict messages have no place of its own for what to do, so it stands behind what was found. */
export function toDoctorCheck({ kind, host = '-', detail, todo, durability }: Finding): DoctorCheck {
  const { code, status, name } = kind
  const said = todo === undefined ? detail : `${detail}; ${todo}`
  return { code, status, host_id: host, name, detail: toOneLine(said), ...(durability && { durability }) }
}

/** What programs and the system say goes into details, with whatever they put in it. */
function toOneLine(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}+/gu, ' ')
}
