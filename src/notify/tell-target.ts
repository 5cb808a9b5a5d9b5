/** Delivers an event to a target, once. */
import type { Clock } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import { readFileText } from '../kit/files/read-file.ts'
import { type Environment, toChildEnvironment } from '../kit/process/child-environment.ts'
import { runProcess } from '../kit/process/process.ts'
import type { NotifyEvent, NotifyTarget } from './notify-event.ts'
import type { BrowserTarget, PushTargets } from './push-targets.ts'
import { type NotifyRequest, toDesktop, toNtfy, toSlack, toWebhook } from './to-request.ts'

export type DeliveryPlaces = {
  readonly env: Environment
  readonly cwd: string
  readonly clock: Clock
  /** Undefined: this process tells no browsers. */
  readonly push?: PushTargets | undefined
}

/** Undefined: it was delivered. The problem names neither an address nor a secret. */
export type DeliveryProblem = { readonly problem: string; readonly isFinal?: true } | undefined

/** Both are shorter than the time for which an entry of the outbox is taken. */
const TIMEOUT_MS = 10_000
const COMMAND_TIMEOUT_MS = 15_000
const OUTPUT_LIMIT_BYTES = 1024 * 1024
const FILE_LIMIT_BYTES = 4096
/** How a push service says that a browser has unsubscribed. */
const GONE = [404, 410]

export async function deliver(
  target: NotifyTarget,
  event: NotifyEvent,
  places: DeliveryPlaces,
): Promise<DeliveryProblem> {
  try {
    if (target.type === 'browsers') return await tellBrowser(target, event, places)
    if (target.type === 'command') return await deliverToProgram(target.command ?? [], toInput(event), places)
    if (target.type !== 'desktop') return await send(toRequest(target, event, places))
    const shown = toDesktop(event, process.platform)
    return shown === undefined
      ? { problem: 'this system has no notifications', isFinal: true }
      : await deliverToProgram(shown, '', places)
  } catch (error) {
    if (error instanceof Fault) return { problem: error.code }
    throw error
  }
}

/** One that is gone is forgotten, with what waits for it. */
async function tellBrowser(
  target: NotifyTarget,
  event: NotifyEvent,
  { push }: DeliveryPlaces,
): Promise<DeliveryProblem> {
  if (push === undefined || !('browser' in target))
    return { problem: 'browsers are told by a server: open its console', isFinal: true }
  const browser = target as BrowserTarget
  const request = push.toRequest(browser, event)
  const failed =
    request === undefined
      ? { problem: 'its address is not allowed', isFinal: true as const }
      : await send(request, GONE)
  if (failed?.isFinal) await push.forget(browser)
  return failed
}

/** What a program gets on its standard input. */
function toInput({ data, kind, title, text, url }: NotifyEvent): string {
  return `${JSON.stringify({ event: kind, ...data, title, text, ...(url !== undefined && { url }) })}\n`
}

/** Starts a program, without a shell. */
export async function deliverToProgram(
  argv: readonly string[],
  stdin: string,
  { env, cwd }: Pick<DeliveryPlaces, 'env' | 'cwd'>,
): Promise<DeliveryProblem> {
  const [program = '', ...rest] = argv
  const { signal } = new AbortController()
  const { exit } = await runProcess(
    {
      ...{ argv: [program, ...rest], cwd, env: toChildEnvironment(env), stdin },
      ...{ timeoutMs: COMMAND_TIMEOUT_MS, signal, sweep: 'always' },
    },
    { stdoutLimitBytes: OUTPUT_LIMIT_BYTES },
  )
  return exit.code === 0 ? undefined : { problem: `it ended with ${exit.code ?? exit.signal}` }
}

/** Files are read for each delivery, so that a new secret counts at once. */
function toRequest({ type, url, url_file, secret_file }: NotifyTarget, event: NotifyEvent, { clock }: DeliveryPlaces) {
  const address = url ?? readLine(url_file)
  if (!URL.canParse(address)) return undefined
  if (type === 'slack') return toSlack(event, address)
  if (type === 'ntfy') return toNtfy(event, address)
  return toWebhook(event, { url: address, secret: readLine(secret_file), now: clock.now() })
}

function readLine(file = ''): string {
  return readFileText({ path: file, limitBytes: FILE_LIMIT_BYTES }).trim()
}

async function send(
  request: NotifyRequest<string | Uint8Array<ArrayBuffer>> | undefined,
  gone: readonly number[] = [410],
): Promise<DeliveryProblem> {
  if (request === undefined) return { problem: 'its file has no address' }
  const { url, headers, body } = request
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', headers: { ...headers, 'user-agent': 'drover' }, body },
      // The user named this address and no other one: another could be in a private network.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return toProblem(response.status, gone)
  } catch (error) {
    return { problem: describe(error) }
  }
}

function toProblem(status: number, gone: readonly number[]): DeliveryProblem {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return { problem: `it redirects (${status}), which is not followed` }
  // The receiver does not exist any more.
  return { problem: `it answered ${status}`, ...(gone.includes(status) && { isFinal: true }) }
}

/** The message of an error may have the address. */
function describe(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  return name === 'TimeoutError' ? `no answer within ${TIMEOUT_MS / 1000} s` : String(cause?.code ?? name)
}
