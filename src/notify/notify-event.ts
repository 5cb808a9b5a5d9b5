import { digestFields } from '../kit/digest.ts'
import { redactSecrets } from '../kit/redact.ts'
import { withUtcTimes } from '../kit/wording.ts'

/** What people and programs are notified of, and who wants to know it. Pure. */
export type NotifyKind = 'question' | 'approval' | 'delivered' | 'failed' | 'limit' | 'budget'

export type NotifyEvent = {
  /** The same if the event is announced again. */
  readonly id: string
  readonly kind: NotifyKind
  readonly at: string
  /** Events of one stream arrive in their order: the id of a run or of an execution. */
  readonly stream: string
  readonly title: string
  readonly text: string
  /** The page of the console. */
  readonly url?: string | undefined
  readonly repository?: string | undefined
  readonly label?: string | undefined
  /** The key that it belongs to, for browsers that see only that. */
  readonly keyId?: string | undefined
  /** Until when it may be announced again, if that is long: it is not sent again then. */
  readonly endsAt?: string | undefined
  /** For programs. */
  readonly data: Readonly<Record<string, unknown>>
}

/** A target of the settings. */
export type NotifyTarget = {
  readonly name: string
  readonly type: 'webhook' | 'slack' | 'ntfy' | 'desktop' | 'command' | 'browsers'
  readonly url?: string | undefined
  readonly url_file?: string | undefined
  readonly secret_file?: string | undefined
  readonly command?: readonly string[] | undefined
  readonly events?: readonly string[] | undefined
  readonly repositories?: readonly string[] | undefined
  readonly labels?: readonly string[] | undefined
}

/** A filter that is absent lets everything through. */
export function isWanted({ events, repositories, labels }: NotifyTarget, event: NotifyEvent): boolean {
  return allows(events, event.kind) && allows(repositories, event.repository, isWithin) && allows(labels, event.label)
}

function allows(wanted: readonly string[] = [], value: string | undefined, fits = isSame): boolean {
  return wanted.length === 0 || (value !== undefined && wanted.some((each) => fits(value, each)))
}

const isSame = (value: string, wanted: string) => value === wanted

/** An agent may work in a directory of the repository. */
function isWithin(path: string, repository: string): boolean {
  return path === repository || path.startsWith(`${repository}/`)
}

export function toTestEvent(id: string, at: string, consoleUrl: string): NotifyEvent {
  return {
    ...{ id, at, kind: 'question', stream: id, title: 'drover: a test' },
    text: 'This is a test. A run that waits for you would ask its question here.',
    ...(consoleUrl !== '' && { url: consoleUrl }),
    data: { is_test: true },
  }
}

type Asked = {
  readonly approval_id: string
  readonly execution_id: string
  readonly asked_at: string
  readonly tool_name: string
  readonly command?: string | undefined
  readonly reason?: string | undefined
  readonly questions?: readonly { readonly text: string }[] | undefined
}

/** Where the agent works, and the key that it works for. */
type ApprovalOrigin = { readonly directory?: string | undefined; readonly keyId?: string | undefined }

const TITLE_CHARACTERS = 100

/** The files and the input of the call stay in the console. */
export function toApprovalEvent(asked: Asked, approvalOrigin: ApprovalOrigin & { consoleUrl: string }): NotifyEvent {
  const { directory: repository, keyId, consoleUrl } = approvalOrigin
  const { approval_id, execution_id, asked_at, tool_name, command, reason, questions } = asked
  const tool = toSafeText(tool_name, TITLE_CHARACTERS)
  return {
    id: `msg_${execution_id}_${approval_id}`,
    kind: 'approval',
    at: asked_at,
    stream: execution_id,
    ...{ repository, keyId },
    title: questions === undefined ? `An agent asks for permission: ${tool}` : 'An agent asks a question',
    text:
      toSafeText([command, reason, ...(questions ?? []).map((each) => each.text)].filter(Boolean).join('\n')) || tool,
    ...(consoleUrl !== '' && { url: `${consoleUrl}/#/executions/${execution_id}` }),
    data: { execution_id, approval_id, tool_name: tool, repository },
  }
}

/** As `drover budgets` lists it. */
type ListedBudget = {
  readonly name: string
  readonly repository?: string | undefined
  readonly label?: string | undefined
  readonly unit: string
  readonly period: string
  readonly limit: number
  readonly used: number
  /** Absent: there is one period. */
  readonly resets_at?: string | undefined
}

/** The share at which people can still do something about it. */
const NEAR = 0.8
const NEVER = '9999-12-31T00:00:00Z'

/** Once in each period for each level and limit, because the id says which. Undefined: enough is left. */
export function toBudgetEvent(
  budget: ListedBudget,
  { at, consoleUrl }: { at: string; consoleUrl: string },
): NotifyEvent | undefined {
  const { name, repository, label, unit, period, limit, used, resets_at: resetsAt } = budget
  if (used < limit * NEAR) return undefined
  const level = used < limit ? 'near' : 'spent'
  const allowed = `${limit} ${unit}/${period}`
  const which = [name, unit, period, resetsAt ?? '', String(limit), level]
  const resets = resetsAt === undefined ? 'It does not reset.' : `It resets at ${withUtcTimes(resetsAt)}.`
  const refused = level === 'spent' ? ' Prompts that it applies to are refused.' : ''
  return {
    id: `msg_${digestFields(['drover-budget-notice/v1', ...which]).slice(7, 39)}`,
    ...{ kind: 'budget', at, repository, label },
    stream: `budget ${name} ${unit}/${period}`,
    endsAt: resetsAt ?? NEVER,
    title: `${level === 'spent' ? 'Budget spent' : 'Budget at 80 %'}: ${name}, ${allowed}`,
    text: `${Number(used.toFixed(2))} of ${limit} ${unit} are used.${refused} ${resets}`,
    ...(consoleUrl !== '' && { url: `${consoleUrl}/#/usage` }),
    data: { level, budget: { name, repository, label, unit, period, limit, used, resets_at: resetsAt } },
  }
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]
const LONGEST_WAIT = 60 * MINUTE
const GIVEN_UP_AFTER = 24 * 60 * MINUTE

/** How long to wait after a delivery that failed. Undefined: it is given up. `random` is between 0 and 1. */
export function waitAfter(attempts: number, ageMs: number, random: number): number | undefined {
  if (ageMs > GIVEN_UP_AFTER) return undefined
  const wait = WAITS[attempts - 1] ?? LONGEST_WAIT
  return Math.round(wait * (1 + random / 5))
}

/** Slack, ntfy and desktops cut longer ones. */
const TEXT_CHARACTERS = 2000
const CUT = '… [cut: the rest is in the console]'
/** A part that is longer than a secret is read in addition, so that none is cut into something that does not look like one. */
const MORE_CHARACTERS = 20_000

/** Texts of agents and users, as they leave this machine: short, and without what looks like a secret. Pure. */
export function toSafeText(text: string, limit = TEXT_CHARACTERS): string {
  const start = redactSecrets(text.slice(0, limit + MORE_CHARACTERS))
  const isCut = start.length > limit || text.length > limit + MORE_CHARACTERS
  const mark = limit > CUT.length * 4 ? CUT : '…'
  return (isCut ? `${start.slice(0, limit - mark.length)}${mark}` : start).toWellFormed()
}

/** The same for every text in the data of an event. */
export function toSafeData<T>(data: T): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(data, (_, value) => (typeof value === 'string' ? toSafeText(value) : value)))
}

/** The HTTP request that tells a target of an event. */
export type NotifyRequest<Body extends string | Uint8Array = string> = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}
