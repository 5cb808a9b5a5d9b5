/** What a check can find. Each finding is defined once, beside its check; docs/doctor.md lists them all. */
import type { DoctorReport } from '../../../contract/reports.shape.ts'
import type { Durability } from '../../../kit/files/disk.ts'

export type DoctorCheck = DoctorReport['checks'][number]

/** In the order of the report for people. */
export const FINDING_GROUPS = [
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

export type FindingGroup = (typeof FINDING_GROUPS)[number]

export type FindingKind = {
  readonly code: string
  readonly group: FindingGroup
  /** The subject, as the report calls it. */
  readonly name: string
  readonly status: DoctorCheck['status']
  /** A sentence for docs/doctor.md. */
  readonly means: string
  /** What the user should do. A finding can replace it by something more specific. */
  readonly todo?: string
}

export type Finding = {
  readonly kind: FindingKind
  /** The id of the host that the finding is about, if any. */
  readonly host: string | undefined
  readonly detail: string
  readonly todo: string | undefined
  readonly durability: Durability | undefined
}

/** Without `todo` the one of the kind is used. Pass `todo: undefined` if the detail already says what to do. */
type FindingFacts = { detail: string; host?: string | undefined; todo?: string | undefined; durability?: Durability }

export type FindingMaker = { readonly kind: FindingKind; (facts: FindingFacts): Finding }

type Described = Pick<FindingKind, 'status' | 'means' | 'todo'>

const describedAs = (status: FindingKind['status']) => (means: string, todo?: string) =>
  ({ status, means, ...(todo !== undefined && { todo }) }) satisfies Described

export const [ok, warning, problem] = [describedAs('ok'), describedAs('warning'), describedAs('error')]

/** Defines what can be found about one subject, by code. Calling a member makes a finding of that kind. */
export function defineFindings<const Code extends string>(
  group: FindingGroup,
  name: string,
  kinds: Readonly<Record<Code, Described>>,
): Readonly<Record<Code, FindingMaker>> {
  const makers = Object.entries<Described>(kinds).map(([code, described]) => {
    const kind: FindingKind = { code, group, name, ...described }
    const make = (facts: FindingFacts): Finding => {
      const { detail, host, durability } = facts
      return { kind, host, detail, todo: 'todo' in facts ? facts.todo : kind.todo, durability }
    }
    return [code, Object.assign(make, { kind })]
  })
  return Object.fromEntries(makers) as Record<Code, FindingMaker>
}

/** The message has no field for `todo`, so it is appended to the detail. */
export function toDoctorCheck({ kind, host = '-', detail, todo, durability }: Finding): DoctorCheck {
  const { code, status, name } = kind
  const text = todo === undefined ? detail : `${detail}; ${todo}`
  return { code, status, host_id: host, name, detail: toOneLine(text), ...(durability && { durability }) }
}

/** Details quote other programs, which may print control characters. */
function toOneLine(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}+/gu, ' ')
}
